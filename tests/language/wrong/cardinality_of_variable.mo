// 4:15: error: 'cardinality' needs a connector
model M
  Real x = 1;
  Integer n = cardinality(x);
end M;
