within Circuits;
model Divider
  import Circuits.Parts.Resistor;
  model Source
    extends Parts.OnePort;
  equation
    v = volts;
  end Source;
  model Ground
    Pin p;
  equation
    p.v = 0;
  end Ground;
  Resistor a(R = 2), b;
  Source s;
  Ground g;
equation
  connect(s.p, a.p);
  connect(a.n, b.p);
  connect(b.n, s.n);
  connect(s.n, g.p);
end Divider;
