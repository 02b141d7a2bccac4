// 7:18: error: there is no inherited 'y' to redeclare
model A
  Real x = 1;
end A;
model M
  extends A;
  redeclare Real y = 2;
end M;
