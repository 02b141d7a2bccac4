// 3:12: error: 'sin' needs 1 argument, not 2
model M
  Real x = sin(1, 2);
end M;
