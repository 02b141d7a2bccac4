// 9:55: error: class 'F' is not replaceable
model A
  function F
    input Real x;
    output Real y;
  algorithm
    y := x;
  end F;
  Real z = F(1); model B extends A(redeclare function F = A.F); end B;
end A;
model M
  A.B b;
end M;
