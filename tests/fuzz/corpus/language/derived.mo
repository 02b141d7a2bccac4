model Derived
  parameter Real m = 2, k = 8;
  parameter Real w = sqrt(k/m);
  parameter Integer n = 3;
  Real x[n](each start = 1, each fixed = true), v[n](each start = 0, each fixed=true);
equation
  der(x) = v; der(v) = -w^2*x;
end Derived;
