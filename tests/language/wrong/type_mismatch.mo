// 5:3: error: the two sides of the equation do not fit: Real = Boolean
model M
  Real x;
equation
  x = true;
end M;
