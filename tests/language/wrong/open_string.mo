// 3:24: error: a string that does not end
model M
  parameter String s = "abc;
end M;
