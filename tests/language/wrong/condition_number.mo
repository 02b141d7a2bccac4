// 3:15: error: the condition must be Boolean, not Integer
model M
  Real x = if 1 then 2 else 3;
end M;
