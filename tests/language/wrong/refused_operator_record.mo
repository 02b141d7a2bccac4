// 2:1: error: operator records are not supported
operator record C
  Real re;
end C;
model M
end M;
