// Algebraic loops made at random, against an independent solution: loops through one signal, whose
// solutions a fine scan with bisection finds, whatever the loop is made of; and loops through
// several signals that have one solution only, because they contract or are linear.
#include "run.h"

#ifndef TIMES
#define TIMES 1
#endif

static uint64_t state;

static double between(double low, double high)
{
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return low + (high - low) * ((double)(state >> 11) * 0x1p-53);
}

static int pick(int n)
{
    int k = (int)between(0, n);
    return k < n ? k : n - 1;
}

static void seed(uint64_t n)
{
    state = (n + 1) * 0x9e3779b97f4a7c15u;
    for (int i = 0; i < 8; i++) between(0, 1);
}

// ------------------------------------------------------------------------------ through one signal

typedef enum link {
    GAIN,
    SINE,
    COSINE,
    ARCTAN,
    TANH,
    SATURATION,
    DEAD_ZONE,
    ABSOLUTE,
    SQUARE,
    CUBIC,
    EXPONENTIAL,
    TABLE,
    FRICTION,
    LINKS
} link;

typedef struct chain {
    int count;
    link links[4];
    double a[4], b[4];
    double u, k; ///< y = u + k * (all links of y)
    bool events;
} chain;

static void make_chain(chain *c)
{
    c->count = 1 + pick(4);
    for (int i = 0; i < c->count; i++) {
        c->links[i] = (link)pick(FRICTION); // friction jumps: there may be no solution
        c->a[i] = between(-3, 3), c->b[i] = c->a[i] + between(0.1, 3);
    }
    c->u = between(-5, 5), c->k = between(-4, 4);
    if (pick(6) == 0) c->u = 0;
    c->events = pick(2);
}

static double table_at(double x, double a, double b)
{
    // points (a, 0), (b, 1), (b + 1, -1), straight beyond
    return x < b ? (x - a) / (b - a) : 1 - 2 * (x - b);
}

static double through(link l, double a, double b, double x)
{
    switch (l) {
    case GAIN: return a * x;
    case SINE: return sin(x);
    case COSINE: return cos(x);
    case ARCTAN: return atan(x);
    case TANH: return tanh(x);
    case SATURATION: return fmin(fmax(x, a), b);
    case DEAD_ZONE: return x < a ? x - a : x > b ? x - b : 0;
    case ABSOLUTE: return fabs(x);
    case SQUARE: return x * x;
    case CUBIC: return (a * x * x + b) * x + a;
    case EXPONENTIAL: return exp(x);
    case TABLE: return table_at(x, a, b);
    default: return NAN;
    }
}

static double around(const chain *c, double y)
{
    for (int i = 0; i < c->count; i++) {
        y = through(c->links[i], c->a[i], c->b[i], y);
        if (!isfinite(y)) return NAN;
    }
    return c->u + c->k * y;
}

static size_t write_link(link l, double a, double b, const char *name, int i, char *text,
                         size_t size)
{
    static const char *const trigonometric[] = {"", "sin", "cos", "atan", "tanh"};
    char part[400] = "";
    switch (l) {
    case GAIN: snprintf(part, sizeof part, "'Gain', 'parameters': {'Gain': %.17g}", a); break;
    case SINE:
    case COSINE:
    case ARCTAN:
    case TANH:
        snprintf(part, sizeof part, "'Trigonometric Function', 'parameters': {'Function': '%s'}",
                 trigonometric[l]);
        break;
    case SATURATION:
        snprintf(part, sizeof part,
                 "'Saturation', 'parameters': {'Upper Limit': %.17g, 'Lower Limit': %.17g}", b, a);
        break;
    case DEAD_ZONE:
        snprintf(part, sizeof part,
                 "'Dead Zone', 'parameters': {'Start of Dead Zone': %.17g, 'End of Dead Zone': "
                 "%.17g}",
                 a, b);
        break;
    case ABSOLUTE: snprintf(part, sizeof part, "'Absolute'"); break;
    case SQUARE:
        snprintf(part, sizeof part, "'Math Function 1', 'parameters': {'Function': 'Square'}");
        break;
    case CUBIC:
        snprintf(part, sizeof part,
                 "'Polynomial', 'parameters': {'Coefficients': '%.17g 0 %.17g %.17g'}", a, b, a);
        break;
    case EXPONENTIAL:
        snprintf(part, sizeof part, "'Math Function 1', 'parameters': {'Function': 'Exponential'}");
        break;
    default:
        snprintf(part, sizeof part,
                 "'Look-Up Table', 'parameters': {'Input Values': '%.17g %.17g %.17g', 'Output "
                 "Values': '0 1 -1'}",
                 a, b, b + 1);
    }
    return (size_t)snprintf(text, size, "{'name': '%s%d', 'type': %s}, ", name, i, part);
}

static void write_chain(const chain *c, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size,
                                   "'simulation': {'algebraicLoops': 'solve', 'integrator': "
                                   "'rk4', 'step': 0.1, 'stop': 1, 'events': %s}, 'nodes': [",
                                   c->events ? "true" : "false");
    for (int i = 0; i < c->count; i++)
        used += write_link(c->links[i], c->a[i], c->b[i], "n", i, text + used, size - used);
    used += (size_t)snprintf(
        text + used, size - used,
        "{'name': 'u', 'type': 'Constant', 'parameters': {'Constant Value': %.17g}}, {'name': 'k', "
        "'type': 'Gain', 'parameters': {'Gain': %.17g}}, {'name': 'y', 'type': 'Sum'}, {'name': "
        "'e', 'type': 'Display'}], 'lines': [{'from': 'y', 'to': ['n0', 'e']}, ",
        c->u, c->k);
    for (int i = 0; i + 1 < c->count; i++)
        used +=
            (size_t)snprintf(text + used, size - used, "{'from': 'n%d', 'to': 'n%d'}, ", i, i + 1);
    snprintf(text + used, size - used,
             "{'from': 'n%d', 'to': 'k'}, {'from': 'u', 'to': 'y:1'}, {'from': 'k', 'to': 'y:2'}]",
             c->count - 1);
}

// A solution in [-reach, reach] at which y - around(y) changes its sign, the one nearest to zero;
// NAN if the scan sees none.
static double solution(const chain *c, double reach)
{
    enum { PARTS = 4000 };
    double best = NAN;
    for (int i = -PARTS; i < PARTS; i++) {
        double low = reach * i / PARTS, high = reach * (i + 1) / PARTS;
        double at_low = around(c, low) - low, at_high = around(c, high) - high;
        if (!isfinite(at_low) || !isfinite(at_high) || at_low * at_high > 0) continue;
        for (int k = 0; k < 200; k++) {
            double middle = low + (high - low) / 2, f = around(c, middle) - middle;
            if (f * at_low > 0)
                low = middle;
            else
                high = middle;
        }
        if (isnan(best) || fabs(low) < fabs(best)) best = low;
    }
    return best;
}

// Whether y solves it but for rounding. A loop that magnifies by D = |around'| has its unknown,
// which may be any of its signals, to an ulp, and y to D of these: then around(y) - y changes its
// sign within that of y.
static bool solves(const chain *c, double y)
{
    double by = 64 * 0x1p-53 * fabs(y), size = fabs(c->u) + fabs(y), x = y;
    for (int i = 0; i < c->count; i++) {
        x = through(c->links[i], c->a[i], c->b[i], x);
        size = fmax(size, fabs(x) * fmax(1, fabs(c->k)));
    }
    double f = around(c, y), change = fabs(around(c, y + by) - f) + fabs(around(c, y - by) - f);
    if (fabs(f - y) <= change + by + 1e-13 * size) return true;
    if (change > 1e-3 * fabs(y)) return true; // too much of it to judge
    for (int i = 1; i <= 400; i++) {
        double up = y + change * i / 25, down = y - change * i / 25;
        if ((around(c, up) - up) * (f - y) <= 0 || (around(c, down) - down) * (f - y) <= 0)
            return true;
    }
    return false;
}

typedef struct counts {
    long loops, solved, refused, without;
} counts;

static void try_chain(uint64_t n, counts *sum)
{
    chain c;
    char text[4000];
    diagram_run r;
    fo_reference which;
    seed(n);
    make_chain(&c);
    write_chain(&c, text, sizeof text);
    if (!open_run(&r, text)) return;
    sum->loops++;
    fo_status status = fo_simulation_advance(r.sim, 0);
    if (!fo_failed(status)) {
        sum->solved++;
        fo_system_find(fo_diagram_system(r.diagram), "e", &which, &r.why);
        double y = fo_simulation_value(r.sim, which), left = around(&c, y) - y;
        if (!solves(&c, y))
            test_fail(__FILE__, __LINE__, "loop %llu: y = %.17g leaves %g", (unsigned long long)n,
                      y, left);
    } else {
        double y = solution(&c, 1);
        for (double reach = 10; reach < 1e5 && isnan(y); reach *= 10) y = solution(&c, reach);
        sum->refused++;
        sum->without += isnan(y);
        if (!isnan(y))
            printf("    loop %llu is refused, although y = %.17g: %s\n", (unsigned long long)n, y,
                   fo_simulation_message(r.sim)->text);
    }
    close_run(&r);
}

TEST(loops_through_one_signal_are_solved_where_there_is_a_solution)
{
    counts sum = {0};
    for (uint64_t n = 0; n < 400 * TIMES; n++) try_chain(n, &sum);
    printf("    %ld loops: %ld solved, %ld refused, of which %ld have no solution\n", sum.loops,
           sum.solved, sum.refused, sum.without);
    CHECK(sum.solved > sum.loops / 2);
    CHECK(sum.refused - sum.without <= sum.loops / 1000);
}

// ------------------------------------------------------------------------- through several signals
//
// y_i = u_i + sum_j a_ij f_j(y_j) with bounded or straight f, all in one loop. Where the sum of
// |a_ij| L_j of every row is below one, the sweeps contract, to the only solution.

enum { MOST = 5 };

typedef struct web {
    int n;
    link links[MOST];
    double lows[MOST], highs[MOST], a[MOST][MOST], u[MOST], unit[MOST];
} web;

static void make_web(web *w, double contraction)
{
    static const link kinds[] = {SINE, COSINE, ARCTAN, TANH, SATURATION, GAIN, DEAD_ZONE, ABSOLUTE};
    w->n = 2 + pick(MOST - 1);
    for (int i = 0; i < w->n; i++) {
        w->links[i] = kinds[pick(contraction < 1 ? 8 : 5)];
        w->lows[i] = between(-1, 1), w->highs[i] = w->lows[i] + between(0.1, 2);
        w->u[i] = between(-5, 5);
        double sum = 0;
        for (int j = 0; j < w->n; j++) sum += fabs(w->a[i][j] = between(-1, 1));
        for (int j = 0; j < w->n; j++) w->a[i][j] *= contraction / sum;
    }
}

static size_t write_web(const web *w, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size,
                                   "'simulation': {'algebraicLoops': 'solve', 'integrator': "
                                   "'rk4', 'step': 0.1, 'stop': 1}, 'nodes': [");
    for (int i = 0; i < w->n; i++) {
        used += write_link(w->links[i], w->lows[i], w->highs[i], "f", i, text + used, size - used);
        used += (size_t)snprintf(text + used, size - used,
                                 "{'name': 'u%d', 'type': 'Constant', 'parameters': {'Constant "
                                 "Value': %.17g}}, {'name': 'y%d', 'type': 'Sum', 'parameters': "
                                 "{'Signs': '++++++'}}, {'name': 'e%d', 'type': 'Display'}, ",
                                 i, w->u[i], i, i);
        for (int j = 0; j < MOST; j++)
            used += (size_t)snprintf(text + used, size - used,
                                     "{'name': 'a%d%d', 'type': 'Gain', 'parameters': {'Gain': "
                                     "%.17g}}, ",
                                     i, j, j < w->n ? w->a[i][j] : 0);
    }
    used += (size_t)snprintf(text + used, size - used,
                             "{'name': 'end', 'type': 'Terminator'}], "
                             "'lines': [{'from': 'f0', 'to': 'end'}");
    for (int i = 0; i < w->n; i++) {
        used += (size_t)snprintf(text + used, size - used,
                                 ", {'from': 'y%d', 'to': ['f%d', 'e%d']}, {'from': 'u%d', 'to': "
                                 "'y%d:6'}",
                                 i, i, i, i, i);
        for (int j = 0; j < MOST; j++)
            used += (size_t)snprintf(
                text + used, size - used,
                ", {'from': 'f%d', 'to': 'a%d%d'}, {'from': 'a%d%d', 'to': 'y%d:%d'}",
                j < w->n ? j : 0, i, j, i, j, i, j + 1);
    }
    return used + (size_t)snprintf(text + used, size - used, "]");
}

static void sweep_web(const web *w, const double *y, double *g)
{
    double f[MOST] = {0};
    for (int j = 0; j < w->n; j++) f[j] = through(w->links[j], w->lows[j], w->highs[j], y[j]);
    for (int i = 0; i < w->n; i++) {
        g[i] = w->u[i];
        for (int j = 0; j < w->n; j++) g[i] += w->a[i][j] * f[j];
    }
}

static void try_web(uint64_t n, double contraction, counts *sum)
{
    web w = {0};
    char text[16000];
    diagram_run r;
    double y[MOST], g[MOST];
    seed(n);
    make_web(&w, contraction);
    write_web(&w, text, sizeof text);
    if (!open_run(&r, text)) return;
    sum->loops++;
    if (fo_failed(fo_simulation_advance(r.sim, 0))) {
        sum->refused++;
        test_fail(__FILE__, __LINE__, "loop %llu is refused: %s", (unsigned long long)n,
                  fo_simulation_message(r.sim)->text);
    } else {
        sum->solved++;
        for (int i = 0; i < w.n; i++) {
            char name[8];
            fo_reference which;
            snprintf(name, sizeof name, "e%d", i);
            fo_system_find(fo_diagram_system(r.diagram), name, &which, &r.why);
            y[i] = fo_simulation_value(r.sim, which);
        }
        sweep_web(&w, y, g);
        for (int i = 0; i < w.n; i++)
            if (!(fabs(g[i] - y[i]) <= 1e-12 * (10 + fabs(y[i]))))
                test_fail(__FILE__, __LINE__, "loop %llu: y%d = %.17g leaves %g",
                          (unsigned long long)n, i, y[i], g[i] - y[i]);
    }
    close_run(&r);
}

TEST(loops_through_several_signals_are_solved_where_sweeps_contract)
{
    counts sum = {0};
    for (uint64_t n = 0; n < 100 * TIMES; n++) try_web(n, 0.95, &sum);
    CHECK_INT(sum.solved, sum.loops);
}

// All links are bounded here: by Brouwer's theorem there is a solution.
TEST(loops_of_bounded_nodes_are_solved)
{
    counts sum = {0};
    for (uint64_t n = 0; n < 100 * TIMES; n++) try_web(n, 4, &sum);
    CHECK_INT(sum.solved, sum.loops);
}

TEST_MAIN(TEST_ENTRY(loops_through_one_signal_are_solved_where_there_is_a_solution),
          TEST_ENTRY(loops_through_several_signals_are_solved_where_sweeps_contract),
          TEST_ENTRY(loops_of_bounded_nodes_are_solved))
