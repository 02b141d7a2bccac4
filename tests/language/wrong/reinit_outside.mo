// 6:3: error: 'reinit' belongs into a when
model M
  Real x;
equation
  der(x) = 1;
  reinit(x, 1);
end M;
