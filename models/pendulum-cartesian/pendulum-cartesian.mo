model PendulumCartesian "a pendulum in x and y: the rod is an equation, and its force a result"
  parameter Real g(unit = "m/s2") = 9.81;
  parameter Real l(unit = "m") = 1 "length of the rod";
  parameter Real m(unit = "kg") = 1;
  Real x(unit = "m", start = 1, fixed = true);
  Real y(unit = "m", start = 0);
  Real vx(unit = "m/s");
  Real vy(unit = "m/s", start = 0, fixed = true);
  Real F(unit = "N") "force of the rod, inwards";
  output Real energy(unit = "J") = m*(vx^2 + vy^2)/2 + m*g*y;
equation
  der(x) = vx;
  der(y) = vy;
  m*der(vx) = -F*x/l;
  m*der(vy) = -F*y/l - m*g;
  x^2 + y^2 = l^2;
  annotation(experiment(StopTime = 10, Interval = 0.01, Tolerance = 1e-8));
end PendulumCartesian;
