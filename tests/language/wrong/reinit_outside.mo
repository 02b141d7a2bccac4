// 6:3: error: 'reinit' is allowed only inside of 'when'
model M
  Real x;
equation
  der(x) = 1;
  reinit(x, 1);
end M;
