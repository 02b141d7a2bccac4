// 3:3: error: stream variables are not supported
connector C
  stream Real h;
end C;
model M
end M;
