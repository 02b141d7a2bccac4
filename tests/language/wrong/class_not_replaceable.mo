// 9:72: error: class 'F' is not replaceable
package A
  function F
    input Real x;
    output Real y;
  algorithm
    y := x;
  end F;
  model C Real z = F(1); end C; package B extends A(redeclare function F = A.F); end B;
end A;
model M
  Real y = A.B.F(1);
end M;
