model RlcCircuit "a series circuit that rings after the voltage is switched on"
  parameter Real V(unit = "V") = 1 "voltage from time `on`";
  parameter Real on(unit = "s") = 1e-4 "when it is switched on";
  parameter Real R(unit = "Ohm", min = 0) = 20;
  parameter Real L(unit = "H") = 1e-3;
  parameter Real C(unit = "F") = 1e-6;
  Real u(unit = "V", start = 0, fixed = true) "voltage of the capacitor";
  Real i(unit = "A", start = 0, fixed = true) "current";
  output Real energy(unit = "J") = L*i^2/2 + C*u^2/2 "in the coil and the capacitor";
equation
  C*der(u) = i;
  L*der(i) = (if time >= on then V else 0) - R*i - u;
  annotation(experiment(StopTime = 0.001, Interval = 1e-6));
end RlcCircuit;
