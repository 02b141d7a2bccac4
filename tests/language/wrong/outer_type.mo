// 9:11: error: the inner 'w' is a 'V', which does not fit 'W': there is no 'y' (in 'a')
model W
  Real x, y;
end W;
model V
  Real x = 1;
end V;
model A
  outer W w;
end A;
model M
  inner V w;
  A a;
end M;
