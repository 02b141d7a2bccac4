model Fn
  function f "multiple results"
    input Real a[:];
    input Integer k = 2;
    output Real s;
    output Real p;
    output Integer n;
  protected
    Real t;
  algorithm
    n := size(a, 1);
    s := 0; p := 1;
    for x in a loop
      s := s + x; p := p*x;
    end for;
    t := 0;
    while t < k loop
      t := t + 1;
      if t > 10 then break; end if;
    end while;
    s := s + t;
  end f;
  function fib
    input Integer n; output Integer y;
  algorithm
    if n < 2 then y := n; return; end if;
    y := fib(n - 1) + fib(n - 2);
  end fib;
  Real s, p; Integer n; Real s2; Integer fb = fib(10);
  Real arr[3] = {time, 2*time, 1};
equation
  (s, p, n) = f(arr);
  (s2, , ) = f({1, 2, 3, 4}, k = 3);
end Fn;
