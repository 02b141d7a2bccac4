// 5:8: error: the value must be Integer, not Real
model M
  Integer i;
algorithm
  i := 1.5;
end M;
