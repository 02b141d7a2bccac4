// 4:12: error: der() of an expression with delay(), which has no derivative
model M
  Real x(start = 1, fixed = true);
  Real y = der(delay(x, 1));
equation
  der(x) = -x;
end M;
