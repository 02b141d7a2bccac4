// 6:3: error: 'C' is an expandable connector, which is not supported
expandable connector C
  Real x;
end C;
model M
  C c;
end M;
