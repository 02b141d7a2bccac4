model EnumArr
  type Tank = enumeration(a, b, c);
  Real lvl[Tank](each start = 1, each fixed = true);
  parameter Real k[Tank] = {1, 2, 3};
  Boolean flags[Boolean] = {false, true};
equation
  for t in Tank loop der(lvl[t]) = -k[t]*lvl[t]; end for;
end EnumArr;
