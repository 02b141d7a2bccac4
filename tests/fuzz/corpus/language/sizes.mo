model SizeByFunction
  function count input Integer k; output Integer n; algorithm n := 2*k + 1; end count;
  parameter Integer k = 2;
  parameter Integer n = count(k);
  Real x[count(k)](each start = 1, each fixed = true);
  Real y[n];
equation
  for i in 1:n loop der(x[i]) = -i*x[i]; y[i] = 2*x[i]; end for;
end SizeByFunction;
