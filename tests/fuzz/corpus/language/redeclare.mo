operator record Complex
  Real re;
  Real im;
end Complex;
package P
  partial package Medium
    constant Real c;
    replaceable partial function h
      input Real T;
      output Real y;
    end h;
    model Base
      Real T;
      Real y = h(T) + c;
    end Base;
  end Medium;
  package Water
    extends Medium(c = 3);
    redeclare function extends h
    algorithm
      y := 2*T;
    end h;
  end Water;
  model Tank
    replaceable package Fluid = Medium;
    Fluid.Base b(T = time);
    Complex z = Complex(time, 1)*Complex(2);
  end Tank;
  model M
    Tank t(redeclare package Fluid = Water);
  end M;
end P;
model M = P.M;
