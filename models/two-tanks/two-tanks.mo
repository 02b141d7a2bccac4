model TwoTanks "water runs from one tank into the next, and over its edge"
  parameter Real A(unit = "m2") = 0.5 "of each tank";
  parameter Real hole(unit = "m2") = 2e-3;
  parameter Real g(unit = "m/s2") = 9.81;
  parameter Real edge(unit = "m") = 1.2 "height of the second tank";
  Real h1(unit = "m", start = 2, fixed = true);
  Real h2(unit = "m", start = 0.5, fixed = true);
  Real between(unit = "m3/s") "from the first to the second";
  Real out(unit = "m3/s") "through the second hole";
  Real over(unit = "m3/s") "over the edge";
  Boolean full = h2 >= edge;
equation
  between = hole*sqrt(2*g*max(h1, 0));
  out = hole/4*sqrt(2*g*max(h2, 0));
  over = if h2 > edge then 0.5*(h2 - edge) else 0;
  A*der(h1) = -between;
  A*der(h2) = between - out - over;
  annotation(experiment(StopTime = 150, Interval = 0.25));
end TwoTanks;
