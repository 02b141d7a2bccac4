// 6:3: error: the Integer `n` does not follow from this equation: that needs `n = ...` with an Integer, and integer(...) makes one of a Real
model M
  Integer n;
  Real x = 2.5*time;
equation
  x = n;
end M;
