// 7:11: error: 'C' has no operator '+' for C and C
operator record C
  Real x;
end C;
model M
  C a(x = 1);
  C b = a + a;
end M;
