// 16:26: error: 'f' cannot be redeclared as 'g': there is no 'u' in it
model M
  function f1
    input Real u;
    output Real y;
  algorithm
    y := u;
  end f1;
  function g
    input Real x;
    output Real y;
  algorithm
    y := x;
  end g;
  model A replaceable function f = f1; Real z = f(u = 2); end A;
  A a(redeclare function f = g);
end M;
