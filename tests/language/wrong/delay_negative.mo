// 5:3: error: the delay time of delay() must not be negative, is -1
model M
  Real x(start = 1, fixed = true);
equation
  der(x) = -delay(x, -1);
end M;
