// 3:9: error: expected ';' after the declaration, found 'Real'
model M
  Real x
  Real y;
equation
  x = 1;
  y = 2;
end M;
