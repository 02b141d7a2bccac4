model CruiseControl "a car that holds its speed on a hill, by a controller that knows its limit"
  parameter Real m(unit = "kg") = 1200;
  parameter Real drag(unit = "kg/m") = 0.4;
  parameter Real g(unit = "m/s2") = 9.81;
  parameter Real most(unit = "N") = 3000 "force of the engine";
  parameter Real wanted(unit = "m/s") = 25;
  parameter Real k(unit = "N.s/m") = 800 "proportional";
  parameter Real ki(unit = "N/m") = 60 "integral";
  Real v(unit = "m/s", start = 20, fixed = true) "speed";
  Real I(unit = "N", start = 0, fixed = true) "integral part";
  Real s(unit = "m", start = 0, fixed = true) "way";
  Real slope = if s > 500 and s < 900 then 0.06 else 0;
  Real asked(unit = "N") = k*(wanted - v) + I;
  Real force(unit = "N") = max(0, min(most, asked));
equation
  der(s) = v;
  m*der(v) = force - drag*v*abs(v) - m*g*slope;
  der(I) = ki*(wanted - v) + (force - asked)/2 "the integral waits while the engine is at its limit";
  annotation(experiment(StopTime = 80, Interval = 0.1));
end CruiseControl;
