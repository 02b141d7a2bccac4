model InOut
  inner Real T0 = 20 + time;
  model Part outer Real T0; Real x(start = 0, fixed = true); equation der(x) = T0 - x; end Part;
  Part a, b;
end InOut;
