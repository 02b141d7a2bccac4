model DelayOscillator "what reacts too late swings: x' = -x one second ago"
  parameter Real lag(unit = "s") = 1;
  Real x(start = 1, fixed = true);
equation
  der(x) = -delay(x, lag);
  annotation(experiment(StopTime = 6, Interval = 0.01));
end DelayOscillator;
