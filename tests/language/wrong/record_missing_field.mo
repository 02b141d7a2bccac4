// 6:9: error: 'R' needs a value for 'y'
record R
  Real x, y;
end R;
model M
  R r = R(1);
end M;
