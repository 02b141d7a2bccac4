// 7:19: error: there is no inherited class 'B' to redeclare
model A
  Real x = 1;
end A;
model M
  extends A;
  redeclare model B
    Real y = 2;
  end B;
  B b;
end M;
