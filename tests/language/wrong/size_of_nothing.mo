// 3:10: error: the size of 'x' is not known: it has no value
model M
  Real x[:];
end M;
