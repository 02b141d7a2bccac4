// 8:14: error: 'x' is protected in model 'A'
model A
protected
  Real x = 1;
end A;
model M
  A a;
  Real y = a.x;
end M;
