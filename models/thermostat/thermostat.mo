model Thermostat "a room that a heater with two limits keeps warm"
  parameter Real outside(unit = "degC") = 5;
  parameter Real low(unit = "degC") = 19 "below it the heater is switched on";
  parameter Real high(unit = "degC") = 21 "above it the heater is switched off";
  parameter Real loss(unit = "1/s") = 1e-4 "how fast the room follows the outside";
  parameter Real power(unit = "K/s") = 3e-3 "how fast the heater alone would warm it";
  Real T(unit = "degC", start = 15, fixed = true);
  Boolean heating(start = true, fixed = true);
  discrete Integer switched(start = 0, fixed = true) "how often the heater was switched on";
equation
  der(T) = -loss*(T - outside) + (if heating then power else 0);
  heating = if pre(heating) then not T > high else T < low;
  when heating then
    switched = pre(switched) + 1;
  end when;
  annotation(experiment(StopTime = 14400, Interval = 10));
end Thermostat;
