// 4:3: error: 'terminate' belongs into a when
model M
equation
  terminate("end");
end M;
