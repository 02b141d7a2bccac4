connector Pin
  Real v; flow Real i;
end Pin;
partial model TwoPin
  Pin p, n; Real v, i;
equation
  v = p.v - n.v; i = p.i; p.i + n.i = 0;
end TwoPin;
model Resistor extends TwoPin; parameter Real R(min = 0) = 1;
equation v = R*i; end Resistor;
model Capacitor extends TwoPin(v(start = 0, fixed = true)); parameter Real C = 1;
equation C*der(v) = i; end Capacitor;
model Source extends TwoPin; parameter Real V = 1;
equation v = V; end Source;
model Ground Pin p; equation p.v = 0; end Ground;
model Ladder
  parameter Integer n = 5;
  Resistor r[n](each R = 1);
  Capacitor c[n](each C = 0.1);
  Source s(V = 10); Ground g;
equation
  connect(s.p, r[1].p);
  for k in 1:n - 1 loop connect(r[k].n, r[k + 1].p); end for;
  connect(r.n, c.p);
  for k in 1:n loop connect(c[k].n, g.p); end for;
  connect(s.n, g.p);
end Ladder;
