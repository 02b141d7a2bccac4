// 3:3: error: type 'Rael' was not found; did you mean 'Real'?
model M
  Rael x;
end M;
