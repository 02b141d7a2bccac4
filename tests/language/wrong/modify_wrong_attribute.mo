// 3:10: error: 'Real' has no 'strat' to modify; did you mean 'start'?
model M
  Real x(strat = 1) = 2;
end M;
