// 9:23: error: 'A.F' cannot be redeclared as 'M.F': there is no 'x' in it
model A
  replaceable model F Real x = 1; end F;
  F f;
end A;
model M
  model F Real y = 1; end F;
  Real z = 1;
  A a(redeclare model F = F);
end M;
