model Inherit
  partial model Base
    parameter Real a = 1, b = 2;
    Real x(start = a);
  end Base;
  model Middle
    extends Base(a = 10, x(start = 5, fixed = true));
    parameter Real c = a + b;
  equation
    der(x) = -c*x;
  end Middle;
  model Twice
    extends Middle(b = 20);
    extends Base(a = 10, b = 20, x(start = 5, fixed = true));
    Real y = x;
  end Twice;
  model Short = Middle(b = 7, x.nominal = 3);
  Middle m;
  Twice t(a = 100);
  Short s;
end Inherit;
