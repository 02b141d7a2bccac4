// 5:3: error: the two sides of the equation differ in type or size: Real[3] = Integer[2]
model M
  Real x[3];
equation
  x = {1, 2};
end M;
