// 13:13: error: there is no 'y' in connector 'C'; that an expandable connector grows by what is connected is not supported
expandable connector C
  Real x;
end C;
block B
  output Real y = 1;
end B;
model M
  C c;
  B b;
equation
  connect(b.y, c.x);
  connect(c.y, b.y);
end M;
