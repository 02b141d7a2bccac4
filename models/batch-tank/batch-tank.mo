model BatchTank "a tank that a state machine fills, stirs and empties, batch after batch"
  parameter Real full(unit = "m3") = 2;
  parameter Real low(unit = "m3") = 0.2;
  parameter Integer stirring = 24 "ticks, of half a second";
  Real V(unit = "m3", start = 0.512, fixed = true) "what is in the tank";
  Real seen(unit = "m3") "by the computer, at its ticks";
  inner Real flow_in(unit = "m3/s", start = 0), flow_out(unit = "m3/s", start = 0);
  inner Integer stirrer(start = 0) "1 or -1 while it turns";
  inner Integer batches(start = 0);

  block Fill
    outer output Real flow_in, flow_out;
    outer output Integer stirrer;
  equation
    flow_in = 0.07;
    flow_out = 0;
    stirrer = 0;
  end Fill;

  block Stir "turns one way and the other: a machine inside of a state"
    outer output Real flow_in, flow_out;
    inner outer output Integer stirrer;
    block Turn
      parameter Integer way;
      outer output Integer stirrer;
    equation
      stirrer = way;
    end Turn;
    Turn left(way = -1), right(way = 1);
  equation
    flow_in = 0;
    flow_out = 0;
    initialState(left);
    transition(left, right, ticksInState() >= 5, immediate = false);
    transition(right, left, timeInState() >= 1.4, immediate = false);
  end Stir;

  block Drain
    outer output Real flow_in, flow_out;
    outer output Integer stirrer, batches;
  equation
    flow_in = 0;
    flow_out = 0.11;
    stirrer = 0;
    batches = previous(batches) + (if ticksInState() == 1 then 1 else 0);
  end Drain;

  Fill fill;
  Stir stir;
  Drain drain;
equation
  seen = sample(V, Clock(1, 2));
  der(V) = hold(flow_in) - hold(flow_out);
  initialState(fill);
  transition(fill, stir, seen >= full);
  transition(stir, drain, ticksInState() >= stirring, immediate = false);
  transition(drain, fill, seen <= low);
  annotation(experiment(StopTime = 180, Interval = 0.5));
end BatchTank;
