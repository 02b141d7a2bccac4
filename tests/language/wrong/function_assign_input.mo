// 6:3: error: 'x' is an input: it cannot be assigned
function f
  input Real x;
  output Real y;
algorithm
  x := 1;
  y := x;
end f;
model M
  Real y = f(2);
end M;
