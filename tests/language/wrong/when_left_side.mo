// 6:6: error: in a when-equation the left side must be a variable
model M
  Real x;
equation
  when time > 1 then
    2*x = 1;
  end when;
end M;
