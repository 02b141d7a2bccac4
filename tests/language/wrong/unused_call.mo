// 4:3: error: the result of 'sin' is not used: an equation has two sides
model M
equation
  sin(time);
end M;
