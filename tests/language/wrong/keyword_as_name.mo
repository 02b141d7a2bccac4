// 3:8: error: expected the name of a component, found 'equation'
model M
  Real equation;
end M;
