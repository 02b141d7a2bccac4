// 5:8: error: synchronous clocks are not supported
model M
  Real x;
equation
  when Clock(0.1) then
    x = 1;
  end when;
end M;
