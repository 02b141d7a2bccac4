model Cond
  parameter Boolean useB = false;
  model Part
    parameter Real k;
    Real x(start = k, fixed = true);
  equation
    der(x) = -k*x;
  end Part;
  Part a(k = 1);
  Part b(k = 2) if useB;
  Part c[3](k = {1, 2, 3}, each x(nominal=3));
  Part d[2](each k = 5);
  Real sx = sum(c.x);
end Cond;
