// 5:3: error: the two sides of the equation differ in type or size: Real = Boolean
model M
  Real x;
equation
  x = true;
end M;
