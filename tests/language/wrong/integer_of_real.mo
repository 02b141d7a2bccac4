// 3:15: error: the value of 'n' must be Integer, not Real
model M
  Integer n = 2.5*time;
end M;
