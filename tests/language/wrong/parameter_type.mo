// 3:25: error: the value of 'n' must be Integer, not Real
model M
  parameter Integer n = 1.5;
end M;
