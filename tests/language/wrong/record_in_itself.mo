// 4:12: error: records are nested more than 100 deep: does 'Data' contain itself?
record Data
  parameter Real a = 1;
  Data e = Data(a = 4);
end Data;
model M
  parameter Real x = 1;
  constant Data c = Data(a = 2);
end M;
