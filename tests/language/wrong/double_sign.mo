// 5:11: error: two signs in a row: use parentheses
model M
  Real x;
equation
  x = 1 + -2;
end M;
