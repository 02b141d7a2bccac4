// 7:12: error: 'a' is not there: its condition is false
model M
  model A
    Real x = 1;
  end A;
  A a if false;
  Real y = a.x;
end M;
