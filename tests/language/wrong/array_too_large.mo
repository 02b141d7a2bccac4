// 3:18: error: an array has at most 16777216 elements
model M
  Real x[100000, 100000];
end M;
