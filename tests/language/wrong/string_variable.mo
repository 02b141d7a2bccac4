// 3:10: error: the value of 's' depends on itself
model M
  String s;
equation
  when time > 1 then
    s = pre(s) + "after";
  end when;
end M;
