// 5:3: error: 'A' is partial: only extend it
partial model A
end A;
model M
  A a;
end M;
