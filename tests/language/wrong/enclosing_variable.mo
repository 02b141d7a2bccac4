// 5:14: error: 'x' of 'M' cannot be used here: it is not a constant (in 'a')
model M
  Real x = 1;
  model A
    Real y = x;
  end A;
  A a;
end M;
