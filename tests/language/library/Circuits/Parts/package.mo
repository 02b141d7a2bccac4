within Circuits;
package Parts
  partial model OnePort
    Pin p, n;
    Real v = p.v - n.v;
  equation
    p.i + n.i = 0;
  end OnePort;
end Parts;
