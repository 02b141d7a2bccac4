// 5:9: error: a character that is not part of the language
model M
  Real x;
equation
  x = 3 $ 4;
end M;
