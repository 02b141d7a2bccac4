// 3:18: error: the elements of an array must have the same type and size, not Integer[2] and Integer[1]
model M
  Real x[2, 2] = {{1, 2}, {3}};
end M;
