// 3:16: error: 'sin' needs a number, not Boolean
model M
  Real x = sin(true);
end M;
