// 6:5: error: expected 'end M' to end what begins in line 2, found 'end N'
model M
  Real x;
equation
  x = 1;
end N;
