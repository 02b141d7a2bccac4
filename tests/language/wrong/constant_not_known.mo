// 3:21: error: 'c' is a constant: its value cannot depend on a variable
model M
  constant Real c = time;
  Real x = c;
end M;
