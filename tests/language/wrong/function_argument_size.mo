// 9:12: error: argument 'x' of 'f' must be Real[2], not Real[3]
function f
  input Real x[2];
  output Real y;
algorithm
  y := x[1];
end f;
model M
  Real y = f({1, 2, 3});
end M;
