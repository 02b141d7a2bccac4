// 4:3: error: a comment that does not end
model M
  Real x;
  /* never closed
end M;
