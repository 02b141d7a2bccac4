model Term
  Real x(start = 0, fixed = true);
  Integer n(start = 0);
equation
  der(x) = 1;
  when terminal() then
    n = 5;
  end when;
  when x > 0.5 then
    terminate("half");
  end when;
end Term;
