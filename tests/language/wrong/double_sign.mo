// 5:11: error: two signs in a row: use brackets
model M
  Real x;
equation
  x = 1 + -2;
end M;
