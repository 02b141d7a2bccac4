// 3:25: error: '+' cannot be applied to Integer[3] and Integer[2]
model M
  Real x[3] = {1, 2, 3} + {1, 2};
end M;
