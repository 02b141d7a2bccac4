// 5:3: error: 'p' is a parameter: it cannot be assigned
model M
  parameter Real p = 1;
algorithm
  p := 2;
end M;
