// 6:22: error: 'x' has 1 dimension: it cannot be redeclared with 2 (in 'a')
model M
  model A
    replaceable Real x[:] = {1, 2, 3};
  end A;
  A a(redeclare Real x[3, 1]);
end M;
