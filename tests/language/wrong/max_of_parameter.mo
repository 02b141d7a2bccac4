// 3:18: error: the value 3 of 'k' is above its max, 1
model M
  parameter Real k(min = 0, max = 1) = 3;
end M;
