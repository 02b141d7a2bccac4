// 4:10: error: the size of 'x' is not known before the run: use parameters and constants
model M
  Integer n = 3;
  Real x[n];
end M;
