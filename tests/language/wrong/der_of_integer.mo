// 4:16: error: 'der' needs Real, not Integer
model M
  constant Integer n = 1;
  Real a = der(n);
end M;
