model QuarterCar "a wheel and a quarter of a car over a kerb"
  parameter Real car(unit = "kg") = 300;
  parameter Real wheel(unit = "kg") = 40;
  parameter Real spring(unit = "N/m") = 20000;
  parameter Real damper(unit = "N.s/m") = 1500;
  parameter Real tyre(unit = "N/m") = 200000;
  parameter Real kerb(unit = "m") = 0.05;
  Real zc(unit = "m", start = 0, fixed = true) "of the car, from where it rests";
  Real zw(unit = "m", start = 0, fixed = true) "of the wheel";
  Real vc(unit = "m/s", start = 0, fixed = true);
  Real vw(unit = "m/s", start = 0, fixed = true);
  Real road(unit = "m") = if time >= 0.5 then kerb else 0;
  Real force(unit = "N") = spring*(zw - zc) + damper*(vw - vc);
equation
  der(zc) = vc;
  der(zw) = vw;
  car*der(vc) = force;
  wheel*der(vw) = tyre*(road - zw) - force;
  annotation(experiment(StopTime = 3, Interval = 0.005));
end QuarterCar;
