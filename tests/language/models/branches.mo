model Branches
  parameter Boolean wide = true, damped = false;
  parameter Integer kind = 2;
  model Extra
    Real u = time;
  end Extra;
  Extra extra if wide;
  Extra none if not wide;
  Real x(start = 1), v, f, g, h;
equation
  if damped then
    der(v) = -x - 0.1*v;
    der(x) = v;
  else
    der(x) = v;
    der(v) = -x;
  end if;
  if kind == 1 then
    f = 1;
  elseif kind == 2 then
    f = 2*x;
    assert(x < 10, "far");
  else
    f = 3;
  end if;
  if x > 0 then
    g + h = 1;
    h = x;
  elseif v > 0 then
    g = 2*h;
    h - v = 0;
  else
    g = 0;
    h = 0;
  end if;
  when noEvent(x > 2) or smooth(1, v) > 3 then
    terminate("over");
  end when;
end Branches;
