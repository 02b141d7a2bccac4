// 5:8: error: expected ';' after the equation, found 'end M'
model M
  Real x;
equation
  x = 1
end M;
