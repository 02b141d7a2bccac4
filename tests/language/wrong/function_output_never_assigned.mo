// 5:20: error: the output 'z' of function 'f' is never assigned
model M
  function f
    input Real x;
    output Real y, z;
  protected
    Boolean done = false;
  algorithm
    if done then
      y := 0;
    end if;
    y := x;
  end f;
  Real a, b;
equation
  (a, b) = f(time);
end M;
