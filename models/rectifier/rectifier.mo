model Rectifier "an ideal diode charges a capacitor that a load empties"
  parameter Real V(unit = "V") = 10 "amplitude of the source";
  parameter Real f(unit = "Hz") = 50;
  parameter Real Rs(unit = "Ohm") = 1 "of source and diode";
  parameter Real R(unit = "Ohm") = 100 "load";
  parameter Real C(unit = "F") = 1e-3;
  Real source(unit = "V") = V*sin(2*Modelica.Constants.pi*f*time);
  Real u(unit = "V", start = 0, fixed = true) "voltage of the capacitor";
  Real i(unit = "A") "current through the diode";
  Boolean conducts = source > u;
  discrete Integer pulses(start = 0, fixed = true) "how often it began to conduct";
equation
  i = if conducts then (source - u)/Rs else 0;
  C*der(u) = i - u/R;
  when conducts then
    pulses = pre(pulses) + 1;
  end when;
  annotation(experiment(StopTime = 0.1, Interval = 1e-4));
end Rectifier;
