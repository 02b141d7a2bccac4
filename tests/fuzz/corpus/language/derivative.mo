model DerExpr
  Real x(start = 1, fixed = true), y;
equation
  y = x^2;
  der(x*y) = -x;
end DerExpr;
