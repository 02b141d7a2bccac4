// 4:8: error: 'x' is declared twice in model 'M'
model M
  Real x;
  Real x;
end M;
