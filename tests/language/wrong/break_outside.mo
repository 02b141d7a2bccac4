// 6:3: error: 'break' outside of a loop
model M
  Real x;
algorithm
  x := 1;
  break;
end M;
