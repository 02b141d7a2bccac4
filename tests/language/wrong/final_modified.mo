// 6:11: error: the value of 'a.k' is final
model A
  final parameter Real k = 1;
end A;
model M
  A a(k = 2);
end M;
