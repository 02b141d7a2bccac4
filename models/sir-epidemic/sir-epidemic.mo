model SirEpidemic "susceptible, infected, recovered; with distance while many are ill"
  parameter Real beta(unit = "1/d") = 0.4 "contacts that infect";
  parameter Real gamma(unit = "1/d") = 0.1 "recovery";
  parameter Real start_at = 0.1 "part of the people ill at which distance begins";
  parameter Real end_at = 0.05 "and at which it ends";
  parameter Real effect = 0.6 "part of the contacts that distance avoids";
  Real S(start = 0.999, fixed = true) "susceptible";
  Real I(start = 0.001, fixed = true) "infected";
  Real R = 1 - S - I "recovered";
  Boolean distance(start = false, fixed = true);
equation
  distance = if pre(distance) then not I < end_at else I > start_at;
  der(S) = -beta*(if distance then 1 - effect else 1)*S*I;
  der(I) = beta*(if distance then 1 - effect else 1)*S*I - gamma*I;
  annotation(experiment(StopTime = 160, Interval = 0.5));
end SirEpidemic;
