model NewtonCooling "a cup of coffee gets cold: the shortest model there is"
  parameter Real around(unit = "degC") = 20;
  parameter Real k(unit = "1/min") = 0.1;
  Real T(unit = "degC", start = 90, fixed = true);
equation
  der(T) = -k*(T - around);
  annotation(experiment(StopTime = 60, Interval = 0.5));
end NewtonCooling;
