// 3:17: error: 'and' needs Boolean on both sides, not Integer and Boolean
model M
  Boolean b = 1 and true;
end M;
