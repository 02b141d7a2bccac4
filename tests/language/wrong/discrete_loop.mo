// 6:3: error: the discrete variable `b` depends on itself in one moment, through 2 equations; pre() breaks such a loop
model M
  Boolean a; Boolean b;
equation
  a = not b and time > 1;
  b = not a;
end M;
