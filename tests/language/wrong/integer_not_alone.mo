// 5:3: error: the Integer `n` does not follow from this equation: that needs `n = ...` with an Integer, and integer(...) makes one of a Real
model M
  Integer m = 4, n;
equation
  2*n = 5 + m;
end M;
