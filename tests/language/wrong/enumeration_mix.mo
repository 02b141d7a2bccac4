// 5:9: error: the two sides of the equation differ in type or size: A = B
type A = enumeration(a, b);
type B = enumeration(a, b);
model M
  A x = B.a;
end M;
