model Diode "ideal diode, Modelica spec"
  parameter Real Goff = 1e-5, Ron = 1e-5;
  Boolean off(start = true); Real s(start=0), v, i, u = sin(6.283185307179586*time);
equation
  off = s < 0;
  v = if off then s else Ron*s;
  i = if off then Goff*s else s;
  u = v + 10*i;
  annotation(experiment(StopTime=2));
end Diode;
