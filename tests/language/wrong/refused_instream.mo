// 3:12: error: stream connectors are not supported
model M
  Real x = inStream(1);
end M;
