// 6:10: error: `M.f` calls itself more than 60 deep, or how deep is known in the run only
model M
  function f
    input Real x; output Real y;
  algorithm
    y := f(x + 1);
  end f;
  Real y = f(time);
end M;
