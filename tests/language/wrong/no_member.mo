// 9:14: error: there is no 'sped' in model 'A'; did you mean 'speed'?
model A
  Real speed;
equation
  speed = 1;
end A;
model M
  A a;
  Real x = a.sped;
end M;
