model Semi
  Real x(start = 10, fixed = true);
  Real T(start = 300);
equation
  // algebraic loop, nonlinear
  T^4*5.67e-8 + 10*(T - 300) = 100 + x;
  der(x) = -x + 0.01*T;
end Semi;
