model Chain "an array of models and of connectors"
  connector Flange
    Real s;
    flow Real f;
  end Flange;
  model Mass
    parameter Real m = 1;
    Flange a, b;
    Real s(start = 0), v;
  equation
    a.s = s;
    b.s = s;
    der(s) = v;
    m*der(v) = a.f + b.f;
  end Mass;
  model Spring
    parameter Real c = 100, s0 = 1;
    Flange a, b;
  equation
    a.f + b.f = 0;
    b.f = c*(b.s - a.s - s0);
  end Spring;
  parameter Integer n = 3;
  Mass mass[n](m = {1, 2, 3}, s(start = {1.0*i for i in 1:n}));
  Spring spring[n - 1](each c = 50);
equation
  for i in 1:n - 1 loop
    connect(mass[i].b, spring[i].a);
    connect(spring[i].b, mass[i + 1].a);
  end for;
end Chain;
