// 5:3: error: 's' is a String: it cannot be assigned at moments
model M
  String s;
equation
  when time > 1 then
    s = "after";
  end when;
end M;
