model TappedPendulum "a damped pendulum that can be given a tap at any time"
  parameter Real g(unit = "m/s2") = 9.8 "acceleration of gravity";
  parameter Real l(unit = "m") = 0.5 "length of the string";
  parameter Real m(unit = "kg") = 0.4 "mass of the bob";
  parameter Real c(unit = "kg/s", min = 0) = 0.1 "damping";
  input Real p(unit = "kg.m/s") "momentum of the last tap";
  input Boolean tap "a tap on the bob" annotation(__Foliot_event(value = p));
  Real y(unit = "rad", start = 2.5, fixed = true) "angle from straight down";
  Real v(unit = "rad/s", start = 0, fixed = true) "angular velocity";
  discrete Integer taps(start = 0, fixed = true) "how many there were";
equation
  der(y) = v;
  der(v) = -c/m*v - g/l*sin(y);
  when tap then
    reinit(v, pre(v) + p/(m*l));
    taps = pre(taps) + 1;
  end when;
  assert(g > 0 and l > 0 and m > 0, "g, l and m must be positive");
  annotation(experiment(StopTime = 40, Interval = 0.05));
end TappedPendulum;
