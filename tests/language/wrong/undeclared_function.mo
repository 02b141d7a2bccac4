// 3:12: error: function 'sine' is not there; did you mean 'sin'?
model M
  Real x = sine(time);
end M;
