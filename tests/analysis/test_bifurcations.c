// Branches of equilibria of systems whose bifurcations have formulas: where each is, of what kind,
// and that nothing else is marked.
#include <foliot/analysis.h>
#include <foliot/random.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "test.h"

enum { MOST_MARKS = 4 };

typedef struct wanted {
    const char *mark;
    double at, frequency;
} wanted;

typedef struct sample {
    const char *text, *vary;
    wanted list[MOST_MARKS]; ///< ends with one without a mark
} sample;

static fo_steady *follow(const char *text, const char *vary)
{
    fo_message why = {0};
    fo_steady_def def = fo_default_steady_def();
    def.experiment.model.name = "model.mo", def.experiment.model.text = text;
    def.experiment.model.kind = "text";
    def.vary = vary;
    fo_steady *s = fo_steady_create(&def, &why);
    if (!s) printf("%s\n", why.text);
    return s;
}

static size_t count_near(const fo_steady *s, const wanted *w, double within)
{
    size_t count = 0;
    for (size_t i = 0; i < fo_steady_count(s); i++) {
        const fo_equilibrium *e = fo_steady_get(s, i);
        count += strcmp(e->mark, w->mark) == 0 && fabs(e->parameter - w->at) <= within &&
                 fabs(e->frequency - w->frequency) <= 1e-5 * w->frequency;
    }
    return count;
}

static size_t count_marks(const fo_steady *s)
{
    size_t count = 0;
    for (size_t i = 0; i < fo_steady_count(s); i++) {
        const char *mark = fo_steady_get(s, i)->mark;
        count += *mark && strcmp(mark, "centre") != 0;
    }
    return count;
}

static void check(const sample *list, size_t count, double within)
{
    for (size_t k = 0; k < count; k++) {
        fo_steady *s = follow(list[k].text, list[k].vary);
        size_t all = 0;
        REQUIRE(s != NULL);
        for (const wanted *w = list[k].list; w->mark; w++, all++)
            CHECK(count_near(s, w, within) > 0);
        if (count_marks(s) != all) printf("%s\n", list[k].text);
        CHECK_INT((long long)count_marks(s), (long long)all);
        fo_steady_destroy(s);
    }
}

#define STATE(name, start) "Real " name "(start = " start ", fixed = true); "
#define HOPF(sign)                                                                            \
    "model H parameter Real m = -1; " STATE("x", "0.1")                                       \
        STATE("y", "0") "equation "                                                           \
                        "der(x) = m*x - 3*y " sign " x*(x^2 + y^2); der(y) = 3*x + m*y " sign \
                        " y*(x^2 + y^2); end H;"
#define CUBIC "x*(x^2 + y^2)"

TEST(normal_forms)
{
    static const sample list[] = {
        {"model S parameter Real r = -1; " STATE("x", "0.5") "equation der(x) = r + x^2; end S;",
         "r=-1..1",
         {{"fold", 0, 0}}},
        {"model T parameter Real r = -1; " STATE("x", "0.5") "equation der(x) = r*x - x^2; end T;",
         "r=-1..1.3",
         {{"branch point", 0, 0}, {"branch point", 0, 0}}}, // of either branch
        {"model P parameter Real r = -1; " STATE("x", "0.5") "equation der(x) = r*x - x^3; end P;",
         "r=-1..1.7",
         {{"branch point", 0, 0}}},
        {"model Q parameter Real r = -1; " STATE("x",
                                                 "0.1") "equation der(x) = r*x + x^3 - x^5; end Q;",
         "r=-1..1.7",
         {{"branch point", 0, 0}, {"fold", -0.25, 0}, {"fold", -0.25, 0}}},
        {HOPF("-"), "m=-1..1", {{"Hopf", 0, 3}}},
        {HOPF("+"), "m=-0.7..1.3", {{"Hopf", 0, 3}}},
        // Bogdanov and Takens: tr = b + x, det = -2 x at x = -sqrt(-a)
        {"model B parameter Real a = -2; parameter Real b = 1; " STATE("x", "-1.2")
             STATE("y", "0") "equation der(x) = y; der(y) = a + b*y + x^2 + x*y; end B;",
         "a=-3..0.5",
         {{"Hopf", -1, 1.4142135623730951}, {"fold", 0, 0}}},
        {"model B parameter Real a = -2; " STATE("x", "-1.2")
             STATE("y", "0") "equation der(x) = y; der(y) = a + x^2 + x*y; end B;",
         "a=-3..0.5",
         {{"fold", 0, 0}}}};
    check(list, FO_COUNT(list), 1e-7);
}

TEST(known_models)
{
    static const sample list[] = {
        {"model L parameter Real r = 2; " STATE("x", "1") STATE("y", "1")
             STATE("z", "1") "equation der(x) = 10*(y - x); der(y) = x*(r - z) - y; der(z) = x*y - "
                             "8/3*z; end L;",
         "r=0.5..30",
         {{"branch point", 1, 0},
          {"Hopf", 470.0 / 19, 9.6245301},
          {"Hopf", 470.0 / 19, 9.6245301}}},
        {"model V parameter Real m = -1; " STATE("x", "1")
             STATE("y", "0") "equation der(x) = y; der(y) = m*(1 - x^2)*y - x; end V;",
         "m=-1..1",
         {{"Hopf", 0, 1}}},
        {"model U parameter Real b = 1; " STATE("x", "1") STATE(
             "y", "1") "equation der(x) = 1.5 - (b + 1)*x + x^2*y; der(y) = b*x - x^2*y; end U;",
         "b=1..5",
         {{"Hopf", 3.25, 1.5}}},
        // at v = -+sqrt(1 - 0.064): I = (v + 0.7)/0.8 - v + v^3/3
        {"model F parameter Real I = 0; " STATE("v", "-1") STATE(
             "w",
             "-0.5") "equation der(v) = v - v^3/3 - w + I; der(w) = 0.08*(v + 0.7 - 0.8*w); end F;",
         "I=0..2",
         {{"Hopf", 0.3312813374547, 0.2755068057}, {"Hopf", 1.4187186625453, 0.2755068057}}}};
    check(list, FO_COUNT(list), 1e-6);
}

// What lies on the imaginary axis all along crosses nothing: centres, and what is conserved; beside
// them a pair may cross, and a pair that only touches the axis does not.
TEST(centres)
{
    static const sample list[] = {
        {"model P parameter Real a = 1.1; " STATE("x", "10")
             STATE("y", "10") "equation der(x) = a*x - 0.4*x*y; der(y) = 0.1*x*y - 0.4*y; end P;",
         "a=0.5..2",
         {{0}}},
        {"model O parameter Real w = 2; " STATE("x", "0.1")
             STATE("y", "0") "equation der(x) = y; der(y) = -w^2*x; end O;",
         "w=0.5..2",
         {{0}}},
        {"model C parameter Real m = -1; " STATE("x", "0.1") STATE("y", "0") STATE("p", "1") STATE(
             "q", "2") "equation der(x) = m*x - 3*y - " CUBIC "; "
                       "der(y) = 3*x + m*y - y*(x^2 + y^2); der(p) = 5*q; der(q) = -5*p; end C;",
         "m=-0.7..1.3",
         {{"Hopf", 0, 3}}},
        {"model T parameter Real m = -1; " STATE("x", "0.1")
             STATE("y", "0") "equation der(x) = -m^2*x - 3*y - " CUBIC
                             "; der(y) = 3*x - m^2*y - y*(x^2 + y^2); end T;",
         "m=-1..1",
         {{0}}}};
    check(list, FO_COUNT(list), 1e-6);
    for (size_t k = 0; k < 2; k++) {
        fo_steady *s = follow(list[k].text, list[k].vary);
        REQUIRE(s != NULL);
        for (size_t i = 0; i < fo_steady_count(s); i++) {
            const fo_equilibrium *e = fo_steady_get(s, i);
            bool pair = e->im[0] != 0;
            CHECK_INT(e->stability, pair ? 0 : -1);
            CHECK_TEXT(e->mark, pair ? "centre" : "");
        }
        fo_steady_destroy(s);
    }
}

// Without a parameter: a pair on the axis is not a singular Jacobian, and beside one that is
// unstable it does not matter.
TEST(words)
{
    static const struct {
        const char *rates, *mark;
        int stability;
    } list[] = {{"der(x) = y; der(y) = -9.81*x; der(z) = -z;", "centre", 0},
                {"der(x) = 1e-9*y; der(y) = -1e-9*x; der(z) = -1e9*z;", "centre", 0},
                {"der(x) = y; der(y) = -9.81*x; der(z) = z;", "", -1},
                {"der(x) = -1e9*x; der(y) = -1e-9*y + x; der(z) = -z;", "", 1},
                {"der(x) = -1e9*x; der(y) = 1e-9*y + x; der(z) = -z;", "", -1},
                {"der(x) = y - z; der(y) = z - y; der(z) = -z;", "on a line", 0}};
    for (size_t k = 0; k < FO_COUNT(list); k++) {
        char text[400];
        snprintf(text, sizeof text,
                 "model W " STATE("x", "0.1") STATE("y", "0")
                     STATE("z", "0.2") "equation %s end W;",
                 list[k].rates);
        fo_steady *s = follow(text, NULL);
        REQUIRE(s != NULL);
        CHECK_INT((long long)fo_steady_count(s), 1);
        CHECK_TEXT(fo_steady_get(s, 0)->mark, list[k].mark);
        CHECK_INT(fo_steady_get(s, 0)->stability, list[k].stability);
        fo_steady_destroy(s);
    }
}

// Several on one step: two pairs after each other, one that comes as another goes, a pair beside a
// fold.
TEST(near_each_other)
{
#define TWO(turn)                                                                         \
    "model T parameter Real m = -1; " STATE("x", "0.1") STATE("y", "0") STATE("p", "0.1") \
        STATE("q", "0.2") "equation der(x) = m*x - 3*y - " CUBIC "; "                     \
                          "der(y) = 3*x + m*y - y*(x^2 + y^2); der(p) = " turn            \
                          "(m - 0.003)*p - 5*q - p*(p^2 + q^2); "                         \
                          "der(q) = 5*p " turn "(m - 0.003)*q - q*(p^2 + q^2); end T;"
    static const sample list[] = {
        {TWO("+"), "m=-0.7..1.3", {{"Hopf", 0, 3}, {"Hopf", 0.003, 5}}},
        {TWO("-"), "m=-0.7..1.3", {{"Hopf", 0, 3}, {"Hopf", 0.003, 5}}},
        {"model F parameter Real m = -1; " STATE("x", "0.1") STATE("y", "0")
             STATE("p", "-0.5") "equation der(x) = (p + 0.05)*x - 3*y - " CUBIC
                                "; der(y) = 3*x + (p + 0.05)*y - "
                                "y*(x^2 + y^2); der(p) = m + p^2; end F;",
         "m=-1..1",
         {{"Hopf", -0.0025, 3}, {"fold", 0, 0}}}};
    check(list, FO_COUNT(list), 1e-6);
}

// In all units of time and of the states.
TEST(units)
{
    static const double units[] = {1e-9, 1, 1e9};
    for (size_t k = 0; k < 9; k += (size_t)test_count(8, 1)) { // two corners
        double time = units[k / 3], unit = units[k % 3];
        char text[600];
        snprintf(text, sizeof text,
                 "model U parameter Real m = -1; Real x(start = %g, fixed = true); "
                 "Real y(start = 0, fixed = true); equation "
                 "der(x) = %g*(m*x - 3*y - x*((x/%g)^2 + (y/%g)^2)); "
                 "der(y) = %g*(3*x + m*y - y*((x/%g)^2 + (y/%g)^2)); end U;",
                 0.1 * unit, time, unit, unit, time, unit, unit);
        const sample s = {text, "m=-0.7..1.3", {{"Hopf", 0, 3 * time}}};
        check(&s, 1, 1e-9);
    }
}

static double pick(fo_random *r, double from, double to)
{
    return from + (to - from) * (double)fo_random_below(r, 1000001) / 1000000;
}

/// Of a polynomial, the power 0 first.
static double value(const double *c, int degree, double x)
{
    double y = 0;
    for (int i = degree; i >= 0; i--) y = y * x + c[i];
    return y;
}

enum { MOST_TURNS = 4 };

/// p = g(u), which turns where g' = (u - c0) (u - c1) ... is zero.
typedef struct graph {
    int turns;
    double c[MOST_TURNS], slope[MOST_TURNS + 1], g[MOST_TURNS + 2];
    double low, high, unit, time, sign; ///< of the range; of x and t
} graph;

static graph make_graph(fo_random *r)
{
    graph g = {.turns = 1 + (int)fo_random_below(r, MOST_TURNS), .slope = {1}};
    for (int i = 0; i < g.turns; i++) {
        g.c[i] = i ? g.c[i - 1] + pick(r, 0.1, 1.3) : pick(r, -2.5, -0.5);
        for (int k = i + 1; k >= 0; k--)
            g.slope[k] = (k ? g.slope[k - 1] : 0) - g.c[i] * (k <= i ? g.slope[k] : 0);
    }
    for (int i = 0; i <= g.turns; i++) g.g[i + 1] = g.slope[i] / (i + 1);
    g.low = INFINITY, g.high = -INFINITY;
    for (int i = 0; i < g.turns; i++) {
        double p = value(g.g, g.turns + 1, g.c[i]);
        g.low = fmin(g.low, p), g.high = fmax(g.high, p);
    }
    double span = 1 + g.high - g.low;
    g.low -= pick(r, 0.1, 1) * span, g.high += pick(r, 0.1, 1) * span;
    g.unit = fo_random_below(r, 2) ? 1 : pow(10, pick(r, -6, 6));
    g.time = fo_random_below(r, 2) ? 1 : pow(10, pick(r, -4, 4));
    g.sign = fo_random_below(r, 2) ? 1 : -1;
    return g;
}

static fo_steady *follow_text(const char *text, const char *vary, double stop)
{
    fo_message why = {0};
    fo_steady_def def = fo_default_steady_def();
    def.experiment.model.name = "model.mo", def.experiment.model.text = text;
    def.experiment.model.kind = "text", def.experiment.stop = stop;
    def.vary = vary;
    fo_steady *s = fo_steady_create(&def, &why);
    if (!s) printf("%s\n%s\n", why.text, text);
    return s;
}

static void check_graph(const graph *g, const fo_steady *s)
{
    size_t folds[MOST_TURNS] = {0}, marks = 0;
    for (size_t i = 0; i < fo_steady_count(s); i++) {
        const fo_equilibrium *e = fo_steady_get(s, i);
        double u = e->x[0] / g->unit, size = fmax(fabs(g->low), fabs(g->high));
        CHECK_NEAR(value(g->g, g->turns + 1, u), e->parameter, 1e-7 * size);
        if (!*e->mark) CHECK_INT(e->stability, g->sign * value(g->slope, g->turns, u) < 0 ? 1 : -1);
        marks += *e->mark != 0;
        for (int k = 0; k < g->turns; k++)
            folds[k] += strcmp(e->mark, "fold") == 0 && fabs(u - g->c[k]) < 1e-4 &&
                        fabs(e->parameter - value(g->g, g->turns + 1, g->c[k])) < 1e-8 * size;
        CHECK_INT(e->branch, 0);
    }
    CHECK_INT((long long)marks, g->turns);
    for (int k = 0; k < g->turns; k++) CHECK_INT((long long)folds[k], 1);
}

// All turns of a branch are folds, and it is one branch, also where two turns lie near each other
// and runs fly away; in any units.
TEST(generated_turns)
{
    for (uint64_t seed = 0; seed < (uint64_t)test_inputs(40, 400); seed++) {
        fo_random r = fo_random_stream(71, seed);
        graph g = make_graph(&r);
        char text[1000], vary[100], *at = text, *end = text + sizeof text;
        at += snprintf(at, (size_t)(end - at),
                       "model G parameter Real p = %.17g; Real x(start = %.17g, fixed = true), u;\n"
                       "equation u = x/%.17g; der(x) = %.17g*(-p",
                       g.low, pick(&r, -2.5, 2.5) * g.unit, g.unit, g.sign * g.time * g.unit);
        for (int i = 1; i <= g.turns + 1; i++)
            at += snprintf(at, (size_t)(end - at), " + (%.17g)*u^%d", g.g[i], i);
        snprintf(at, (size_t)(end - at), "); end G;");
        snprintf(vary, sizeof vary, "p=%.17g..%.17g", g.low, g.high);
        fo_steady *s = follow_text(text, vary, 1 / g.time);
        REQUIRE(s != NULL);
        check_graph(&g, s);
        fo_steady_destroy(s);
    }
}

// x' = +-(x - h0(p)) (x - h1(p)) with parabolas h: branches meet where these do, to all digits.
TEST(generated_meetings)
{
    for (uint64_t seed = 0; seed < (uint64_t)test_inputs(30, 300); seed++) {
        fo_random r = fo_random_stream(72, seed);
        double h[2][3], d[3], at[2] = {NAN, NAN}, unit = pow(10, pick(&r, -5, 5));
        for (int i = 0; i < 6; i++) h[i / 3][i % 3] = pick(&r, -1, 1);
        for (int i = 0; i < 3; i++) d[i] = h[0][i] - h[1][i];
        double root = d[1] * d[1] - 4 * d[0] * d[2];
        for (int i = 0; i < 2 && root > 0; i++)
            at[i] = (-d[1] + (2 * i - 1) * sqrt(root)) / 2 / d[2];
        // neither touching nor at the border
        if (fabs(root) < 0.01 || fabs(fabs(at[0]) - 1) < 0.02 || fabs(fabs(at[1]) - 1) < 0.02)
            continue;
        char text[1000];
        snprintf(
            text, sizeof text,
            "model M parameter Real p = -1; Real x(start = %.17g, fixed = true), u;\n"
            "equation u = x/%.17g; der(x) = %.17g*(u - (%.17g + (%.17g)*p + (%.17g)*p^2))*(u - "
            "(%.17g + (%.17g)*p + (%.17g)*p^2)); end M;",
            pick(&r, -1, 1) * unit, unit, fo_random_below(&r, 2) ? unit : -unit, h[0][0], h[0][1],
            h[0][2], h[1][0], h[1][1], h[1][2]);
        fo_steady *s = follow_text(text, "p=-1..1", 1);
        REQUIRE(s != NULL);
        size_t meetings = 0, found[2] = {0};
        for (int i = 0; i < 2; i++) meetings += fabs(at[i]) < 1;
        for (size_t i = 0; i < fo_steady_count(s); i++) {
            const fo_equilibrium *e = fo_steady_get(s, i);
            double u = e->x[0] / unit, p = e->parameter, near = INFINITY;
            for (int k = 0; k < 2; k++) near = fmin(near, fabs(u - value(h[k], 2, p)));
            CHECK(near < 1e-7);
            if (!*e->mark) continue;
            CHECK(strcmp(e->mark, "branch point") == 0);
            CHECK(fmin(fabs(p - at[0]), isnan(at[1]) ? INFINITY : fabs(p - at[1])) < 1e-8);
            for (int k = 0; k < 2; k++) found[k] += fabs(p - at[k]) < 1e-8;
        }
        CHECK_INT((found[0] > 0) + (found[1] > 0), (long long)meetings);
        fo_steady_destroy(s);
    }
}

TEST_MAIN(TEST_ENTRY(generated_turns), TEST_ENTRY(generated_meetings), TEST_ENTRY(normal_forms),
          TEST_ENTRY(known_models), TEST_ENTRY(centres), TEST_ENTRY(words),
          TEST_ENTRY(near_each_other), TEST_ENTRY(units))
