model SampledControl "a lag, controlled by a computer that looks every 0.1 s"
  parameter Real T(unit = "s") = 1 "of the lag";
  parameter Real k = 3 "proportional";
  parameter Real ki(unit = "1/s") = 2 "integral";
  parameter Real dt(unit = "s") = 0.1 "interval of the computer";
  parameter Real wanted = 1;
  Real x(start = 0, fixed = true) "what is controlled";
  discrete Real u(start = 0, fixed = true) "what the computer puts out";
  discrete Real sum(start = 0, fixed = true);
equation
  T*der(x) = u - x;
  when sample(0, dt) then
    sum = pre(sum) + dt*(wanted - x);
    u = k*(wanted - x) + ki*sum;
  end when;
  annotation(experiment(StopTime = 5, Interval = 0.02));
end SampledControl;
