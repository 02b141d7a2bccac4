// 3:27: error: sizes do not match in the product of Integer[2, 2] and Integer[3]
model M
  Real x[2] = [1, 2; 3, 4]*{1, 2, 3};
end M;
