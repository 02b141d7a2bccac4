// 5:3: error: overconstrained connectors are not supported
model M
  Real x = 1;
equation
  Connections.root(x);
end M;
