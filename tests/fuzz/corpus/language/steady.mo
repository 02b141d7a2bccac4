model Init "steady state by initial equation der = 0"
  Real x, y; parameter Real k = 2;
initial equation
  der(x) = 0; der(y) = 0;
equation
  der(x) = 1 - k*x + y;
  der(y) = x - y*2;
end Init;
