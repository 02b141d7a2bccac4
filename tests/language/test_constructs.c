/// Functions as arguments, operator records, inner outer, random numbers, slices that move, and
/// what a formula of parameters decides: each text with a value that follows from its meaning.
#include "samples.h"

#define QUADRATURE                                                                              \
    "partial function Fun input Real u; output Real y; end Fun;\n"                              \
    "function quad input Fun f; input Real a; input Real b; output Real y; protected Real m;\n" \
    "algorithm m := (a + b)/2; y := (b - a)/6*(f(a) + 4*f(m) + f(b)); end quad;\n"              \
    "function par extends Fun; input Real c = 1; input Real d[2] = {0, 0};\n"                   \
    "algorithm y := c*u^2 + d[1]*u + d[2]; end par;\n"                                          \
    "function twice input Fun f; input Real a; output Real y;\n"                                \
    "algorithm y := quad(f, 0, a) + quad(function f(), 0, a); end twice;\n"

// Simpson's rule is exact for parabolas.
static const sample closures[] = {
    {"a function by its name", QUADRATURE "model M Real w = quad(par, 0, 3); end M;\n", "w", 1, 9,
     1e-12},
    {"inputs that are given, and change in the run",
     QUADRATURE "model M Real x = quad(function par(c = 3*time, d = {time, 1}), 0, 2); end M;\n",
     "x", 1, 12, 1e-12},
    {"a function that is handed on",
     QUADRATURE "model M Real z = twice(function par(c = time), 3); end M;\n", "z", 1, 18, 1e-12},
    {"two functions of one callee",
     QUADRATURE "function lin extends Fun; algorithm y := 2*u; end lin;\n"
                "model M Real z = quad(lin, 0, 3) - quad(par, 0, 3); end M;\n",
     "z", 1, 0, 1e-12},
};

TEST(functions_as_arguments)
{
    CHECK_ALL(closures);
    check_refused(QUADRATURE "function two input Real a; input Real b; output Real y;\n"
                             "algorithm y := a*b; end two;\n"
                             "model M Real w = quad(two, 0, 3); end M;\n",
                  "must be a function with 1 input");
    check_refused(QUADRATURE "model M Real w = quad(function par(k = 2), 0, 3); end M;\n",
                  "has no argument 'k'");
    check_refused(QUADRATURE "model M Real w = quad(3, 0, 3); end M;\n", "a function is expected");
}

// An input that is a function is called or given on; everywhere else it is no value, and the place
// is that of its name.
TEST(functions_are_no_values)
{
    static const char *const bodies[] = {
        "y := f;",
        "y := -f + 1;",
        "y := 2^f;",
        "y := w[f];",
        "y := f[1];",
        "y := f.u;",
        "y := sin(f);",
        "y := f(f);",
        "y := f(u = f);",
        "y := size(f, 1);",
        "y := if f then 1 else 2;",
        "y := sum(f for i in 1:2);",
        "y := quad(par, f, 1);",
        "w := {f, 1};",
        "w[f] := 1;",
        "w[f:2] := w;",
        "f := 1;",
        "f[1] := 1;",
        "(f) := par(1);",
        "for i in 1:f loop y := i; end for;",
        "for i in f loop y := i; end for;",
        "while f loop y := 1; end while;",
        "assert(f, \"no\");",
    };
    static const char *const inputs[] = {"input Real a = f;", "input Real a = sin(f);",
                                         "input Real a[2] = {f, f};", "protected Real a[f];",
                                         "protected Real a = f;"};
    char text[2000];
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        snprintf(text, sizeof text,
                 QUADRATURE "function wrong input Fun f; output Real y; protected Real w[2];\n"
                            "algorithm\n%s\nend wrong;\n"
                            "model M Real x = wrong(function par()); end M;\n",
                 bodies[i]);
        check_refused(text, "test.mo:10:");
        check_refused(text, "'f' is a function, not a value");
    }
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        snprintf(text, sizeof text,
                 QUADRATURE "function wrong input Fun f; output Real y;\n%s\n"
                            "algorithm y := 1; end wrong;\n"
                            "model M Real x = wrong(par); end M;\n",
                 inputs[i]);
        check_refused(text, "test.mo:9:");
        check_refused(text, "'f' is a function, not a value");
    }
    check_refused(QUADRATURE "function wrong input Fun f; output Real y;\n"
                             "algorithm y := f.u(1); end wrong;\n"
                             "model M Real x = wrong(par); end M;\n",
                  "'f' is a function, and has no functions");
}

// Polynomials a + b e with e^2 = 0: products are the rule of derivatives.
#define DUAL                                                                                 \
    "operator record Dual Real a; Real b;\n"                                                 \
    "  encapsulated operator 'constructor' import Dual;\n"                                   \
    "    function of input Real r; output Dual d(a = r, b = 0); algorithm end of;\n"         \
    "    function both input Real r; input Real s; output Dual d;\n"                         \
    "    algorithm d.a := r; d.b := s; end both;\n"                                          \
    "  end 'constructor';\n"                                                                 \
    "  encapsulated operator function '*' import Dual; input Dual x; input Dual y; output "  \
    "Dual z;\n"                                                                              \
    "  algorithm z := Dual(x.a*y.a, x.a*y.b + x.b*y.a); end '*';\n"                          \
    "  encapsulated operator function '+' import Dual; input Dual x; input Dual y; output "  \
    "Dual z;\n"                                                                              \
    "  algorithm z := Dual(x.a + y.a, x.b + y.b); end '+';\n"                                \
    "  encapsulated operator '-' import Dual;\n"                                             \
    "    function negate input Dual x; output Dual z; algorithm z := Dual(-x.a, -x.b); end " \
    "negate;\n"                                                                              \
    "    function subtract input Dual x; input Dual y; output Dual z;\n"                     \
    "    algorithm z := Dual(x.a - y.a, x.b - y.b); end subtract;\n"                         \
    "  end '-';\n"                                                                           \
    "  encapsulated operator function '==' import Dual; input Dual x; input Dual y;\n"       \
    "    output Boolean z; algorithm z := x.a == y.a and x.b == y.b; end '==';\n"            \
    "  encapsulated operator function '0' import Dual; output Dual z;\n"                     \
    "  algorithm z := Dual(0, 0); end '0';\n"                                                \
    "end Dual;\n"

// (3 + e)^2 = 9 + 6 e
static const sample duals[] = {
    {"product", DUAL "model M Dual x = Dual(3, 1); Dual y = x*x; end M;\n", "y.b", 1, 6, 0},
    {"a number becomes a record", DUAL "model M Dual x = Dual(3, 1); Dual y = 2*x + 1; end M;\n",
     "y.a", 1, 7, 0},
    {"negation and difference", DUAL "model M Dual x = Dual(3, 1); Dual y = -x - x*x; end M;\n",
     "y.b", 1, -7, 0},
    {"a relation", DUAL "model M Dual x = Dual(3); Boolean y = x*x == Dual(9, 0); end M;\n", "y", 1,
     1, 0},
    {"arrays element by element",
     DUAL "model M Dual x[2] = {Dual(3, 1), Dual(time, 1)}; Dual y[2] = x + x; end M;\n", "y[2].a",
     1, 2, 1e-15},
    {"a constant among the fields",
     "operator record D Real a; constant Real k = 3; encapsulated operator 'constructor' import "
     "D;\n"
     "  function of input Real r; output D d(a = r); algorithm end of; end 'constructor'; end D;\n"
     "model M D x = D(time); Real y = x.k*x.a; end M;\n",
     "y", 1, 3, 1e-15},
    {"sum of an array",
     DUAL "model M Dual x[2, 3] = {{Dual(i, j*time) for j in 1:3} for i in 1:2};\n"
          "  Dual y = sum(x); end M;\n",
     "y.b", 1, 12, 1e-14},
    {"sum of an iteration", DUAL "model M Dual y = sum(Dual(i, i^2) for i in 1:50); end M;\n",
     "y.b", 1, 42925, 0},
    // ((1 + e) (3 + 2 e) + 2 (5 + e)) = 13 + 7 e
    {"a matrix by a vector",
     DUAL "model M Dual A[2, 2] = {{Dual(1, 1), Dual(2)}, {Dual(0), Dual(time)}};\n"
          "  Dual x[2] = {Dual(3, 2), Dual(5, 1)}; Dual y[2] = A*x; end M;\n",
     "y[1].b", 1, 7, 1e-14},
    {"a vector by a matrix",
     DUAL "model M Dual A[2, 1] = {{Dual(1, 1)}, {Dual(2)}};\n"
          "  Dual x[2] = {Dual(3, 2), Dual(5, time)}; Dual y[1] = x*A; end M;\n",
     "y[1].a", 1, 13, 1e-14},
    {"matrices",
     DUAL "model M Dual A[2, 2] = {{Dual(1, 1), Dual(2)}, {Dual(0), Dual(3)}};\n"
          "  Dual B[2, 2] = A*A*A; end M;\n",
     "B[1,1].b", 1, 3, 1e-14},
    {"sum of nothing", DUAL "model M Dual y = sum(fill(Dual(1, 1), 0)); end M;\n", "y.b", 1, 0, 0},
};

TEST(operators_of_records)
{
    CHECK_ALL(duals);
    check_refused(DUAL "model M Dual x = Dual(3, 1); Dual y = x/x; end M;\n", "no operator '/'");
    check_refused(DUAL "model M Dual x[2] = {Dual(3), Dual(1)}; Dual y = x*x; end M;\n",
                  "no operator '*' for Dual[2] and Dual[2]");
    check_refused(DUAL "model M Dual x[2] = {Dual(3), Dual(1)}; Dual y[2] = {{x[1]}}*x; end M;\n",
                  "cannot be multiplied");
}

// What is no Real and follows from noEvent(), or from a function, is computed between moments, too.
static const sample between[] = {
    {"a relation in noEvent", "model M Boolean b = noEvent(time > 0.5); end M;\n", "b", 1, 1, 0},
    {"a function",
     "model M function f input Real x; output Integer y; algorithm y := integer(x); end f;\n"
     "  Integer n = f(10*time), m; equation m = n + 1; end M;\n",
     "m", 0.75, 8, 0},
    {"an algorithm", "model M Boolean b; algorithm b := noEvent(time > 0.5); end M;\n", "b", 1, 1,
     0},
    {"what flows follows it",
     "model M Boolean b = noEvent(time > 0.5), c = not b; Real x(start = 0, fixed = true);\n"
     "equation der(x) = if c then 1 else 3; end M;\n",
     "x", 1, 2, 1e-6},
    {"what was before the moment stays discrete",
     "model M Integer n = pre(n) + (if noEvent(time > 0.6) then 1 else 0); Real s = n;\n"
     "equation when time > 0.25 then assert(n == 0, \"\"); end when; end M;\n",
     "s", 0.5, 0, 0},
    {"as a term of a sum",
     "model M Boolean b = noEvent(time > 0.5); Integer m = if b then 1 else 2, n;\n"
     "equation 0 = n + m - 3; end M;\n",
     "n", 1, 2, 0},
    {"an Integer in a sum", "model M Integer i = 7, j; equation 0 = 3 + j - i; end M;\n", "j", 1, 4,
     0},
};

// Elements of an expression in parentheses.
static const sample elements[] = {
    {"of a sum", "model M Real a[3] = {1, 2, time}, y = (a + {1, 1, 1})[2]; end M;\n", "y", 1, 3,
     0},
    {"end, and a part of a matrix",
     "model M Real m[2, 3] = {{1, 2, 3}, {4, 5, 6}}; Real y = sum((2*m)[2, 2:end]); end M;\n", "y",
     1, 22, 0},
    {"one in the other",
     "model M Real m[2, 3] = {{1, 2, 3}, {4, 5, 6}}; Real w[2] = (m)[:, (2*{1, 1})[1]];\n"
     "  Real y = 10*w[1] + w[2]; end M;\n",
     "y", 1, 25, 0},
    {"in a function",
     "model M function f input Real a[:]; output Real y; algorithm y := (a .* a)[size(a, 1)];\n"
     "  end f; Real y = f({1, 2, 1 + 4*time}); end M;\n",
     "y", 1, 25, 1e-12},
};

TEST(elements_of_expressions)
{
    CHECK_ALL(elements);
    check_refused("model M Real a[2] = {1, 2}; Real y = (a + a)[3]; end M;\n", "beyond its size 2");
    check_refused("model M Real a[2] = {1, 2}; Real y = (a + a)[1, 1]; end M;\n", "dimensions");
}

TEST(between_moments)
{
    CHECK_ALL(between);
}

// What stands in a component that is inner and outer sees it; the component itself sees the one
// around.
static const sample around[] = {
    {"inner outer",
     "model Leaf outer Real k; Real x = k; end Leaf;\n"
     "model Branch inner outer Real k = k0 + 10; parameter Real k0 = 5; Leaf leaf; Real y = k;\n"
     "end Branch;\n"
     "model M inner Real k = 1; Branch b; Real both = 100*b.leaf.x + b.y; end M;\n",
     "both", 1, 1501, 0},
    {"a connector through one",
     "connector C output Real u; end C; connector D output Real u; end D;\n"
     "model Root C c; parameter Real v = 1; equation c.u = v; end Root;\n"
     "model Leaf outer Root root; D d; equation connect(root.c, d); end Leaf;\n"
     "model Branch inner outer Root root(v = 7); D d; Leaf leaf; equation connect(root.c, d); end "
     "Branch;\n"
     "model M inner Root root(v = 3); Branch b; Real both = 10*b.leaf.d.u + b.d.u; end M;\n",
     "both", 1, 73, 0},
};

// Outer classes: functions, packages and types of the model around, each use its own.
static const sample outer_classes[] = {
    {"a function for each model around",
     "partial function F input Real u; output Real y; end F;\n"
     "function B extends F; algorithm y := u; end B;\n"
     "function C extends F; algorithm y := u + 10; end C;\n"
     "model D outer function f = F; Real y = f(time); end D;\n"
     "model E inner function f = B; D d; end E; model G inner function f = C; D d; end G;\n"
     "model M E e; G g; Real both = 100*e.d.y + g.d.y; end M;\n",
     "both", 1, 111, 1e-12},
    {"a package and a type, two models deep",
     "model L outer package P constant Real k = 0; end P; outer type T = Real; T q(fixed = true);\n"
     "  Real y = P.k; equation der(q) = 1; end L;\n"
     "model N L l; end N;\n"
     "model M inner package P constant Real k = 3; end P; inner type T = Real(start = 4);\n"
     "  N n; Real both = 10*n.l.q + n.l.y; end M;\n",
     "both", 1, 53, 1e-6},
};

TEST(outer_classes_of_models)
{
    CHECK_ALL(outer_classes);
}

// An inner component that nobody declares is declared in the model, once.
#define NOBODY                                                                                  \
    "model S parameter Real g = 3; outer T t; Real y = g*t.k; end S; record T Real k = 2; end " \
    "T;\n"                                                                                      \
    "model A outer S s; Real x; equation der(x) = s.y; end A;\n"

static const sample undeclared[] = {
    {"one", NOBODY "model M A a(x(start = 0, fixed = true)); end M;\n", "a.x", 1, 6, 1e-9},
    {"it is one for all",
     NOBODY "model B A a(x(start = 0, fixed = true)); end B;\n"
            "model M B b[2]; A a(x(start = 1, fixed = true)); Real z = b[1].a.x + b[2].a.x + a.x; "
            "end M;\n",
     "z", 1, 19, 1e-9},
    {"those that are declared stay",
     NOBODY "model B inner S s(g = 10); A a(x(start = 0, fixed = true)); end B;\n"
            "model M B b; A a(x(start = 0, fixed = true)); Real z = 100*b.a.x + a.x; end M;\n",
     "z", 1, 2006, 1e-6},
    {"a whole model, and its name", NOBODY "model M A a(x(start = 0, fixed = true)); end M;\n",
     "s.g", 1, 3, 0},
};

TEST(inner_components_that_nobody_declares)
{
    CHECK_ALL(undeclared);
    check_refused(NOBODY "model M extends A; end M;\n", "there is no 'inner s'");
    check_refused("record R Integer i = 1; end R; record Q Real i = 2; end Q;\n"
                  "model A outer R r; end A; model B outer Q r; end B; model M A a; B b; end M;\n",
                  "of different types");
    check_refused("model A outer Real p[6]; Real x = p[5]; end A;\n"
                  "model M inner Real p[10] = fill(time, 10); A a; end M;\n",
                  "has the size 6, its inner component 10");
    check_refused("model A outer parameter Real p; Real x = p; end A;\n"
                  "model M inner parameter Real p = 1; A a(p = 2); end M;\n",
                  "'p' is outer");
}

TEST(inner_and_outer_at_once)
{
    CHECK_ALL(around);
}

static const sample slices[] = {
    {"a slice that moves",
     "function f input Integer n; output Real y; protected Real x[6]; Integer m;\n"
     "algorithm x := {1, 2, 3, 4, 5, 6}; m := n; y := 0;\n"
     "  for i in 1:m loop y := y + sum(x[i:i + 1]); x[i + 1:i + 2] := {0, 10}; end for; end f;\n"
     "model M parameter Integer n = 2; Real y = f(n); end M;\n",
     "y", 1, 13, 0},
    {"a record's value is stronger than an older one of its field",
     "record A parameter Real a; end A; record B parameter A x; parameter A y(a = 5); end B;\n"
     "record C extends B(x(a = 33), y = x); end C; model M C c; Real z = c.y.a; end M;\n",
     "z", 1, 33, 0},
    {"and weaker than a newer one",
     "record A parameter Real a; end A; record B parameter A x(a = 2); parameter A y = x; end B;\n"
     "record C extends B(y(a = 7)); end C; model M C c; Real z = c.y.a; end M;\n",
     "z", 1, 7, 0},
    {"loops over literals that arrays are declared over",
     "type E = enumeration(a, b, c); model M Real x[E]; Boolean y[Boolean]; Real z;\n"
     "equation for i loop x[i] = Integer(i); end for; for i loop y[i] = i; end for;\n"
     "  z = x[E.c] + (if y[true] and not y[false] then 10 else 0); end M;\n",
     "z", 1, 13, 0},
    {"fields of a record with values in a function",
     "record R Real a; Real b = 2; end R;\n"
     "function f input Real x; output R r(a = 3*x); algorithm r.b := r.b + r.a; end f;\n"
     "model M R r = f(time); end M;\n",
     "r.b", 1, 5, 1e-15},
};

TEST(slices_and_fields)
{
    CHECK_ALL(slices);
}

// Random numbers of the library's C functions, from the generators' published definitions, worked
// out with integers of 64 bits.
static double as_int(uint64_t word)
{
    return (double)(int32_t)(uint32_t)word;
}

static double as_unit(uint64_t x)
{
    return (double)(int64_t)x * 5.42101086242752217004e-20 + 0.5;
}

TEST(random_numbers)
{
    world w;
    REQUIRE(
        begin(&w,
              "function star input Integer stateIn[2]; output Real result; output Integer "
              "stateOut[2];\n"
              "external \"C\" ModelicaRandom_xorshift64star(stateIn, stateOut, result); end star;\n"
              "function plus input Integer stateIn[4]; output Real result; output Integer "
              "stateOut[4];\n"
              "external \"C\" ModelicaRandom_xorshift128plus(stateIn, stateOut, result); end "
              "plus;\n"
              "model M Integer s[2](start = {126247697, -1}, each fixed = true);\n"
              "  Integer t[4](start = {1, -2, 3, -4}, each fixed = true);\n"
              "  Real r(start = 0, fixed = true); Real q(start = 0, fixed = true);\n"
              "algorithm when sample(0.5, 1) then (r, s) := star(pre(s)); (q, t) := plus(pre(t));\n"
              "end when; end M;\n",
              20));
    uint64_t x = 0xFFFFFFFF00000000u | 126247697u;
    uint64_t a = 0xFFFFFFFE00000001u, b = 0xFFFFFFFC00000003u;
    for (int k = 0; k < 20; k++) {
        x ^= x >> 12, x ^= x << 25, x ^= x >> 27, x *= 2685821657736338717u;
        uint64_t s1 = a, s0 = b;
        s1 ^= s1 << 23;
        a = b, b = (s1 ^ s0 ^ (s1 >> 17) ^ (s0 >> 26)) + s0;
        CHECK_NEAR(at(&w, k + 0.75, "s[1]"), as_int(x), 0);
        CHECK_NEAR(at(&w, k + 0.75, "s[2]"), as_int(x >> 32), 0);
        CHECK_NEAR(at(&w, k + 0.75, "r"), as_unit(x), 0);
        CHECK_NEAR(at(&w, k + 0.75, "t[3]"), as_int(b), 0);
        CHECK_NEAR(at(&w, k + 0.75, "q"), as_unit(b), 0);
    }
    end(&w);
}

// R is zero by a formula: R i = v says that v is zero, and i follows from elsewhere. A capacitor of
// two volts behind it discharges through 1 ohm.
static const sample zero_pivots[] = {
    {"a resistance that a formula makes zero",
     "model M parameter Real r = 2; final parameter Real R = r - 2;\n"
     "  Real i; Real v(start = 2, fixed = true); Real u;\n"
     "equation R*i = u - v; u + i = 0; der(v) = i; end M;\n",
     "v", 1, 0.7357588823428847, 1e-7},
    {"a start at which nothing is defined",
     "model M Real p(start = 0); Real n(start = 0); Real y(start = 0);\n"
     "equation p = 15; n = -15; 1/(p - n)*y = tanh(y)/10 + 0.01; end M;\n",
     "p", 1, 15, 0},
    {"a branch that is not taken has no say in derivatives",
     "model M Real y(start = 0.1); Real w = time - time;\n"
     "equation if noEvent(abs(w) < 1e-6) then y^3 + y = 2; else y*w = 1/w; end if; end M;\n",
     "y", 1, 1, 1e-9},
    // Resistances of 1e-7 and 2 ohm, a leak of 1e-7 S and a branch that carries nothing: its
    // current and that of the leak are zero, and what rounding leaves of them is not compared with
    // itself.
    {"currents that are zero but for rounding",
     "model M parameter Real g = 1e-7, G = 0, r = 1e-7; Real v1, v2, v3, v4, v5;\n"
     "  Real i1, s1, i2, s2, i3, s3, i4, s4, i5, s5, i6, s6, i7, s7, i8, s8;\n"
     "equation i1 = G*(v1 - v3); s1 = i1; v1 - v5 = r*s2; i2 = s2; v2 - v3 = 2*i3; s3 = i3;\n"
     "  v2 - v5 = 2*i4; s4 = i4; v3 - v4 = r*s5; i5 = s5; v4 - v5 = 2*i6; s6 = i6;\n"
     "  v1 - 0 = s7; i7 = g*s7; v2 - v1 = sin(time + 2); s8 = i8; i1 + i2 + i7 - i8 = 0;\n"
     "  i3 + i4 + i8 = 0; -i1 - i3 + i5 = 0; -i5 + i6 = 0; -i2 - i4 - i6 = 0; end M;\n",
     "i8", 1, -0.10583999722490066, 1e-14},
    // Potentials that only leaks hold: each step moves them by 1e-9, and what it leaves in the
    // equations of small currents is no smaller at the next.
    {"steps that do not become shorter",
     "model M parameter Real g = 1e-7, G = 0, r = 1e-8; Real v1, v2, v3, v4, v5;\n"
     "  Real i1, s1, i2, s2, i3, s3, i4, s4, i5, s5, i6, s6, i7, s7, i8, s8, i9, s9, i10, s10;\n"
     "equation v1 - v2 = 2*i1; s1 = i1; v1 - v4 = s2; i2 = g*s2; v1 - v5 = r*s3; i3 = s3;\n"
     "  v2 - v3 = 2*i4; s4 = i4; i5 = G*(v2 - v5); s5 = i5; v3 - v4 = 2*i6; s6 = i6;\n"
     "  v3 - v5 = r*s7; i7 = s7; v4 - v5 = 2*i8; s8 = i8; v1 - 0 = s9; i9 = g*s9;\n"
     "  v2 - v1 = sin(time + 2); s10 = i10; i1 + i2 + i3 + i9 - i10 = 0;\n"
     "  -i1 + i4 + i5 + i10 = 0; -i4 + i6 + i7 = 0; -i2 - i6 + i8 = 0; -i3 - i5 - i7 - i8 = 0;\n"
     "end M;\n",
     "i10", 1, -0.1411200073542672, 1e-13},
};

TEST(what_zero_decides)
{
    CHECK_ALL(zero_pivots);
}

// A block on a table: it slides with speed 1, comes to rest by friction of acceleration 2 at 0.5,
// and stays: the relation that would start it again is that of the locked mode, not of the sliding
// one.
TEST(friction_comes_to_rest)
{
    world w;
    REQUIRE(
        begin(&w,
              "model M\n"
              "  Real v(start = 1, fixed = true); Real sa; Real a; parameter Real peak = 2;\n"
              "  Boolean startF(start = false, fixed = true);\n"
              "  Boolean startB(start = false, fixed = true); Boolean locked;\n"
              "  Integer mode(start = 1, fixed = true); Real drive = 0.5;\n"
              "equation\n"
              "  startF = pre(mode) == 0 and (sa > peak or pre(startF) and sa > peak);\n"
              "  startB = pre(mode) == 0 and (sa < -peak or pre(startB) and sa < -peak);\n"
              "  locked = not (pre(mode) == 1 or startF or pre(mode) == -1 or startB);\n"
              "  a = if locked then 0 else if startF then sa - peak else if startB then sa + peak\n"
              "    else if pre(mode) == 1 then sa - peak else sa + peak;\n"
              "  der(v) = a;\n"
              "  drive - (if locked then sa else if startF or pre(mode) == 1 then 2.5 else -2.5)\n"
              "    = a;\n"
              "  mode = if (pre(mode) == 1 or startF) and v > 0 then 1\n"
              "    else if (pre(mode) == -1 or startB) and v < 0 then -1 else 0;\n"
              "end M;\n",
              2));
    CHECK_NEAR(at(&w, 0.25, "v"), 0.5, 1e-9);
    CHECK_NEAR(at(&w, 1, "v"), 0, 1e-9);
    CHECK_NEAR(at(&w, 1, "mode"), 0, 0);
    CHECK_NEAR(at(&w, 1, "locked"), 1, 0);
    CHECK_NEAR(at(&w, 1, "sa"), 0.5, 1e-9);
    end(&w);
}

// A delay of what jumps only: steps are not bound by it.
TEST(delays_of_jumps)
{
    world w;
    REQUIRE(begin(&w,
                  "model M Integer n(start = 0, fixed = true); Real d = delay(n, 0.01);\n"
                  "equation when sample(0.5, 1) then n = pre(n) + 1; end when; end M;\n",
                  1000));
    for (int k = 0; k < 900; k += 100) {
        CHECK_NEAR(at(&w, k + 0.505, "d"), k, 0);
        CHECK_NEAR(at(&w, k + 0.515, "d"), k + 1, 0);
    }
    fo_statistics stats = fo_simulation_statistics(w.sim);
    CHECK(stats.steps < 20000);
    end(&w);
}

// Two bodies that fly, one of which is stopped: which other speed stays is for the wanted states to
// say, also for one that nothing differentiates.
#define FLIGHT(wish, speed)                                                                    \
    "model M Real a(start = 0, fixed = true), b(start = 1, fixed = true);\n"                   \
    "Real va(start = 1, fixed = true), vb(start = 3, fixed = true);\n"                         \
    "parameter Real k = 2; Real r(stateSelect = StateSelect." wish "), v(stateSelect = "       \
    "StateSelect." wish ");\n"                                                                 \
    "equation der(a) = va; der(b) = vb; der(va) = 0; der(vb) = 0; r = k*(b - a); " speed ";\n" \
    "when time >= 1 then reinit(vb, 0); end when; end M;\n"

static const sample flights[] = {
    {"no wish: the other flies on", FLIGHT("default", "v = der(r)"), "va", 2, 1, 1e-12},
    {"a wanted distance alone is no speed", FLIGHT("prefer", "v = 1"), "va", 2, 1, 1e-12},
    {"a wanted rate stays", FLIGHT("prefer", "v = der(r)"), "va", 2, -2, 1e-12},
    {"it was right before", FLIGHT("prefer", "v = der(r)"), "va", 0.5, 1, 1e-12},
    {"the places follow", FLIGHT("prefer", "v = der(r)"), "a", 2, -1, 1e-12},
    {"a wanted difference of speeds stays", FLIGHT("prefer", "v = vb - va"), "va", 2, -2, 1e-12},
    {"a law that jumps is not differentiated", FLIGHT("prefer", "v = if vb > va then 1 else 2"),
     "v", 2, 2, 0},
    {"a product of speeds is none", FLIGHT("prefer", "v = va*vb"), "va", 2, 1, 1e-12},
};

TEST(wanted_states)
{
    CHECK_ALL(flights);
}

// Texts that follow from parameters, which then decide what follows from the text.
#define TOLD                                                                                       \
    "model M type E = enumeration(lo, hi); parameter Real a = %s; parameter E e = E.hi;\n"         \
    "parameter Boolean b = a > 1; final parameter Real c = 2*a; parameter String s = String(a) + " \
    "\"/\" + String(e) + \"/\" + String(b) + \"/\" + String(c, format = \"6.2f\") + (if b then "   \
    "\"y\" "                                                                                       \
    "else \"n\");\nReal y = if s == \"1.5/hi/true/  3.00y\" then 1 else if s == "                  \
    "\"0.5/hi/false/  1.00n\" then 2 else 3; end M;\n"

TEST(texts_of_parameters)
{
    static const char *const values[] = {"1.5", "0.5", "2"};
    for (int i = 0; i < 3; i++) {
        char text[sizeof TOLD + 8];
        snprintf(text, sizeof text, TOLD, values[i]);
        const sample one = {"a text", text, "y", 1, i + 1, 0};
        check_all(&one, 1);
    }
    check_refused("model M parameter Real a(fixed = false); parameter String s = String(a);\n"
                  "initial equation a = 3; end M;\n",
                  "the String 's' is not known before the run");
    check_refused("model M Real x = time; parameter String s = String(x); end M;\n",
                  "the String 's' is not known before the run");
}

static const struct {
    const char *text, *part;
} refusals[] = {
    {"model M Real x = 6; parameter Real y = x; end M;\n", "cannot depend on"},
    {"model M parameter Real x = 6; constant Real y = x; end M;\n", "cannot depend on a parameter"},
    {"function f output Real y; algorithm y := time; end f; model M Real x = f(); end M;\n",
     "'time' cannot be used in a function"},
    {"connector C Real a; Real b; flow Real f; end C; model M C c; end M;\n", "must be equal"},
    {"connector C output Real x; end C; model A C c; equation c.x = 1; end A;\n"
     "model M A a; A b; equation connect(a.c, b.c); end M;\n",
     "both are sources of a value"},
    {"connector C Real e; flow Real f; parameter Real p = 1; end C;\n"
     "model A C c; equation c.e = 1; end A; model B C c(p = 2); equation c.f = 1; end B;\n"
     "model M A a; B b; equation connect(a.c, b.c); end M;\n",
     "must be equal: 1 and 2"},
    {"model A Real x = 2; model B Real y = 3; end B; end A; model M A.B ab; end M;\n",
     "is not a package"},
    {"type Angle = Real(final unit = \"rad\"); model M Angle a(unit = \"deg\") = 1; end M;\n",
     "is final"},
    {"model M Real x, y, a = 1; equation x = sin(time); y = delay(x, a); end M;\n",
     "needs a largest one"},
    {"model M Integer i(start = 0); equation when sample(time, 0.1) then i = pre(i) + 1; end "
     "when;\n"
     "end M;\n",
     "must be known when a run begins"},
    {"model M Real x = 1.0; class x end x; end M;\n", "is a component already"},
    {"model A Real x = 2; end A; model B protected extends A; end B;\n"
     "model M B b; Real y = b.x; end M;\n",
     "is protected"},
    {"package P partial package Q constant Real x = 1; end Q; end P; model M Real y = P.Q.x; end "
     "M;\n",
     "is partial"},
};

TEST(what_is_refused)
{
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++)
        check_refused(refusals[i].text, refusals[i].part);
}

TEST_MAIN(TEST_ENTRY(functions_as_arguments), TEST_ENTRY(functions_are_no_values),
          TEST_ENTRY(operators_of_records), TEST_ENTRY(between_moments),
          TEST_ENTRY(outer_classes_of_models), TEST_ENTRY(elements_of_expressions),
          TEST_ENTRY(inner_and_outer_at_once), TEST_ENTRY(inner_components_that_nobody_declares),
          TEST_ENTRY(slices_and_fields), TEST_ENTRY(random_numbers), TEST_ENTRY(what_zero_decides),
          TEST_ENTRY(friction_comes_to_rest), TEST_ENTRY(delays_of_jumps),
          TEST_ENTRY(wanted_states), TEST_ENTRY(texts_of_parameters), TEST_ENTRY(what_is_refused))
