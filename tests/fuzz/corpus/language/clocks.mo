model M
  Real x(start = 1, fixed = true), u(start = 0), s, sub, sup, shift, back, h, dt;
  Boolean first;
equation
  der(x) = -x + hold(u);
  s = sample(x, Clock(1, 10));
  u = 0.5*previous(u) + s;
  sub = subSample(u, 3);
  sup = superSample(u, 2);
  shift = shiftSample(u, 1, 2);
  back = backSample(shift, 1, 2);
  h = hold(back);
  when Clock() then
    dt = interval(u) + 0*u;
    first = firstTick(u);
  end when;
end M;
