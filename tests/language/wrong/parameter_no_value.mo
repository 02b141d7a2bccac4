// 3:18: error: parameter 'p' has no value
model M
  parameter Real p;
  Real x = p;
end M;
