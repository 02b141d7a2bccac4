within ;
package Marks "Annotations of a library: what is not used is passed over, whatever stands in it"
  model Right
    parameter Real a = 2 annotation(Dialog(group = "a ) \" ( b
      over lines"), choices(choice = 1 "one", choice = 2 "two"));
    Real x(start = 1, fixed = true) annotation(Evaluate = false, Placement(extent = {{0, 0}, {1, 1}}));
    Real y = a * x annotation(/* a comment ) */ Icon(graphics = {Line(points = {{-1, -1}, {1, 1}})}));
    Real z = y annotation('quoted)'(b = 1), __Other(c(d = "e")));
  equation
    der(x) = -x annotation(Documentation(info = "<html>experiment</html>"));
    annotation(Icon(coordinateSystem(extent = {{-100, -100}, {100, 100}})), experiment(StopTime = 3, Interval = 0.5));
  end Right;

  model Wrong
    Real x annotation(Documentation(info = "
      (
      ))
    "));
  equation
    x = nothing;
  end Wrong;

  annotation(version = "1");
end Marks;
