model Ops
  Real x = time - 2;
  Integer i = integer(x), d = div(integer(x*3), 2);
  Real f = floor(x), c = ceil(x), m = mod(x, 0.7), r = rem(x, 0.7), s = sign(x), a = abs(x), q = smooth(0, if x > 0 then x else 0);
  Real mi = min(x, 0.3), ma = max({x, 0.1, 0});
  Boolean b = x > 0, e = edge(b), ch = change(b);
  Integer cnt(start = 0);
  Real lastT(start = -1);
equation
  when change(b) then
    cnt = pre(cnt) + 1;
    lastT = time;
  end when;
  annotation(experiment(StopTime = 4));
end Ops;
