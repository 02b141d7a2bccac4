partial function F input Real u; output Real y; end F;
function B extends F; algorithm y := (u*{1, 2})[2]; end B;
model D outer function f = F; Real y = f(time); end D;
model E inner function f = B; D d; end E;
model A model P Real x = 2; end P; Real v[:]; P p; replaceable E e constrainedby E; end A;
model M
  extends A(P(x = 4), redeclare Real v[2], replaceable E e constrainedby E);
  Boolean b = noEvent(time > 0.5);
  Integer n, m = if b then 1 else 2;
equation
  0 = n + m - 3;
  v = ({{1, 2}, {3, 4}})[:, end];
end M;
