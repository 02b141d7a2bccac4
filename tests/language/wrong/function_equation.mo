// 6:3: error: a function has an algorithm, not equations
function f
  input Real x;
  output Real y;
equation
  y = x;
end f;
model M
  Real y = f(2);
end M;
