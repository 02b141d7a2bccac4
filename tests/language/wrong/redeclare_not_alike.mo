// 13:19: error: 'a' cannot be redeclared as 'B': it must have all of 'A', and there is no 'y' (in 's')
model A
  Real x = 1;
  Real y = 2;
end A;
model B
  Real x = 1;
end B;
model S
  replaceable A a;
end S;
model M
  S s(redeclare B a);
end M;
