// 3:16: error: too few equations, 1 for 3 unknowns: nothing determines `y`, `z`
model M
  Real x; Real y; Real z;
equation
  x + y + z = time;
end M;
