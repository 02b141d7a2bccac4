model RocketStages "a rocket of two stages, straight up"
  parameter Real g(unit = "m/s2") = 9.81;
  parameter Real exhaust[2](each unit = "m/s") = {2600, 3200};
  parameter Real burn[2](each unit = "kg/s") = {120, 20};
  parameter Real fuel[2](each unit = "kg") = {12000, 3000};
  parameter Real dry[2](each unit = "kg") = {1500, 700} "engines and tanks";
  Real h(unit = "m", start = 0, fixed = true);
  Real v(unit = "m/s", start = 0, fixed = true);
  Real m(unit = "kg", start = sum(dry) + sum(fuel), fixed = true) "all that is left";
  discrete Integer stage(start = 1, fixed = true);
  discrete Real separated(unit = "s", start = 0, fixed = true);
equation
  der(h) = v;
  der(m) = if stage <= 2 then -burn[min(stage, 2)] else 0;
  m*der(v) = (if stage <= 2 then burn[min(stage, 2)]*exhaust[min(stage, 2)] else 0) - m*g;
  when m <= (if pre(stage) == 1 then dry[1] + dry[2] + fuel[2] elseif pre(stage) == 2 then dry[2] else -1) then
    stage = pre(stage) + 1;
    separated = time;
    reinit(m, if pre(stage) == 1 then dry[2] + fuel[2] else dry[2]);
  end when;
  annotation(experiment(StopTime = 300, Interval = 0.5));
end RocketStages;
