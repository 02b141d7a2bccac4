// 4:12: error: 'x' is a variable, not a function; subscripts stand in '[ ]'
model M
  Real x[2] = {1, 2};
  Real y = x(1);
end M;
