// 8:12: error: 'f' is external code, which is not run unless it is allowed: 'f' (--allow-external compiles it and runs it in this process)
function f
  input Real x;
  output Real y;
  external "C" y = f(x);
end f;
model M
  Real y = f(1);
end M;
