// 5:9: error: the two sides of the equation do not fit: A = B
type A = enumeration(a, b);
type B = enumeration(a, b);
model M
  A x = B.a;
end M;
