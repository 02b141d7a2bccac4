model Amp "a loop of one nonlinear and several linear equations, in every evaluation"
  parameter Real R1=100, R2=50, Is=1e-12, Vt=0.025, C=1e-3;
  Real v(start=0, fixed=true), vd(start=0.1), i1, i2, id, vn(start=0.1);
equation
  i1 = (5*sin(10*time) - vn)/R1;
  vd = vn - v;
  id = Is*(exp(vd/Vt) - 1);
  i2 = v/R2;
  i1 = id;
  C*der(v) = id - i2;
end Amp;
