model IfEq
  Real x(start = 1, fixed = true), y;
  parameter Boolean up = true;
equation
  if x > 0.5 then
    der(x) = -1; y = 1;
  elseif x > 0.2 then
    der(x) = -0.5; y = 2;
  else
    der(x) = 0; y = 3;
  end if;
  if up then assert(x < 2, "x"); end if;
end IfEq;
