// 3:14: error: there is no 'inner g' in the enclosing models (in 'a')
model A
  outer Real g;
  Real x = g;
end A;
model M
  A a;
end M;
