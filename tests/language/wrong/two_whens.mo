// 11:5: error: `count` is assigned in two when-equations: lines 8 and 11
model M
  Real x(start = 0, fixed = true);
  discrete Integer count(start = 0);
equation
  der(x) = 1;
  when x > 1 then
    count = pre(count) + 1;
  end when;
  when x > 2 then
    count = pre(count) + 1;
  end when;
end M;
