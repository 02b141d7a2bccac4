block Gain
  input Real u; output Real y; parameter Real k = 1;
equation y = k*u; end Gain;
block Integrator
  input Real u; output Real y(start = y0, fixed = true); parameter Real y0 = 0;
equation der(y) = u; end Integrator;
model Loop
  Gain g(k = -2); Integrator i(y0 = 1);
equation
  connect(g.y, i.u); connect(i.y, g.u);
end Loop;
