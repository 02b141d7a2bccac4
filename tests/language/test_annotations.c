/// What annotations say about functions: derivatives, inverses, smoothness. The values are closed
/// forms; external code has no formula, so that they come from the annotation alone.
#include <math.h>

#include "compiled.h"
#include "samples.h"

static void check_value(world *w, double t, const char *name, double value, double within)
{
    double found = at(w, t, name);
    if (!(fabs(found - value) <= within * fmax(1, fabs(value))))
        test_fail(__FILE__, __LINE__, "%s is %.17g, expected %.17g", name, found, value);
}

/// x^3 + x in C.
#define CUBE(annotations)                                                                 \
    "  function f input Real x; output Real y; external \"C\" y = cube(x)\n"              \
    "    annotation(Include = \"static double cube(double x) { return x*x*x + x; }\");\n" \
    "    annotation(" annotations "); end f;\n"
#define CUBE_1                                                                       \
    "  function f1 input Real x; input Real d; output Real y;\n"                     \
    "    external \"C\" y = cube1(x, d) annotation(Include = \"static double cube1(" \
    "double x, double d) { return (3*x*x + 1)*d; }\");\n"                            \
    "    annotation(derivative(order = 2) = f2); end f1;\n"
#define CUBE_2                                                                  \
    "  function f2 input Real x; input Real d; input Real dd; output Real y;\n" \
    "    algorithm y := (3*x*x + 1)*dd + 6*x*d*d; end f2;\n"

// The root of x^3 + x = y, and its two derivatives by time where y' and y'' are these.
static double root_of(double y)
{
    double x = 1;
    for (int i = 0; i < 60; i++) x -= (x * x * x + x - y) / (3 * x * x + 1);
    return x;
}

// A position that external code prescribes: its velocity and acceleration are of the second and
// third order of the index.
TEST(index_reduction_through_external_code)
{
    world w;
    if (begin_external(&w,
                       "model M\n" CUBE("derivative = f1") CUBE_1 CUBE_2
                       "  Real x(start = 1), v, force;\nequation\n"
                       "  f(x) = 2 + sin(time);\n  der(x) = v;\n  der(v) = force - x;\nend M;\n",
                       2)) {
        double x = root_of(2 + sin(1)), slope = 3 * x * x + 1, v = cos(1) / slope;
        double a = (-sin(1) - 6 * x * v * v) / slope;
        check_value(&w, 1, "x", x, 1e-12);
        check_value(&w, 1, "v", v, 1e-12);
        check_value(&w, 1, "force", a + x, 1e-11);
    }
    end(&w);
    check_compiled_refused("model M\n" CUBE("") "  Real x(start = 1), v;\nequation\n"
                                                "  f(x) = 2 + time;\n  der(x) = v;\nend M;\n",
                           "external code has no derivative");
}

// How finely it varies is not known, so that differences would be no derivative.
TEST(smooth_external_code_is_not_differentiated)
{
    check_compiled_refused(
        "model M\n" CUBE("smoothOrder = 2") "  Real x(start = 1), v;\nequation\n"
                                            "  f(x) = 2 + time;\n  der(x) = v;\nend M;\n",
        "external code has no derivative");
}

// The derivative where k stands still, and the one where it does not; arrays, numbers that have no
// derivatives, several results.
TEST(inputs_and_results_of_derivatives)
{
    world w;
    if (begin_external(
            &w,
            "model M\n  function f input Real x[:]; input Real k; input Integer n;\n"
            "    output Real y[size(x, 1)]; output Integer m; output Real s;\n"
            "    external \"C\" many(x, size(x, 1), k, n, y, m, s) annotation(Include = \"\n"
            "#include <stddef.h>\n"
            "static void many(const double *x, size_t c, double k, int n, double *y, int *m,\n"
            "                 double *s)\n"
            "{ *m = 7; *s = 0; for (size_t i = 0; i < c; i++) y[i] = n*k*x[i]*x[i], *s += y[i]; "
            "}\");\n"
            "    annotation(derivative(zeroDerivative = k) = f0, derivative = f1); end f;\n"
            "  function f0 input Real x[:]; input Real k; input Integer n;\n"
            "    input Real dx[size(x, 1)]; output Real dy[size(x, 1)]; output Real ds;\n"
            "    algorithm dy := 2*n*k*x.*dx; ds := sum(dy) + 1000; end f0;\n"
            "  function f1 input Real x[:]; input Real k; input Integer n;\n"
            "    input Real dx[size(x, 1)]; input Real dk; output Real dy[size(x, 1)];\n"
            "    output Real ds; algorithm dy := n*(2*k*x.*dx + dk*x.*x); ds := sum(dy); end f1;\n"
            "  Real y[2], s, z[2], r, dy[2] = der(y), ds = der(s), dz[2] = der(z), dr = der(r);\n"
            "  Integer m, i;\nequation\n"
            "  (y, m, s) = f({time, 2*time}, 5, 3);\n  (z, i, r) = f({time, 2*time}, time, 3);\n"
            "end M;\n",
            2)) {
        check_value(&w, 1, "dy[1]", 30, 1e-12);
        check_value(&w, 1, "dy[2]", 120, 1e-12);
        check_value(&w, 1, "ds", 1150, 1e-12); // that of the first, which adds 1000
        check_value(&w, 1, "dz[2]", 36, 1e-12);
        check_value(&w, 1, "dr", 45, 1e-12);
    }
    end(&w);
}

// What is no derivative by its order, its inputs or its results is not taken for one.
TEST(derivatives_of_another_form)
{
    static const struct {
        const char *said, *inputs, *output;
        bool right;
    } all[] = {
        {"derivative", "Real x[2]; input Real k; input Real der_x[2]; input Real der_k",
         "Real dy[2]", true},
        {"derivative(order = 1)", "Real p[2]; input Real q; input Real dp[2]; input Real dq",
         "Real dy[2]", true},
        {"derivative(order = 0)", "Real x[2]; input Real k; input Real dx[2]; input Real dk",
         "Real dy[2]", false},
        {"derivative(order = 1.5)", "Real x[2]; input Real k; input Real dx[2]; input Real dk",
         "Real dy[2]", false},
        {"derivative(order = 2)", "Real x[2]; input Real k; input Real dx[2]; input Real dk",
         "Real dy[2]", false},
        {"derivative", "Real x[2]; input Real k; input Real der_k[2]; input Real der_x",
         "Real dy[2]", false},
        {"derivative", "Real k[2]; input Real x; input Real dx[2]; input Real dk", "Real dy[2]",
         false},
        {"derivative", "Real x[2]; input Real k; input Real dk; input Real dx[2]", "Real dy[2]",
         false},
        {"derivative", "Real x[2]; input Real k; input Real dx[2]; input Real dk", "Real dy[1, 2]",
         false},
        {"derivative", "Real x[2]; input Real k; input Real dx[2]; input Real dk", "Real dy[2, 1]",
         false},
        {"derivative", "Real x[2]; input Real k; input Real dx[2]; input Real dk", "Integer dy[2]",
         false},
        {"derivative", "Real x[2]; input Real k; input Real dx[2]; input Real dk",
         "Real dy[2]; output Real more", false},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        char text[1500];
        snprintf(text, sizeof text,
                 "model M\n  function f input Real x[2]; input Real k; output Real y[2];\n"
                 "    external \"C\" twice(x, k, y) annotation(Include = \"static void twice(\n"
                 "const double *x, double k, double *y) { y[0] = k*x[0]; y[1] = k*x[1]; }\");\n"
                 "    annotation(%s = f1); end f;\n"
                 "  function f1 input %s; output %s;\n"
                 "    external \"C\" five() annotation(Include = \"static void five(void) {}\");\n"
                 "  end f1;\n  Real y[2] = f({time, 1}, 2), v = der(y[1]);\nend M;\n",
                 all[i].said, all[i].inputs, all[i].output);
        if (!all[i].right) {
            check_compiled_refused(text, "external code has no derivative");
            continue;
        }
        world w;
        if (begin_external(&w, text, 1)) CHECK_NEAR(at(&w, 0.5, "v"), 0, 0);
        end(&w);
    }
}

/// Position, velocity and acceleration of one input: they need not follow from each other.
#define MOVE                                                                                 \
    "  function p input Real q[3]; input Real t; output Real y; algorithm y := q[1];\n"      \
    "    annotation(derivative(noDerivative = q) = p1, InlineAfterIndexReduction = true);\n" \
    "  end p;\n"                                                                             \
    "  function p1 input Real q[3]; input Real t; input Real d; output Real y;\n"            \
    "    algorithm y := q[2]; annotation(derivative(noDerivative = q, order = 2) = p2);\n"   \
    "  end p1;\n"                                                                            \
    "  function p2 input Real q[3]; input Real t; input Real d; input Real d2;\n"            \
    "    output Real y; algorithm y := q[3]; end p2;\n"

static const sample derivatives[] = {
    {"what is said of inputs from outside",
     "model M\n" MOVE "  input Real u[3](start = {1, 2, 3}); Real phi, w, tau;\n"
     "equation phi = p(u, time); w = der(phi); 2*der(w) = tau; end M;\n",
     "tau", 1, 6, 0},
    {"the velocity of it",
     "model M\n" MOVE "  input Real u[3](start = {1, 2, 3}); Real phi, w, tau;\n"
     "equation phi = p(u, time); w = der(phi); 2*der(w) = tau; end M;\n",
     "w", 1, 2, 0},
    {"what is searched by halves has no slope of its own",
     "model M\n  function f input Real y; output Real x; protected Real a = 0, b = 3, m;\n"
     "    algorithm for i in 1:50 loop m := (a + b)/2; if m^3 + m > y then b := m; else a := m;\n"
     "    end if; end for; x := (a + b)/2; annotation(derivative = d); end f;\n"
     "  function d input Real y; input Real dy; output Real dx;\n"
     "    algorithm dx := dy/(3*f(y)^2 + 1); end d;\n"
     "  Real x = f(2 + 8*time), v = der(x); end M;\n",
     "v", 1, 8.0 / 13, 1e-9},
    {"orders, the third of which is told apart",
     "model M\n  function f input Real x; output Real y;\n"
     "    algorithm y := 0; while y < x loop y := y + 1; end while; y := x*x;\n"
     "    annotation(derivative = f1); end f;\n"
     "  function f1 input Real x; input Real d; output Real y;\n"
     "    algorithm y := 2*x*d + 0*f(x); annotation(derivative(order = 2) = f2);\n"
     "  end f1;\n  function f2 input Real x; input Real d; input Real d2; output Real y;\n"
     "    algorithm y := 2*x*d2 + 2*d*d + 0*f(x);\n"
     "    annotation(derivative(order = 3) = f3); end f2;\n"
     "  function f3 input Real x; input Real d; input Real d2; input Real d3; output Real y;\n"
     "    algorithm y := 2*x*d3 + 6*d*d2 + 1000; end f3;\n"
     "  Real a = f(time^2), b = der(a), c = der(b), d = der(c); end M;\n",
     "d", 1, 1024, 1e-9},
    {"a derivative that a later function calls itself",
     "model M\n  function h input Real T; output Real y; algorithm y := T^2;\n"
     "    annotation(derivative = d); end h;\n"
     "  function d input Real T; input Real dT; output Real y; algorithm y := 2*T*dT; end d;\n"
     "  function c input Real T; output Real y; algorithm y := d(T, 1); end c;\n"
     "  Real a = h(time), b = c(time); end M;\n",
     "b", 1, 2, 1e-12},
    {"one formula is differentiated as it is",
     "model M\n  function f input Real x; output Real y; algorithm y := x^2;\n"
     "    annotation(derivative = wrong); end f;\n"
     "  function wrong input Real x; input Real d; output Real y; algorithm y := 0; end wrong;\n"
     "  Real a = f(time), b = der(a); end M;\n",
     "b", 1, 2, 1e-12},
    {"and so are its branches",
     "model M\n  function f input Real x; output Real y; algorithm y := if x > 0 then x^2 else 0;\n"
     "    annotation(derivative = wrong); end f;\n"
     "  function wrong input Real x; input Real d; output Real y; algorithm y := 0; end wrong;\n"
     "  Real a = f(time), b = der(a); end M;\n",
     "b", 1, 2, 1e-12},
    {"what is prescribed, beside something that is zero",
     "model M\n" MOVE "  Real phi(start = 0, fixed = true), w(start = 0, fixed = true), a, tau;\n"
     "  Real phi2, w2, none;\nequation der(phi) = w; der(w) = a; a = 6 - tau; none = 0;\n"
     "  p({phi, w, a}, time) = phi2 - none; w2 = der(phi2); 2*der(w2) = tau; end M;\n",
     "w", 1, 2, 1e-9},
    {"one that cannot be used is none",
     "model M\n  function f input Real x; output Real y; algorithm y := if x > 0 then x^2 else 0;\n"
     "    annotation(derivative = g); end f;\n"
     "  function g input Real x; output Real y; algorithm y := 7; end g;\n"
     "  Real a = f(time), b = der(a); end M;\n",
     "b", 1, 2, 1e-12},
    {"one whose text is wrong is none",
     "model M\n  function f input Real x; output Real y; algorithm y := if x > 0 then x^2 else 0;\n"
     "    annotation(derivative = g); end f;\n"
     "  function g input Real x; input Real d; output Real y; algorithm y := nothing(x); end g;\n"
     "  Real a = f(time), b = der(a); end M;\n",
     "b", 1, 2, 1e-12},
};

TEST(derivatives_of_functions_of_the_language)
{
    CHECK_ALL(derivatives);
}

static const sample solved_by[] = {
    {"an input by the result",
     "model M\n  function f input Real x; input Real k; output Real y; algorithm y := k*(x - "
     "1)^2;\n"
     "    annotation(inverse(x = g(y, k))); end f;\n"
     "  function g input Real y; input Real k; output Real x; algorithm x := 1 - sqrt(y/k); end "
     "g;\n"
     "  Real x(start = 40); equation 2*f(3*x + 1, 5) = 10*time^2; end M;\n",
     "x", 2, -2.0 / 3, 1e-12}, // of two solutions that which the inverse says
    {"not where the unknown is in two inputs",
     "model M\n  function f input Real x; input Real k; output Real y; algorithm y := k*x;\n"
     "    annotation(inverse(x = g(y, k))); end f;\n"
     "  function g input Real y; input Real k; output Real x; algorithm x := 77; end g;\n"
     "  Real x(start = 1); equation f(x, x) = 4; end M;\n",
     "x", 1, 2, 1e-9},
};

TEST(inverses)
{
    CHECK_ALL(solved_by);
    world w; // in C there is nothing else to solve it by but an iteration
    if (begin_external(
            &w,
            "model M\n" CUBE("inverse(x = g(y))") "  function g input Real y; output Real x; "
                                                  "algorithm x := 2*sinh(log(y*sqrt(27)/2 + "
                                                  "sqrt(y^2*27/4 + 1))/3)/sqrt(3); end g;\n"
                                                  "  Real x; equation f(x) = time; end M;\n",
            2))
        check_value(&w, 1, "x", root_of(1), 1e-12);
    end(&w);
}

/// A function of x and its inverse; right sides are what the function gives for a known x.
typedef struct invertible {
    const char *f, *g;
} invertible;

static const invertible pairs[] = {
    {"a*x + b", "(y - b)/a"},
    {"a*exp(x)", "log(y/a)"},
    {"a*(x - b)^3", "b + sign(y/a)*abs(y/a)^(1/3)"},
    {"a*sinh(x) + b", "sign((y - b)/a)*log(abs((y - b)/a) + sqrt(((y - b)/a)^2 + 1))"},
    {"a*x*abs(x)", "sign(y/a)*sqrt(abs(y/a))"},
};

static bool run_inverse(const invertible *p, double a, double b, double wrong, fo_message *why)
{
    char text[1200];
    snprintf(text, sizeof text,
             "model M parameter Real a = %.17g, b = %.17g; Real w = 3*(time - 1); Real x;\n"
             "  function f input Real x; input Real a; input Real b; output Real y;\n"
             "    algorithm y := %s; annotation(inverse(x = g(y, a, b))); end f;\n"
             "  function g input Real y; input Real a; input Real b; output Real x;\n"
             "    algorithm x := (%s)*%.17g; end g;\n"
             "  function h input Real x; input Real a; input Real b; output Real y;\n"
             "    algorithm y := %s; end h;\n"
             "equation f(x, a, b) = h(w, a, b); end M;\n",
             a, b, p->f, p->g, wrong, p->f);
    world w;
    if (!begin(&w, text, 2)) return false;
    bool reached = fo_simulation_advance(w.sim, 2) == FO_REACHED;
    *why = *fo_simulation_message(w.sim);
    end(&w);
    return reached;
}

// Scales over twelve powers of ten, through zeros and where digits are lost: what rounding does is
// no fault of an inverse; what is wrong by a ten thousandth is.
TEST(inverses_are_watched)
{
    uint64_t seed = 1;
    for (int i = 0; i < 60; i++) {
        double random[2];
        for (int k = 0; k < 2; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            random[k] = (double)(seed >> 40) / (1 << 24);
        }
        const invertible *p = &pairs[i % 5];
        double a = (i % 4 < 2 ? 1 : -1) * pow(10, 12 * random[0] - 6);
        double b = (i % 3 - 1) * pow(10, 12 * random[1] - 6);
        fo_message why = {0};
        if (!run_inverse(p, a, b, 1, &why))
            test_fail(__FILE__, __LINE__, "%s, a = %g, b = %g: %s", p->f, a, b, why.text);
        if (strchr(p->f, 'b') != NULL) b = 0;
        CHECK(!run_inverse(p, a, b, 1.0001, &why));
        CHECK_CONTAINS(why.text, "the inverse that an annotation names");
    }
}

// The matrix of Newton's method has the derivative that is named: where that is right it is found,
// where it says that nothing depends on x the equation cannot be solved.
TEST(matrices_of_external_code)
{
    static const char right[] = "model M\n" CUBE("derivative = f1") CUBE_1 CUBE_2
        "  Real x(start = 1); equation x*f(x) = 2 + 18*time; end M;\n";
    static const char wrong[] = "model M\n" CUBE(
        "derivative = none") "  function none input Real x; input Real d; output Real y; algorithm "
                             "y := 0; end none;\n"
                             "  Real x(start = 1); equation f(x) = 2 + 8*time; end M;\n";
    world w;
    if (begin_external(&w, right, 2)) check_value(&w, 1, "x", 2, 1e-9);
    end(&w);
    fo_message why = {0};
    fo_run_def run = fo_default_run_def();
    run.stop = 1;
    fo_text_model *m = open_text(wrong, true, &why);
    CHECK(m);
    fo_simulation *sim = m ? fo_simulation_create(fo_text_model_system(m), &run, &why) : NULL;
    CHECK(!sim || fo_simulation_advance(sim, 1) != FO_REACHED);
    fo_simulation_destroy(sim);
    fo_text_model_close(m);
}

TEST_MAIN(TEST_ENTRY(index_reduction_through_external_code),
          TEST_ENTRY(smooth_external_code_is_not_differentiated),
          TEST_ENTRY(inputs_and_results_of_derivatives), TEST_ENTRY(derivatives_of_another_form),
          TEST_ENTRY(derivatives_of_functions_of_the_language), TEST_ENTRY(inverses),
          TEST_ENTRY(inverses_are_watched), TEST_ENTRY(matrices_of_external_code))
