model Pend
  parameter Real L = 1, m = 1, g = 9.81;
  Real x(start = 1, fixed = true), y, vx(start = 0, fixed=true), vy, lambda;
equation
  m*der(x) = m*vx; der(y) = vy;
  m*der(vx) = -lambda*x;
  m*der(vy) = -lambda*y - m*g;
  x^2 + y^2 = L^2;
end Pend;
