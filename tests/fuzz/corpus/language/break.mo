model A Real x = 1; Real y(start = 2) = 3; end A;
model B extends A(break x, y(start = break) = break); equation y = 4; end B;
model M B b; end M;
