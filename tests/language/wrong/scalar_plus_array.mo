// 3:22: error: '+' does not fit Integer[2] and Integer; '.+' works with each element
model M
  Real x[2] = {1, 2} + 1;
end M;
