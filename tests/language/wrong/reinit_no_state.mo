// 6:12: error: 'reinit' needs a state: der(x) occurs nowhere
model M
  Real x = time;
equation
  when time > 1 then
    reinit(x, 1);
  end when;
end M;
