// 6:20: error: '<>' of Reals that vary all the time depends on rounding: write a relation that stays true, as 'time >= 1', or 'abs(a - b) >= eps'
model M
  Real x[2] = {time, 2};
  Boolean b;
equation
  b = noEvent(x[1] <> x[2]);
end M;
