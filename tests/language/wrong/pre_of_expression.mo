// 4:17: error: 'pre' needs a variable, not an expression
model M
  Real x = time;
  Real y = pre(2*x);
end M;
