// 5:5: error: an algorithm assigns with ':=', not with '='
model M
  Real x;
algorithm
  x = 1;
end M;
