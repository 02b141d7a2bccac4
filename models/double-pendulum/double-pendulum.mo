model DoublePendulum "two pendulums on one point that collide and can be tapped"
  constant Real pi = Modelica.Constants.pi;
  parameter Real m1(unit = "kg") = 0.5 "mass of one";
  parameter Real m2(unit = "kg") = 0.3 "mass of two";
  parameter Real c1(unit = "kg/s", min = 0) = 0.1 "damping of one";
  parameter Real c2(unit = "kg/s", min = 0) = 0.1 "damping of two";
  parameter Real l(unit = "m") = 0.5 "length of both";
  parameter Real g(unit = "m/s2", min = 0) = 9.8 "acceleration of gravity";
  parameter Real smallest_angle(unit = "rad", min = 0) = 0 "where the bobs touch";
  parameter Real t1(unit = "s") = -1 "when one is tapped; negative: never";
  parameter Real tap1(unit = "rad/s") = 0 "change of v1 by the tap";
  parameter Real t2(unit = "s") = -1 "when two is tapped; negative: never";
  parameter Real tap2(unit = "rad/s") = 0 "change of v2 by the tap";
  Real y1(unit = "rad", start = -2, fixed = true) "angle of one from straight down, in -pi .. pi";
  Real y2(unit = "rad", start = 2, fixed = true) "angle of two";
  Real v1(unit = "rad/s", start = 0, fixed = true) "angular velocity of one";
  Real v2(unit = "rad/s", start = 0, fixed = true) "angular velocity of two";
  Integer turns1(start = 0, fixed = true) "how often one has gone over the top, counterclockwise";
  Integer turns2(start = 0, fixed = true) "how often two has";
  Integer collisions(start = 0, fixed = true) "so far";
  Integer winding = side + turns1 - turns2 "makes up for the jumps of the angles";
  Real gap(unit = "rad") = d + 2*pi*winding "from two to one, counterclockwise";
protected
  parameter Integer side(fixed = false) "1: one starts on the other side of two";
  parameter Real r = m2/m1;
  Real d = y1 - y2;
  Boolean near "both hang nearly at rest at the bottom";
initial equation
  side = if y1 < y2 then 1 else 0;
equation
  der(y1) = v1;
  der(y2) = v2;
  der(v1) = -c1/m1*v1 - g/l*sin(y1);
  der(v2) = -c2/m2*v2 - g/l*sin(y2);
  near = noEvent(max(abs(y1), abs(y2)) < 0.75*smallest_angle and max(abs(v1), abs(v2)) < 0.25);
  // gap stays between the smallest angle and 2 pi less: each factor is exact near its zero
  when (d + 2*pi*winding - smallest_angle)*(2*pi*(1 - winding) - smallest_angle - d) <= 0 then
    if near then
      terminate("the pendulums are at rest");
    end if;
    reinit(v1, ((1 - r)*pre(v1) + 2*r*pre(v2))/(1 + r));
    reinit(v2, (2*pre(v1) + (r - 1)*pre(v2))/(1 + r));
    collisions = pre(collisions) + 1;
  elsewhen time >= t1 then
    reinit(v1, pre(v1) + tap1);
  elsewhen time >= t2 then
    reinit(v2, pre(v2) + tap2);
  end when;
  when (pi - y1)*(pi + y1) <= 0 then
    reinit(y1, pre(y1) - 2*pi*(if noEvent(y1 > 0) then 1 else -1));
    turns1 = pre(turns1) + (if noEvent(y1 > 0) then 1 else -1);
  end when;
  when (pi - y2)*(pi + y2) <= 0 then
    reinit(y2, pre(y2) - 2*pi*(if noEvent(y2 > 0) then 1 else -1));
    turns2 = pre(turns2) + (if noEvent(y2 > 0) then 1 else -1);
  end when;
  annotation(experiment(StopTime = 15, Interval = 0.02));
end DoublePendulum;
