model ChuaCircuit "the simplest circuit that is chaotic"
  parameter Real a = 15.6;
  parameter Real b = 28;
  parameter Real m0 = -8/7 "slope of the diode in the middle";
  parameter Real m1 = -5/7 "and outside";
  Real x(start = 0.7, fixed = true);
  Real y(start = 0, fixed = true);
  Real z(start = 0, fixed = true);
  Real diode = m1*x + (m0 - m1)/2*(abs(x + 1) - abs(x - 1));
equation
  der(x) = a*(y - x - diode);
  der(y) = x - y + z;
  der(z) = -b*y;
  annotation(experiment(StopTime = 20, Interval = 0.01, Tolerance = 1e-9));
end ChuaCircuit;
