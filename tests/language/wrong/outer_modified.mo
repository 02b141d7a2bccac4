// 3:14: error: 'k' is outer: only the inner component can be modified (in 'a')
model A
  outer Real k(start = 2);
end A;
model M
  inner Real k = 1;
  A a;
end M;
