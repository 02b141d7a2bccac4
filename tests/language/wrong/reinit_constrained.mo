// 8:12: error: 'reinit' needs a state: der(y) occurs nowhere
model M
  Real x(start = 1, fixed = true); Real y;
equation
  der(x) = -x;
  y = 2*x;
  when x < 0.5 then
    reinit(y, 1);
  end when;
end M;
