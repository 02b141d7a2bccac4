// 5:12: error: 'A' is a model, not a function
model A
end A;
model M
  Real x = A(1);
end M;
