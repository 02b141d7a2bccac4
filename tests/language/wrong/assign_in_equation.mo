// 5:5: error: an equation has '=', not ':='; only algorithms assign
model M
  Real x;
equation
  x := 1;
end M;
