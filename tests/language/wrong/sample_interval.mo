// 3:25: error: the interval of 'sample' must be positive, not -1
model M
  Boolean b = sample(0, -1);
end M;
