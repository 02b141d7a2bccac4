model Mixing
  Real h, H[3], x[3];
equation
  x = {-1, -2, 3}*time;
  for i in 1:3 loop
    H[i] = semiLinear(x[i], h, i);
  end for;
  H[1] + H[2] + H[3] = 0;
end Mixing;
