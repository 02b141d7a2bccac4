model RunTimeRange
  Real x(start = 0, fixed = true); Integer n; Real s;
  function partial_sum
    input Real u; input Integer k; output Real s;
  algorithm
    s := 0;
    for i in 1:k loop s := s + u^i/i; end for;
  end partial_sum;
equation
  der(x) = 1;
  n = integer(3*x);
  s = partial_sum(0.5, n);
end RunTimeRange;
