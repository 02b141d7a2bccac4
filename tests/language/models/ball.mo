model Ball "A ball that bounces"
  parameter Real g(unit = "m/s2") = 9.81 "gravity";
  parameter Real e(min = 0, max = 1) = 0.8 "restitution";
  Real h(start = 1, fixed = true, unit = "m");
  Real v;
  Boolean contact;
  discrete Real last(start = 0) "time of the last bounce";
  discrete Integer count(start = 0, fixed = true);
initial equation
  v = 0;
equation
  der(h) = v;
  der(v) = -g;
  contact = h <= 0;
  when contact then
    reinit(v, -e*pre(v));
    last = time;
    count = pre(count) + 1;
  elsewhen {h > 5, sample(0, 1)} then
    last = -1;
  end when;
  annotation(experiment(StartTime = 0, StopTime = 3, Tolerance = 1e-6, Interval = 0.01));
end Ball;
