model Pendulum "a damped pendulum that is given a tap and makes a full circle"
  parameter Real g(unit = "m/s2") = 9.8 "acceleration of gravity";
  parameter Real l(unit = "m") = 0.5 "length of the string";
  parameter Real m(unit = "kg") = 0.4 "mass of the bob";
  parameter Real c(unit = "kg/s", min = 0) = 0.1 "damping";
  parameter Real tap_time(unit = "s") = 18 "when the tap is given; negative: never";
  parameter Real tap(unit = "rad/s") = 8.5 "change of v by the tap";
  Real y(unit = "rad", start = 2.5, fixed = true) "angle from straight down";
  Real v(unit = "rad/s", start = 0, fixed = true) "angular velocity";
  Real a(unit = "rad/s2") "angular acceleration";
equation
  der(y) = v;
  der(v) = a;
  a = -c/m*v - g/l*sin(y);
  when time >= tap_time then
    reinit(v, pre(v) + tap);
  end when;
  assert(g > 0 and l > 0 and m > 0, "g, l and m must be positive");
  annotation(experiment(StopTime = 40, Interval = 0.05));
end Pendulum;
