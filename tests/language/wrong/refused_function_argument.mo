// 9:14: error: a function is no value here: only an argument can be one
function f
  input Real u;
  output Real v;
algorithm
  v := u;
end f;
model M
  Real x = f(function f());
end M;
