// 3:21: error: 'inStream' needs a stream variable of a connector
model M
  Real x = inStream(1);
end M;
