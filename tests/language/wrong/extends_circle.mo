// 3:3: error: model 'A' extends itself
model A
  extends B;
end A;
model B
  extends A;
end B;
