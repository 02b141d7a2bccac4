// 9:3: error: 'f' is a function; a component cannot be of that type
function f
  input Real x;
  output Real y;
algorithm
  y := x;
end f;
model M
  f x;
end M;
