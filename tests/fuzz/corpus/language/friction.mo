model Friction "textbook Coulomb friction with states"
  type Mode = enumeration(backward, stuck, forward);
  Real v(start = 1, fixed = true), f, a; Mode mode(start = Mode.forward, fixed = true);
  parameter Real mu = 0.5, F0 = 1.2;
  Real F = F0*sin(time);
equation
  der(v) = a;
  a = F - f;
  f = if mode == Mode.forward then mu else if mode == Mode.backward then -mu else F;
  when v <= 0 and pre(mode) == Mode.forward then mode = Mode.stuck; reinit(v, 0);
  elsewhen v >= 0 and pre(mode) == Mode.backward then mode = Mode.stuck; reinit(v, 0);
  elsewhen F > mu and pre(mode) == Mode.stuck then mode = Mode.forward;
  elsewhen F < -mu and pre(mode) == Mode.stuck then mode = Mode.backward;
  end when;
  annotation(experiment(StopTime = 12));
end Friction;
