// 4:20: error: the message must be String, not Integer
model M
equation
  assert(time < 1, 3);
end M;
