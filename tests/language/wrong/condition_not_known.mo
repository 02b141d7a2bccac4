// 6:10: error: the condition is not known before the run: use parameters and constants
model M
  model A
  end A;
  Boolean b = time > 1;
  A a if b;
end M;
