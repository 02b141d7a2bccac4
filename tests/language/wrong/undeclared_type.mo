// 3:3: error: type 'Rael' is not there; did you mean 'Real'?
model M
  Rael x;
end M;
