// 6:3: error: 'else' without its 'if' or 'when'
model M
  Real x;
equation
  x = 1;
  else
  x = 2;
end M;
