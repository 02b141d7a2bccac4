// 5:13: error: expected ')' to close the parenthesis, found ';'
model M
  Real x;
equation
  x = (1 + 2;
end M;
