// 3:12: error: synchronous clocks are not supported
model M
  Real x = hold(1);
end M;
