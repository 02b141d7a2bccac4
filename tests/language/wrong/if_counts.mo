// 5:3: error: the branches of the if-equation have 2 and 1 equations; they need the same number
model M
  Real x, y;
equation
  if time > 1 then
    x = 1;
    y = 1;
  else
    x = 2;
  end if;
end M;
