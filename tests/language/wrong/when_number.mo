// 5:8: error: the condition of a when must be Boolean, not Integer
model M
  Real x;
equation
  when 3 then
    x = 1;
  end when;
end M;
