// 3:18: error: the value of 'p' depends on itself
model M
  parameter Real p = q;
  parameter Real q = p;
end M;
