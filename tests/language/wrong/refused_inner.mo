// 3:9: error: 'inner' and 'outer' are not supported
model M
  inner Real g = 9.81;
end M;
