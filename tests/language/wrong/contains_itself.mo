// 3:3: error: models are nested more than 100 deep: does 'M' contain itself?
model M
  M m;
end M;
