// 5:3: error: external code is not supported: write 'f' as an algorithm
function f
  input Real x;
  output Real y;
  external "C" y = f(x);
end f;
model M
  Real y = f(1);
end M;
