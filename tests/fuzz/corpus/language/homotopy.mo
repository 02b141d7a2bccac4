model Homot
  Real x(start=1); Real y(start=0.1, fixed=true);
equation
  x = homotopy(actual = exp(-x) + y, simplified = 0.5);
  der(y) = -y;
end Homot;
