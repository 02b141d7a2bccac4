// 9:12: error: function 'f' needs a value for 'y'
function f
  input Real x, y;
  output Real z;
algorithm
  z := x + y;
end f;
model M
  Real x = f(1);
end M;
