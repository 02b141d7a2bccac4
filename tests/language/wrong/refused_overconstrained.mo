// 5:20: error: 'Connections.root' needs one record
model M
  Real x = 1;
equation
  Connections.root(x);
end M;
