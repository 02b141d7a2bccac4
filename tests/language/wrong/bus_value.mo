// 9:15: error: 'x' of the expandable connector 'bus' is given by what is connected to it: it cannot have a value here
model M
  expandable connector Bus
    parameter Integer n = 1;
    Real x;
  end Bus;
  connector Out = output Real;
  Out y = time;
  Bus bus(x = 1, n = 2);
equation
  connect(y, bus.x);
end M;
