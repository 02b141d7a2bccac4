// 4:20: error: dimension 2 is asked for of an array of 1 dimensions
model M
  Real x[3] = {1, 2, 3};
  Real y = size(x, 2);
end M;
