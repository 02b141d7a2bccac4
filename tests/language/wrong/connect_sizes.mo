// 18:3: error: 2 and 3 connectors cannot be connected
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
  R a[2], b[3];
equation
  connect(a.p, b.n);
end M;
