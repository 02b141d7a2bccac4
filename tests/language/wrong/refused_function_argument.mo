// 3:14: error: functions as arguments are not supported
model M
  Real x = f(function g());
end M;
