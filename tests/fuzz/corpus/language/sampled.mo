model Sampled "PI controller with zero-order hold"
  parameter Real Ts = 0.1, Kp = 2, Ti = 1, ref = 1;
  Real x(start = 0, fixed = true);
  discrete Real u(start = 0, fixed = true), I(start = 0, fixed = true), e(start = 0);
equation
  der(x) = -x + u;
  when {initial(), sample(0, Ts)} then
    e = ref - x;
    I = pre(I) + Ts/Ti*e;
    u = Kp*(e + I);
  end when;
end Sampled;
