// 3:12: error: 'hold' needs a clocked variable
model M
  Real x = hold(1);
end M;
