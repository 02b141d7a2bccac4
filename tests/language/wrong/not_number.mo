// 3:15: error: 'not' needs Boolean, not Integer
model M
  Boolean b = not 3;
end M;
