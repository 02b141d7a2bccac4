// 3:58: error: the size of 'z' depends on itself
model M
  function f input Real x; output Real y; protected Real z[:];
  algorithm
    z := cat(1, z, {x});
    y := sum(z);
  end f;
  Real a = f(time);
end M;
