// 6:1: error: expected 'end M', found the end of the file
model M
  Real x;
equation
  x = 1;
