model DcMotor "a motor that starts, and is loaded while it turns"
  connector Flange
    Real phi(unit = "rad") "angle";
    flow Real tau(unit = "N.m") "torque into the part";
  end Flange;

  model Motor
    parameter Real R(unit = "Ohm") = 0.5;
    parameter Real L(unit = "H") = 0.05;
    parameter Real k(unit = "N.m/A") = 1 "torque per current, and voltage per speed";
    Real u(unit = "V") "voltage";
    Real i(unit = "A", start = 0, fixed = true);
    Flange flange;
  equation
    L*der(i) = u - R*i - k*der(flange.phi);
    flange.tau = -k*i;
  end Motor;

  model Inertia
    parameter Real J(unit = "kg.m2") = 1;
    Flange a, b;
    Real w(unit = "rad/s", start = 0, fixed = true);
    Real phi(unit = "rad", start = 0, fixed = true);
  equation
    a.phi = phi;
    b.phi = phi;
    der(phi) = w;
    J*der(w) = a.tau + b.tau;
  end Inertia;

  model Load "a torque against the motion, from a time on"
    parameter Real on(unit = "s") = 2;
    parameter Real torque(unit = "N.m") = 20;
    Flange flange;
  equation
    flange.tau = if time >= on then torque else 0;
  end Load;

  Motor motor(u = 100);
  Inertia rotor(J = 0.3);
  Load load;
equation
  connect(motor.flange, rotor.a);
  connect(rotor.b, load.flange);
  annotation(experiment(StopTime = 4, Interval = 0.005));
end DcMotor;
