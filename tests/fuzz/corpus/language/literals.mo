model Spec "section 3.7"
  Real a = if time < 1 then 1 elseif time < 2 then 2 else 3;
  Real b = noEvent(if time < 1 then 1 else 0);
  Real u(start=0); 
  Boolean c = initial();
  Real e = 1e-3 + .5 + 2.E2 + 1E+2;
  Integer neg = -3;
  Real pw = -2^2;
  Boolean l = not true or false and true;
  Boolean cmp = 1 <> 2;
  Real lit[:] = {1, 2, 3};
  Real r2[:, :] = [1, 2; 3, 4];
  Real rng[:] = 0:0.5:2;
equation
  u = a + b;
end Spec;
