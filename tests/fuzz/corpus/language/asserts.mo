model Asserts
  Real x(start = 0, fixed = true, min = 0, max = 0.3);
  parameter String name = "tank";
equation
  der(x) = 1;
  assert(x < 0.5, "level of " + name + " is too high: " + String(x) + " m");
end Asserts;
