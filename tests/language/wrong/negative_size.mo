// 4:10: error: the size of 'x' is -1: it cannot be negative
model M
  parameter Integer n = -1;
  Real x[n];
end M;
