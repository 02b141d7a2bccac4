// Equilibria and their bifurcations: published answers and normal forms.
#include <foliot/analysis.h>
#include <foliot/random.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "test.h"

static fo_steady *find(const char *text, const char *vary, const fo_allocator *allocator,
                       fo_message *why)
{
    fo_steady_def def = fo_default_steady_def();
    def.experiment.model.name = "model.mo", def.experiment.model.text = text;
    def.experiment.model.kind = "text", def.experiment.model.allocator = allocator;
    def.experiment.stop = 5;
    def.vary = vary;
    return fo_steady_create(&def, why);
}

static const char lorenz[] =
    "model Lorenz parameter Real rho = 28;\n"
    "Real x(start = 1, fixed = true); Real y(start = 1, fixed = true); Real z(start = 1, fixed = "
    "true);\n"
    "equation der(x) = 10*(y - x); der(y) = x*(rho - z) - y; der(z) = x*y - 8/3*z; end Lorenz;";

TEST(three_of_lorenz)
{
    fo_message why = {0};
    fo_steady *s = find(lorenz, NULL, NULL, &why);
    REQUIRE(s != NULL);
    CHECK_INT((long long)fo_steady_count(s), 3);
    CHECK(fo_steady_is_exact(s));
    int turning = 0;
    for (size_t i = 0; i < fo_steady_count(s); i++) {
        const fo_equilibrium *e = fo_steady_get(s, i);
        CHECK_INT(e->stability, -1);
        if (fabs(e->x[0]) < 1) continue;
        turning++;
        CHECK_NEAR(fabs(e->x[0]), sqrt(72), 1e-9);
        CHECK_NEAR(e->x[2], 27, 1e-9);
        CHECK_NEAR(e->re[0], 0.0939556, 5e-8);
        CHECK_NEAR(e->im[0], 10.1945052, 5e-8);
        CHECK_NEAR(e->re[2], -13.8545779, 5e-8);
    }
    CHECK_INT(turning, 2);
    fo_steady_destroy(s);
}

/// The parameter of the first point with a mark; NaN: there is none.
static double marked(const fo_steady *s, const char *mark, double *frequency)
{
    for (size_t i = 0; i < fo_steady_count(s); i++) {
        const fo_equilibrium *e = fo_steady_get(s, i);
        if (strcmp(e->mark, mark) != 0) continue;
        if (frequency) *frequency = e->frequency;
        return e->parameter;
    }
    return NAN;
}

TEST(hopf_of_lorenz)
{
    fo_message why = {0};
    double frequency = 0;
    fo_steady *s = find(lorenz, "rho=20..30", NULL, &why);
    REQUIRE(s != NULL);
    CHECK_NEAR(marked(s, "Hopf", &frequency), 24.736842105263158, 1e-7);
    CHECK_NEAR(frequency, 9.6245301, 1e-6);
    CHECK(isnan(marked(s, "fold", NULL)));
    fo_steady_destroy(s);
    s = find(lorenz, "rho=0.5..3", NULL, &why); // the pitchfork of the origin
    REQUIRE(s != NULL);
    CHECK_NEAR(marked(s, "branch point", NULL), 1, 1e-6);
    fo_steady_destroy(s);
}

// Bratu's x'' = -l exp(x) on [0, 1] with one inner point: 8 x = l exp(x) has its fold at x = 1, l =
// 8 / e.
TEST(folds)
{
    fo_message why = {0};
    fo_steady *s = find("model B parameter Real l = 0.5; Real x(start = 0, fixed = true);\n"
                        "equation der(x) = -8*x + l*exp(x); end B;",
                        "l=0.5..4", NULL, &why);
    REQUIRE(s != NULL);
    CHECK_NEAR(marked(s, "fold", NULL), 8 / exp(1), 1e-8);
    // round the fold and back to the beginning of the range, where there are two
    double upper = 0;
    for (size_t i = 0; i < fo_steady_count(s); i++) {
        const fo_equilibrium *e = fo_steady_get(s, i);
        CHECK_NEAR(8 * e->x[0], e->parameter * exp(e->x[0]), 1e-8 * 8 * (1 + e->x[0]));
        CHECK_INT(e->stability, *e->mark ? e->stability : e->x[0] < 1 ? 1 : -1);
        upper = fmax(upper, e->x[0]);
    }
    CHECK(upper > 3);
    fo_steady_destroy(s);
}

// The logistic flow: 0 is unstable, K stable. A conserved sum: the equilibrium keeps it.
TEST(flows_with_known_rest)
{
    fo_message why = {0};
    fo_steady *s =
        find("model L Real x(start = 0.1, fixed = true); equation der(x) = 2*x*(1 - x/7); end L;",
             NULL, NULL, &why);
    REQUIRE(s != NULL);
    CHECK_INT((long long)fo_steady_count(s), 2);
    for (size_t i = 0; i < fo_steady_count(s); i++) {
        const fo_equilibrium *e = fo_steady_get(s, i);
        bool zero = fabs(e->x[0]) < 1;
        CHECK_NEAR(e->x[0], zero ? 0 : 7, 1e-9);
        CHECK_NEAR(e->re[0], zero ? 2 : -2, 1e-8);
        CHECK_INT(e->stability, zero ? -1 : 1);
    }
    fo_steady_destroy(s);
    s = find("model C Real a(start = 3, fixed = true); Real b(start = 1, fixed = true);\n"
             "equation der(a) = b - 3*a; der(b) = 3*a - b; end C;",
             NULL, NULL, &why);
    REQUIRE(s != NULL);
    CHECK_NEAR(fo_steady_get(s, 0)->x[0], 1, 1e-8);
    CHECK_NEAR(fo_steady_get(s, 0)->x[1], 3, 1e-8);
    CHECK_INT(fo_steady_get(s, 0)->stability, 0);
    fo_steady_destroy(s);
}

TEST(no_rest)
{
    fo_message why = {0};
    CHECK(!find("model T Real x(start = 0, fixed = true); equation der(x) = 1; end T;", NULL, NULL,
                &why));
    CHECK_INT(why.status, FO_ERROR_CONVERGE);
    CHECK(!find("model T Real x(start = 0, fixed = true); equation der(x) = sin(time) - x; end T;",
                NULL, NULL, &why));
    CHECK_INT(why.status, FO_ERROR_UNFIT);
    CHECK_CONTAINS(why.text, "depend on time itself");
    CHECK(!find(lorenz, "rho=1,2", NULL, &why));
    CHECK_INT(why.status, FO_ERROR_ARGUMENT);
    CHECK(!find(lorenz, "sigma=1..2", NULL, &why));
    CHECK_INT(why.status, FO_ERROR_ARGUMENT);
}

// Modes: an equilibrium is one of the mode that the model has there, and each mode is looked into.
TEST(modes)
{
    static const struct {
        const char *text;
        size_t count;
        double x[3];
    } list[] = {
        {"model N Real x(start = 0, fixed = true);\n"
         "equation der(x) = if x < 1 then 5 - x else -x - 1; end N;",
         0,
         {0}},
        {"model T Real x(start = 0, fixed = true);\n"
         "equation der(x) = if x < 1 then -1 - x else 3 - x; end T;",
         2,
         {-1, 3}},
        {"model C Real x(start = 0.2, fixed = true);\n" // three pieces, two wells and a hill
         "equation der(x) = if x > 1 then 2 - x elseif x < -1 then -2 - x else x; end C;",
         3,
         {-2, 0, 2}},
    };
    for (size_t k = 0; k < sizeof list / sizeof list[0]; k++) {
        fo_message why = {0};
        fo_steady *s = find(list[k].text, NULL, NULL, &why);
        CHECK_INT(s ? (long long)fo_steady_count(s) : 0, (long long)list[k].count);
        if (!s) CHECK_INT(why.status, FO_ERROR_CONVERGE);
        for (size_t i = 0; s && i < fo_steady_count(s); i++) {
            const fo_equilibrium *e = fo_steady_get(s, i);
            double nearest = INFINITY;
            for (size_t q = 0; q < list[k].count; q++)
                nearest = fmin(nearest, fabs(e->x[0] - list[k].x[q]));
            CHECK_NEAR(nearest, 0, 1e-9);
            CHECK_INT(e->stability, k == 2 && fabs(e->x[0]) < 1 ? -1 : 1);
        }
        fo_steady_destroy(s);
    }
}

// What a sampled controller holds is no constant: x' = u - x, u := -50 x every 0.1 s has x = 0
// only, which the flow between samples would call stable, but the samples make it unstable.
TEST(samples_do_not_make_rest)
{
    fo_message why = {0};
    fo_steady *s = find("model S Real x(start = 1, fixed = true); discrete Real u(start = 0, fixed "
                        "= true);\nequation der(x) = u - x; when sample(0, 0.1) then u = -50*x; "
                        "end when; end S;",
                        NULL, NULL, &why);
    REQUIRE(s != NULL);
    CHECK_INT((long long)fo_steady_count(s), 1);
    CHECK_NEAR(fo_steady_get(s, 0)->x[0], 0, 1e-12);
    CHECK_INT(fo_steady_get(s, 0)->stability, 0);
    CHECK(strcmp(fo_steady_get(s, 0)->mark, "acts") == 0);
    fo_steady_destroy(s);
}

// A run that flies away is no measure of what is small.
TEST(a_run_that_grows)
{
    fo_message why = {0};
    fo_steady *s =
        find("model G Real x(start = 2, fixed = true); Real y(start = 1, fixed = true);\n"
             "equation der(x) = 9*(x - 1)*(x - 3); der(y) = 20*(y - 5); end G;",
             NULL, NULL, &why);
    REQUIRE(s != NULL);
    CHECK_INT((long long)fo_steady_count(s), 2);
    for (size_t i = 0; i < fo_steady_count(s); i++) {
        const fo_equilibrium *e = fo_steady_get(s, i);
        CHECK(fabs(e->x[0] - 1) < 1e-9 || fabs(e->x[0] - 3) < 1e-9);
        CHECK_NEAR(e->x[1], 5, 1e-9);
    }
    fo_steady_destroy(s);
}

// Two states in units of their own: with u = x / a and w = y / b + c u, u' = +-(u - r0) (u - r1)
// (u - r2) and w' = +-(w - q0) (w - q1), in time units of 1 / k. Many runs of these fly away, and
// some begin at zero. What is found is an equilibrium in its own units, and its stability is known.
typedef struct cross {
    double r[3], q[2], a, b, c, k;
    double up, right; ///< signs
} cross;

static double pick(fo_random *r, double from, double to)
{
    return from + (to - from) * (double)fo_random_below(r, 1000001) / 1000000;
}

static cross make_cross(fo_random *r)
{
    cross m;
    for (int i = 0; i < 3; i++) m.r[i] = pick(r, -3, -1) + 2 * i;
    for (int i = 0; i < 2; i++) m.q[i] = pick(r, -2, 0) + 2 * i;
    m.a = pow(10, pick(r, -6, 6)), m.b = pow(10, pick(r, -6, 6)), m.k = pow(10, pick(r, -5, 5));
    m.c = pick(r, -0.5, 0.5);
    m.up = fo_random_below(r, 2) ? 1 : -1, m.right = fo_random_below(r, 2) ? 1 : -1;
    return m;
}

static fo_steady *find_cross(const cross *m, fo_random *r, fo_message *why)
{
    char text[2000];
    double from[2];
    for (int i = 0; i < 2; i++) from[i] = fo_random_below(r, 3) ? pick(r, -3, 3) : 0;
    snprintf(text, sizeof text,
             "model M Real x(start = %.17g, fixed = true), y(start = %.17g, fixed = true);\n"
             "Real u, w, f; equation u = x/%.17g; w = y/%.17g + (%.17g)*u;\n"
             "f = (%.17g)*(u - (%.17g))*(u - (%.17g))*(u - (%.17g)); der(x) = %.17g*f;\n"
             "der(y) = %.17g*((%.17g)*(w - (%.17g))*(w - (%.17g)) - (%.17g)*f); end M;",
             from[0] * m->a, from[1] * m->b, m->a, m->b, m->c, m->up * m->k, m->r[0], m->r[1],
             m->r[2], m->a, m->b, m->right * m->k, m->q[0], m->q[1], m->c);
    fo_steady_def def = fo_default_steady_def();
    def.experiment.model.name = "model.mo", def.experiment.model.text = text;
    def.experiment.model.kind = "text", def.experiment.stop = 2 / m->k;
    return fo_steady_create(&def, why);
}

static void check_cross(const cross *m, const fo_equilibrium *e)
{
    double u = e->x[0] / m->a, w = e->x[1] / m->b + m->c * u;
    int i = u < -1 ? 0 : u < 1 ? 1 : 2, j = w < 0 ? 0 : 1;
    CHECK_NEAR(u, m->r[i], 1e-9);
    CHECK_NEAR(w, m->q[j], 1e-9);
    double one = m->up, two = m->right * (m->q[j] - m->q[!j]);
    for (int k = 0; k < 3; k++) one *= k == i ? 1 : m->r[i] - m->r[k];
    CHECK_INT(e->stability, one < 0 && two < 0 ? 1 : -1);
    CHECK_NEAR(e->re[0] / m->k, fmax(one, two), 1e-6 * fmax(fabs(one), fabs(two)));
}

TEST(units_of_states)
{
    size_t found = 0, all = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        fo_random r = fo_random_stream(61, seed);
        fo_message why = {0};
        cross m = make_cross(&r);
        fo_steady *s = find_cross(&m, &r, &why);
        CHECK(s != NULL);
        for (size_t i = 0; s && i < fo_steady_count(s); i++) check_cross(&m, fo_steady_get(s, i));
        if (s) CHECK(fo_steady_count(s) <= 6);
        if (s) found += fo_steady_count(s);
        all += 6;
        fo_steady_destroy(s);
    }
    CHECK((double)found > 0.95 * (double)all);
}

// x' = m x - x^3 (pitchfork) and x' = m x - x^2 (transcritical): from the branch x = 0 the others
// are found at m = 0, and are x = +-sqrt(m), or x = m.
TEST(branches_that_meet)
{
    static const char *const texts[] = {
        "model P parameter Real m = -1; Real x(start = 0.1, fixed = true); equation der(x) = m*x - "
        "x^3; end P;",
        "model T parameter Real m = -1; Real x(start = 0.1, fixed = true); equation der(x) = m*x - "
        "x^2; end T;"};
    for (int which = 0; which < 2; which++) {
        fo_message why = {0};
        fo_steady *s = find(texts[which], "m=-1..1", NULL, &why);
        CHECK_STATUS(s ? FO_OK : why.status, FO_OK, &why);
        if (!s) continue;
        int met = 0, ends[3] = {0};
        for (size_t i = 0; i < fo_steady_count(s); i++) {
            const fo_equilibrium *e = fo_steady_get(s, i);
            double x = e->x[0], m = e->parameter;
            CHECK_NEAR(which ? x * (m - x) : x * (m - x * x), 0, 1e-9);
            if (strcmp(e->mark, "branch point") == 0) met++, CHECK_NEAR(m, 0, 1e-6);
            if (fabs(x) > 0.1) CHECK(e->stability == (which && m < 0 ? -1 : 1));
            if (m == 1) ends[x > 0.5 ? 2 : x < -0.5 ? 0 : 1]++;
        }
        CHECK(met >= 1);
        CHECK_INT(ends[2], 1);
        CHECK_INT(ends[1], 1);
        CHECK_INT(ends[0], which ? 0 : 1);
        fo_steady_destroy(s);
    }
}

// A model that chooses its states while it runs: the pendulum hangs, and swings by sqrt(g / L).
TEST(chosen_states)
{
    fo_message why = {0};
    fo_steady_def def = fo_default_steady_def();
    def.experiment.model.name = "model.mo", def.experiment.model.kind = "text";
    def.experiment.model.text =
        "model P Real x(start = 0.6, fixed = true); Real y(start = -0.8); Real vx(start = 0, fixed "
        "= true); Real vy; Real f;\n"
        "equation der(x) = vx; der(y) = vy; der(vx) = -f*x; der(vy) = -f*y - 9.81; x^2 + y^2 = 1; "
        "end P;";
    fo_steady *s = fo_steady_create(&def, &why);
    CHECK_STATUS(s ? FO_OK : why.status, FO_OK, &why);
    REQUIRE(s != NULL);
    REQUIRE(fo_steady_count(s) >= 1);
    const fo_equilibrium *e = fo_steady_get(s, 0);
    CHECK_NEAR(e->x[0], 0, 1e-9);
    CHECK_NEAR(e->re[0], 0, 1e-6);
    CHECK_NEAR(e->im[0], sqrt(9.81), 1e-6);
    fo_steady_destroy(s);
}

static size_t count_marks(const fo_steady *s, const char *mark, double at)
{
    size_t count = 0;
    for (size_t i = 0; i < fo_steady_count(s); i++) {
        const fo_equilibrium *e = fo_steady_get(s, i);
        if (strcmp(e->mark, mark) != 0) continue;
        count++;
        CHECK_NEAR(fabs(e->parameter), at, 1e-6);
    }
    return count;
}

// What does not reach the range's beginning: x' = r - x^2 has nothing there, the circle
// r^2 + x^2 = 1 lies in the middle, of x = 1/r one half begins at the end. Each point is on its
// curve, none is followed twice, and what goes to infinity says so.
TEST(not_from_the_beginning)
{
    static const struct {
        const char *text, *vary;
        size_t folds, lost;
        double at;
    } cases[] = {
        {"model F parameter Real r = 0; Real x(start = 1, fixed = true); equation der(x) = r - "
         "x^2; end F;",
         "r=-1..1", 1, 0, 0},
        {"model C parameter Real r = 0; Real x(start = 1, fixed = true); equation der(x) = (r^2 + "
         "x^2 - 1)*(x + 3); end C;",
         "r=-2..2", 2, 0, 1},
        {"model H parameter Real r = 0; Real x(start = 1, fixed = true); equation der(x) = r*x - "
         "1; end H;",
         "r=-1..1", 0, 2, 0.0099},
        {"model D parameter Real r = 0; Real x(start = 1, fixed = true); equation der(x) = r^2 + "
         "x^2 - 1; end D;",
         "r=0..2", 1, 0, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fo_message why = {0};
        fo_steady *s = find(cases[i].text, cases[i].vary, NULL, &why);
        CHECK_STATUS(s ? FO_OK : why.status, FO_OK, &why);
        if (!s) continue;
        CHECK(fo_steady_is_whole(s));
        if (cases[i].folds)
            CHECK_INT((long long)count_marks(s, "fold", cases[i].at), (long long)cases[i].folds);
        size_t lost = 0;
        for (size_t k = 0; k < fo_steady_count(s); k++) {
            const fo_equilibrium *e = fo_steady_get(s, k);
            double x = e->x[0], r = e->parameter;
            double f[] = {r - x * x, (r * r + x * x - 1) * (x + 3), r * x - 1, r * r + x * x - 1};
            CHECK_NEAR(f[i], 0, 1e-8);
            lost += strcmp(e->mark, "not followed further") == 0;
        }
        CHECK_INT((long long)lost, (long long)cases[i].lost);
        fo_steady_destroy(s);
    }
}

static bool ends_after(void *self)
{
    int *left = self;
    return --*left < 0;
}

// Ends after so many questions; how many there were otherwise. *whole: it was not ended.
static int end_after(int after, bool *whole)
{
    fo_message why = {0};
    int left = after;
    fo_steady_def def = fo_default_steady_def();
    def.experiment.model.name = "model.mo", def.experiment.model.text = lorenz;
    def.experiment.model.kind = "text", def.experiment.stop = 5;
    def.vary = "rho=0.5..30", def.cancelled = ends_after, def.self = &left;
    fo_steady *s = fo_steady_create(&def, &why);
    if (!s) CHECK_INT(why.status, FO_ERROR_CANCELLED);
    if (s) CHECK(fo_steady_count(s) > 0);
    for (size_t i = 0; s && i < fo_steady_count(s); i++) {
        const double *x = fo_steady_get(s, i)->x;
        CHECK_NEAR(x[0] * x[1] - 8 * x[2] / 3, 0, 1e-7);
    }
    *whole = s && fo_steady_is_whole(s);
    bool some = s != NULL;
    fo_steady_destroy(s);
    return some ? after - left : 0;
}

// What was found until then is there, and each point is an equilibrium: from the search for the
// first ones, of which nothing is kept, to the last points of branches.
TEST(interrupted)
{
    bool whole;
    int all = end_after(100000000, &whole), kept = 0;
    CHECK(whole && all > 1000);
    for (int after = 100; after < all; after += test_count(3, 1) * after / 2)
        end_after(after, &whole);
    for (int before = 1; before < 600; before += test_count(120, 40)) {
        kept += end_after(all - before, &whole) > 0;
        CHECK(!whole);
    }
    CHECK_INT(kept, test_count(5, 15));
}

// Polynomials with known roots, where most starts lead to the same few: all of them are found, and
// nothing else.
TEST(all_roots)
{
    static const double roots[][4] = {{-2.5, -1.1, 0.3, 2.9},
                                      {-0.6, 0.2, 1.4, 2.2},
                                      {-2.9, -2.1, 1.7, 2.8},
                                      {0.4, 0.9, 1.5, 2.7}};
    for (size_t a = 0; a < 4; a++)
        for (size_t c = a % (size_t)test_count(2, 1); c < 4; c += (size_t)test_count(2, 1)) {
            char text[1024];
            const double *r = roots[a], *q = roots[c];
            snprintf(
                text, sizeof text,
                "model W Real x(start = 1.9, fixed = true); Real y(start = -0.4, fixed = true);"
                "\nequation der(x) = -(x - (%g))*(x - (%g))*(x - (%g))*(x - (%g));\n"
                "der(y) = (y - 0.3*x - (%g))*(y - 0.3*x - (%g))*(y - 0.3*x - (%g))*(y - 0.3*x "
                "- (%g)); end W;",
                r[0], r[1], r[2], r[3], q[0], q[1], q[2], q[3]);
            fo_message why = {0};
            fo_steady *s = find(text, NULL, NULL, &why);
            CHECK_STATUS(s ? FO_OK : why.status, FO_OK, &why);
            size_t seen[16] = {0}, all = 0;
            for (size_t i = 0; s && i < fo_steady_count(s); i++) {
                const double *x = fo_steady_get(s, i)->x;
                size_t which = 16;
                for (size_t k = 0; k < 16; k++)
                    if (fabs(x[0] - r[k / 4]) < 1e-8 && fabs(x[1] - 0.3 * x[0] - q[k % 4]) < 1e-8)
                        which = k;
                CHECK(which < 16);
                if (which < 16) seen[which]++;
            }
            for (size_t k = 0; k < 16; k++) all += seen[k] == 1;
            CHECK_INT((long long)all, 16);
            fo_steady_destroy(s);
        }
}

// The run begins and ends far below most of them.
TEST(larger_than_the_run)
{
    fo_message why = {0};
    fo_steady *s =
        find("model M Real x(start = 0.1, fixed = true); Real y(start = 0.2, fixed = true);\n"
             "equation der(x) = x*(1 - x^2)*(x^2 - 4); der(y) = y*(1 - y)*(y + 2)*(y - 3); end M;",
             NULL, NULL, &why);
    REQUIRE(s != NULL);
    CHECK_INT((long long)fo_steady_count(s), 20);
    fo_steady_destroy(s);
}

// Of a line of equilibria the first is shown, that of the model's own start; those that are
// singular but stand alone hide no others.
TEST(lines_of_equilibria)
{
    static const struct {
        const char *text;
        size_t count;
        const char *mark;
        double x;
    } list[] = {
        {"model L Real a(start = 1, fixed = true); Real b(start = 0, fixed = true);\n"
         "equation der(a) = -2*a + 3*b; der(b) = 2*a - 3*b; end L;",
         1, "on a line", 0.6},
        {"model D Real x(start = 1, fixed = true); equation der(x) = -x^2*(x - 3)^2; end D;", 2,
         "degenerate", 0},
        {"model R Real x(start = 0.3, fixed = true); Real y(start = 0.1, fixed = true);\n"
         "equation der(x) = -(x^2 + y^2 - 1)*x; der(y) = -(x^2 + y^2 - 1)*y; end R;", // a ring
         2, "on a line", 0.9486833},
        {"model N Real x(start = 0.3, fixed = true); Real y(start = 0.1, fixed = true);\n"
         "equation der(x) = -x*(x - 1)*(x - 2); der(y) = -(y - x)*(y + x); end N;",
         5, "degenerate", 0},
        {"model T Real x(start = 0.3, fixed = true); Real y(start = 0.1, fixed = true);\n"
         "equation der(x) = x*(1 - x)*(x - 0.5); der(y) = -y*(y^2 - 4)*(y - x); end T;",
         11, "degenerate", 0},
    };
    for (size_t k = 0; k < sizeof list / sizeof list[0]; k++) {
        fo_message why = {0};
        fo_steady *s = find(list[k].text, NULL, NULL, &why);
        REQUIRE(s != NULL);
        CHECK_INT((long long)fo_steady_count(s), (long long)list[k].count);
        const fo_equilibrium *e = NULL; // the first that is singular
        for (size_t i = 0; i < fo_steady_count(s) && !e; i++)
            if (*fo_steady_get(s, i)->mark) e = fo_steady_get(s, i);
        REQUIRE(e != NULL);
        CHECK(strcmp(e->mark, list[k].mark) == 0);
        CHECK_NEAR(e->x[0], list[k].x, 1e-3);
        CHECK_INT(e->stability, 0);
        fo_steady_destroy(s);
    }
}

// Zeros of a higher order, factored and multiplied out, beside ordinary ones on both sides of a
// run that stays between them: all are found, and the word is said of the ordinary ones only.
TEST(zeros_of_higher_order)
{
    static const struct {
        const char *rates;
        int count, order[3]; ///< in ascending order of x
        double x[3];
    } list[] = {{"-(x - 1)^5", 1, {5}, {1}},
                {"(x - 1)^2*(x + 3)", 2, {1, 2}, {-3, 1}},
                {"-(x - 1)^4", 1, {4}, {1}},
                {"x^2 - 2*x + 1", 1, {2}, {1}},
                {"-(x - 1)^7*(x + 2)^2*(x - 4)", 3, {2, 7, 1}, {-2, 1, 4}},
                {"1e-30*(x - 1)*(x + 2)", 2, {1, 1}, {-2, 1}}};
    for (size_t k = 0; k < FO_COUNT(list); k++) {
        char text[256];
        fo_message why = {0};
        snprintf(text, sizeof text,
                 "model Z Real x(start = 0.3, fixed = true); equation der(x) = %s; end Z;",
                 list[k].rates);
        fo_steady *s = find(text, NULL, NULL, &why);
        REQUIRE(s != NULL);
        CHECK_INT((long long)fo_steady_count(s), list[k].count);
        for (int i = 0; i < list[k].count; i++) {
            const fo_equilibrium *e = NULL;
            for (size_t j = 0; j < fo_steady_count(s) && !e; j++)
                if (fabs(fo_steady_get(s, j)->x[0] - list[k].x[i]) < 1e-6) e = fo_steady_get(s, j);
            CHECK(e != NULL);
            if (e) CHECK_INT(e->stability == 0, list[k].order[i] > 1);
        }
        fo_steady_destroy(s);
    }
}

// Bratu's equation on 15 points: the states on the upper half of the branch are many times as large
// as in the run, and it is one branch, followed to both of its ends. The fold is that of the
// difference equations, found apart by Newton's iteration for given heights.
TEST(larger_along_a_branch)
{
    fo_message why = {0};
    fo_steady *s = find(
        "model B parameter Real l = 0.5; Real u[15](each start = 0, each fixed = true);\n"
        "equation for i in 1:15 loop der(u[i]) = 256*((if i > 1 then u[max(i - 1, 1)] else 0) - "
        "2*u[i] + (if i < 15 then u[min(i + 1, 15)] else 0)) + l*exp(u[i]); end for; end B;",
        "l=0.5..4", NULL, &why);
    REQUIRE(s != NULL);
    size_t folds = 0;
    for (size_t i = 0; i < fo_steady_count(s); i++) {
        const fo_equilibrium *e = fo_steady_get(s, i);
        CHECK_INT(e->branch, 0);
        if (!*e->mark) continue;
        CHECK_TEXT(e->mark, "fold");
        CHECK_NEAR(e->parameter, 3.506681117, 1e-7);
        folds++;
    }
    CHECK_INT((long long)folds, 1);
    CHECK(fo_steady_count(s) < 2000);
    fo_steady_destroy(s);
}

TEST_MAIN(TEST_ENTRY(units_of_states), TEST_ENTRY(larger_along_a_branch),
          TEST_ENTRY(zeros_of_higher_order), TEST_ENTRY(larger_than_the_run),
          TEST_ENTRY(lines_of_equilibria), TEST_ENTRY(all_roots), TEST_ENTRY(branches_that_meet),
          TEST_ENTRY(not_from_the_beginning), TEST_ENTRY(interrupted), TEST_ENTRY(chosen_states),
          TEST_ENTRY(a_run_that_grows), TEST_ENTRY(modes), TEST_ENTRY(samples_do_not_make_rest),
          TEST_ENTRY(three_of_lorenz), TEST_ENTRY(hopf_of_lorenz), TEST_ENTRY(folds),
          TEST_ENTRY(flows_with_known_rest), TEST_ENTRY(no_rest))
