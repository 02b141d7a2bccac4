model Arrays
  parameter Integer n = 3;
  parameter Real A[n, n] = [1, 2, 3; 4, 5, 6; 7, 8, 10];
  parameter Real table[:] = {0.5*i for i in 1:n};
  constant Real I3[3, 3] = identity(3);
  Real x[n](each start = 1, each fixed = true);
  Real y[n], z, w[2], m[2, 2];
  Real s1 = sum(x), s2 = product(y[1:2]), s3 = max(x), s4 = sum(x[i]^2 for i in 1:n);
  Real last = x[end], part[2] = x[2:end];
  Real t[n] = linspace(0, 1, n);
  Real cr[3] = cross(x, y);
  Real e[n] = x .* y + 2*x ./ y .- 1;
equation
  der(x) = A*x;
  y = transpose(A)*x + table;
  z = x*y;
  for i in 1:2 loop
    w[i] = x[i] - (if i > 1 then x[i - 1] else 0);
  end for;
  m = {{x[1], x[2]}, {y[1], size(A, 1)}} * [1, 0; 0, 1];
end Arrays;
