// 4:3: error: 'terminate' is allowed only inside of 'when'
model M
equation
  terminate("end");
end M;
