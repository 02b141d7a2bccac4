// 3:22: error: '+' cannot be applied to Integer[2] and Integer; '.+' works element by element
model M
  Real x[2] = {1, 2} + 1;
end M;
