// 6:17: error: 'redeclare' of a class is not supported
model A
  replaceable Real x;
end A;
model M
  A a(redeclare model X = A);
end M;
