// 7:11: error: '+' does not fit C and C
operator record C
  Real x;
end C;
model M
  C a(x = 1);
  C b = a + a;
end M;
