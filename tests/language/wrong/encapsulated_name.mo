// 5:5: error: type 'Level' was not found (in 'a')
model M
  type Level = Real;
  encapsulated model A
    Level x = 1;
  end A;
  A a;
end M;
