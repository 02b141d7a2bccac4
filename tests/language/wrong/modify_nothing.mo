// 8:7: error: 'A' has no 'y' to modify
model A
  Real x;
equation
  x = 1;
end A;
model M
  A a(y = 2);
end M;
