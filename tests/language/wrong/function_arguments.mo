// 9:12: error: function 'f' takes 2 arguments, not 3
function f
  input Real x, y;
  output Real z;
algorithm
  z := x + y;
end f;
model M
  Real x = f(1, 2, 3);
end M;
