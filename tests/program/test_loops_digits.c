// Every unknown of a loop to its own last digits: networks of resistors over many decades against
// closed forms in which nothing is subtracted, so that they are right to a few last places whatever
// the sizes are; what is singular and what only looks so; right sides down to the smallest numbers.
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <foliot/foliot.h>

#include "test.h"

#ifndef TIMES
#define TIMES 1 // as many; more in the long runs
#endif

enum { MOST = 40 };
static const double digits = 1e-11; ///< that every unknown has, relative to itself

typedef struct generator {
    uint64_t state;
} generator;

static double uniform(generator *g)
{
    g->state = g->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint64_t x = g->state >> 11;
    return (double)(x ^ (x >> 27)) / (double)(UINT64_C(1) << 53);
}

static int below(generator *g, int n)
{
    return (int)(n * uniform(g));
}

// A number with few digits, as people write them, within so many decades.
static double decade(generator *g, int decades)
{
    char number[40];
    static const double first[] = {1, 1, 2, 4.7, 5, 9.1};
    snprintf(number, sizeof number, "%ge%d", first[below(g, 6)],
             below(g, decades + 1) - decades / 2);
    return strtod(number, NULL);
}

static char text[100000];
static size_t used;

__attribute__((format(printf, 1, 2))) static void put(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    used += (size_t)vsnprintf(text + used, sizeof text - used, format, list);
    va_end(list);
}

// The values of names at the start; false: refused, and `why` says why.
static bool run_text(fo_way way, char (*names)[40], int n, double *y, fo_message *why)
{
    fo_text_model_def def = {.path = "digits.mo", .text = text};
    fo_text_model *model = fo_text_model_open(&def, why);
    if (!model) return false;
    fo_system system = fo_text_model_system(model);
    fo_program_def program = fo_default_program_def();
    program.way = way;
    fo_run_def run = fo_default_run_def();
    run.stop = 1;
    bool good = fo_program_run_as(system, &program, why) == FO_OK;
    fo_simulation *sim = good ? fo_simulation_create(system, &run, why) : NULL;
    good = sim && fo_simulation_advance(sim, 0) == FO_REACHED;
    if (sim && !good) *why = *fo_simulation_message(sim);
    for (int i = 0; good && i < n; i++) {
        fo_reference which;
        good = fo_system_find(system, names[i], &which, why) == FO_OK;
        if (good) y[i] = fo_simulation_value(sim, which);
    }
    fo_simulation_destroy(sim);
    fo_text_model_close(model);
    return good;
}

// As close to what is expected as is claimed, in every way of running, with the same bits.
// `zero`: what counts as nothing.
static void check(int number, char (*names)[40], const long double *expected, int n, double zero)
{
    static const fo_way ways[] = {FO_WAY_BYTECODE, FO_WAY_MEMORY};
    double y[2][2 * MOST];
    fo_message why = {0};
    for (int w = 0; w < 2; w++) {
        if (!run_text(ways[w], names, n, y[w], &why)) {
            test_fail(__FILE__, __LINE__, "network %d is refused: %s", number, why.text);
            return;
        }
        if (w > 0 && memcmp(y[0], y[w], (size_t)n * sizeof(double)) != 0)
            test_fail(__FILE__, __LINE__, "network %d: other bits by way %d", number, w);
    }
    for (int i = 0; i < n; i++)
        if (!(fabsl(y[0][i] - expected[i]) <= digits * fabsl(expected[i]) + zero))
            test_fail(__FILE__, __LINE__, "network %d: %s = %.17g, expected %.17Lg", number,
                      names[i], y[0][i], expected[i]);
}

// -------------------------------------------------------------------------- series and parallel

#define PARTS                                                                                   \
    "  connector Pin Real v; flow Real i; end Pin;\n"                                           \
    "  model R parameter Real R = 1; Pin p, n; Real v, i; equation v = p.v - n.v; v = R*i;\n"   \
    "    i = p.i; p.i + n.i = 0; end R;\n"                                                      \
    "  model V parameter Real V = 1; Pin p, n; equation p.v - n.v = V; p.i + n.i = 0; end V;\n" \
    "  model G Pin p; equation p.v = 0; end G;\n"

/// A resistor, or several parts in series or parallel.
typedef struct part {
    int first, count; ///< of the list of children; 0: a resistor
    bool parallel;
    long double R;
    int number; ///< of the resistor
} part;

typedef struct network {
    part parts[4 * MOST];
    int children[4 * MOST], part_count, child_count, resistors, nodes;
    long double v[MOST], i[MOST];
} network;

static int grow(network *w, generator *g, int depth)
{
    int at = w->part_count++;
    part p = {.parallel = depth % 2 == 0};
    if (depth == 0 || w->resistors > MOST / 2 || uniform(g) < 0.2) {
        p.number = w->resistors++, p.R = decade(g, 24);
    } else {
        int own[3];
        p.count = 2 + below(g, 2);
        for (int k = 0; k < p.count; k++) own[k] = grow(w, g, depth - 1);
        p.first = w->child_count;
        for (int k = 0; k < p.count; k++) w->children[w->child_count++] = own[k];
        for (int k = 0; k < p.count; k++) {
            long double R = w->parts[own[k]].R;
            p.R = k == 0 ? R : p.parallel ? 1 / (1 / p.R + 1 / R) : p.R + R;
        }
    }
    w->parts[at] = p;
    return at;
}

// The voltage over each part by divisions alone, and the text of its connections.
static void spread(network *w, int at, long double v, int from, int to, bool declare)
{
    const part *p = &w->parts[at];
    if (p->count == 0 && declare) put("  R r%d(R = %.17g);\n", p->number, (double)p->R);
    if (p->count == 0 && !declare)
        put("  connect(r%d.p, n%d.p); connect(r%d.n, n%d.p);\n", p->number, from, p->number, to);
    if (p->count == 0) w->v[p->number] = v, w->i[p->number] = v / p->R;
    for (int k = 0; k < p->count; k++) {
        int child = w->children[p->first + k], end = to;
        if (!p->parallel && k + 1 < p->count) end = w->nodes++;
        spread(w, child, p->parallel ? v : v * w->parts[child].R / p->R, from, end, declare);
        if (!p->parallel) from = end;
    }
}

TEST(series_and_parallel_resistors_over_24_decades)
{
    generator g = {1};
    for (int k = 0; k < test_count(20, 60 * TIMES); k++) {
        static network w;
        char names[2 * MOST][40];
        long double expected[2 * MOST];
        memset(&w, 0, sizeof w);
        int top = grow(&w, &g, 2 + below(&g, 3)), n = 0;
        double V = decade(&g, 6);
        used = 0;
        put("model Net\n" PARTS
            "  model N Pin p; equation p.i = 0; end N;\n  V s(V = %.17g); G g;\n",
            V);
        w.nodes = 2, spread(&w, top, V, 1, 0, true);
        for (int node = 0; node < w.nodes; node++) put("  N n%d;\n", node);
        put("equation\n  connect(s.p, n1.p); connect(s.n, n0.p); connect(g.p, n0.p);\n");
        w.nodes = 2, spread(&w, top, V, 1, 0, false);
        put("end Net;\n");
        for (int r = 0; r < w.resistors; r++) {
            snprintf(names[n], sizeof names[n], "r%d.v", r), expected[n++] = w.v[r];
            snprintf(names[n], sizeof names[n], "r%d.i", r), expected[n++] = w.i[r];
        }
        check(k, names, expected, n, 0);
    }
}

// As equations of potentials: chains with leaks to ground, each sum of currents one equation. They
// look singular where leaks are small, and are not.
TEST(chains_that_only_leaks_hold_are_not_singular)
{
    generator g = {2};
    for (int k = 0; k < test_count(20, 60 * TIMES); k++) {
        int n = 2 + below(&g, 8);
        double R[MOST], leak[MOST];
        long double Y = 0, v[MOST];
        char names[2 * MOST][40];
        used = 0;
        put("model Chain\n  Real v[%d];\nequation\n", n);
        for (int i = 0; i < n; i++) R[i] = decade(&g, 16), leak[i] = decade(&g, 16);
        for (int i = 0; i < n; i++) {
            put("  ");
            if (i > 0) put("(v[%d] - v[%d])/%.17g", i + 1, i, R[i]);
            if (i == 0) put("(v[1] - 1)/%.17g", R[0]);
            if (i + 1 < n) put(" + (v[%d] - v[%d])/%.17g", i + 1, i + 2, R[i + 1]);
            put(" + v[%d]/%.17g = 0;\n", i + 1, leak[i]);
        }
        put("end Chain;\n");
        long double share[MOST];
        for (int i = n; i-- > 0;) { // Y: what the rest of the chain draws at 1 V
            Y += 1 / (long double)leak[i];
            share[i] = 1 / (1 + R[i] * Y);
            Y = Y * share[i];
        }
        for (int i = 0; i < n; i++) {
            v[i] = share[i] * (i > 0 ? v[i - 1] : 1);
            snprintf(names[i], sizeof names[i], "v[%d]", i + 1);
        }
        check(k, names, v, n, 0);
    }
}

// What is computed after the loop from potentials that are nearly equal: the currents of the chain,
// which are the sums of what leaks behind; their balance, which is zero; and what a second loop
// makes of the first. Without pairs one in seven of these numbers has no digit left.
TEST(differences_behind_a_loop_keep_their_digits)
{
    generator g = {5};
    for (int k = 0; k < test_count(20, 60 * TIMES); k++) {
        int n = 2 + below(&g, 8), m = 0;
        double R[MOST] = {1}, leak[MOST] = {1};
        long double Y = 0, v[MOST], share[MOST], i_of[MOST + 1] = {0}, expected[2 * MOST];
        char names[2 * MOST][40];
        used = 0;
        put("model After\n  Real v[%d], i[%d], rest, a, b, d;\nequation\n", n, n);
        for (int i = 0; i < n; i++) R[i] = decade(&g, 16), leak[i] = decade(&g, 16);
        for (int i = 0; i < n; i++) {
            put("  ");
            if (i > 0) put("(v[%d] - v[%d])/%.17g", i + 1, i, R[i]);
            if (i == 0) put("(v[1] - 1)/%.17g", R[0]);
            if (i + 1 < n) put(" + (v[%d] - v[%d])/%.17g", i + 1, i + 2, R[i + 1]);
            put(" + v[%d]/%.17g = 0;\n", i + 1, leak[i]);
            if (i == 0) put("  i[1] = (1 - v[1])/%.17g;\n", R[0]);
            if (i > 0) put("  i[%d] = (v[%d] - v[%d])/%.17g;\n", i + 1, i, i + 1, R[i]);
        }
        put("  rest = i[1] - i[2] - v[1]/%.17g;\n", leak[0]);
        put("  a + b = v[1] + v[2];\n  a - b = v[1] - v[2];\n  d = (a - b)/%.17g;\n", R[1]);
        put("end After;\n");
        for (int i = n; i-- > 0;) {
            Y += 1 / (long double)leak[i];
            share[i] = 1 / (1 + R[i] * Y);
            Y = Y * share[i];
        }
        for (int i = 0; i < n; i++) v[i] = share[i] * (i > 0 ? v[i - 1] : 1);
        for (int i = n; i-- > 0;) i_of[i] = i_of[i + 1] + v[i] / leak[i];
        for (int i = 0; i < n; i++) {
            snprintf(names[m], sizeof names[m], "i[%d]", i + 1), expected[m++] = i_of[i];
        }
        snprintf(names[m], sizeof names[m], "rest"), expected[m++] = 0;
        snprintf(names[m], sizeof names[m], "d"), expected[m++] = i_of[1];
        check(k, names, expected, m, 0);
    }
}

// b is 2, a - b is 8 R.
TEST(differences_behind_a_loop_of_newtons_method_do_too)
{
    static const char *const R[] = {"1e-6", "1e-10", "1e-12", "3e-14", "1e-15"};
    char name[1][40] = {"i"};
    for (size_t k = 0; k < FO_COUNT(R); k++) {
        const long double eight = 8;
        used = 0;
        put("model Cube\n  Real a(start = 1.5), b(start = 1.5), i;\nequation\n"
            "  (a - b)/%s + b^3 = 16;\n  (a - b)/%s = b^3;\n  i = (a - b)/%s;\nend Cube;\n",
            R[k], R[k], R[k]);
        check((int)k, name, &eight, 1, 0);
    }
}

// Without leaks nothing holds the potentials, whatever the decades are.
TEST(islands_stay_singular)
{
    generator g = {3};
    for (int k = 0; k < test_count(20, 60 * TIMES); k++) {
        int n = 3 + below(&g, 4);
        double current = k % 3 ? decade(&g, 6) : 0, a[MOST];
        fo_message why = {0};
        for (int i = 0; i < n; i++) a[i] = decade(&g, 24);
        used = 0;
        put("model Island\n  Real v[%d];\nequation\n", n);
        for (int i = 0; i < n; i++) { // a ring
            int after = (i + 1) % n, before = (i + n - 1) % n;
            const char *by = k % 2 ? "/" : "*";
            put("  (v[%d] - v[%d])%s%.17g + (v[%d] - v[%d])%s%.17g = %.17g;\n", i + 1, after + 1,
                by, a[i], i + 1, before + 1, by, a[before],
                i == 0   ? current
                : i == 1 ? -current
                         : 0);
        }
        put("end Island;\n");
        bool solved = run_text(FO_WAY_BYTECODE, NULL, 0, NULL, &why);
        if (solved) test_fail(__FILE__, __LINE__, "island %d has a solution:\n%s", k, text);
        if (!solved) CHECK_CONTAINS(why.text, "cannot be solved");
    }
}

// Rows that depend on each other but for the rounding of their coefficients.
TEST(rows_that_differ_by_rounding_stay_singular)
{
    generator g = {4};
    for (int k = 0; k < test_count(20, 60 * TIMES); k++) {
        int n = 2 + below(&g, 5);
        double A[MOST], b = uniform(&g), last[MOST] = {0}, b_last = 0, by;
        fo_message why = {0};
        used = 0;
        put("model Rows\n  Real y[%d];\nequation\n", n);
        for (int i = 0; i < n; i++) {
            by = uniform(&g), b = uniform(&g), b_last += i + 1 < n ? by * b : 0;
            put("  ");
            for (int j = 0; j < n; j++) {
                A[j] = i + 1 < n ? uniform(&g) - 0.5 : last[j];
                last[j] += i + 1 < n ? by * A[j] : 0;
                put("%s(%.17g)*y[%d]", j ? " + " : "", A[j], j + 1);
            }
            put(" = %.17g;\n", i + 1 < n ? b : b_last);
        }
        put("end Rows;\n");
        bool solved = run_text(FO_WAY_BYTECODE, NULL, 0, NULL, &why);
        if (solved) test_fail(__FILE__, __LINE__, "rows %d have a solution:\n%s", k, text);
        if (!solved) CHECK_CONTAINS(why.text, "cannot be solved");
    }
}

// ------------------------------------------------------------------------------ small right sides

// F(y) = c where F(y) is y to first order: the solution is c, down to the smallest numbers.
TEST(small_right_sides_have_small_solutions)
{
    static const char *const F[] = {"exp(y) - 1",       "log(1 + y)",        "y*exp(y)",
                                    "sinh(y)*cos(y)",   "y + y^3",           "sqrt(1 + 2*y) - 1",
                                    "(exp(2*y) - 1)/2", "1 - 1/(1 + y)",     "tanh(y)",
                                    "y*sqrt(1 + y)",    "exp(y) - 1 + y*y*y"};
    static const char *const start[] = {"0", "0.3", "-0.1"};
    char name[1][40] = {"y"};
    for (size_t f = 0; f < FO_COUNT(F); f++)
        for (int e = -20; e > -330; e -= test_count(100, 50)) {
            char number[40];
            double c, y = NAN;
            fo_message why = {0};
            snprintf(number, sizeof number, "1e%d", e < -320 ? -320 : e);
            c = strtod(number, NULL), used = 0;
            put("model Small\n  Real y(start = %s);\nequation\n  %s = %s;\nend Small;\n",
                start[(f - (unsigned)e) % 3], F[f], number);
            if (!run_text(FO_WAY_BYTECODE, name, 1, &y, &why))
                test_fail(__FILE__, __LINE__, "%s = %s: %s", F[f], number, why.text);
            else if (!(fabs(y - c) <= 1e-12 * c || (c < DBL_MIN && fabs(y) < DBL_MIN)))
                test_fail(__FILE__, __LINE__, "%s = %s: y = %.17g", F[f], number, y);
        }
}

// ------------------------------------------------------------------------------------ no voltage

// One resistor of a net: its law, and its part of the sums of currents.
static void put_edge(int k, int from, int to, double R, char (*sums)[400])
{
    if (from > 0) put("  w[%d]", from);
    if (from == 0) put("  v");
    if (to > 0) put(" - w[%d]", to);
    put(" = %.17g*j[%d];\n", R, k);
    if (from > 0) snprintf(sums[from] + strlen(sums[from]), 20, " - j[%d]", k);
    if (to > 0) snprintf(sums[to] + strlen(sums[to]), 20, " + j[%d]", k);
}

// A bridge whose two sides are equal drives a net of resistors, which acts back on it: everything
// in the net is zero but for rounding, and its equations see nothing else.
static int put_dead_net(generator *g, int nodes, double gain, double back)
{
    static const double common[] = {1.3, 2.7, 47, 1e-5, 1e6};
    static char sums[10][400];
    int edges = nodes + 2 + below(g, nodes - 1), k = 1;
    memset(sums, 0, sizeof sums);
    used = 0;
    put("model Dead\n  Real a, b, i[4], v, w[%d], j[%d];\nequation\n", nodes, edges);
    put("  10 - a = 1.1*i[1]; a = 2.2*i[2]; 10 - b = 3.3*i[3]; b = 6.6*i[4];\n"
        "  i[1] - i[2] = %g*j[1]; i[3] - i[4] = -%g*j[1]; v = %g*(a - b);\n",
        back, back, gain);
    int kinds = below(g, 2) ? 5 : 3;
    for (; k <= nodes; k++) put_edge(k, below(g, k), k, common[below(g, kinds)], sums);
    for (; k < edges; k++) put_edge(k, 1, 2 + below(g, nodes - 1), common[below(g, kinds)], sums);
    put_edge(edges, nodes, -1, 47, sums);
    for (int n = 1; n <= nodes; n++) put("  0 =%s;\n", sums[n]);
    put("end Dead;\n");
    return edges;
}

TEST(nets_without_a_voltage_have_no_currents)
{
    generator g = {19};
    static const double gains[] = {1, -0.7, 1e4}, backs[] = {1, 1e-3, 1e3};
    for (int number = 0; number < 60 * TIMES; number++) {
        char names[2 * MOST][40];
        long double expected[2 * MOST] = {20 / 3.0L, 20 / 3.0L, 10 / 3.3L, 10 / 3.3L};
        int n = 4, nodes = 3 + below(&g, 6);
        for (int k = 0; k < 4; k++)
            snprintf(names[k], sizeof names[k], k < 2 ? "%c" : "i[%d]", k < 2 ? 'a' + k : k + 1);
        int edges = put_dead_net(&g, nodes, gains[number % 3], backs[number / 3 % 3]);
        expected[2] = 10 / (3 * (long double)3.3), expected[3] = expected[2];
        for (int k = 1; k <= nodes; k++) snprintf(names[n++], sizeof names[0], "w[%d]", k);
        for (int k = 1; k <= edges; k++) snprintf(names[n++], sizeof names[0], "j[%d]", k);
        check(number, names, expected, n, 1e-25); // 10 V have rounding errors of 1e-31 in pairs
    }
}

// Underflow solves nothing.
TEST(what_only_underflow_solves_is_refused)
{
    static const char *const F[] = {"exp(y)", "exp(y) + exp(2*y)", "exp(y)*(1 + y*y)"};
    for (size_t f = 0; f < FO_COUNT(F); f++) {
        fo_message why = {0};
        used = 0;
        put("model Under\n  Real y(start = 1);\nequation\n  %s = 0;\nend Under;\n", F[f]);
        if (run_text(FO_WAY_BYTECODE, NULL, 0, NULL, &why))
            test_fail(__FILE__, __LINE__, "%s = 0 has a solution", F[f]);
        CHECK_CONTAINS(why.text, "cannot be solved");
    }
}

// ---------------------------------------------------------------------------------- what is told

typedef struct heard {
    int count;
    char text[300];
} heard;

static void hear(void *self, double t, const char *said)
{
    heard *h = self;
    (void)t;
    h->count++;
    snprintf(h->text, sizeof h->text, "%s", said);
}

// What is said by the way of the text that is there, where `name` is looked at twice. Its value.
static double value_told(const char *name, heard *h)
{
    fo_message why = {0};
    fo_text_model_def def = {.path = "told.mo", .text = text};
    fo_text_model *model = fo_text_model_open(&def, &why);
    fo_observer observer = {.self = h, .interval = -1, .note = hear};
    fo_run_def run = fo_default_run_def();
    run.stop = 1, run.observers = &observer, run.observer_count = 1;
    *h = (heard){0};
    CHECK(model);
    fo_system system = fo_text_model_system(model);
    fo_simulation *sim = fo_simulation_create(system, &run, &why);
    fo_reference which = {0};
    CHECK(sim && fo_system_find(system, name, &which, &why) == FO_OK);
    CHECK_INT(fo_simulation_advance(sim, 0), FO_REACHED);
    (void)fo_simulation_value(sim, which);
    double y = fo_simulation_value(sim, which);
    CHECK_INT(fo_simulation_advance(sim, 1), FO_REACHED);
    CHECK(fo_simulation_value(sim, which) == y);
    fo_simulation_destroy(sim);
    fo_text_model_close(model);
    return y;
}

// No value comes without the note that it has lost digits: it is said where the value is seen, also
// after the last step, once. What has its digits has none.
TEST(what_has_lost_digits_is_told_where_it_is_seen)
{
    static const char *const e[] = {"1e-6", "1e-12", "1e-18", "1e-25"};
    for (size_t k = 0; k < FO_COUNT(e); k++) {
        heard h;
        used = 0;
        put("model Told\n  parameter Real e = %s;\n  Real x, y, d;\nequation\n"
            "  3.3*x + 1.7*y = 7.1;\n  2.3*x - 2.3*y = e;\n  d = x - y;\nend Told;\n",
            e[k]);
        double expected = strtod(e[k], NULL) / 2.3, d = value_told("d", &h);
        bool right = fabs(d - expected) <= digits * expected;
        CHECK_INT(right, k < 3);
        CHECK_INT(h.count, k == 3);
        if (k < 3) continue;
        CHECK_CONTAINS(h.text, "'d' may have lost digits, as at t = 0: it is what is left of");
        CHECK_NEAR(d, expected, 1e-5 * expected);
    }
}

// An unknown that pairs do not resolve beside others: e/0.1 where it is e/2.4 is not said to be
// right to the last place.
TEST(an_unknown_that_pairs_do_not_resolve_is_told)
{
    static const char *const e[] = {"2.3e-10", "2.3e-17", "2.3e-20", "2.3e-21", "2.3e-23"};
    for (size_t k = 0; k < FO_COUNT(e); k++) {
        heard h;
        used = 0;
        put("model Small\n  parameter Real e = %s;\n  Real x, y, w;\nequation\n"
            "  3.3*x + 1.7*y = 7.1;\n  x - y - w = 0;\n  2.3*x - 2.3*y + 0.1*w = e;\n"
            "end Small;\n",
            e[k]);
        double expected = strtod(e[k], NULL) / 2.4, w = value_told("w", &h);
        if (fabs(w - expected) <= digits * expected) continue;
        CHECK(k >= 3);
        CHECK_INT(h.count, 1);
        CHECK_CONTAINS(h.text, "'w' may have lost digits, as at t = 0");
    }
}

TEST_MAIN(TEST_ENTRY(series_and_parallel_resistors_over_24_decades),
          TEST_ENTRY(chains_that_only_leaks_hold_are_not_singular),
          TEST_ENTRY(differences_behind_a_loop_keep_their_digits),
          TEST_ENTRY(differences_behind_a_loop_of_newtons_method_do_too),
          TEST_ENTRY(islands_stay_singular), TEST_ENTRY(rows_that_differ_by_rounding_stay_singular),
          TEST_ENTRY(small_right_sides_have_small_solutions),
          TEST_ENTRY(nets_without_a_voltage_have_no_currents),
          TEST_ENTRY(what_only_underflow_solves_is_refused),
          TEST_ENTRY(what_has_lost_digits_is_told_where_it_is_seen),
          TEST_ENTRY(an_unknown_that_pairs_do_not_resolve_is_told))
