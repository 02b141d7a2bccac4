// 3:17: error: constant 'P.c' has no value
package P
  constant Real c;
end P;
model M
  Real x = P.c;
end M;
