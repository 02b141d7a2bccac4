// 4:14: error: subscript 4 of 'x' is beyond its size 3
model M
  Real x[3] = {1, 2, 3};
  Real y = x[4];
end M;
