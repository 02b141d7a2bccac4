// 3:8: error: 'x' has a derivative and is assigned in a when: use 'reinit'
model M
  Real x;
equation
  der(x) = 1;
  when time > 1 then
    x = 1;
  end when;
end M;
