// 5:7: error: expected an expression, found 'end'
model M
  Real x;
equation
  x = end;
end M;
