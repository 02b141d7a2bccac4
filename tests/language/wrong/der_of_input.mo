// 4:12: error: der() of an expression with an input: inputs have no derivative
model M
  input Real u;
  Real y = der(u);
end M;
