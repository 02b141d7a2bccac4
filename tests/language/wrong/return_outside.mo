// 6:3: error: 'return' outside of a function
model M
  Real x;
algorithm
  x := 1;
  return;
end M;
