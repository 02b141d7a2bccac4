model World "inner, outer and redeclared components"
  model Field
    parameter Real g = 9.81;
    Real wind = sin(time);
  end Field;
  connector Pin
    Real v;
    flow Real i;
  end Pin;
  partial model Load
    Pin p;
  end Load;
  model Resistor
    extends Load;
    parameter Real R = 1;
  equation
    p.v = R*p.i;
  end Resistor;
  model Conductor
    extends Load;
    parameter Real G = 1;
  equation
    p.i = G*p.v;
  end Conductor;
  model Body
    outer Field field;
    Real v;
    replaceable Resistor load(R = 7) constrainedby Load;
    replaceable Real gain = 2;
  equation
    der(v) = -field.g + field.wind;
  end Body;
  model Group
    Body body;
    Body other(redeclare Conductor load(G = 3), v(start = 1));
  end Group;
  inner Field field(g = 1.62);
  Group group;
end World;
