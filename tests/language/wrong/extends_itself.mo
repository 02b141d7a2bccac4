// 3:3: error: model 'M' extends itself
model M
  extends M;
end M;
