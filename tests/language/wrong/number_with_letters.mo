// 3:12: error: a number with letters after it
model M
  Real x = 3kg;
end M;
