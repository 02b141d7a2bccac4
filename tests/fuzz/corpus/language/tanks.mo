model Zeno2 "water tanks"
  Real x1(start = 2, fixed = true), x2(start = 2, fixed = true); Boolean first(start=true,fixed=true);
equation
  der(x1) = (if first then 1.5 else 0) - 1;
  der(x2) = (if first then 0 else 1.5) - 1;
  when x2 < 1 and pre(first) then first = false; elsewhen x1 < 1 and not pre(first) then first = true; end when;
end Zeno2;
