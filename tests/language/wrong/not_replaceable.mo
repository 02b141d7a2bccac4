// 6:29: error: 'x' is not replaceable (in 'a')
model A
  Real x = 1;
end A;
model M
  A a(redeclare Integer x = 2);
end M;
