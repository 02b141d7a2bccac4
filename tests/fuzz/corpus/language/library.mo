model Str
  parameter String file = "data.txt";
  parameter Integer verbose = 0;
  type Celsius = Real(final quantity="Temperature", final unit="degC", min=-273.15);
  constant Real eps = Modelica.Constants.eps;
  final parameter Celsius T = 20;
  Modelica.SIunits.Length l = 3;
  Modelica.Units.SI.Mass mm = 3;
  Real u = Modelica.Math.sin(time) + Modelica.Math.exp(-time) + log10(10+time) + atan2(time, 1) + sinh(0) + tanh(0) + asin(0) + acos(1);
end Str;
