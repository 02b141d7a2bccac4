model Types "types of types, quoted names, units, final and start"
  type Length = Real(unit = "m", min = 0);
  type Height = Length(max = 100, start = 1);
  type Vector = Real[3];
  type Frame = Vector[2];
  type Level = enumeration(low, 'very high');
  Height h(fixed = true), g[2](start = {2, 3}, each nominal = 10);
  Vector v = {1, 2, 3};
  Frame f = {v, 2*v};
  Real 'a b' = f[2, 3], perLevel[Level] = {1, 2};
  Level level(start = Level.low);
  Boolean flag = level == Level.'very high' or level > Level.low;
  parameter Real p(start = 3);
  parameter Real unknown(fixed = false, start = 1);
  parameter Integer m = if Level.low < Level.'very high' then 2 else 5;
  Real s(stateSelect = StateSelect.prefer);
  Real e = Modelica.Constants.pi*Modelica.Math.sin(time);
  Modelica.Units.SI.Mass mass = 2;
equation
  der(h) = -1*h;
  der(g) = -1*g;
  when h < 0.5 then
    level = Level.'very high';
  end when;
  der(s) = unknown*p;
initial equation
  unknown*s = m;
  s = 1;
end Types;
