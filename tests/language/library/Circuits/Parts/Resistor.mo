within Circuits.Parts;
model Resistor
  extends OnePort;
  parameter Real R = 1;
equation
  v = R*p.i;
end Resistor;
