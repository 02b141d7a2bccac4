// 5:10: error: a^b^c has two meanings: use parentheses
model M
  Real x;
equation
  x = 2^3^4;
end M;
