// 5:3: error: the if-equation needs an 'else' with 1 equation, because its condition changes in the run
model M
  Real x;
equation
  if time > 1 then
    x = 1;
  end if;
end M;
