// 3:8: error: the size of 'x' depends on itself
model M
  Real x[size(y, 1)];
  Real y[size(x, 1)];
end M;
