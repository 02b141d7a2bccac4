// 3:17: error: the step of the range is zero
model M
  Real x[3] = 1:0:3;
end M;
