// 5:3: error: 'connect' belongs to equations, not to algorithms
model M
  Real x;
algorithm
  connect(x, x);
end M;
