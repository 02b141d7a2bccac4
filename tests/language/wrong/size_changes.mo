// 6:10: error: the value must be Real[1], not Real[2]
model M
  function f input Real x; output Real y; protected Real z[:];
  algorithm
    z := {x};
    z := {x, x};
    y := sum(z);
  end f;
  Real a = f(time);
end M;
