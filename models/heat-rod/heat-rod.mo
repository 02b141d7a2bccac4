model HeatRod "heat in a rod whose left end is hot and whose right end is insulated"
  parameter Integer n = 20 "pieces";
  parameter Real length(unit = "m") = 0.2;
  parameter Real a(unit = "m2/s") = 1e-4 "thermal diffusivity";
  parameter Real hot(unit = "degC") = 100;
  Real T[n](each unit = "degC", each start = 20, each fixed = true) "in the middle of each piece";
protected
  parameter Real rate(unit = "1/s") = a/(length/n)^2;
equation
  der(T[1]) = rate*(2*(hot - T[1]) + T[2] - T[1]);
  for i in 2:n - 1 loop
    der(T[i]) = rate*(T[i - 1] - 2*T[i] + T[i + 1]);
  end for;
  der(T[n]) = rate*(T[n - 1] - T[n]);
  annotation(experiment(StopTime = 600, Interval = 1));
end HeatRod;
