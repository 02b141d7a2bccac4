model Operators
  Real x(start = 1), y, z;
  Boolean b = x > 0 and not y < 1 or i <> 2;
  Integer i = integer(x) + div(7, 2) - mod(-7, 3)*rem(7, 3);
  Real a = abs(x) + sign(y) + sqrt(x) + exp(x)/log(x) + log10(x) + atan2(x, y) + floor(x) + ceil(y);
  Real t = tan(x) + asin(x) + acos(x) + atan(x) + sinh(x) + cosh(x) + tanh(x);
  Real d = delay(x, 0.5) + delay(y, 0.1, 1);
  Real s = semiLinear(x, 2, 3) + homotopy(x, 0) + min(x, y) + max({x, y, z});
  Real n = noEvent(if x > 1 then x else -x) - (x - y) - (y + z)*(-x)^2;
  Real c = cos({0, 1, 2}*{x, y, z}) ;
  Real w = der(x*y);
  Boolean q = initial() or terminal() or pre(b);
equation
  der(x) = -x;
  y = if x > 2 then 1 elseif x > 1 then 2 else 3;
  z = -(-x) + 2^(-x) - 1e-3*.5;
end Operators;
