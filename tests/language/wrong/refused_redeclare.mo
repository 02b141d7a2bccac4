// 8:17: error: 'redeclare' of a function is not supported
model A
  replaceable function X = f;
  function f input Real u; output Real v; algorithm v := u; end f;
  Real x = X(1);
end A;
model M
  A a(redeclare function X = A.f);
end M;
