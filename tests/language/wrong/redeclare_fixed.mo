// 10:23: error: class 'X' is not replaceable
model B
  Real x = 1;
end B;
model A
  model X = B;
  X x;
end A;
model M
  A a(redeclare model X = B);
end M;
