// 7:3: error: the step of the loop over `i` must be known before the run
model M
  Integer n = if time > 1 then 2 else 1;
  Real s;
algorithm
  s := 0;
  for i in 1:n:5 loop
    s := s + i;
  end for;
end M;
