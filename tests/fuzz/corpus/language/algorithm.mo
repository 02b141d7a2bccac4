model Alg
  Real x(start = 0.1, fixed=true); Real y[3]; Real tot; Integer k;
algorithm
  tot := 0;
  k := 0;
  for i in 1:3, j in 1:2 loop
    y[i] := i*x + j;
    tot := tot + y[i];
    if tot > 5 then
      k := k + 1;
    elseif tot > 3 then
      k := k + 10;
    else
      k := k + 100;
    end if;
  end for;
  assert(tot > -1, "tot");
equation
  der(x) = tot;
end Alg;
