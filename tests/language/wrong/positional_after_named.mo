// 3:21: error: arguments without a name come before the named ones
model M
  Real x = f(a = 1, 2);
end M;
