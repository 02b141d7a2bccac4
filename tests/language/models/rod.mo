model Rod "heat in a rod, with a loop"
  type Temperature = Real(unit = "K", min = 0, start = 300);
  parameter Integer n = 4;
  parameter Real L = 1, k = 0.5;
  final parameter Real dx = L/n;
  Temperature T[n];
  Temperature left, right = 273.15;
initial equation
  T = fill(350, n);
equation
  left = 400 + 10*sin(time);
  der(T[1]) = k*((left - T[1]) - (T[1] - T[2]))/dx^2;
  for i in 2:n - 1 loop
    der(T[i]) = k*(T[i - 1] - 2*T[i] + T[i + 1])/dx^2;
  end for;
  der(T[end]) = k*(T[end - 1] - T[end] - (T[end] - right))/dx^2;
end Rod;
