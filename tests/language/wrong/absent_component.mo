// 7:12: error: 'a' does not exist: its condition is false
model M
  model A
    Real x = 1;
  end A;
  A a if false;
  Real y = a.x;
end M;
