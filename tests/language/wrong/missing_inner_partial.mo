// 3:11: error: there is no 'inner g' in the enclosing models (in 'a')
model A
  outer G g;
  Real x = g.y;
end A;
partial model G
  Real y;
end G;
model M
  A a;
end M;
