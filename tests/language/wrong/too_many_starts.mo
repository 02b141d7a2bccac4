// 5:3: error: at the start: the equation der(x) = 0 is one too many: `der(x)` is already determined by line 7
model M
  Real x(start = 1, fixed = true);
initial equation
  der(x) = 0;
equation
  der(x) = 2;
end M;
