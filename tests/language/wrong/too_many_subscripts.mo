// 4:12: error: 'x' has 1 dimension, not 2
model M
  Real x[3] = {1, 2, 3};
  Real y = x[1, 2];
end M;
