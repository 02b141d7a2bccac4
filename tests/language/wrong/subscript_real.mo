// 4:14: error: a subscript of 'x' must be Integer, not Real
model M
  Real x[3] = {1, 2, 3};
  Real y = x[1.5];
end M;
