// 5:7: error: the loop over 'i' needs a range: 'i in ...'
model M
  Real x[3];
equation
  for i loop
    x[1] = i;
  end for;
end M;
