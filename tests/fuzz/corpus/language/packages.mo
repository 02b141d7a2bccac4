package P
  constant Real g = 9.81;
  type Angle = Real(unit="rad");
  type Mode = enumeration(off "is off", slow, fast);
  record Point
    Real x; Real y;
  end Point;
  function norm
    input Point p;
    output Real n;
  algorithm
    n := sqrt(p.x^2 + p.y^2);
  end norm;
  function make
    input Real a; input Real b = 2;
    output Point p;
  algorithm
    p.x := a; p.y := b;
  end make;
  model M
    import P.Mode;
    import pi = Modelica.Constants.pi;
    Angle phi(start = pi/4, fixed = true);
    Real w(start = 0, fixed = true);
    Mode mode(start = Mode.off, fixed=true);
    Point p = Point(1, time);
    Point q = make(a = 3);
    Real n = norm(p) + norm(Point(x = 3, y = 4));
    Real r[size(p3,1)] = p3;
    parameter Real p3[3] = {1, 2, 3};
  equation
    der(phi) = w;
    der(w) = -g*sin(phi);
    when phi < 0 then
      mode = Mode.slow;
    elsewhen phi < -0.5 then
      mode = if pre(mode) == Mode.slow then Mode.fast else Mode.off;
    end when;
  end M;
end P;
