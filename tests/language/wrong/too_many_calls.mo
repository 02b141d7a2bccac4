// 6:5: error: functions and algorithms are written out: these have more than 1000000 statements then
model M
  function f
    input Real x; input Integer n; output Real y;
  algorithm
    y := if n <= 0 then x else f(x + 1, n - 1) + f(2*x, n - 1);
  end f;
  Real y = f(time, 40);
end M;
