connector Pin
  Real v;
  flow Real i;
end Pin;

partial model TwoPin
  Pin p, n;
  Real v, i;
equation
  v = p.v - n.v;
  i = p.i;
  p.i + n.i = 0;
end TwoPin;

model Resistor
  extends TwoPin;
  parameter Real R(unit = "Ohm") = 1;
equation
  v = R*i;
end Resistor;

model Capacitor
  extends TwoPin(v(start = 0, fixed = true));
  parameter Real C = 1e-6;
equation
  C*der(v) = i;
end Capacitor;

model Source
  extends TwoPin;
  parameter Real V = 1;
equation
  v = V;
end Source;

model Ground
  Pin p;
equation
  p.v = 0;
end Ground;

model Pair "two resistors behind one connector"
  Pin p, n;
  Resistor a(R = R), b(R = 2*R);
  parameter Real R = 10;
equation
  connect(p, a.p);
  connect(a.n, b.p);
  connect(b.n, n);
end Pair;

model Circuit
  Source s(V = 5);
  Pair r(R = 3);
  Capacitor c(C = 0.1, v.start = 2);
  Ground g;
equation
  connect(s.p, r.p);
  connect(r.n, c.p);
  connect(c.n, s.n);
  connect(s.n, g.p);
end Circuit;
