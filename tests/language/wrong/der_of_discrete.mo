// 5:7: error: 'x' is discrete: it has no derivative
model M
  discrete Real x;
equation
  der(x) = 1;
end M;
