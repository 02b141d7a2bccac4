model Brusselator "a chemical reaction that never comes to rest"
  parameter Real A = 1;
  parameter Real B = 3 "above 1 + A^2 it swings";
  Real x(start = 1.2, fixed = true);
  Real y(start = 3.1, fixed = true);
equation
  der(x) = A + x^2*y - (B + 1)*x;
  der(y) = B*x - x^2*y;
  annotation(experiment(StopTime = 20, Interval = 0.02));
end Brusselator;
