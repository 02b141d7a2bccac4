// 5:3: error: 'spede' is not declared; did you mean 'speed'?
model M
  Real speed;
equation
  spede = 1;
end M;
