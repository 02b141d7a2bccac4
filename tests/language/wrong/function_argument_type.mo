// 9:17: error: argument 'y' of 'f' must be Real, not Boolean
function f
  input Real x, y;
  output Real z;
algorithm
  z := x + y;
end f;
model M
  Real x = f(1, true);
end M;
