// 5:7: error: the loop over 'i' needs a range: 'x' has 3 elements there, 'y' 4
model M
  Real x[3], y[4];
algorithm
  for i loop
    x[i] := y[i];
    y[i] := i;
  end for;
end M;
