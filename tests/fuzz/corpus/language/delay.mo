model Delay
  Real x(start = 1, fixed = true);
  Real y = delay(x, 1);
equation
  der(x) = -delay(x, 1);
end Delay;
