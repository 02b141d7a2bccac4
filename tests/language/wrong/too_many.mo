// 6:3: error: the equation x = 2 * time is one too many: `x` is already determined by line 5
model M
  Real x;
equation
  x = time;
  x = 2*time;
end M;
