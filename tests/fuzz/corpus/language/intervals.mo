model M
  Integer k(start = 2), m;
  Real h(start = 0.1), d, e;
  Boolean tick = sin(20*time) > 0;
  Clock c = Clock(k, 10), g = Clock(tick, startInterval = 0.1), f = if k0 > 1 then subSample(g, 4) else g;
  parameter Integer k0 = 2;
  Integer n(start = 0);
equation
  when c then k = previous(k) + 1; d = interval(); end when;
  when Clock(h) then h = previous(h) + 0.1; e = interval(h); end when;
  when superSample(f, 2) then n = previous(n) + 1; end when;
  m = subSample(k, 2);
end M;
