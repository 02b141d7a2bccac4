model GearTrain "two flywheels on a stiff gear and a soft shaft: the gear makes their angles depend"
  connector Flange
    Real phi(unit = "rad");
    flow Real tau(unit = "N.m");
  end Flange;

  model Inertia
    parameter Real J(unit = "kg.m2");
    Flange a, b;
    Real phi(unit = "rad");
    Real w(unit = "rad/s");
  equation
    a.phi = phi;
    b.phi = phi;
    der(phi) = w;
    J*der(w) = a.tau + b.tau;
  end Inertia;

  model Gear
    parameter Real ratio;
    Flange a, b;
  equation
    a.phi = ratio*b.phi;
    ratio*a.tau + b.tau = 0;
  end Gear;

  model Shaft
    parameter Real c(unit = "N.m/rad");
    parameter Real d(unit = "N.m.s/rad");
    Flange a, b;
  equation
    b.tau = c*(b.phi - a.phi) + d*(der(b.phi) - der(a.phi));
    a.tau + b.tau = 0;
  end Shaft;

  Inertia fast(J = 0.01, phi(start = 0, fixed = true), w(start = 100, fixed = true));
  Inertia slow(J = 0.5);
  Inertia wheel(J = 2, phi(start = 0, fixed = true), w(start = 0, fixed = true));
  Gear gear(ratio = 5);
  Shaft shaft(c = 50, d = 1);
equation
  connect(fast.b, gear.a);
  connect(gear.b, slow.a);
  connect(slow.b, shaft.a);
  connect(shaft.b, wheel.a);
  annotation(experiment(StopTime = 3, Interval = 0.005));
end GearTrain;
