// 8:5: error: 'extends' of the replaceable class 'T' is not supported
model M
  replaceable model T = A;
  model A
    Real x = 1;
  end A;
  model B
    extends T;
  end B;
  B b;
end M;
