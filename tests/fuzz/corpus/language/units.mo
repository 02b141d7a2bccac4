model Units
  parameter Real m(unit = "kg") = 2, c(unit = "N/m") = 3;
  Real x(unit = "m", start = 1), v(unit = "m/s"), e(unit = "kg.m2/s2"), q(unit = "mol/(m3.s)") = 1;
equation
  der(x) = v;
  m*der(v) = -c*x;
  e = m*v^2 + c*x^2 + sqrt(e*e) + max(e, m*v*v);
end Units;
