// 9:21: error: function 'f' has no argument 'w'
function f
  input Real x, y;
  output Real z;
algorithm
  z := x + y;
end f;
model M
  Real x = f(1, w = 3);
end M;
