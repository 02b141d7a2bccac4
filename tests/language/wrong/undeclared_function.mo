// 3:12: error: function 'sine' was not found; did you mean 'sin'?
model M
  Real x = sine(time);
end M;
