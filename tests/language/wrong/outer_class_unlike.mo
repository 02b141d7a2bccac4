// 8:18: error: 'inner f' has no 'x', which the outer class has
model M
  partial function F
    input Real x;
    output Real y;
  end F;
  model A outer function f = F; Real y = f(x = time); end A;
  inner function f
    input Real u;
    output Real y;
  algorithm
    y := u;
  end f;
  A a;
end M;
