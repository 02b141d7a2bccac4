// 12:15: error: there is no 'z' in connector 'C': nothing of this name is connected to it
expandable connector C
  Real x;
end C;
model Source
  output Real y = time;
end Source;
model M
  C bus;
  Source s;
equation
  connect(bus.z, bus.w);
  connect(s.y, bus.x);
end M;
