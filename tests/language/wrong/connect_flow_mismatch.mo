// 19:3: error: 'a.i' and 'b.i' cannot be connected: only one is a flow
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
  Pin a;
  Port b;
equation
  connect(a, b);
end M;
