// 3:30: error: there is no class 'Basic' in 'Modelica.Electrical.Analog', of which only a small part is built in (MODELICAPATH names folders of libraries)
model M
  Modelica.Electrical.Analog.Basic.Resistor r;
end M;
