// model: P.Test
package P
  constant Real two = 2;
  type Colour = enumeration(red, green "like grass", blue);
  record Point
    Real x;
    Real y;
  end Point;
  function norm
    input Real v[:];
    output Real r;
  protected
    Real s = 0;
  algorithm
    for i in 1:size(v, 1) loop
      s := s + v[i]^two;
    end for;
    r := sqrt(s);
  end norm;
  function swap
    input Real a, b = 3;
    output Real c, d;
  algorithm
    (c, d) := swap2(a, b);
  end swap;
  function swap2
    input Real a, b;
    output Real c = b, d = a;
  algorithm
    if a > b then
      return;
    end if;
  end swap2;
  function factorial
    input Integer n;
    output Integer y;
  algorithm
    y := if n <= 1 then 1 else n*factorial(n - 1);
  end factorial;
  function move
    input Point p;
    input Real d;
    output Point q;
  algorithm
    q := Point(p.x + d, p.y);
    q.y := q.y - d;
  end move;
  function ramp
    input Integer n;
    output Real y[n];
  algorithm
    for i in 1:n loop
      y[i] := i;
    end for;
  end ramp;
  model Test
    import Q = P.norm;
    Real x[3](each start = 1), y[2], a, b, c;
    Integer k(start = 0);
    Colour colour = if x[1] > 0 then Colour.red else P.Colour.blue;
    Point p(x = time), q = move(p, 2), r = Point(1, y = 2);
    Real z[4] = ramp(4), w[3] = sq(x);
    function sq
      input Real u;
      output Real y;
    algorithm
      y := u*u;
    end sq;
  equation
    der(x) = -x;
    a = Q(x) + norm(y);
    y = {1, 2};
    (b, c) = swap(a);
    k = factorial(3);
    p.y = sq(time);
  end Test;
end P;
