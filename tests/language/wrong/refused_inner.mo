// 5:3: error: 'A.B' cannot be used: an outer class is not supported
model A
  outer model B
  end B;
  B b;
end A;
model M
  A a;
end M;
