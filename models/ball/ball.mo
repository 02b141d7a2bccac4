model Ball "a ball that bounces, with air resistance"
  parameter Real g(unit = "m/s2") = 9.8 "acceleration of gravity";
  parameter Real k(unit = "kg/m", min = 0) = 0.01 "air resistance";
  parameter Real m(unit = "kg") = 0.1 "mass";
  parameter Real e(min = 0, max = 1) = 0.1 "part of the velocity that a bounce takes";
  parameter Real stop_speed(unit = "m/s", min = 0) = 0.1 "a slower bounce ends the run";
  Real y(unit = "m", start = 1.5, fixed = true) "height";
  Real v(unit = "m/s", start = 0, fixed = true) "velocity upwards";
  Real a(unit = "m/s2") "acceleration";
  Integer w(start = -1, fixed = true) "direction of motion: 1 up, -1 down";
protected
  Boolean slow = noEvent(abs(v) < stop_speed);
equation
  der(y) = v;
  der(v) = a;
  a = -g - k/m*w*v*v;
  when y <= 0 then
    if slow then
      terminate("the ball is slower than stop_speed");
    else
      reinit(y, 0);
      reinit(v, abs((1 - e)*pre(v)));
    end if;
    w = if slow then pre(w) else 1;
  elsewhen v <= 0 then
    w = -1;
  end when;
  annotation(experiment(StopTime = 10, Interval = 0.01));
end Ball;
