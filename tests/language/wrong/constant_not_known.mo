// 3:21: error: the value of constant 'c' is not known before the run
model M
  constant Real c = time;
  Real x = c;
end M;
