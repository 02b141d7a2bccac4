model HodgkinHuxley "a nerve that fires when a current is put in"
  function ratio "u/(exp(u) - 1), also at u = 0"
    input Real u;
    output Real y;
  algorithm
    y := if abs(u) < 1e-4 then 1 - u/2 + u^2/12 else u/(exp(u) - 1);
  end ratio;
  parameter Real C(unit = "uF/cm2") = 1;
  parameter Real gNa(unit = "mS/cm2") = 120;
  parameter Real gK(unit = "mS/cm2") = 36;
  parameter Real gL(unit = "mS/cm2") = 0.3;
  parameter Real current(unit = "uA/cm2") = 10 "from 5 ms on";
  Real V(unit = "mV", start = -65, fixed = true);
  Real m(start = 0.05293248525724958, fixed = true);
  Real h(start = 0.5961207535084603, fixed = true);
  Real n(start = 0.3176769140606974, fixed = true);
  discrete Integer spikes(start = 0, fixed = true);
equation
  C*der(V) = (if time >= 5 then current else 0) - gNa*m^3*h*(V - 50) - gK*n^4*(V + 77) - gL*(V + 54.4);
  der(m) = ratio(-(V + 40)/10)*(1 - m) - 4*exp(-(V + 65)/18)*m;
  der(h) = 0.07*exp(-(V + 65)/20)*(1 - h) - h/(1 + exp(-(V + 35)/10));
  der(n) = 0.1*ratio(-(V + 55)/10)*(1 - n) - 0.125*exp(-(V + 65)/80)*n;
  when V > 0 then
    spikes = pre(spikes) + 1;
  end when;
  annotation(experiment(StopTime = 60, Interval = 0.05));
end HodgkinHuxley;
