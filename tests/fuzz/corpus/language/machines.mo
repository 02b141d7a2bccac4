model M
  inner Integer v(start = 0);
  block A
    inner outer output Integer v;
    inner Integer n(start = 0);
    block U outer output Integer v; equation v = previous(v) + 2; end U;
    block W outer output Integer n; equation n = previous(n) + 1; end W;
    U u; W w;
  equation
    initialState(u);
    transition(u, w, v >= 6, immediate = false);
    transition(w, u, ticksInState() >= 2, reset = false, priority = 2);
  end A;
  block B outer output Integer v; Real x(start = 1), y; equation v = previous(v) - 1;
    x + y = previous(x) + ticksInState(); x - y = timeInState(); assert(x < 9, "x"); end B;
  A a; B b;
equation
  initialState(a);
  transition(a, b, activeState(a.w), immediate = false, synchronize = true);
  transition(b, a, previous(v) < 1, true, false, false, 1);
end M;
