/// Functions: sizes that follow from the values of arguments, what annotations say about
/// derivatives and inverses, and texts in messages. Each text has a value that follows from its
/// meaning.
#include "samples.h"

#define LINE                                                             \
    "  function line input Integer n; input Real d; output Real y[n];\n" \
    "  algorithm for i in 1:n loop y[i] := i*d; end for; end line;\n"

static const sample sizes[] = {
    {"of a result",
     "model M\n" LINE "  parameter Integer n = 4; Real s = sum(line(n, time));\nend M;\n", "s", 2,
     20, 1e-12},
    {"handed on to another function",
     "model M\n" LINE "  function g input Integer n; input Real x; output Real y;\n"
     "  algorithm y := sum(line(n + 1, x)); end g;\n  Real s = g(3, time);\nend M;\n",
     "s", 2, 20, 1e-12},
    {"through a protected number",
     "model M\n" LINE "  function g input Integer n; input Real x; output Real y;\n"
     "  protected Integer m = 2*n; Real w[:] = line(m, x); algorithm y := sum(w); end g;\n"
     "  Real s = g(2, time);\nend M;\n",
     "s", 2, 20, 1e-12},
    {"of an array of numbers",
     "model M\n  function f input Integer d[2]; output Real m[d[1], d[2]];\n"
     "  algorithm for i in 1:d[1] loop for j in 1:d[2] loop m[i, j] := i*j; end for; end for;\n"
     "  end f;\n  Real s = sum(f({2, 3})) + 100*sum(f({1, 2}));\nend M;\n",
     "s", 1, 318, 0},
    {"of a field of a record",
     "model M\n  record R Integer n = 2; Real x = 1; end R;\n"
     "  function f input R r; output Real y[r.n];\n"
     "  algorithm for i in 1:r.n loop y[i] := i*r.x; end for; end f;\n"
     "  parameter R q(n = 3, x = 2); Real s = sum(f(q)) + 100*sum(f(R(n = 4, x = time)));\n"
     "end M;\n",
     "s", 2, 2012, 1e-12},
    {"in a recursion",
     "model M\n  function f input Integer n; input Real x; output Real y;\n"
     "  protected Real w[n]; algorithm if n <= 1 then y := x;\n"
     "  else for i in 1:n loop w[i] := x*i; end for; y := sum(w) + f(n - 1, x); end if; end f;\n"
     "  Real s = f(4, time);\nend M;\n",
     "s", 2, 40, 1e-12},
    {"of functions that call one another",
     "model M\n  function even input Integer n; input Real x; output Real y;\n"
     "  algorithm y := if n == 0 then x else odd(n - 1, x) + 1; end even;\n"
     "  function odd input Integer n; input Real x; output Real y;\n"
     "  algorithm y := if n == 0 then -x else even(n - 1, x) + 10; end odd;\n"
     "  Real s = even(4, time) + 1000*even(5, time);\nend M;\n",
     "s", 1, 22023, 1e-9},
};

TEST(sizes_by_the_values_of_arguments)
{
    CHECK_ALL(sizes);
}

// Values that declarations give are computed in the order that they need, not in that of the text.
static const sample orders[] = {
    {"of a result that needs a protected one",
     "model M function f input Real a; output Real y = a*k; protected Real k = 3; algorithm end "
     "f;\n"
     "  Real y = f(time); end M;\n",
     "y", 2, 6, 1e-12},
    {"of a chain",
     "model M function f input Real a; output Real y; protected Real p = q + 1; Real q = 2*r;\n"
     "  Real r = a + 3; algorithm y := p; end f; Real y = f(time); end M;\n",
     "y", 2, 11, 1e-12},
    {"of fields and elements",
     "model M record R Real x; Real z; end R;\n"
     "  function f input Real a; output R y(x = v[2], z = w.z); protected R w(x = 1, z = v[1]);\n"
     "  Real v[2] = {a, 5*a}; algorithm end f; R r = f(time); Real y = r.x - r.z; end M;\n",
     "y", 2, 8, 1e-12},
    {"of an element that the run chooses",
     "model M function f input Integer k; input Real a; output Real y; protected Real p = v[k];\n"
     "  Real v[3] = {a, 2*a, 3*a}; algorithm y := p; end f;\n"
     "  Real y = f(1 + integer(time), time); end M;\n",
     "y", 1.5, 3, 1e-12},
};

TEST(values_in_the_order_that_they_need)
{
    CHECK_ALL(orders);
    check_refused("model M function f input Real a; output Real y; protected\n"
                  "Real v[2] = {a, v[1]}; algorithm y := v[2]; end f; Real y = f(time); end M;\n",
                  "2:13: the value of 'v[1]' follows from itself");
}

// Parameters and constants of a function have the values that their declarations give.
static const sample kept[] = {
    {"a protected parameter",
     "model M function f input Real a; output Real y; protected parameter Integer n = 3;\n"
     "  parameter Real k = n*a; algorithm y := 0; for i in 1:n loop y := y + k; end for; end f;\n"
     "  Real y = f(time); end M;\n",
     "y", 2, 18, 1e-12},
    {"one that is modified",
     "model M function f input Real a; output Real y; protected parameter Real k = 2;\n"
     "  algorithm y := k*a; end f; function g extends f(k = 5); end g;\n"
     "  Real y = f(time) + 10*g(time); end M;\n",
     "y", 2, 104, 1e-12},
    {"one that is called before the run",
     "model M function f input Integer n; output Real y[:]; protected parameter Integer m = 2*n;\n"
     "  constant Real k = 3; algorithm y := fill(0.0, 0);\n"
     "  for i in 1:m loop y := cat(1, y, {k*i}); end for; end f;\n"
     "  parameter Real q[:] = f(2); Real y = time*sum(q); end M;\n",
     "y", 2, 60, 1e-12},
    {"constants that a subscript chooses",
     "model M function f input Integer i; output Real y; protected constant Real c[3] = {1, 2, "
     "4};\n"
     "  parameter Real d[3] = 2*c; constant Real q = c[2]; algorithm y := c[i] + 10*d[i] + 100*q;\n"
     "  end f; Integer i = if time > 1 then 3 else 1; Real y = f(i); end M;\n",
     "y", 2, 284, 1e-12},
    {"and a turn",
     "model M function f input Real x; output Real y = 0; protected constant Real c[3] = {1, 2, "
     "3};\n"
     "  Integer i = 1; algorithm while y < x loop y := y + c[i]; i := i + 1; end while; end f;\n"
     "  Real y = f(2*time); end M;\n",
     "y", 2, 6, 1e-12},
    {"of records among them",
     "model M record R constant Real a = 3; parameter Real b = 2; end R;\n"
     "  function f input Integer i; output Real y; protected constant R r[2] = {R(b = 5), R(b = "
     "6)};\n"
     "  parameter R q[2] = {R(b = 1), R(b = 2)};\n"
     "  algorithm y := r[i].a + 10*r[i].b + 100*q[i].b; end f;\n"
     "  Integer i = if time > 1 then 2 else 1; Real y = f(i); end M;\n",
     "y", 2, 263, 1e-12},
    {"fields of a result that are parameters",
     "model M record R parameter Real a = 3; parameter Real b = 2*a; constant Integer k = 4;\n"
     "  Real c = a + b; parameter Real v[2] = {a, 1}; end R;\n"
     "  function f input Real x; output R r; algorithm r.c := r.c + x; end f;\n"
     "  function g input Real x; output R r = R(a = x); algorithm end g;\n"
     "  parameter R r = f(100); parameter R q = g(7);\n"
     "  Real y = r.a + r.b + r.c + r.v[1] + time*(q.a + q.b + q.c + q.v[1]); end M;\n",
     "y", 2, 121 + 2 * 49, 1e-12},
};

TEST(parameters_of_a_function_have_their_values)
{
    CHECK_ALL(kept);
}

// What declarations say may be all that a function is.
static const sample bodiless[] = {
    {"a formula",
     "model M function f input Real x; output Real y = x^2; end f;\n"
     "  function g extends f; end g; Real y = f(time) + g(time); end M;\n",
     "y", 2, 8, 1e-12},
    {"its derivative",
     "model M function f input Real x; output Real y = x*t; protected Real t = 3*x; end f;\n"
     "  function d = der(f, x); Real y = d(time); Real z = f(time); Real dz = der(z);\n"
     "  Real e = y + dz; end M;\n",
     "e", 2, 24, 1e-12},
    {"arrays",
     "model M function f input Real v[:]; output Real s = sum(v);\n"
     "  output Real m[size(v, 1)] = 2*v; end f; Real s; Real m[2];\n"
     "  Real y = s + 10*m[2]; equation (s, m) = f({time, 5}); end M;\n",
     "y", 2, 107, 1e-12},
};

TEST(functions_of_declarations_only)
{
    CHECK_ALL(bodiless);
    check_refused("model M function f input Real x; output Real y = x; output Real z; end f;\n"
                  "Real y = f(time); end M;\n",
                  "function 'f' has no algorithm");
}

// A derivative that an annotation names, and that a body which is looked at later calls itself.
TEST(derivatives_that_are_called)
{
    static const sample called[] = {
        {"by one that is looked at later",
         "model M function h input Real T; output Real y; algorithm y := T^2;\n"
         "    annotation(derivative = h1); end h;\n"
         "  function h1 input Real T; input Real d; output Real y; algorithm y := 2*g(T)*d; end "
         "h1;\n"
         "  function g input Real T; output Real y; algorithm y := T; end g;\n"
         "  function c input Real T; output Real y; algorithm y := h1(T, 1); end c;\n"
         "  Real a = h(time); Real b = c(time); end M;\n",
         "b", 2, 4, 1e-12},
        {"by one that such a one calls",
         "model M function h input Real T; output Real y; algorithm y := T^2;\n"
         "    annotation(derivative = h1); end h;\n"
         "  function h1 input Real T; input Real d; output Real y; algorithm y := 2*T*d;\n"
         "    annotation(derivative(order = 2) = h2); end h1;\n"
         "  function h2 input Real T; input Real d; input Real e; output Real y;\n"
         "    algorithm y := h1(T, e) + h1(d, d); end h2;\n"
         "  function c input Real T; output Real y; algorithm y := k(T); end c;\n"
         "  function k input Real T; output Real y; algorithm y := h2(T, 1, 1); end k;\n"
         "  Real a = h(time); Real b = c(time); end M;\n",
         "b", 2, 6, 1e-12},
    };
    CHECK_ALL(called);
}

#define POSITIVE                                                                               \
    "model M function positive input Integer x[:]; output Integer y[:]; algorithm\n"           \
    "  for i in 1:size(x, 1) loop if x[i] > 0 then y := cat(1, y, x[i:i]); end if; end for;\n" \
    "  end positive;\n"

// Arrays that grow where they are assigned: the arguments are known before the run.
TEST(sizes_that_change)
{
    static const sample grown[] = {
        {"those that are positive",
         POSITIVE "parameter Integer a[:] = {-2, 1, 0, -1, 2}; Integer z[:] = positive(a);\n"
                  "Real s = 10*size(z, 1) + sum(z); end M;\n",
         "s", 1, 23, 0},
        {"none", POSITIVE "Integer z[:] = positive({-1, 0}); Real s = size(z, 1) + 1; end M;\n",
         "s", 1, 1, 0},
        {"primes below 30",
         "model M function sieve input Integer n; output Integer p[:]; protected Boolean prime;\n"
         "  algorithm p := fill(0, 0); for i in 2:n loop prime := true;\n"
         "  for k in 1:size(p, 1) loop if mod(i, p[k]) == 0 then prime := false; end if; end for;\n"
         "  if prime then p := cat(1, p, {i}); end if; end for; end sieve;\n"
         "Integer z[:] = sieve(30); Real s = sum(z); end M;\n",
         "s", 1, 129, 0},
        {"one that only gets its size",
         "model M function f input Real x[:]; output Real y[:]; algorithm y := x; y := 2*y; end "
         "f;\n"
         "Real z[2] = f({time, 1}); Real s = z[1]; end M;\n",
         "s", 2, 4, 1e-12},
    };
    CHECK_ALL(grown);
    check_refused("model M function f input Integer x[:]; output Integer y[2]; protected\n"
                  "Integer w[:]; algorithm for i in 1:size(x, 1) loop w := cat(1, w, x[i:i]);\n"
                  "end for; y := w; end f; Integer z[2] = f({1, 2, 3}); end M;\n",
                  "'y' is Integer[2], and this is Integer[3]");
    check_refused("model M function f input Real x[:]; output Real y[:]; algorithm\n"
                  "for i in 1:2 loop if x[i] > 0 then y := cat(1, y, x[i:i]); end if; end for;\n"
                  "end f; Real z[:] = f({time, 1}); end M;\n",
                  "the size of 'y' is not known");
}

// `end` of a slice inside of a function, where slices may move.
static const sample slices[] = {
    {"to the end",
     "model M\n  function f input Real u[:]; output Real s;\n"
     "  algorithm s := sum(u[2:end]); end f;\n  Real y = f({1, 2, time});\nend M;\n",
     "y", 1, 3, 0},
    {"in a recursion",
     "model M\n  function f input Real u[:]; output Real s;\n"
     "  algorithm s := if size(u, 1) == 1 then u[1] else u[1] - f(u[2:end]); end f;\n"
     "  Real y = f({1, 2, 5});\nend M;\n",
     "y", 1, 4, 0},
    {"that moves with a loop",
     "model M\n  function f input Real u[:]; output Real s;\n"
     "  algorithm s := 0; for i in 1:size(u, 1) - 1 loop\n"
     "    s := 10*s + sum(u[i:end]) + sum(u[end - i:end - i + 1]); end for; end f;\n"
     "  Real y = f({1, 2, 4});\nend M;\n",
     "y", 1, 139, 0},
    {"of subscripts in subscripts",
     "model M\n  function f input Real u[:]; input Integer k[:];\n"
     "  output Real s; algorithm s := 100*sum(u[k[1]:k[end]]) + u[k[end - 1]]; end f;\n"
     "  Real y = f({1, 2, 3, 4}, {2, 3, 4});\nend M;\n",
     "y", 1, 903, 0},
};

TEST(slices_that_end)
{
    CHECK_ALL(slices);
}

// `return` leaves all loops around it, and `break` one, whatever the loops are.
static const sample leaving[] = {
    {"return, all known",
     "model M\n  function f input Real x; output Real y; protected Integer k = 0;\n"
     "  algorithm y := 0; while k < 3 loop k := k + 1; if k == 2 then return; end if;\n"
     "    y := k; end while; y := 9; end f;\n  Real y = f(1);\nend M;\n",
     "y", 1, 1, 0},
    {"return from a loop without an end",
     "model M\n  function f input Real v; output Real y;\n"
     "  algorithm y := 0; while true loop y := y + 1; if y > v then return; end if;\n"
     "  end while; end f;\n  Real y = f(3 + time);\nend M;\n",
     "y", 0.5, 4, 0},
    {"return from a search",
     "model M\n  function f input Real x[:]; input Real v; output Integer n;\n"
     "  algorithm n := 1; while n <= size(x, 1) loop if x[n] >= v then return; end if;\n"
     "    n := n + 1; end while; n := -1; end f;\n"
     "  Real y = f({0, 1, 2}, time) + 10*f({0, 1, 2}, 3*time);\nend M;\n",
     "y", 0.9, -8, 0},
    {"return from a loop over an array",
     "model M\n  function f input Real x[:]; input Real v; output Real y;\n"
     "  algorithm y := -1; for e in x loop if e > v then y := e; return; end if; end for; end f;\n"
     "  Real y = f({1, 3, 5, 10*time}, 3.5) + 100*f({1, 2, time}, 1.5 + time);\nend M;\n",
     "y", 0.25, 205, 0},
    {"break out of a loop over literals",
     "model M\n  type E = enumeration(a, b, c);\n"
     "  function f input E x[:]; input E y; output Integer n;\n"
     "  algorithm n := 0; for e in x loop n := n + 1; if e == y then break; end if; end for;\n"
     "  end f;\n"
     "  Integer n = f({E.c, E.b, E.a}, if time > 0.5 then E.a else E.b) + 10*f({E.a}, E.c);\n"
     "end M;\n",
     "n", 0.9, 13, 0},
    {"return from loops over an array and numbers",
     "model M\n  function f input Real x[:]; input Integer k; output Real y;\n"
     "  algorithm y := 0; for a in x, i in 1:k loop y := y + a*i; if y > 20 then return; end if;\n"
     "  end for; end f;\n  Real y = f({1, 2, time}, 3);\nend M;\n",
     "y", 2, 24, 0},
    {"break in an algorithm of the model",
     "model M Integer w; algorithm w := 0; for x in {1.5, 3*time, 9} loop w := w + 1;\n"
     "  if x > 2 then break; end if; end for; end M;\n",
     "w", 0.5, 3, 0},
};

// What the function of the test below gives, in C.
static double left_at(double v, double w)
{
    double y = 0;
    for (int i = 1; i <= 4; i++) {
        for (int j = 0; j < 4;) {
            y += 1, j++;
            if (i * j > v) return y;
            if (i + j > w) break;
            y += 0.25;
        }
        y += 100;
    }
    return -y;
}

TEST(loops_that_are_left)
{
    CHECK_ALL(leaving);
    world w;
    if (begin(&w,
              "model M\n  function f input Real v; input Real w; output Real y;\n"
              "  protected Integer i = 0; Integer j;\n  algorithm y := 0;\n"
              "  while i < 4 loop i := i + 1; j := 0;\n"
              "    while j < 4 loop y := y + 1; j := j + 1;\n"
              "      if i*j > v then return; end if; if i + j > w then break; end if;\n"
              "      y := y + 0.25; end while;\n    y := y + 100; end while;\n"
              "  y := -y; end f;\n"
              "  Real y = f(18*time + 0.01, 9 - 7*time + 0.005);\nend M;\n",
              1))
        for (double t = 0.01; t < 1; t += 0.0173)
            CHECK_NEAR(at(&w, t, "y"), left_at(18 * t + 0.01, 9 - 7 * t + 0.005), 0);
    end(&w);
}

// Strings that change: their formulas stand in messages.
TEST(texts_of_the_run)
{
    static const struct {
        const char *text, *said;
    } all[] = {
        {"model M Real x = time; String s = \"x = \" + String(x); String t, n;\n"
         "equation n = if x > 0.5 then \"high\" else \"low\"; t = s + \"; \" + n;\n"
         "  assert(x < 0.75, t); end M;\n",
         "x = 0.75; high"},
        {"model M model B parameter Real k = 2; String s = String(k) + \" at \" + String(time);\n"
         "  end B; B b[2](k = {1, 2}); String all = b[1].s + \" and \" + b[2].s;\n"
         "equation assert(time < 0.75, all); end M;\n",
         "1 at 0.75 and 2 at 0.75"},
        {"model M String s; algorithm s := \"t is \" + String(time);\n"
         "equation when time > 0.75 then assert(false, s); end when; end M;\n",
         "t is 0.75"},
        {"operator record C Real re; Real im; operator 'String' function f input C c;\n"
         "input String name = \"j\"; input Integer significantDigits = 6; output String s;\n"
         "algorithm s := String(c.re, significantDigits = significantDigits) + name +\n"
         "  String(c.im); end f; end 'String'; end C;\n"
         "model M parameter C p(re = 1.2345, im = 2); C q(re = 1.2345, im = time);\n"
         "  parameter String s = String(p, \"i\", significantDigits = 2);\n"
         "equation assert(time < 0.75, s + \" and \" + String(p) + \" and \" + String(q));\n"
         "end M;\n",
         "1.2i2 and 1.2345j2 and 1.2345j0.75"},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        world w;
        if (begin(&w, all[i].text, 2)) {
            CHECK_INT(fo_simulation_advance(w.sim, 2), FO_ERROR_MODEL);
            CHECK_CONTAINS(fo_simulation_message(w.sim)->text, all[i].said);
        }
        end(&w);
    }
    check_refused(
        "operator record C Real x; operator 'String' function f input C c; output String s;\n"
        "algorithm s := String(c.x); end f; end 'String'; end C;\n"
        "model M parameter C r(x = 1); parameter String s = String(r, 3); end M;\n",
        "has no function 'String' for these arguments");
    check_refused("model M String s = String(time); Boolean b = s == \"1\"; end M;\n",
                  "known before the run");
    check_refused("model M String s = String(time); parameter String p = s; end M;\n",
                  "not known before the run");
    check_refused("model M String s = t, t = s; end M;\n", "depends on itself");
}

// Two records with the same names are one type, in whatever order they say them.
#define RECORDS                                                                        \
    "model M\n  record A Real x; Real y; end A;\n  record B Real y; Real x; end B;\n"  \
    "  record N Real k; A q; end N;\n  record O B q; Real k; end O;\n"                 \
    "  function f input B b; output Real r; algorithm r := 10*b.x + b.y; end f;\n"     \
    "  function g input A a; output B b; algorithm b := a; end g;\n"                   \
    "  function h input O o; output Real r; algorithm r := 100*o.k + f(o.q); end h;\n" \
    "  A a = A(x = 1, y = time);\n"

static const sample by_name[] = {
    {"an argument", RECORDS "  Real r = f(a);\nend M;\n", "r", 2, 12, 0},
    {"an assignment and a result", RECORDS "  B b = g(a); Real r = 10*b.x + b.y;\nend M;\n", "r", 2,
     12, 0},
    {"an equation", RECORDS "  B b; Real r = 10*b.x + b.y;\nequation b = a;\nend M;\n", "r", 2, 12,
     0},
    {"a declaration", RECORDS "  B b = a; Real r = 10*b.x + b.y;\nend M;\n", "r", 2, 12, 0},
    {"an array", RECORDS "  B b[2] = {a, g(a)}; Real r = 10*b[1].x + b[2].y;\nend M;\n", "r", 2, 12,
     0},
    {"elements", RECORDS "  Real r[2] = {f(e) for e in {a, g(A(3, 4))}};\nend M;\n", "r[2]", 2, 34,
     0},
    {"a choice",
     RECORDS "  B b = if time > 1 then a else g(A(3, 4)); Real r = 10*b.x + b.y;\nend M;\n", "r", 2,
     12, 0},
    {"a record in a record", RECORDS "  Real r = h(N(k = 3, q = a));\nend M;\n", "r", 2, 312, 0},
    {"what a record is made of", RECORDS "  Real r = h(O(k = 3, q = a));\nend M;\n", "r", 2, 312,
     0},
};

TEST(records_are_taken_by_their_names)
{
    CHECK_ALL(by_name);
    check_refused("model M record A Real x; Real y; end A; record B Real x; Real z; end B;\n"
                  "function f input B b; output Real r; algorithm r := b.x - b.z; end f;\n"
                  "Real r = f(A(1, 2)); end M;\n",
                  "record 'A' has no 'z', which 'B' has");
}

// A constant of a record may be modified: what a function gets is what the argument has.
#define CONSTANTS                                                                                  \
    "model M\n  record R constant Real a = 1; constant Integer n = 2; parameter Real b = 1;\n"     \
    "  Real v[n] = fill(a, n); end R;\n  record O R i(a = 4); constant Real b = 7; end O;\n"       \
    "  function f input R r; input Real x; output Real y; protected Real w[r.n] = fill(x, r.n);\n" \
    "  algorithm y := r.a + 10*r.n + 100*r.b + 1000*sum(r.v) + 10000*sum(w); end f;\n"             \
    "  function g input R r[2]; output Real y; algorithm y := r[1].a + 10*r[2].a; end g;\n"        \
    "  function h input O o; output Real y; algorithm y := o.i.a + 10*o.b; end h;\n"               \
    "  parameter R m(a = 5, b = 2), d; constant R k(a = 3);\n"

static const sample constants[] = {
    {"of a parameter", CONSTANTS "  Real y = f(m, time);\nend M;\n", "y", 2, 50225, 1e-9},
    {"of a constant", CONSTANTS "  Real y = f(k, time);\nend M;\n", "y", 2, 46123, 1e-9},
    {"that nobody modifies", CONSTANTS "  Real y = f(d, time);\nend M;\n", "y", 2, 42121, 1e-9},
    {"of an array", CONSTANTS "  Real y = g({m, k})*time;\nend M;\n", "y", 2, 70, 1e-9},
    {"of a record in a record",
     CONSTANTS "  parameter O o(i(a = 9), b = 8); Real y = h(o)*time;\nend M;\n", "y", 2, 178,
     1e-9},
};

TEST(constants_of_records_are_those_of_the_argument)
{
    CHECK_ALL(constants);
}

TEST_MAIN(TEST_ENTRY(sizes_by_the_values_of_arguments),
          TEST_ENTRY(values_in_the_order_that_they_need), TEST_ENTRY(derivatives_that_are_called),
          TEST_ENTRY(parameters_of_a_function_have_their_values),
          TEST_ENTRY(functions_of_declarations_only),
          TEST_ENTRY(constants_of_records_are_those_of_the_argument), TEST_ENTRY(sizes_that_change),
          TEST_ENTRY(slices_that_end), TEST_ENTRY(loops_that_are_left),
          TEST_ENTRY(texts_of_the_run), TEST_ENTRY(records_are_taken_by_their_names))
