// 18:3: error: connect needs two connectors, not expressions
connector Pin
  Real v;
  flow Real i;
end Pin;
connector Port
  Real v, i;
end Port;
model R
  Pin p, n;
equation
  p.i + n.i = 0;
  p.v = n.v;
end R;
model M
  R a, b;
equation
  connect(a.p, 2*b.p);
end M;
