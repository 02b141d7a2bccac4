// 6:3: error: the equation x = 3 is one too many: `x` is already determined by line 5
model M
  Real x; Real y;
equation
  x = time;
  x = 3;
  x + 1 = sin(time);
end M;
