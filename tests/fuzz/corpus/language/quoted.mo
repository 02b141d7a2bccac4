within;
model 'quoted model' "with a strange name"
  Real 'x y'(start = 1, fixed = true, displayUnit = "deg", unit = "rad");
  parameter Real 'a\'b' = 2;
equation
  der('x y') = -'a\'b' * 'x y';
  annotation(experiment(StopTime=2), Icon(graphics={Rectangle(extent={{-1,-1},{1,1}})}), Documentation(info="<html>x</html>"));
end 'quoted model';
