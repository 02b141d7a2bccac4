model RunTimeRange2
  Integer n(start=0); Real s; Real a[5]=linspace(1,5,5);
algorithm
  when sample(0, 0.25) then n := pre(n) + 1; end when;
  s := 0;
  for i in 1:min(n, 5) loop s := s + a[i]; end for;
end RunTimeRange2;
