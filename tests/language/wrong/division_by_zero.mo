// 3:13: error: division by zero
model M
  Real x = 1/0;
end M;
