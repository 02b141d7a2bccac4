// 6:15: error: record 'R' has no 'y'
record R
  Real x;
end R;
model M
  R r = R(y = 1);
end M;
