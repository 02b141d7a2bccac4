model D2 "a square wave delayed, variable lag, nested"
  Real u = if mod(time, 1) < 0.5 then 1 else 0;
  Real y = delay(u, 0.3);
  Real z = delay(y, 0.3);
  Real s(start = 0, fixed = true), s2(start=0, fixed=true);
  parameter Real T = 0.4;
  Real w = delay(sin(time), T*(1 + 0.5*sin(2*time)), 1);
  Real e = w - (if time > T*(1 + 0.5*sin(2*time)) then sin(time - T*(1 + 0.5*sin(2*time))) else 0);
equation
  der(s) = y; der(s2) = z;
  annotation(experiment(StopTime=5));
end D2;
