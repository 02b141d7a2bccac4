record Way
  Real c, s;
  function equalityConstraint
    input Way a, b;
    output Real r[1];
  algorithm
    r := {a.c*b.s - a.s*b.c};
  end equalityConstraint;
end Way;
connector Port
  Way R;
  Real p;
  flow Real m;
  stream Real h;
end Port;
model Root
  Port p;
equation
  Connections.root(p.R);
  p.R.c = 1;
  p.R.s = 0;
  p.p = 1;
  p.h = inStream(p.h) + cardinality(p);
end Root;
model Turn
  Port a, b;
equation
  Connections.branch(a.R, b.R);
  a.R.c = b.R.c;
  a.R.s = b.R.s;
  a.p = b.p;
  a.m + b.m = 0;
  a.h = inStream(b.h);
  b.h = inStream(a.h);
end Turn;
model M
  Root r;
  Turn a, b;
equation
  connect(r.p, a.a);
  connect(a.b, b.a);
end M;
