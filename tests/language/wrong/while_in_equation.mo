// 5:3: error: 'while' belongs to algorithms, not to equations
model M
  Real x;
equation
  while x > 1 loop
    x = 1;
  end while;
end M;
