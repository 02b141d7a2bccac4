// 5:13: error: expected ')' to close the bracket, found ';'
model M
  Real x;
equation
  x = (1 + 2;
end M;
