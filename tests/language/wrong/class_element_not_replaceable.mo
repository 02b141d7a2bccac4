// 8:19: error: class 'F' cannot be redeclared: it is not replaceable
model A
  model F Real x = 1; end F;
  F f;
end A;
model M
  extends A;
  redeclare model F
    Real x = 2;
  end F;
end M;
