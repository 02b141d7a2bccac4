// 2:10: error: function 'f' has no algorithm
function f
  input Real x;
  output Real y;
end f;
model M
  Real y = f(2);
end M;
