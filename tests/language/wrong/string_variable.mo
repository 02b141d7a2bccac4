// 3:10: error: 's': a String can only be a parameter or a constant
model M
  String s = "a";
end M;
