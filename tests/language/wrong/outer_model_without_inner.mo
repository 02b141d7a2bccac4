// 3:15: error: there is no 'inner B' in the enclosing models
model A
  outer model B
  end B;
  B b;
end A;
model M
  A a;
end M;
