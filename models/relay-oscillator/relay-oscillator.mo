model RelayOscillator "a relay with hysteresis around an integrator and a lag"
  parameter Real d = 0.2 "half of the width of the hysteresis";
  parameter Real T(unit = "s") = 0.5;
  Real x(start = 0, fixed = true) "behind the lag";
  Real y(start = 0, fixed = true) "behind the integrator";
  discrete Real u(start = 1, fixed = true) "of the relay";
  discrete Integer turns(start = 0, fixed = true);
equation
  T*der(x) = u - x;
  der(y) = x;
  when {y > d, y < -d} then
    u = if y > 0 then -1 else 1;
    turns = pre(turns) + 1;
  end when;
  annotation(experiment(StopTime = 20, Interval = 0.02));
end RelayOscillator;
