// 11:3: error: the function has 1 result, not 2
function f
  input Real x, y;
  output Real z;
algorithm
  z := x + y;
end f;
model M
  Real x, y;
equation
  (x, y) = f(1, 2);
end M;
