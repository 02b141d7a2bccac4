class Old
  extends Base(final k = 3, x(start = 2));
  encapsulated type T = Integer(min = 0);
  T t = 3;
protected
  Real hidden = 2*x;
end Old;
partial class Base
  parameter Real k = 1; Real x(fixed = true);
equation
  der(x) = -k*x;
end Base;
