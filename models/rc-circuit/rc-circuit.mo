model RcCircuit "a capacitor that is charged through a resistor, from parts with pins"
  connector Pin "a place where a current can enter"
    Real v(unit = "V") "potential";
    flow Real i(unit = "A") "current into the part";
  end Pin;

  partial model TwoPin "a part between two pins"
    Pin p, n;
    Real v(unit = "V") = p.v - n.v "voltage";
    Real i(unit = "A") = p.i "current from p to n";
  equation
    p.i + n.i = 0;
  end TwoPin;

  model Resistor
    extends TwoPin;
    parameter Real R(unit = "Ohm") = 1;
  equation
    v = R*i;
  end Resistor;

  model Capacitor
    extends TwoPin(v(start = 0, fixed = true));
    parameter Real C(unit = "F") = 1;
  equation
    C*der(v) = i;
  end Capacitor;

  model Source
    extends TwoPin;
    parameter Real V(unit = "V") = 1;
  equation
    v = V;
  end Source;

  model Ground
    Pin p;
  equation
    p.v = 0;
  end Ground;

  Source source(V = 10);
  Resistor resistor(R = 1000);
  Capacitor capacitor(C = 1e-6);
  Ground ground;
equation
  connect(source.p, resistor.p);
  connect(resistor.n, capacitor.p);
  connect(capacitor.n, source.n);
  connect(source.n, ground.p);
  annotation(experiment(StopTime = 0.005, Interval = 1e-5));
end RcCircuit;
