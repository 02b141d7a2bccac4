// 5:3: error: 'A' is partial: it can only be extended
partial model A
end A;
model M
  A a;
end M;
