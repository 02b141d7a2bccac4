// 6:18: error: 'k' is declared twice in model 'M', and differently
model A
  parameter Real k = 1;
end A;
model B
  parameter Real k = 2;
end B;
model M
  extends A;
  extends B;
end M;
