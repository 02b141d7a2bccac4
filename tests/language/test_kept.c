/// Functions that stay functions, where a model would be too large if they were written out: the
/// same values and derivatives as those that are.
#include <math.h>

#include "run.h"
#include "samples.h"

/// More than a hundred thousand statements: 340 calls with 301 each, or one.
static const char filler[] = "  function pad input Real x; output Real y; algorithm y := 0;\n"
                             "    for k in 1:300 loop y := y + sin(k*x)/k; end for; end pad;\n"
                             "  Real pads[%d] = {pad(time + i) for i in 1:%d};\n";

/// Every operation, branches, loops, arrays and calls with several results.
static const char body[] =
    "  function two input Real x; input Real u; output Real p; output Integer n; output Real q;\n"
    "    algorithm p := x*u; n := if x > u then 2 else 3; q := x/(1 + u^2);\n"
    "    for k in 1:40 loop q := q + x/k; end for; end two;\n"
    "  function f input Real x; input Real u; output Real y; output Real z;\n"
    "    protected Real a[3]; Integer n; Real p; Real q;\n"
    "    algorithm\n"
    "    a := {x + 2*u, sqrt(1 + x^2), abs(x - 1)}; y := 0;\n"
    "    for k in 1:60 loop y := y + (x - u)^2/k; end for;\n"
    "    (p, n, q) := two(a[2], u);\n"
    "    y := y + a[n]*p - q + sin(x) + cos(u)*tan(x/9) + asin(x/9) + acos(u/9) + atan(x*u);\n"
    "    y := y + atan2(x, 2 + u) + sinh(x/2) + cosh(u/2) + tanh(x) + exp(u/3) + log(3 + x);\n"
    "    y := y + log10(4 + u) + min(x, u) + max(2*x, u) + mod(x, 7) + rem(u, 5) + floor(x + "
    "0.25);\n"
    "    y := y + sign(x - 0.3) + div(n, 2) + (2 + x)^1.5 + 1.5^u + (if u > 0.9 then x else -u);\n"
    "    z := -a[1];\n"
    "    if x > 0.75 then z := z + y; elseif u > 5 then z := 1; else z := z*u; end if;\n"
    "    while n > 0 loop n := n - 1; if n == 1 then break; end if; end while;\n"
    "    z := z + n; end f;\n"
    "  Real y, z, dy = der(y), dz = der(z); Real u = 0.3 + time^2;\n"
    "  equation (y, z) = f(%s, u);\n";

static bool open_filled(world *w, int pads, const char *rest)
{
    char text[6000];
    size_t used = (size_t)snprintf(text, sizeof text, "model M\n");
    used += (size_t)snprintf(text + used, sizeof text - used, filler, pads, pads);
    snprintf(text + used, sizeof text - used, "%send M;\n", rest);
    return begin(w, text, 2);
}

static double pad_of(double x)
{
    double y = 0;
    for (int k = 1; k <= 300; k++) y += sin(k * x) / k;
    return y;
}

TEST(values_and_derivatives)
{
    static const char *const names[] = {"y", "z", "dy", "dz"};
    char rest[4000];
    snprintf(rest, sizeof rest, body, "0.2 + 0.9*time");
    world v, w;
    bool both = open_filled(&v, 1, rest);
    both = open_filled(&w, 340, rest) && both;
    for (double t = 0.03; both && t < 2; t += test_count(711, 71) * 1e-3) {
        for (size_t i = 0; i < 4; i++) {
            double a = at(&v, t, names[i]), b = at(&w, t, names[i]);
            if (!(fabs(a - b) <= 1e-12 * fmax(1, fabs(a))))
                test_fail(__FILE__, __LINE__, "%s at %g is %.17g, written out %.17g", names[i], t,
                          b, a);
        }
        CHECK_NEAR(at(&w, t, "pads[17]"), pad_of(t + 17), 1e-12);
    }
    end(&v);
    end(&w);
}

// In loops and as rates of states.
TEST(loops_and_states)
{
    world v, w;
    static const char rest[] = "  function c input Real x; output Real y; algorithm y := x;\n"
                               "    for k in 1:70 loop y := y + x^3/70; end for; end c;\n"
                               "  Real x(start = 1), s(start = 0, fixed = true);\n"
                               "equation x + c(x) = 3 + 9*time; der(s) = c(s + 1)/9 - s; ";
    bool both = open_filled(&v, 1, rest);
    both = open_filled(&w, 340, rest) && both;
    for (double t = 0.1; both && t < 2; t += 0.3) {
        double x = at(&w, t, "x");
        CHECK_NEAR(2 * x + x * x * x, 3 + 9 * t, 1e-9);
        CHECK_NEAR(at(&w, t, "s"), at(&v, t, "s"), 1e-7);
    }
    end(&v);
    end(&w);
}

// What is searched has no derivative but the one that is named; what is asserted must hold.
TEST(what_does_not_hold)
{
#define ROOT(annotations)                                                                \
    "  function r input Real y; output Real x; protected Real a; Real b; Real m;\n"      \
    "    algorithm a := 0; b := 3; for i in 1:60 loop m := (a + b)/2;\n"                 \
    "    if m^3 + m > y then b := m; else a := m; end if; end for; x := (a + b)/2;\n"    \
    "    assert(y < 12, \"y is beyond 12\");" annotations " end r;\n"                    \
    "  function d input Real y; input Real dy; output Real dx;\n"                        \
    "    algorithm dx := dy/(3*r(y)^2 + 1); end d;\n"                                    \
    "  function around input Real y; output Real x; algorithm x := 0;\n"                 \
    "    for k in 1:70 loop x := x + 1/k - 1/k; end for; x := x + 2*r(y); end around;\n" \
    "  Real x = around(2 + 8*time), v = der(x), s(start = 0, fixed = true);\n"           \
    "equation der(s) = v; "
    world w;
    if (open_filled(&w, 340, ROOT("annotation(derivative = d);"))) {
        CHECK_NEAR(at(&w, 1, "x"), 4, 1e-12);
        CHECK_NEAR(at(&w, 1, "v"), 16.0 / 13, 1e-9);
        CHECK(fo_simulation_advance(w.sim, 2) != FO_REACHED);
        CHECK_CONTAINS(fo_simulation_message(w.sim)->text, "y is beyond 12");
    }
    end(&w);
    if (open_filled(&w, 340, ROOT(""))) {
        CHECK(fo_simulation_advance(w.sim, 1) != FO_REACHED);
        CHECK_CONTAINS(fo_simulation_message(w.sim)->text, "no derivative");
    }
    end(&w);
    // the same where the function that is called searches itself
    const char *direct =
        "  function r input Real y; output Real x; protected Real a; Real b; Real m;\n"
        "    algorithm a := 0; b := 3; for i in 1:60 loop m := (a + b)/2;\n"
        "    if m^3 + m > y then b := m; else a := m; end if; end for;\n"
        "    x := (a + b)/2; end r;\n"
        "  Real x = r(2 + 8*time), v = der(x), s(start = 0, fixed = true);\n"
        "equation der(s) = v; ";
    if (open_filled(&w, 340, direct)) {
        CHECK(fo_simulation_advance(w.sim, 1) != FO_REACHED);
        CHECK_CONTAINS(fo_simulation_message(w.sim)->text, "no derivative");
    }
    end(&w);
}

// Where a search is to be solved for its argument, Newton's method is content with differences.
TEST(searches_in_loops)
{
    world w;
    if (open_filled(
            &w, 340,
            "  function r input Real y; output Real x; protected Real a; Real b; Real m; Integer "
            "i;\n"
            "    algorithm a := 0; b := 8; i := 0; while i < 60 loop m := (a + b)/2; i := i + 1;\n"
            "    if m^3 + m > y then b := m; else a := m; end if; end while;\n"
            "    x := 0; for k in 1:70 loop x := x + (a + b)/140; end for; end r;\n"
            "  Real y(start = 3);\nequation r(y) + 0.5*y = 1 + time; ")) {
        double y = at(&w, 0, "y"), x = 1 - 0.5 * y;
        CHECK_NEAR(x * x * x + x, y, 1e-12);
    }
    end(&w);
}

// A whole number that a function finds does not move where a constraint is differentiated.
TEST(whole_numbers_stand)
{
    world w;
    if (open_filled(&w, 340,
                    "  function g input Real x; output Real y; output Integer n; algorithm\n"
                    "    n := if x > 0.9 then 2 else 1; y := 0;\n"
                    "    for k in 1:70 loop y := y + n*x^2/70; end for; end g;\n"
                    "  Real y; Integer n; Real z = y*n, dz = der(z); Real u = 0.6*time;\n"
                    "  equation (y, n) = g(u); ")) {
        CHECK_NEAR(at(&w, 1, "dz"), 2 * 0.36, 1e-12);
        CHECK_NEAR(at(&w, 1.45, "dz"), 2 * 0.36 * 1.45, 1e-11);
        CHECK_NEAR(at(&w, 1.75, "dz"), 4 * 2 * 0.36 * 1.75, 1e-11);
    }
    end(&w);
}

TEST_MAIN(TEST_ENTRY(values_and_derivatives), TEST_ENTRY(loops_and_states),
          TEST_ENTRY(what_does_not_hold), TEST_ENTRY(searches_in_loops),
          TEST_ENTRY(whole_numbers_stand))
