// 3:14: error: '+' cannot be applied to Integer and Boolean
model M
  Real x = 1 + true;
end M;
