model TrafficLight "a state machine by enumeration: a light, and the cars that wait at it"
  type Light = enumeration(red, amber, green);
  parameter Real red(unit = "s") = 30;
  parameter Real green(unit = "s") = 20;
  parameter Real amber(unit = "s") = 3;
  parameter Real arriving(unit = "1/s") = 0.3 "cars";
  parameter Real leaving(unit = "1/s") = 0.9 "cars, while it is green and some wait";
  Light light(start = Light.red, fixed = true);
  discrete Real since(unit = "s", start = 0, fixed = true);
  Real waiting(start = 0, fixed = true) "cars";
  Boolean any = waiting > 0;
equation
  when time >= pre(since) + (if pre(light) == Light.red then red elseif pre(light) == Light.green then green else amber) then
    light = if pre(light) == Light.red then Light.green elseif pre(light) == Light.green then Light.amber else Light.red;
    since = time;
  end when;
  der(waiting) = if light == Light.green and any then arriving - leaving else if light == Light.green then 0 else arriving;
  annotation(experiment(StopTime = 180, Interval = 0.5));
end TrafficLight;
