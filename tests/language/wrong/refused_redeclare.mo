// 6:7: error: 'redeclare' is not supported
model A
  replaceable Real x;
end A;
model M
  A a(redeclare Integer x);
end M;
