model Rec
  record Data parameter Real a = 1; parameter Real b[2] = {1, 2}; end Data;
  parameter Data d(a = 3);
  parameter Data e = Data(a = 4, b = {5, 6});
  constant Data arr[2] = {Data(1, {1, 2}), Data(2, {3, 4})};
  Real x = d.a + e.b[2] + arr[2].b[1];
  Real y[2] = arr.a;
end Rec;
