// 7:21: error: 'B' must have all of 'A', and there is no 'y'
model M
  model A
    Real x = 2;
    Real y = 3;
  end A;
  replaceable model B
    Real x = 1;
  end B constrainedby A;
  B b;
end M;
