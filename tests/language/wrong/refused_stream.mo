// 3:15: error: 'h' is a stream variable, which is not supported
connector C
  stream Real h;
  Real p;
  flow Real m;
end C;
model M
  C c;
end M;
