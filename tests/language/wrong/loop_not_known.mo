// 6:14: error: the range is not known before the run
model M
  Real x[3];
  Integer n = 3;
equation
  for i in 1:n loop
    x[i] = i;
  end for;
end M;
