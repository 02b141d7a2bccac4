partial function Fun input Real u; output Real y; end Fun;
function quad input Fun f; input Real a; output Real y; algorithm y := f(a) + f(0); end quad;
function par extends Fun; input Real c[2] = {1, 2}; algorithm y := c[1]*u + sum(c[1:2]); end par;
operator record Dual Real a; Real b;
  encapsulated operator 'constructor' import Dual;
    function of input Real r; output Dual d(a = r, b = 0); algorithm end of;
  end 'constructor';
  encapsulated operator function '*' import Dual; input Dual x; input Dual y; output Dual z;
  algorithm z.a := x.a*y.a; z.b := x.a*y.b + x.b*y.a; end '*';
end Dual;
model Leaf outer Real k; Real x = k; end Leaf;
model Branch inner outer Real k = 2*time; Leaf leaf; Real y = k; end Branch;
model M
  inner Real k = quad(function par(c = {time, 1}), 3);
  Branch b;
  Dual d = Dual(2)*Dual(time);
  Leaf none[0];
  Real s = sum(none.x);
end M;
