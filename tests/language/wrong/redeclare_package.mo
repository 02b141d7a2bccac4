// 19:25: error: 'P' cannot be redeclared as 'R': there is no 'f' in it
model M
  package Q
    constant Real k = 2;
    function f
      input Real x;
      output Real y;
    algorithm
      y := k*x;
    end f;
  end Q;
  package R
    constant Real k = 3;
  end R;
  model A
    replaceable package P = Q;
    Real z = P.k;
  end A;
  A a(redeclare package P = R);
end M;
