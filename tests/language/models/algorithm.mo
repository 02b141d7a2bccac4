model Algorithm
  parameter Integer n = 2;
  parameter String label = "n is " + "two";
  Real x(start = 1, fixed = true), y, z[n], best;
  Integer mode(start = 1), j;
  Boolean b(start = false), high = x > 0.5;
  constant Real table[3] = {10, 20, 30};
  Real looked = table[mode];
equation
  der(x) = -x;
algorithm
  y := 0;
  for i in 1:n loop
    z[i] := y + i*x;
    y := z[i];
  end for;
  if y > 3 then
    best := y;
  elseif n == 2 and y > 2 then
    best := 2;
  else
    best := 0;
  end if;
  j := 1;
  while j < 3 loop
    j := j + 1;
    if z[1] > j then
      break;
    end if;
  end while;
algorithm
  when {edge(high), change(b), initial()} then
    mode := mode + 1;
    b := not pre(b);
  elsewhen sample(0, 0.1) then
    mode := 3;
  end when;
  assert(y < 100, label + ": y is " + String(y));
  assert(y < 50, "near", AssertionLevel.warning);
end Algorithm;
