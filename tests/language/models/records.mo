model Records "arrays of records, slices, blocks with inputs"
  record Material
    parameter Real density = 1000;
    parameter Real k[2] = {1, 2};
  end Material;
  record State
    Real p, T;
  end State;
  block Gain
    input Real u;
    output Real y;
    parameter Real k = 2;
  equation
    y = k*u;
  end Gain;
  connector RealInput = input Real;
  connector RealOutput = output Real;
  block Add
    RealInput u[2];
    RealOutput y = sum(u);
  end Add;
  parameter Material water, oil(density = 900), third = Material(density = 1, k = {3, 4});
  State s[2](T = {1, 2}), copy[2];
  Real T[2] = s.T, all = sum(s[:].p);
  input Real command(start = 0);
  output Real answer;
  Gain g(u = command), h;
  Add add;
equation
  s[1].p = water.density;
  s[2].p = third.k[2];
  copy = s;
  connect(g.y, h.u);
  connect(g.y, add.u[1]);
  connect(h.y, add.u[2]);
  answer = add.y;
end Records;
