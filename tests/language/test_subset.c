/// Every construct of the subset in a model that runs, with a value that follows from its meaning.
#include "language/language.h"
#include "samples.h"

static const sample letters_and_classes_samples[] = {
    {"comments, quoted names, strings",
     "// one\n/* two\nlines */\nmodel 'a model' \"what it is\"\n  Real 'x y'(start = 1) \"a "
     "\\\"quoted\\\" text\";\n"
     "  parameter String s = \"\\t\\n\";\nequation\n  der('x y') = 0; // end\nend 'a model';\n",
     "'x y'", 1, 1, 0},
    {"numbers", "model M\n  Real x = 1e-3 + .5 + 2.E2 + 1E+2 + 3;\nend M;\n", "x", 1, 303.501,
     1e-12},
    {"unary minus and powers", "model M\n  Real x = -2^2;\nend M;\n", "x", 1, -4, 0},
    {"logic", "model M\n  Boolean b = not true or false and true or 1 <> 2;\nend M;\n", "b", 1, 1,
     0},
    {"class, type, attributes",
     "type Angle = Real(final quantity = \"Angle\", unit = \"rad\", displayUnit = \"deg\", min "
     "= -4, max = 4,\n"
     "  nominal = 1, start = 0.5);\nclass C\n  Angle a(fixed = true);\nequation\n  der(a) = "
     "0;\nend C;\n",
     "a", 1, 0.5, 0},
    {"a type of Integer", "type N = Integer(min = 0);\nmodel M\n  N n = 3;\nend M;\n", "n", 1, 3,
     0},
    {"block with input and output",
     "block Gain\n  input Real u; output Real y; parameter Real k = 2;\nequation\n  y = "
     "k*u;\nend Gain;\n"
     "model M\n  Gain g(k = 3, u = time);\nend M;\n",
     "g.y", 2, 6, 1e-15},
    {"extends with modifications, final, protected",
     "partial model B\n  parameter Real k = 1; Real x(fixed = true);\nequation\n  der(x) = "
     "-k*x;\nend B;\n"
     "model M\n  extends B(final k = 0, x(start = 7));\nprotected\n  Real z = 2*x;\nend M;\n",
     "z", 1, 14, 0},
    {"nested modifications",
     "model A\n  parameter Real k = 1; Real x = k;\nend A;\nmodel B\n  A a(k = 2);\nend B;\n"
     "model M\n  B b(a(k = 5));\nend M;\n",
     "b.a.x", 1, 5, 0},
    {"modification by a dotted name",
     "model A\n  parameter Real k = 1; Real x = k;\nend A;\nmodel B\n  A a;\nend B;\n"
     "model M\n  B b(a.k = 6);\nend M;\n",
     "b.a.x", 1, 6, 0},
    {"packages: lookup, constants, imports of all four forms",
     "package P\n  constant Real g = 2;\n  package Q\n    constant Real h = 3*g;\n"
     "    function f input Real u; output Real v; algorithm v := u + h; end f;\n  end Q;\nend "
     "P;\n"
     "model M\n  import P.Q;\n  import R = P.Q;\n  import P.Q.*;\n  import P.Q.{h};\n"
     "  Real x = Q.h + R.h + h + f(1) + P.g;\nend M;\n",
     "x", 1, 27, 0},
    {"encapsulated",
     "package P\n  encapsulated model E\n    Real x = 4;\n  end E;\nend P;\nmodel M\n  P.E "
     "e;\nend M;\n",
     "e.x", 1, 4, 0},
    {"conditional components and connections to them",
     "connector C\n  Real e; flow Real f;\nend C;\nmodel S\n  C c;\nequation\n  c.f = -1;\nend "
     "S;\n"
     "model E\n  C c;\nequation\n  c.e = 1;\nend E;\n"
     "model M\n  parameter Boolean has = false;\n  E e; S a; S b if has;\n"
     "equation\n  connect(a.c, e.c);\n  connect(b.c, e.c);\nend M;\n",
     "e.c.f", 1, 1, 0},
    {"arrays of models, each",
     "model A\n  parameter Real k = 1; parameter Real m = 0; Real x = k + m;\nend A;\n"
     "model M\n  A a[3](k = {1, 2, 3}, each m = 10);\n  Real s = sum(a.x);\nend M;\n",
     "s", 1, 36, 0},
    {"records: constructor, arrays, functions",
     "record P\n  Real x; Real y = 2;\nend P;\n"
     "function norm input P p; output Real n; algorithm n := sqrt(p.x^2 + p.y^2); end norm;\n"
     "function make input Real a; output P p; algorithm p.x := a; p.y := 4; end make;\n"
     "model M\n  P a = P(x = 3, y = 4); P b = make(3);\n  constant P c[2] = {P(1), P(5, 6)};\n"
     "  Real s = norm(a) + norm(b) + c[2].y + sum(c.x);\nend M;\n",
     "s", 1, 22, 1e-12},
    {"enumerations: order, sizes, loops",
     "type E = enumeration(a \"first\", b, c);\nmodel M\n  E e = if time < 1 then E.a else "
     "E.c;\n"
     "  Real x[E]; Boolean later = e > E.b; Integer n = Integer(e);\n"
     "equation\n  for i in E loop\n    x[i] = if i == E.b then 5 else 1;\n  end for;\nend M;\n",
     "x[2]", 1.5, 5, 0},
    {"inner and outer",
     "model Part\n  outer Real T; Real x = 2*T;\nend Part;\nmodel M\n  inner Real T = 4; Part "
     "p;\nend M;\n",
     "p.x", 1, 8, 0},
    {"replaceable classes, through two models and with modifications of their own",
     "model A\n  parameter Real k = 1; Real x = k;\nend A;\n"
     "model B\n  parameter Real k = 2; Real x = 10*k;\nend B;\n"
     "model C\n  replaceable model T = A constrainedby A \"the type\";\n  T t; T u[2];\nend "
     "C;\n"
     "model D\n  replaceable model T = A(k = 3);\n  C c(redeclare model T = T);\nend D;\n"
     "model M\n  D d(redeclare model T = B(k = 5)); D e; C f;\n"
     "  Real s = d.c.t.x + d.c.u[2].x + 1000*e.c.t.x + 10000*f.t.x;\nend M;\n",
     "s", 1, 13100, 0},
    {"a class redeclared where it is extended",
     "model A\n  Real x = 1;\nend A;\nmodel B\n  Real x = 2;\nend B;\n"
     "model C\n  replaceable model T = A;\n  T t;\nend C;\n"
     "model M\n  extends C(redeclare model T = B);\nend M;\n",
     "t.x", 1, 2, 0},
    {"replaceable component",
     "model A\n  Real x = 1;\nend A;\nmodel B\n  Real x = 2;\nend B;\n"
     "model C\n  replaceable A a;\nend C;\nmodel M\n  C c(redeclare B a);\nend M;\n",
     "c.a.x", 1, 2, 0},
    {"a redeclaration keeps the modifications of the original declaration",
     "model A\n  parameter Real k = 1, m = 1; Real x = k + m;\nend A;\n"
     "model B\n  extends A;\n  parameter Real n = 0; Real y = x + 100*n;\nend B;\n"
     "model C\n  parameter Real p = 7;\n  replaceable A a(k = 10*p, m = p);\nend C;\n"
     "model M\n  C c(p = 3, redeclare B a(m = 5, n = 2));\nend M;\n",
     "c.a.y", 1, 235, 0},
    {"and those of a constrainedby clause instead",
     "model A\n  parameter Real k = 1, m = 1; Real x = k + 10*m;\nend A;\n"
     "model B\n  extends A;\nend B;\n"
     "model C\n  replaceable A a(k = 5) constrainedby A(m = 3);\nend C;\n"
     "model M\n  C c(redeclare B a);\nend M;\n",
     "c.a.x", 1, 31, 0},
};

TEST(letters_and_classes)
{
    CHECK_ALL(letters_and_classes_samples);
}

#define MODEL(declarations) "model M\n  " declarations "\nend M;\n"
static const sample arrays_samples[] = {
    {"slices and end", MODEL("Real v[4] = {1, 2, 3, 4}; Real s = sum(v[2:end]) + v[end];"), "s", 1,
     13, 0},
    {"a step in a range", MODEL("Real v[4] = {1, 2, 3, 4}; Real r[2] = v[4:-2:1];"), "r[2]", 1, 2,
     0},
    {"subscripts that are arrays", MODEL("Real v[4] = {1, 2, 3, 4}; Real r[2] = v[{4, 1}];"),
     "r[1]", 1, 4, 0},
    {"a column", MODEL("Real A[2, 2] = [1, 2; 3, 4]; Real c[2] = A[:, 2];"), "c[2]", 1, 4, 0},
    {"three dimensions",
     MODEL("Real A[2, 2, 2] = {{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}}; Real c[2, 2] = A[:, 1, :];"),
     "c[2,2]", 1, 6, 0},
    {"comprehension", MODEL("Real A[2, 3] = {{10*i + j for j in 1:3} for i in 1:2};"), "A[2,3]", 1,
     23, 0},
    {"reductions",
     MODEL("Real x = sum(i^2 for i in 1:4) + product(i for i in 1:4) + max(i for i in {3, 1}) "
           "+ min(i for i in {3, 1});"),
     "x", 1, 58, 0},
    {"a reduction over two", MODEL("Real x = sum(i*j for i in 1:2, j in 1:3);"), "x", 1, 18, 0},
    {"fill, zeros, ones, identity",
     MODEL("Real A[2, 2] = fill(3, 2, 2) + zeros(2, 2) + ones(2, 2) + identity(2);"), "A[1,1]", 1,
     5, 0},
    {"linspace", MODEL("Real v[5] = linspace(0, 1, 5);"), "v[4]", 1, 0.75, 0},
    {"size, ndims",
     MODEL("Real A[2, 3] = zeros(2, 3); Integer n[2] = size(A); Integer k = size(A, 2) + "
           "ndims(A) + n[1];"),
     "k", 1, 7, 0},
    {"sum, product, min, max",
     MODEL("Real v[3] = {2, 3, 4}; Real x = sum(v)*product(v) + min(v) - max(v);"), "x", 1, 214, 0},
    {"transpose", MODEL("Real A[2, 3] = [1, 2, 3; 4, 5, 6]; Real B[3, 2] = transpose(A);"),
     "B[3,1]", 1, 3, 0},
    {"cross and skew",
     MODEL("Real c[3] = cross({1, 0, 0}, {0, 1, 0}) + skew({1, 2, 3})*{1, 2, 3};"), "c[3]", 1, 1,
     0},
    {"matrix products",
     MODEL("Real A[2, 2] = [1, 2; 3, 4]; Real v[2] = A*{1, 1}; Real w[2] = {1, 1}*A; Real B[2, "
           "2] = A*A; Real s = v*w + B[2, 1];"),
     "s", 1, 69, 0},
    {"matrix power", MODEL("Real A[2, 2] = [1, 1; 0, 1]^5;"), "A[1,2]", 1, 5, 0},
    {"elementwise operators", MODEL("Real v[2] = {1, 2} .* {3, 4} .+ 1 .- {1, 1} ./ {1, 2} .^ 2;"),
     "v[2]", 1, 8.75, 0},
    {"cat and brackets",
     MODEL("Real v[5] = cat(1, {1, 2}, {3, 4, 5}); Real A[2, 3] = [[1; 2], [3, 4; 5, 6]];"),
     "A[2,2]", 1, 5, 0},
    {"scalar, vector, matrix, diagonal",
     MODEL("Real x = scalar({4}) + sum(vector([1; 2])) + sum(matrix({1, 2})) + "
           "sum(diagonal({1, 2}));"),
     "x", 1, 13, 0},
    {"outerProduct, symmetric",
     MODEL("Real A[2, 2] = outerProduct({1, 2}, {3, 4}) + symmetric([1, 2; 9, 3]);"), "A[2,1]", 1,
     8, 0},
    {"functions of arrays, element by element", MODEL("Real v[2] = sqrt({4, 9}) + abs({-1, -2});"),
     "v[2]", 1, 5, 0},
    {"sizes from values",
     MODEL("parameter Real p[:] = {1, 2, 3}; Real x[size(p, 1)] = 2*p; parameter Real q[:, :] "
           "= [1, 2; 3, 4];"),
     "x[3]", 1, 6, 0},
    {"a size that is that of a dimension before",
     MODEL("parameter Real A[:, size(A, 1)] = [-1, 1; 0, -2], B[size(A, 1), :] = [0; 1]; Real "
           "x[size(A, 2)] = A*{1, 1} + B[:, 1];"),
     "x[2]", 1, -1, 0},
    {"dimensions of Boolean", MODEL("Real x[Boolean] = {1, 2}; Real y = x[true];"), "y", 1, 2, 0},
    {"a size by a function",
     "function twice input Integer n; output Integer m; algorithm m := 2*n; end twice;\nmodel "
     "M\n  parameter Integer n = twice(3); Real x[n] = 1:n; Real s = sum(x); Real z[twice(2)] "
     "= fill(1, 4);\nend M;\n",
     "s", 1, 21, 0},
    {"empty arrays", MODEL("Real v[0]; Real s = sum(v) + 1; Real p = product(v);"), "s", 1, 1, 0},
    {"a subscript of the run",
     "model M\n  Real v[3] = {10, 20, 30}; Integer i = if time < 1 then 1 else 3; Real x = "
     "v[i];\nend M;\n",
     "x", 1.5, 30, 0},
    {"equations of arrays",
     "model M\n  Real x[3](each start = 1, each fixed = true);\nequation\n  der(x) = -{1, 2, "
     "3}.*x;\nend M;\n",
     "x[2]", 1, 0.1353352832366127, 1e-8},
};

TEST(arrays)
{
    CHECK_ALL(arrays_samples);
}

static const sample equations_samples[] = {
    {"der of an expression",
     "model M\n  Real x(start = 1, fixed = true);\nequation\n  der(x^2) = 2*x;\nend M;\n", "x", 1,
     2, 1e-8},
    {"implicit, solved",
     "model M\n  Real y(start = 1);\nequation\n  y + exp(y) = 1 + time;\nend M;\n", "y", 1,
     0.4428544010023886, 1e-10},
    {"a linear loop",
     "model M\n  Real a; Real b; Real c;\nequation\n  a + b + c = 6; a - b = -1; b - c = "
     "-1;\nend M;\n",
     "a", 1, 1, 1e-14},
    {"if-equation",
     "model M\n  Real x(start = 0, fixed = true); Real y;\nequation\n  der(x) = 1;\n  if x < 1 "
     "then\n    y = 1;\n  elseif x < 1.5 then\n    y = 2;\n  else\n    y = 3;\n  end if;\nend "
     "M;\n",
     "y", 1.25, 2, 0},
    {"if-equation that parameters decide",
     "model M\n  parameter Boolean two = true; Real y; Real z;\nequation\n  if two then\n    y "
     "= 1; z = 2;\n  else\n    y + z = 3; y - z = 1;\n  end if;\nend M;\n",
     "z", 1, 2, 0},
    {"for-equations in each other",
     "model M\n  Real A[2, 2];\nequation\n  for i in 1:2, j in 1:2 loop\n    A[i, j] = 10*i + "
     "j;\n  end for;\nend M;\n",
     "A[2,1]", 1, 21, 0},
    {"loops over all subscripts",
     "model M\n  parameter Real a[2, 3] = [1, 2, 3; 4, 5, 6]; Real b[3, 2]; Real "
     "s;\nequation\n  for i, j loop\n    b[j, i] = 2*a[i, j];\n  end for;\n  s = b[3, 2] + "
     "sum(a[k, 1] for k) + sum({b[k, 1] for k});\nend M;\n",
     "s", 1, 29, 0},
    {"when, elsewhen: the first that becomes true",
     "model M\n  Integer n(start = 0);\nequation\n  when time > 0.5 then\n    n = 1;\n  "
     "elsewhen time > 1 then\n    n = pre(n) + 10;\n  end when;\nend M;\n",
     "n", 1.5, 11, 0},
    {"when with several conditions",
     "model M\n  Integer n(start = 0);\nequation\n  when {time > 0.5, time > 0.75, sample(1, "
     "0.2)} then\n    n = pre(n) + 1;\n  end when;\nend M;\n",
     "n", 1.45, 5, 0},
    {"reinit",
     "model M\n  Real x(start = 1, fixed = true);\nequation\n  der(x) = -1;\n  when x <= 0 "
     "then\n    reinit(x, 1);\n  end when;\nend M;\n",
     "x", 1.5, 0.5, 1e-9},
    {"connectors: equal potentials, flows that add up to zero",
     "connector Pin\n  Real v; flow Real i;\nend Pin;\nmodel R\n  Pin p; Pin n; parameter Real "
     "R = 1;\nequation\n  p.v - n.v = R*p.i; p.i + n.i = 0;\nend R;\nmodel V\n  Pin p; Pin n; "
     "parameter Real V = 6;\nequation\n  p.v - n.v = V; p.i + n.i = 0;\nend V;\nmodel G\n  Pin "
     "p;\nequation\n  p.v = 0;\nend G;\nmodel M\n  V v; R a(R = 1); R b(R = 3); R c(R = 6); G "
     "g;\nequation\n  connect(v.p, a.p); connect(a.n, b.p); connect(a.n, c.p); connect(b.n, "
     "v.n); connect(c.n, v.n); connect(v.n, g.p);\nend M;\n",
     "a.p.i", 1, 2, 1e-13},
    {"arrays of connectors",
     "connector Pin\n  Real v; flow Real i;\nend Pin;\nmodel S\n  Pin p[3];\nequation\n  p.v = "
     "{1, 2, 3};\nend S;\nmodel L\n  Pin p[3];\nequation\n  p.i = {1, 2, 3}.*p.v;\nend "
     "L;\nmodel M\n  S s; L l;\nequation\n  connect(s.p, l.p);\nend M;\n",
     "s.p[3].i", 1, -9, 0},
    {"an array of models connected in a loop",
     "connector Pin\n  Real v; flow Real i;\nend Pin;\nmodel R\n  Pin p; Pin n;\nequation\n  "
     "p.v - n.v = p.i; p.i + n.i = 0;\nend R;\nmodel V\n  Pin p; parameter Real V;\nequation\n "
     " p.v = V;\nend V;\nmodel M\n  parameter Integer n = 4; R r[n]; V a(V = 8); V b(V = "
     "0);\nequation\n  connect(a.p, r[1].p);\n  for i in 1:n - 1 loop\n    connect(r[i].n, r[i "
     "+ 1].p);\n  end for;\n  connect(r[n].n, b.p);\nend M;\n",
     "r[2].p.i", 1, 2, 1e-13},
    {"causal connectors",
     "connector In = input Real;\nconnector Out = output Real;\nblock K\n  In u; Out y; "
     "parameter Real k = 1;\nequation\n  y = k*u;\nend K;\nmodel M\n  K a(k = 2); K b(k = "
     "5);\nequation\n  connect(a.y, b.u); a.u = time;\nend M;\n",
     "b.y", 2, 20, 1e-14},
    {"initial equations: the steady state",
     "model M\n  Real x; Real y;\ninitial equation\n  der(x) = 0; der(y) = 0;\nequation\n  "
     "der(x) = 4 - 2*x + y; der(y) = x - y;\nend M;\n",
     "y", 1, 4, 1e-9},
    {"a start value is a guess unless fixed",
     "model M\n  Real x(start = 5); Real y(start = 1, fixed = true);\nequation\n  x = 2*y; "
     "der(x) = 0;\nend M;\n",
     "x", 1, 2, 1e-12},
    {"initial algorithm",
     "model M\n  Real x;\ninitial algorithm\n  x := 3; x := x + 1;\nequation\n  der(x) = "
     "0;\nend M;\n",
     "x", 1, 4, 0},
    {"a parameter that the start determines",
     "model M\n  parameter Real k(fixed = false); Real x(start = 2, fixed = true);\ninitial "
     "equation\n  der(x) = 1;\nequation\n  der(x) = k*x;\nend M;\n",
     "k", 1, 0.5, 1e-13},
    {"an assert that holds",
     "model M\n  Real x = time;\nequation\n  assert(x < 3, \"x is \" + String(x));\nend M;\n", "x",
     1, 1, 1e-15},
    {"an assert that only warns",
     "model M\n  Real x = time;\nequation\n  assert(x < 0.5, \"x\", "
     "AssertionLevel.warning);\nend M;\n",
     "x", 1, 1, 1e-15},
};

TEST(equations)
{
    CHECK_ALL(equations_samples);
}

TEST(operators)
{
    static const sample samples[] = {
        {"pre, edge, change",
         "model M\n  Boolean b = time > 0.5 and time < 1; Integer n(start = 0); Integer m(start = "
         "0);\nequation\n  when edge(b) then\n    n = pre(n) + 1;\n  end when;\n  when change(b) "
         "then\n    m = pre(m) + 1;\n  end when;\nend M;\n",
         "m", 1.5, 2, 0},
        {"sample",
         "model M\n  Integer n(start = 0);\nequation\n  when sample(0.25, 0.5) then\n    n = "
         "pre(n) + 1;\n  end when;\nend M;\n",
         "n", 1.9, 4, 0},
        {"initial()",
         "model M\n  Real x(start = 0); discrete Real y;\nequation\n  der(x) = 1;\n  when "
         "{initial(), x > 1} then\n    y = x + 3;\n  end when;\nend M;\n",
         "y", 0.5, 3, 0},
        {"noEvent", "model M\n  Real x = if noEvent(time < 1) then 1 else 2;\nend M;\n", "x", 1.5,
         2, 0},
        {"smooth",
         "model M\n  Real x(start = 0, fixed = true);\nequation\n  der(x) = smooth(0, if time < 1 "
         "then time else 1);\nend M;\n",
         "x", 2, 1.5, 1e-8},
        {"abs, sign, sqrt",
         "model M\n  Real x = abs(time - 3) + sign(time - 3) + sqrt(4);\nend M;\n", "x", 1, 3,
         1e-15},
        {"min and max of two", "model M\n  Real x = 10*min(time, 0.5) + max(time, 3);\nend M;\n",
         "x", 1, 8, 0},
        {"mod, rem of Reals",
         "model M\n  Real a = mod(-time - 0.5, 1); Real b = rem(-time - 0.5, 1); Real x = 10*a + "
         "b;\nend M;\n",
         "x", 1.25, 2.5 - 0.75, 1e-12},
        {"div, mod, rem of Integers",
         "model M\n  Integer x = 100*div(-7, 2) + 10*mod(-7, 2) + rem(-7, 2);\nend M;\n", "x", 1,
         -291, 0},
        {"floor, ceil, integer",
         "model M\n  Real x = 100*floor(time) + 10*ceil(time) + integer(-time);\nend M;\n", "x",
         1.5, 118, 0},
        {"trigonometry",
         "model M\n  Real x = sin(time)^2 + cos(time)^2 + tan(0) + asin(1)/acos(0) + atan(1)*4 - "
         "atan2(0, -1);\nend M;\n",
         "x", 1, 2, 1e-14},
        {"hyperbolic functions, exp, log",
         "model M\n  Real x = cosh(1)^2 - sinh(1)^2 + tanh(0) + log(exp(2)) + log10(1000);\nend "
         "M;\n",
         "x", 1, 6, 1e-14},
        {"semiLinear, homotopy",
         "model M\n  Real x = semiLinear(time - 1, 2, 3) + homotopy(actual = 1, simplified = "
         "0);\nend M;\n",
         "x", 0.5, -0.5, 1e-14},
        {"time", "model M\n  Real x = 2*time;\nend M;\n", "x", 2, 4, 0},
        {"division of Integers is Real", "model M\n  Real x = 1/2;\nend M;\n", "x", 1, 0.5, 0},
        {"if-expression with elseif",
         "model M\n  Real x = if time < 0.5 then 1 elseif time < 1.5 then 2 else 3;\nend M;\n", "x",
         1, 2, 0},
    };
    CHECK_ALL(samples);
}

TEST(algorithms_and_functions)
{
    static const sample samples[] = {
        {"a start value that is fixed, of a whole number that flows: that of pre()",
         "model M\n  function f input Real x; output Integer n; algorithm n := if x > 0.5 then 2 "
         "else 1; end f;\n  Integer n(start = 0, fixed = true); equation\n  n = f(time);\nend M;\n",
         "n", 1, 2, 0},
        {"what an initial algorithm computes follows from the others",
         "model M Real y(start = 5), z(start = 1); equation der(y) = 0; der(z) = 0;\n"
         "initial algorithm if z <= 1.25 then y := 7 + 2*z; end if; end M;\n",
         "y", 1, 9, 1e-12},
        {"loops without a range in loops, one with the same variable",
         "model M Real x[3], y[4], A[2, 3], z[3]; equation\n"
         "for i loop x[i] = i*sum(y[i] for i); end for; for i loop y[i] = i; end for;\n"
         "for i, j loop A[i, j] = 10*i + j; end for;\n"
         "for j loop z[j] = x[j] + sum(A[i, j] for i); end for; end M;\n",
         "z[3]", 1, 66, 0},
        {"sizes of parts, and loops over them",
         "model S parameter Real k = 1; Real y = k*time; end S; model W S s[2, 3]; end W;\n"
         "model M S s[4](k = {1, 2, 3, 4}); W w; Real x[4], z; equation\n"
         "for i loop x[i] = s[i].y; end for;\n"
         "z = sum(x) + 100*size(w.s, 2) + 1000*ndims(w.s) + 10000*sum(size(w.s)); end M;\n",
         "z", 1, 52310, 0},
        {"elements that are not assigned start",
         "model M Real z[3](each start = 4); Real w; equation z[1] = 7; w = 2*z[3] + z[1];\n"
         "algorithm z[2] := time; end M;\n",
         "w", 1, 15, 0},
        {"elements that equations determine",
         "model M Real z[3](each start = 4); Real w; equation w = 7; w = 2*z[3] + z[1]; z[1] = 1;\n"
         "algorithm z[2] := time; end M;\n",
         "z[3]", 1, 3, 1e-15},
        {"elements that are connected",
         "connector In = input Real; connector Out = output Real;\n"
         "block B Out y[2](start = {5, 6}); algorithm y[1] := time; end B;\n"
         "block C In u; Real z = 2*u; end C;\n"
         "model M B b; C c, d; Real z = c.z + d.z; equation connect(b.y[2], c.u);\n"
         "  connect(b.y[1], d.u); end M;\n",
         "z", 1, 14, 0},
        {"what is never carried out",
         "model M constant Boolean no = false; parameter Integer n = 0; Real y = if b then z + k "
         "else 0, z(start = 4);\n"
         "  Integer k(start = 30); Boolean b(start = true); Real v[n]; algorithm\n"
         "  if no then k := 2; b := false; end if; for i in 1:n loop z := i; v[i] := i; end for;\n"
         "end M;\n",
         "y", 1, 34, 0},
        {"if, for, while, break",
         "model M\n  Real s; Integer n;\nalgorithm\n  s := 0; n := 0;\n  for i in 1:5 loop\n    if "
         "i == 2 then\n      s := s + 10;\n    elseif i == 3 then\n      s := s + 100;\n    else\n "
         "     s := s + 1;\n    end if;\n    if i >= 4 then\n      break;\n    end if;\n  end "
         "for;\n  while n < 7 loop\n    n := n + 2;\n  end while;\nend M;\n",
         "s", 1, 112, 0},
        {"a for over an array",
         "model M\n  Real s;\nalgorithm\n  s := 0;\n  for x in {1, 5, 7} loop\n    s := s + x;\n  "
         "end for;\nend M;\n",
         "s", 1, 13, 0},
        {"a range of the run",
         "model M\n  Integer n = if time < 1 then 2 else 4; Real s;\nalgorithm\n  s := 0;\n  for i "
         "in 1:n loop\n    s := s + i;\n  end for;\nend M;\n",
         "s", 1.5, 10, 0},
        {"a range of the run in a function, and a negative step",
         "function f\n  input Integer n; output Real s;\nalgorithm\n  s := 0;\n  for i in n:-1:1 "
         "loop\n    s := 10*s + i;\n  end for;\nend f;\nmodel M\n  Integer n = if time < 1 then 2 "
         "else 3; Real s = f(n);\nend M;\n",
         "s", 1.5, 321, 0},
        {"when in an algorithm",
         "model M\n  Integer n(start = 0);\nalgorithm\n  when time > 0.5 then\n    n := n + 1; n "
         ":= n + 1;\n  elsewhen time > 1 then\n    n := 10*n;\n  end when;\nend M;\n",
         "n", 1.5, 20, 0},
        {"arguments with [:], results that are arrays",
         "function scale\n  input Real v[:]; input Real k; output Real w[size(v, 1)];\nalgorithm\n "
         " w := k*v;\nend scale;\nmodel M\n  Real w[3] = scale({1, 2, time}, 2);\nend M;\n",
         "w[3]", 2, 4, 0},
        {"several results, named arguments, defaults",
         "function f\n  input Real a; input Real b = 2; output Real p; output Real q;\nalgorithm\n "
         " p := a*b; q := a + b;\nend f;\nmodel M\n  Real p; Real q; Real r; Real s = f(b = 10, a "
         "= 3);\nequation\n  (p, q) = f(5); (, r) = f(1, 1);\nend M;\n",
         "q", 1, 7, 0},
        {"recursion",
         "function fib\n  input Integer n; output Integer f;\nalgorithm\n  if n < 2 then\n    f := "
         "n;\n    return;\n  end if;\n  f := fib(n - 1) + fib(n - 2);\nend fib;\nmodel M\n  "
         "Integer x = fib(12);\nend M;\n",
         "x", 1, 144, 0},
        {"protected variables, arrays that are assigned element by element",
         "function reverse\n  input Real v[:]; output Real w[size(v, 1)];\nprotected\n  Integer n "
         "= size(v, 1);\nalgorithm\n  for i in 1:n loop\n    w[n + 1 - i] := v[i];\n  end "
         "for;\nend reverse;\nmodel M\n  Real w[3] = reverse({1, 2, 3});\nend M;\n",
         "w[1]", 1, 3, 0},
        {"a function of scalars for arrays",
         "function sq input Real x; output Real y; algorithm y := x^2; end sq;\nmodel M\n  Real "
         "v[3] = sq({1, 2, 3});\nend M;\n",
         "v[3]", 1, 9, 0},
        {"a function that a derivative goes through",
         "function f input Real x; output Real y; algorithm y := x^3; end f;\nmodel M\n  Real "
         "x(start = 1, fixed = true); Real y = f(x); Real d = der(y);\nequation\n  der(x) = "
         "1;\nend M;\n",
         "d", 1, 12, 1e-8},
        {"texts that are put together",
         "model M\n  parameter String s = \"a\" + String(3) + String(true); Real x = if s == "
         "\"a3true\" then 1 else 2;\nend M;\n",
         "x", 1, 1, 0},
        {"String parameters",
         "model M\n  parameter String s = \"a\"; Real x = if s == \"a\" then 1 else 2;\nend M;\n",
         "x", 1, 1, 0},
    };
    CHECK_ALL(samples);
}

TEST(experiment_is_used)
{
    world w;
    if (world_open(
            &w, "test.mo",
            "model M\n  Real x(start = 1);\nequation\n  der(x) = 0;\n  annotation(Icon(x = 1),\n"
            "    experiment(StartTime = 1, StopTime = 3, Tolerance = 1e-7, Interval = 0.5));\n"
            "end M;\n",
            NULL)) {
        foi_experiment e = foi_text_model_experiment(w.model);
        CHECK_NEAR(e.start, 1, 0);
        CHECK_NEAR(e.stop, 3, 0);
        CHECK_NEAR(e.rtol, 1e-7, 0);
        CHECK_NEAR(e.interval, 0.5, 0);
    }
    end(&w);
}

// What is set decides sizes, conditions and what follows from others.
TEST(settings_are_read_with_the_text)
{
    const char *text = "model M\n  parameter Integer n = 2; parameter Real k = 3, m = 2*k;\n"
                       "  parameter Boolean on = false; final parameter Real f = 1;\n"
                       "  Real x[n](each start = m, each fixed = true); Real y if on;\n"
                       "equation\n  der(x) = zeros(n);\nend M;\n";
    fo_text_setting settings[] = {{"n", 4, false}, {"m", 9, false}, {"u", 1, false}};
    fo_text_model_def def = {
        .path = "m.mo", .text = text, .settings = settings, .setting_count = 3};
    fo_message why = {0};
    fo_text_model *m = fo_text_model_open(&def, &why);
    REQUIRE(m);
    const fo_description *about = fo_text_model_system(m).about;
    CHECK_INT(about->states.count, 4);
    CHECK_NEAR(about->states.list[3].start, 9, 0);
    CHECK(settings[0].taken && settings[1].taken && !settings[2].taken);
    fo_text_model_close(m);
    const struct {
        fo_text_setting setting;
        const char *message;
    } wrong[] = {{{"n", 2.5, false}, "m.mo:2:21: 'n' is an Integer: it cannot be set to 2.5"},
                 {{"on", 3, false}, "m.mo:3:21: 'on' is Boolean: it can be set to 0 or 1, not 3"},
                 {{"f", 3, false}, "m.mo:3:54: 'f' is final: it cannot be set"},
                 {{"n", -1, false}, "m.mo:4:10: the size of 'x' is -1: it cannot be negative"}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        fo_text_setting one = wrong[i].setting;
        def.settings = &one, def.setting_count = 1;
        CHECK(!fo_text_model_open(&def, &why));
        CHECK_TEXT(why.text, wrong[i].message);
    }
}

TEST(event_iteration_has_a_limit)
{
    world w;
    if (begin(&w,
              "model M\n  Boolean a(start = false), b(start = false);\n"
              "equation\n  a = time > 0.5 and not pre(b);\n  b = pre(a);\nend M;\n",
              1)) {
        CHECK_INT(fo_simulation_advance(w.sim, 1), FO_ERROR_MODEL);
        CHECK_CONTAINS(fo_simulation_message(w.sim)->text,
                       "the moment at t = 0.5 does not come to an end: `b` still changes");
    }
    end(&w);
}

// y = u/1.25 with b false is above 0.2 from u = 0.25 on, y = u/2 with b true is not until 0.4; and
// a state that two whens set to and fro. What turns is named with its line.
TEST(a_moment_without_an_end_names_what_turns)
{
    static const char *const texts[][2] = {
        {"model M\n  Real y, z;\n  Boolean b;\nequation\n  y + 0.5*z = time;\n"
         "  z = if b then 2*y else 0.5*y;\n  b = y > 0.2;\nend M;\n",
         "does not come to an end: `y > 0.2` (relation of line 7) still "
         "turns after 200 turns: what follows from it takes it back"},
        {"model M\n  Real x(start = 0, fixed = true), y(start = 1, fixed = true);\nequation\n"
         "  der(x) = 1;\n  der(y) = 0;\n  when x > 0.25 then\n    reinit(y, -1);\n  end when;\n"
         "  when y < 0 then\n    reinit(y, 1);\n  end when;\n  when y > 0 then\n"
         "    reinit(y, -1);\n  end when;\nend M;\n",
         "does not come to an end: `y < 0` (relation of line 9) still turns"},
    };
    for (int i = 0; i < 2; i++) {
        world w;
        if (begin(&w, texts[i][0], 1)) {
            CHECK_INT(fo_simulation_advance(w.sim, 1), FO_ERROR_MODEL);
            CHECK_CONTAINS(fo_simulation_message(w.sim)->text, texts[i][1]);
        }
        end(&w);
    }
}

// With memory for n allocations only, n = 0, 1, ...: a status, no crash, nothing left behind.
TEST(every_allocation_fails_once)
{
    const char *text =
        "function count input Integer n; output Integer m; algorithm m := n + 1; end count;\n"
        "model A\n  Real y = 1;\nend A;\nmodel B\n  Real y = 2;\nend B;\n"
        "model C\n  replaceable model T = A; T t;\nend C;\n"
        "model M\n  parameter Integer n = count(1); Real x[n](each start = 1, each fixed = true);\n"
        "  C c(redeclare model T = B); Integer k(start = 0);\n"
        "equation\n  der(x) = -{delay(x[i], 0.1) for i in 1:n};\n"
        "  when terminal() then\n    k = 1;\n  end when;\n"
        "  assert(x[1] < 2, \"x is \" + String(x[1]));\nend M;\n";
    fo_text_setting setting = {"n", 2, false};
    bool reached = false;
    for (long n = 1; n < 5000 && !reached; n++) {
        test_memory memory;
        fo_message why = {0};
        test_memory_init(&memory, n);
        fo_text_model_def def = {.path = "m.mo", .text = text, .allocator = &memory.allocator};
        def.settings = &setting, def.setting_count = 1;
        fo_text_model *m = fo_text_model_open(&def, &why);
        if (!m) CHECK_INT(why.status, FO_ERROR_MEMORY);
        fo_run_def run = fo_default_run_def();
        run.allocator = &memory.allocator, run.stop = 0.2;
        fo_simulation *sim = m ? fo_simulation_create(fo_text_model_system(m), &run, &why) : NULL;
        if (sim && fo_simulation_advance(sim, 0.2) == FO_REACHED) reached = n > memory.allocations;
        fo_simulation_destroy(sim);
        fo_text_model_close(m);
        CHECK_INT(memory.live, 0);
    }
    CHECK(reached);
}

TEST_MAIN(TEST_ENTRY(every_allocation_fails_once), TEST_ENTRY(letters_and_classes),
          TEST_ENTRY(arrays), TEST_ENTRY(equations), TEST_ENTRY(operators),
          TEST_ENTRY(algorithms_and_functions), TEST_ENTRY(experiment_is_used),
          TEST_ENTRY(settings_are_read_with_the_text), TEST_ENTRY(event_iteration_has_a_limit),
          TEST_ENTRY(a_moment_without_an_end_names_what_turns))
