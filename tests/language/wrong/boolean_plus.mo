// 3:14: error: '+' does not fit Integer and Boolean
model M
  Real x = 1 + true;
end M;
