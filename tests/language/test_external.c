/// External functions that are C of others, and external objects.
#include "compiled.h"

#define F(name, inside, c)                                                            \
    "  function " name "\n    " inside "\n    external \"C\" annotation(Include=\"" c \
    "\");\n  end " name ";\n"

TEST(refused_unless_allowed)
{
    fo_message why = {0};
    fo_text_model *m =
        open_text("model M\n" F("f", "input Real x; output Real y;",
                                "double f(double x);") "  Real y = f(time);\nend M;\n",
                  false, &why);
    CHECK(!m);
    CHECK_CONTAINS(why.text, "test.mo:6:12: 'M.f' is external code");
    CHECK_CONTAINS(why.text, "--allow-external");
    fo_text_model_close(m);
}

// Every kind of argument, in the order of the declarations and as written.
TEST(arguments)
{
    world w;
    if (begin_external(
            &w,
            "model M\n  type E = enumeration(a, b, c);\n"
            "  record R Real a; Integer b; Boolean c; end R;\n" //
            F("f", "input Real a[:, :]; input Boolean up; output Integer n; output Real m;",
              "static void f(const double *a, size_t r, size_t c, int up, int *n, double *m)\n"
              "{ *n = (int)(10 * r + c); *m = up ? a[r * c - 1] : a[1]; }") "  function g\n    "
                                                                            "input Integer m[:]; "
                                                                            "input String s; input "
                                                                            "R r; input E e;\n"
                                                                            "    output Real y[2]; "
                                                                            "output R q; output E "
                                                                            "after;\n"
                                                                            "    external \"C\" "
                                                                            "after = g(m, size(m, "
                                                                            "1), s, r, e, y, q, "
                                                                            "7)\n"
                                                                            "      "
                                                                            "annotation(Include="
                                                                            "\"struct R { double "
                                                                            "a; int b, c; };\n"
                                                                            "static int g(const "
                                                                            "int *m, size_t n, "
                                                                            "const char *s, struct "
                                                                            "R *r, int e, double "
                                                                            "*y,\n"
                                                                            "             struct R "
                                                                            "*q, int seven)\n"
                                                                            "{ y[0] = m[0] + 10 * "
                                                                            "m[n - 1] + seven; "
                                                                            "y[1] = s[1]; q->a = 2 "
                                                                            "* r->a;\n"
                                                                            "  q->b = r->b + 1; "
                                                                            "q->c = !r->c; return "
                                                                            "e + 1; }\");\n  end "
                                                                            "g;\n"
                                                                            "  function plain "
                                                                            "input Real x; output "
                                                                            "Real y; external "
                                                                            "\"C\" y = cos(x); end "
                                                                            "plain;\n"
                                                                            "  Integer n; Real m, "
                                                                            "y[2]; R q; E e; Real "
                                                                            "c = plain(time);\n"
                                                                            "equation\n  (n, m) = "
                                                                            "f([1, 2, 3; 4, 5, "
                                                                            "time], time > 0.5);\n"
                                                                            "  (y, q, e) = g({3, "
                                                                            "4}, \"ABC\", R(time, "
                                                                            "4, false), E.b);\nend "
                                                                            "M;\n",
            1)) {
        CHECK_NEAR(at(&w, 0.25, "m"), 2, 0);
        CHECK_NEAR(at(&w, 0.75, "m"), 0.75, 0);
        CHECK_NEAR(at(&w, 0.75, "n"), 23, 0);
        CHECK_NEAR(at(&w, 0.75, "y[1]"), 50, 0);
        CHECK_NEAR(at(&w, 0.75, "y[2]"), 'B', 0);
        CHECK_NEAR(at(&w, 0.75, "q.a"), 1.5, 0);
        CHECK_NEAR(at(&w, 0.75, "q.b"), 5, 0);
        CHECK_NEAR(at(&w, 0.75, "q.c"), 1, 0);
        CHECK_NEAR(at(&w, 0.75, "e"), 3, 0);
        CHECK_NEAR(at(&w, 0.75, "c"), cos(0.75), 1e-15);
    }
    end(&w);
}

// Where equations must be solved: alone, in a loop, in rates, as a condition, before the run.
TEST(in_equations)
{
    world w;
    if (begin_external(&w,
                       "model M\n" F("f", "input Real x; output Real y;",
                                     "static double f(double x) { return x * x + 1; }")
                           F("length", "input String s; output Integer n;",
                             "static int length(const char *s) { int n = 0; while (s[n]) n++; "
                             "return n; }") "  parameter Integer n = length(\"four\");\n  "
                                            "parameter Real p = f(3);\n"
                                            "  Real v[n] = {i * time for i in 1:n};\n  Real "
                                            "x(start = 1), y(start = 1), z(start = 1);\n"
                                            "  Real s(start = 0, fixed = true), nested = "
                                            "f(f(time));\n"
                                            "  discrete Real hit(start = 0, fixed = true);\n"
                                            "  Real safe = if time > 0.5 then f(1 / time) else "
                                            "f(2);\n"
                                            "equation\n  f(x) = 5 + time;\n  y + f(z) = 10;\n  z = "
                                            "y - f(0);\n  der(s) = f(s);\n"
                                            "  when f(time) > 1.25 then hit = time; end when;\nend "
                                            "M;\n",
                       1)) {
        CHECK_NEAR(at(&w, 0.25, "x"), sqrt(4.25), 1e-14);
        CHECK_NEAR(at(&w, 0.25, "y"), (1 + sqrt(33)) / 2, 1e-14);
        CHECK_NEAR(at(&w, 0.25, "safe"), 5, 0);
        CHECK_NEAR(at(&w, 1, "s"), tan(1), 1e-7);
        CHECK_NEAR(at(&w, 1, "v[4]"), 4, 0);
        CHECK_NEAR(at(&w, 1, "nested"), 5, 0);
        CHECK_NEAR(at(&w, 1, "hit"), 0.5, 1e-7);
        CHECK_NEAR(at(&w, 1, "safe"), 2, 1e-12);
    }
    end(&w);
}

#define COUNTER                                                                                   \
    "#ifndef COUNTER\n#define COUNTER\n#include <stdlib.h>\n#include "                            \
    "\\\"ModelicaUtilities.h\\\"\n"                                                               \
    "typedef struct { double k; int n; } counter;\n"                                              \
    "static void counter_note(int by)\n"                                                          \
    "{ const char *s = getenv(\\\"EXTERNAL_ALIVE\\\"); char t[20];\n"                             \
    "  sprintf(t, \\\"%d\\\", (s ? atoi(s) : 0) + by); setenv(\\\"EXTERNAL_ALIVE\\\", t, 1); }\n" \
    "static void *counter_new(double k)\n"                                                        \
    "{ if (k < 0) ModelicaFormatError(\\\"k is %g\\\", k);\n"                                     \
    "  counter *c = calloc(1, sizeof *c); c->k = k; counter_note(1); return c; }\n"               \
    "static void counter_free(void *c) { counter_note(-1); free(c); }\n"                          \
    "static double counter_value(void *c, double x)\n"                                            \
    "{ if (x > 5) ModelicaError(\\\"too late\\\"); return ((counter *)c)->k * x; }\n"             \
    "static int counter_tick(void *c) { return ++((counter *)c)->n; }\n#endif"

#define COUNTERS                                                                                 \
    "  class Counter\n    extends ExternalObject;\n"                                             \
    "    function constructor input Real k; output Counter c;\n"                                 \
    "      external \"C\" c = counter_new(k) annotation(Include=\"" COUNTER "\");\n"             \
    "    end constructor;\n    function destructor input Counter c;\n"                           \
    "      external \"C\" counter_free(c) annotation(Include=\"" COUNTER "\");\n"                \
    "    end destructor;\n  end Counter;\n"                                                      \
    "  function value input Counter c; input Real x; output Real y;\n"                           \
    "    external \"C\" y = counter_value(c, x) annotation(Include=\"" COUNTER "\");\n"          \
    "  end value;\n  function tick input Counter c; output Integer n;\n"                         \
    "    external \"C\" n = counter_tick(c) annotation(Include=\"" COUNTER "\");\n  end tick;\n" \
    "  function through input Counter c; input Real x; output Real y;\n"                         \
    "  algorithm y := if x > 0.5 then value(c, x) else -1; end through;\n"

static int alive(void)
{
    const char *s = getenv("EXTERNAL_ALIVE");
    return s ? atoi(s) : 0;
}

// Each object is made once and ended once; what changes it happens once at each moment, and equal
// arguments do not make one object of two.
TEST(objects)
{
    world w;
    setenv("EXTERNAL_ALIVE", "0", 1);
    if (begin_external(&w,
                       "model M\n" COUNTERS "  parameter Real k = 3;\n"
                       "  Counter a = Counter(k), b = Counter(3);\n"
                       "  Real y = value(a, time), z = through(b, time);\n"
                       "  Integer n(start = 0, fixed = true), m(start = 0, fixed = true);\n"
                       "equation\n  when sample(0.25, 0.25) then n = tick(a); end when;\n"
                       "  when time > 0.6 then m = tick(b); end when;\nend M;\n",
                       1)) {
        CHECK_NEAR(at(&w, 0.4, "z"), -1, 0);
        CHECK_NEAR(at(&w, 0.9, "n"), 3, 0);
        CHECK_NEAR(at(&w, 0.9, "m"), 1, 0);
        CHECK_NEAR(at(&w, 0.9, "y"), 2.7, 1e-15);
        CHECK_NEAR(at(&w, 0.9, "z"), 2.7, 1e-15);
        CHECK_INT(alive(), 2);
    }
    end(&w);
    CHECK_INT(alive(), 0);
}

// An error of the C code ends the run with its words, and the objects with it.
TEST(errors_in_c)
{
    world w;
    setenv("EXTERNAL_ALIVE", "0", 1);
    if (begin_external(&w,
                       "model M\n" COUNTERS "  Counter a = Counter(1);\n"
                       "  Real x(start = 0, fixed = true);\n"
                       "equation\n  der(x) = value(a, time);\nend M;\n",
                       10)) {
        CHECK_STATUS(fo_simulation_advance(w.sim, 4.5), FO_REACHED, fo_simulation_message(w.sim));
        CHECK(fo_failed(fo_simulation_advance(w.sim, 10)));
        CHECK_CONTAINS(fo_simulation_message(w.sim)->text, "too late");
        CHECK_INT(alive(), 1);
    }
    end(&w);
    CHECK_INT(alive(), 0);
    if (begin_external(
            &w,
            "model M\n" COUNTERS "  Counter a = Counter(-1);\n"
            "  Real x(start = 0, fixed = true);\nequation\n  der(x) = value(a, time);\nend M;\n",
            1)) {
        CHECK(fo_failed(fo_simulation_advance(w.sim, 1)));
        CHECK_CONTAINS(fo_simulation_message(w.sim)->text, "k is -1");
    }
    end(&w);
    CHECK_INT(alive(), 0);
}

TEST(refused)
{
    check_compiled_refused(
        "model M\n" F("f", "input Real x; output Real y;",
                      "double f(double x) { return }") "  Real y = f(time);\nend M;\n",
        "test.mo:4:");
    check_compiled_refused(
        "model M\n  function f input Real x; output Real y;\n"
        "    external \"C\" y = nobody_has_this(x); end f;\n  Real y = f(time);\nend M;\n",
        "nobody_has_this");
    check_compiled_refused(
        "function g input Real x; output Real y; algorithm y := x; end g;\n"
        "function f input g u; output Real y; external \"C\" y = sin(u); end f;\n"
        "model M Real x = f(g); end M;\n",
        "'u' is a function, which C does not take");
    check_compiled_refused(
        "model M\n  function f input Real x; output Real y;\n"
        "    external \"FORTRAN 77\" y = f(x); end f;\n  Real y = f(time);\nend M;\n",
        "only \"C\" is");
    // what C code does has no formula: a constraint cannot be differentiated
    check_compiled_refused(
        "model M\n" F(
            "f", "input Real x; output Real y;",
            "static double f(double x) { return x * x; }") "  Real x(start = 1), y, vx, vy, "
                                                           "l;\nequation\n  der(x) = vx;\n  der(y) "
                                                           "= vy;\n"
                                                           "  der(vx) = -l * x;\n  der(vy) = -l * "
                                                           "y - 9.81;\n  f(x) + y^2 = 1;\nend M;\n",
        "external code has no derivative");
    check_compiled_refused("model M\n" COUNTERS "  Counter a = Counter(time);\n"
                           "  Real y = value(a, 1);\nend M;\n",
                           "must be known before the run");
}

// A constraint in C with its derivatives: the motion is that of the same constraint as a formula,
// whatever the length and the start are. At rest the pendulum's velocity is nothing but rounding.
TEST(a_constraint_in_external_code)
{
    static const double angle[] = {0, 0.3, 1, 1.5}, length[] = {1, 1e-6, 1e4};
    for (int k = 0; k < 2 * 12; k += test_count(10, 2)) { // where it is slow three pairs of both
        double l = length[k / 8], a = angle[k / 2 % 4], last[2][2];
        for (int c = 0; c < 2; c++) {
            char text[4000];
            world w;
            snprintf(text, sizeof text,
                     "model M\n"
                     "  function g input Real x; input Real y; output Real r;\n"
                     "    external \"C\" r = pg(x, y) annotation(derivative = dg, Include = "
                     "\"static double pg(double x, double y) { return x*x + y*y; }\"); end g;\n"
                     "  function dg input Real x; input Real y; input Real u; input Real v;\n"
                     "    output Real r; external \"C\" r = pd(x, y, u, v) annotation("
                     "derivative(order = 2) = ddg, Include = \"static double pd(double x, double "
                     "y, double u, double v) { return 2*x*u + 2*y*v; }\"); end dg;\n"
                     "  function ddg input Real x; input Real y; input Real u; input Real v;\n"
                     "    input Real a; input Real b; output Real r;\n"
                     "    external \"C\" r = pdd(x, y, u, v, a, b) annotation(Include = "
                     "\"static double pdd(double x, double y, double u, double v, double a, "
                     "double b) { return 2*u*u + 2*v*v + 2*x*a + 2*y*b; }\"); end ddg;\n"
                     "  constant Real L = %.17g;\n"
                     "  Real x(start = L*cos(%g)), y(start = -L*sin(%g)), vx, vy, F;\n"
                     "equation\n  der(x) = vx;\n  der(y) = vy;\n  der(vx) = -x*F;\n"
                     "  der(vy) = -y*F - 9.81*L;\n  %s = L^2;\nend M;\n",
                     l, a, a, c ? "g(x, y)" : "x^2 + y^2");
            last[c][0] = last[c][1] = NAN;
            if (begin_external(&w, text, 3))
                last[c][0] = at(&w, 3, "x"), last[c][1] = at(&w, 3, "y");
            end(&w);
        }
        for (int i = 0; i < 2; i++) CHECK_NEAR(last[1][i] / l, last[0][i] / l, 1e-6);
    }
}

TEST_MAIN(TEST_ENTRY(refused_unless_allowed), TEST_ENTRY(arguments), TEST_ENTRY(in_equations),
          TEST_ENTRY(objects), TEST_ENTRY(errors_in_c), TEST_ENTRY(refused),
          TEST_ENTRY(a_constraint_in_external_code))
