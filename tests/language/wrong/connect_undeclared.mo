// 18:16: error: 'c' is not declared
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
  R a;
equation
  connect(a.p, c.p);
end M;
