// 6:22: error: 'x' has the size 3: it cannot be redeclared with 5 (in 'a')
model M
  model A
    replaceable Real x[3] = {1, 2, 3};
  end A;
  A a(redeclare Real x[5]);
end M;
