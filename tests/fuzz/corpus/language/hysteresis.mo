model Hyst
  Real u = 2*sin(time); Boolean y(start = false); discrete Real n(start=0, fixed=true);
equation
  y = u > 1 or pre(y) and u >= -1;
  when {y, not y} then n = pre(n) + 1; end when;
  annotation(experiment(StartTime=0, StopTime=20, Tolerance=1e-6, Interval=0.1));
end Hyst;
