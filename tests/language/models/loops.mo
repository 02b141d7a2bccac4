model Loops
  parameter Integer n = 2, k = 3;
  Real a[n, k], b[n], c[:, :] = {{i + 10*j for i in 1:2} for j in 1:2};
  Real d[3] = {1, 0, 1}, e[2] = a[:, 2], f[2, 2] = a[1:2, {1, 3}];
  Real g = a[n, end], h[0], total = sum(h);
  Boolean odd[3] = {mod(i, 2) == 1 for i in 1:3};
equation
  for i in 1:n, j in 1:k loop
    a[i, j] = i*time + j;
  end for;
  for i in {2, 1} loop
    if i == 1 then
      b[i] = 0;
    else
      b[i] = b[i - 1] + 1;
    end if;
  end for;
end Loops;
