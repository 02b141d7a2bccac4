model BuckConverter "a switch, a diode, a coil: 24 V become 12 V"
  parameter Real V(unit = "V") = 24;
  parameter Real f(unit = "Hz") = 1e4 "of the switch";
  parameter Real duty(min = 0, max = 1) = 0.5;
  parameter Real L(unit = "H") = 1e-3;
  parameter Real C(unit = "F") = 1e-4;
  parameter Real R(unit = "Ohm") = 10;
  Real i(unit = "A", start = 0, fixed = true, min = 0) "through the coil, which the diode keeps from turning";
  Real u(unit = "V", start = 0, fixed = true) "output";
  Boolean on(start = true, fixed = true) "the switch";
  Boolean flows(start = true, fixed = true) "the diode conducts while the switch is open";
  discrete Real period(start = 0, fixed = true);
equation
  when sample(0, 1/f) then
    period = time;
  end when;
  on = time < period + duty/f;
  flows = on or (pre(flows) and not i < 0);
  L*der(i) = if on then V - u elseif flows then -u else 0;
  C*der(u) = i - u/R;
  when not flows then
    reinit(i, 0);
  end when;
  annotation(experiment(StopTime = 0.01, Interval = 1e-5));
end BuckConverter;
