/// Random guards from a grammar of all functions of the language, against brute force.
///
/// The model is der(x) = rate, x(0) = start, and `when e(x / scale) > 0`; what e is at any time is
/// then known without the engine. Every rise that many samples see must have been found. Where a
/// guard was undecided in rounding errors, or sampled, nothing is claimed.
#ifndef FOLIOT_TEST_GUARDS_RANDOM_H
#define FOLIOT_TEST_GUARDS_RANDOM_H

#include <foliot/foliot.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

enum { GUARD_NODES = 64, GUARD_TEXT = 4096, GUARD_RISES = 4096 };

typedef enum guard_op {
    G_X,
    G_NUMBER,
    G_ADD,
    G_SUBTRACT,
    G_TIMES,
    G_OVER,
    G_SIN,
    G_COS,
    G_TAN,
    G_ATAN,
    G_EXP,
    G_SQRT,
    G_LOG,
    G_ABS,
    G_SIGN,
    G_FLOOR,
    G_CEIL,
    G_INTEGER,
    G_SQUARE,
    G_MIN,
    G_MAX,
    G_MOD,
    G_REM,
    G_DIV,
    G_ATAN2,
    G_IF,
    G_NO_EVENT,
    G_ASIN,
    G_ACOS,
    G_SINH,
    G_TANH,
    G_OPS
} guard_op;

typedef struct guard_node {
    guard_op op;
    int a, b, c, d;
    double number;
} guard_node;

typedef struct guard_case {
    uint64_t chance;
    guard_node node[GUARD_NODES];
    int count, root;
    double start, rate, scale, stop;
    bool swings; ///< x is start + 3 sin(1.3 t), not a straight line: known to tolerance only
    const char *solver;
    char text[GUARD_TEXT];
    size_t length;
    double rises[GUARD_RISES];
    size_t rise_count, moments;
    fo_simulation *sim;
    double n;
} guard_case;

static inline double guard_chance(guard_case *g)
{
    uint64_t z = g->chance += 0x9e3779b97f4a7c15u; // splitmix64
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static inline double guard_number(guard_case *g)
{
    return floor((guard_chance(g) * 8 - 4) * 64) / 64;
}

static int guard_grow(guard_case *g, int depth)
{
    if (g->count >= GUARD_NODES - 8) depth = 0;
    int me = g->count++;
    guard_node *n = &g->node[me];
    double luck = guard_chance(g);
    n->op = depth <= 0 ? (luck < 0.7 ? G_X : G_NUMBER)
                       : (guard_op)(luck < 0.1 ? G_X : 2 + (int)(guard_chance(g) * (G_OPS - 2)));
    n->number = guard_number(g);
    bool positive = n->op == G_MOD || n->op == G_REM || n->op == G_DIV;
    if (positive) n->number = 0.25 + fabs(n->number);
    if (n->op == G_X || n->op == G_NUMBER) return me;
    n->a = guard_grow(g, depth - 1);
    bool two = n->op == G_ADD || n->op == G_SUBTRACT || n->op == G_TIMES || n->op == G_OVER ||
               n->op == G_MIN || n->op == G_MAX || n->op == G_ATAN2 || n->op == G_IF;
    if (two) g->node[me].b = guard_grow(g, depth - 1);
    if (g->node[me].op == G_IF) {
        g->node[me].c = guard_grow(g, depth - 1);
        g->node[me].d = guard_grow(g, depth - 2);
    }
    return me;
}

static double guard_value(const guard_case *g, int at, double x)
{
    const guard_node *n = &g->node[at];
    if (n->op == G_X) return x;
    if (n->op == G_NUMBER) return n->number;
    double a = guard_value(g, n->a, x), c = n->number;
    switch (n->op) {
    case G_ADD: return a + guard_value(g, n->b, x);
    case G_SUBTRACT: return a - guard_value(g, n->b, x);
    case G_TIMES: return a * guard_value(g, n->b, x);
    case G_OVER: return a / guard_value(g, n->b, x);
    case G_SIN: return sin(a);
    case G_COS: return cos(a);
    case G_TAN: return tan(a);
    case G_ATAN: return atan(a);
    case G_EXP: return exp(fmin(a, 5));
    case G_SQRT: return sqrt(fabs(a));
    case G_LOG: return log(fabs(a) + 0.125);
    case G_ABS: return fabs(a);
    case G_SIGN: return (a > 0) - (a < 0);
    case G_FLOOR:
    case G_INTEGER: return floor(a);
    case G_CEIL: return ceil(a);
    case G_SQUARE: return a * a;
    case G_MIN: return fmin(a, guard_value(g, n->b, x));
    case G_MAX: return fmax(a, guard_value(g, n->b, x));
    case G_MOD: return a - floor(a / c) * c;
    case G_REM: return a - trunc(a / c) * c;
    case G_DIV: return trunc(a / c);
    case G_ATAN2: return atan2(a, guard_value(g, n->b, x));
    case G_IF:
        return a > guard_value(g, n->b, x) ? guard_value(g, n->c, x) : guard_value(g, n->d, x);
    case G_ASIN: return asin(fmax(-1, fmin(1, a)));
    case G_ACOS: return acos(fmax(-1, fmin(1, a)));
    case G_SINH: return sinh(fmin(a, 3));
    case G_TANH: return tanh(a);
    default: return a;
    }
}

static void guard_put(guard_case *g, const char *text)
{
    size_t size = strlen(text);
    if (g->length + size + 1 >= sizeof g->text) return;
    memcpy(g->text + g->length, text, size + 1);
    g->length += size;
}

static void guard_put_number(guard_case *g, double number)
{
    char text[40];
    snprintf(text, sizeof text, number < 0 ? "(%.17g)" : "%.17g", number);
    guard_put(g, text);
}

static void guard_write(guard_case *g, int at)
{
    static const char *const before[G_OPS] = {[G_ADD] = "(",
                                              [G_SUBTRACT] = "(",
                                              [G_TIMES] = "(",
                                              [G_OVER] = "(",
                                              [G_SIN] = "sin(",
                                              [G_COS] = "cos(",
                                              [G_TAN] = "tan(",
                                              [G_ATAN] = "atan(",
                                              [G_EXP] = "exp(min(",
                                              [G_SQRT] = "sqrt(abs(",
                                              [G_LOG] = "log(abs(",
                                              [G_ABS] = "abs(",
                                              [G_SIGN] = "sign(",
                                              [G_FLOOR] = "floor(",
                                              [G_CEIL] = "ceil(",
                                              [G_INTEGER] = "integer(",
                                              [G_SQUARE] = "(",
                                              [G_MIN] = "min(",
                                              [G_MAX] = "max(",
                                              [G_MOD] = "mod(",
                                              [G_REM] = "rem(",
                                              [G_DIV] = "div(",
                                              [G_ATAN2] = "atan2(",
                                              [G_IF] = "(if ",
                                              [G_NO_EVENT] = "noEvent(",
                                              [G_ASIN] = "asin(max(-1, min(1, ",
                                              [G_ACOS] = "acos(max(-1, min(1, ",
                                              [G_SINH] = "sinh(min(",
                                              [G_TANH] = "tanh("};
    static const char *const between[G_OPS] = {
        [G_ADD] = " + ", [G_SUBTRACT] = " - ", [G_TIMES] = " * ", [G_OVER] = " / ",
        [G_MIN] = ", ",  [G_MAX] = ", ",       [G_ATAN2] = ", ",  [G_IF] = " > "};
    guard_node n = g->node[at];
    if (n.op == G_X) {
        guard_put(g, "(x / scale)");
        return;
    }
    if (n.op == G_NUMBER) {
        guard_put_number(g, n.number);
        return;
    }
    guard_put(g, before[n.op]);
    guard_write(g, n.a);
    if (between[n.op]) guard_put(g, between[n.op]), guard_write(g, n.b);
    if (n.op == G_IF) {
        guard_put(g, " then "), guard_write(g, n.c);
        guard_put(g, " else "), guard_write(g, n.d);
    }
    if (n.op == G_MOD || n.op == G_REM || n.op == G_DIV)
        guard_put(g, ", "), guard_put_number(g, n.number);
    guard_put(g, n.op == G_EXP                      ? ", 5))"
                 : n.op == G_SQRT                   ? "))"
                 : n.op == G_LOG                    ? ") + 0.125)"
                 : n.op == G_SQUARE                 ? ")^2"
                 : n.op == G_SINH                   ? ", 3))"
                 : n.op == G_ASIN || n.op == G_ACOS ? ")))"
                                                    : ")");
}

/// The guard's value at a time, from the closed form of x.
static inline double guard_at(const guard_case *g, double t)
{
    double x = g->swings ? g->start + 3 * sin(1.3 * t) : g->start + g->rate * t;
    return guard_value(g, g->root, x / g->scale);
}

static inline bool guard_true(const guard_case *g, double t)
{
    return guard_at(g, t) > 0;
}

// Whether e is above zero at a time, or at one some ulps beside it.
static bool guard_true_near(const guard_case *g, double t)
{
    for (int k = -64; k <= 64; k++)
        if (guard_true(g, t + k * 0x1p-52 * fmax(t, g->stop / 64))) return true;
    return false;
}

static fo_status guard_note(void *self, const fo_moment *m, fo_message *why)
{
    guard_case *g = self;
    (void)why;
    // sin(1/x) has more than anyone wants to hear of
    if (++g->moments > GUARD_RISES) return FO_ERROR_CANCELLED;
    double n = fo_simulation_state(g->sim)->d[0];
    if (n != g->n && g->rise_count < GUARD_RISES) g->rises[g->rise_count++] = m->t;
    g->n = n;
    return FO_OK;
}

static bool guard_found(const guard_case *g, double from, double to)
{
    double slack = (g->swings ? 1e-4 : 1e-9) * g->stop;
    for (size_t i = 0; i < g->rise_count; i++)
        if (g->rises[i] >= from - slack && g->rises[i] <= to + slack) return true;
    return false;
}

/// What was claimed in all cases so far; missed: although all was certified, with jumps and poles
/// isolated, or where nothing was claimed (undecided, searched, limited). A rise is odd that brute
/// force does not see: several jumps at one place may make a relation true in between that is so
/// for one double only, or for none.
typedef struct guard_totals {
    long cases, certified, isolated, nothing, refused, rises, missed, missed_jump, missed_open, odd;
    long open_guards; ///< of which some were missed while nothing was claimed
} guard_totals;

/// Where x is known to tolerance only: whether a rise between two times is there for sure.
static bool guard_rises_surely(const guard_case *g, double from, double to)
{
    for (int k = 1; k <= 8 && g->swings; k++)
        if (guard_true(g, from - k * 1e-5) || !guard_true(g, to + k * 1e-5)) return false;
    return true;
}

static int guard_compare(const guard_case *g, int samples, guard_totals *sum)
{
    int missed = 0;
    bool before = guard_true(g, 0), known = isfinite(guard_at(g, 0));
    double last = 0;
    for (int i = 1; i <= samples && known; i++) {
        double t = g->stop * (i - 0.3) / samples;
        double e = guard_at(g, t);
        if (!isfinite(e)) return 0; // of 1/0 the sign is that of a zero
        if (e > 0 && !before && !guard_found(g, last, t) && guard_rises_surely(g, last, t)) {
            missed++;
            fprintf(stderr, "missed a rise between %.17g and %.17g with %s\n%s", last, t, g->solver,
                    g->text);
        }
        before = e > 0, last = t;
    }
    for (size_t i = 0; i < g->rise_count && !g->swings; i++)
        if (!guard_true_near(g, g->rises[i])) {
            sum->odd++;
            if (getenv("GUARDS_ODD"))
                fprintf(stderr, "odd: a rise at %.17g with %s\n%s", g->rises[i], g->solver,
                        g->text);
        }
    return missed;
}

// Which claim holds of all guards of the run: the weakest one.
static void guard_judge(guard_case *g, int samples, guard_totals *sum)
{
    bool open = false, isolated = false;
    fo_guard_report report;
    for (uint32_t i = 0; fo_simulation_guard_report(g->sim, i, &report); i++) {
        open |= report.undecided || report.searched || report.limited;
        isolated |= report.isolated != 0;
    }
    sum->rises += (long)g->rise_count;
    if (open)
        sum->nothing++;
    else if (isolated)
        sum->isolated++;
    else
        sum->certified++;
    if (g->rise_count >= GUARD_RISES) return;
    long odd = sum->odd;
    int missed = guard_compare(g, samples, sum);
    if (missed) fprintf(stderr, "claimed: %s\n", open ? "nothing" : isolated ? "isolated" : "all");
    if (open)
        sum->missed_open += missed, sum->open_guards += missed > 0, sum->odd = odd;
    else if (isolated)
        sum->missed_jump += missed;
    else
        sum->missed += missed;
}

/// How a guard is tried: in which units and by whom.
typedef struct guard_way {
    double scale, slow;
    const char *solver;
} guard_way;

static guard_way guard_choose(guard_case *g, bool scaled)
{
    static const char *const solvers[] = {"dp45", "rk4", "dop853", "radau5", "adams", "euler"};
    guard_way how = {1, 1, NULL};
    if (scaled) how.slow = pow(10, floor(guard_chance(g) * 19 - 9));
    if (scaled) how.scale = pow(10, floor(guard_chance(g) * 25 - 12));
    how.solver = solvers[(int)(guard_chance(g) * 6)];
    return how;
}

static void guard_scales(guard_case *g, const guard_way *how)
{
    double slow = how->slow;
    g->scale = how->scale, g->solver = how->solver;
    g->start = g->scale * (guard_number(g) - 0.123);
    g->stop = slow * 8;
    g->rate = g->scale / slow;
}

static void guard_text(guard_case *g)
{
    char head[400];
    g->root = guard_grow(g, 1 + (int)(guard_chance(g) * 4));
    if (g->swings)
        snprintf(head, sizeof head,
                 "model R\n  parameter Real scale = 1;\n  Real x(start = %.17g, fixed = true);\n  "
                 "Real v(start = 3.9, fixed = true);\n  discrete Integer n(start = 0, fixed = "
                 "true);\nequation\n  der(x) = v;\n  der(v) = -1.69*(x - (%.17g));\n  when ",
                 g->start, g->start);
    else
        snprintf(
            head, sizeof head,
            "model R\n  parameter Real scale = %.17g;\n  Real x(start = %.17g, fixed = true);\n  "
            "discrete Integer n(start = 0, fixed = true);\nequation\n  der(x) = %.17g;\n  when ",
            g->scale, g->start, g->rate);
    guard_put(g, head);
    guard_write(g, g->root);
    guard_put(g, " > 0 then n = pre(n) + 1; end when;\nend R;\n");
}

static fo_status guard_run(guard_case *g, fo_system system, int samples, guard_totals *sum)
{
    fo_message why = {0};
    fo_run_def def = fo_default_run_def();
    fo_observer observer = {.self = g, .moment = guard_note, .interval = -1};
    def.stop = g->stop, def.solver = g->solver, def.step = g->stop / 50;
    if (g->swings) def.rtol = 1e-9, def.step = g->stop / 5000;
    def.atol = 1e-9 * g->scale, def.observers = &observer, def.observer_count = 1;
    g->sim = fo_simulation_create(system, &def, &why);
    if (!g->sim) {
        test_fail(__FILE__, __LINE__, "%s", why.text);
        return FO_ERROR_INPUT;
    }
    fo_status status = fo_simulation_advance(g->sim, g->stop);
    if (status == FO_REACHED)
        guard_judge(g, samples, sum);
    else
        sum->refused++;
    if (status != FO_REACHED && getenv("GUARDS_REFUSED"))
        fprintf(stderr, "%s\n%s", fo_simulation_message(g->sim)->text, g->text);
    fo_simulation_destroy(g->sim);
    return status;
}

/// Makes the guard and runs it; FO_ERROR_INPUT where there is none.
static fo_status guard_go(guard_case *g, const guard_way *how, int samples, guard_totals *sum)
{
    guard_scales(g, how);
    guard_text(g);
    bool moves = false;
    for (int i = 0; i < g->count; i++) moves |= g->node[i].op == G_X;
    if (!moves) return FO_ERROR_INPUT; // nothing to find
    sum->cases++;
    if (getenv("GUARDS_SHOW")) fprintf(stderr, "%s: %s", g->solver, g->text);
    fo_message why = {0};
    fo_text_model_def def = {.path = "R.mo", .text = g->text};
    fo_text_model *model = fo_text_model_open(&def, &why);
    if (!model && (strstr(why.text, "nothing determines") || strstr(why.text, "by zero"))) {
        // folded to a constant
        sum->cases--;
        return FO_ERROR_INPUT;
    }
    if (!model) {
        test_fail(__FILE__, __LINE__, "%s\n%s", why.text, g->text);
        return FO_ERROR_INPUT;
    }
    fo_status status = guard_run(g, fo_text_model_system(model), samples, sum);
    fo_text_model_close(model);
    return status;
}

/// One case from a seed.
static void guard_try(uint64_t seed, bool scaled, int samples, guard_totals *sum)
{
    static guard_case g;
    memset(&g, 0, sizeof g);
    g.chance = seed << 20;
    guard_way how = guard_choose(&g, scaled);
    guard_go(&g, &how, samples, sum);
}

/// The same with an oscillator for x.
static void guard_try_swing(uint64_t seed, int samples, guard_totals *sum)
{
    static const char *const solvers[] = {"dp45", "rk4", "dop853", "radau5", "adams", "rkv56"};
    static guard_case g;
    memset(&g, 0, sizeof g);
    g.chance = seed << 20, g.swings = true;
    guard_way how = {1, 1, solvers[seed % 6]};
    guard_go(&g, &how, samples, sum);
}

// ----------------------------------------------------------------------------- in any other way

/// The rises that are more than a matter of rounding: false before for a while, and true
/// afterwards. rem(x, 2) > 0 is false at x = 2 only, and whether a double lies there is chance.
static size_t guard_firm_rises(const guard_case *g)
{
    const double apart = 1e-9 * g->stop;
    size_t count = 0;
    for (size_t i = 0; i < g->rise_count; i++) {
        double t = g->rises[i];
        if (i + 1 < g->rise_count && g->rises[i + 1] - t < apart) continue;
        count += guard_true(g, t + apart) && !guard_true(g, t - apart);
    }
    return count;
}

/// The same guard in other units and with other solvers. x is a straight line, which all of them
/// follow to rounding, so that all find the same rises. `differ`: how many pairs did not, `open`
/// those of them where nothing was claimed of one run or the other.
typedef struct guard_pairs {
    long pairs, differ, open;
} guard_pairs;

static void guard_pair(uint64_t seed, const guard_way *other, size_t expected, bool firm,
                       guard_pairs *sum)
{
    static guard_case g;
    guard_totals totals = {0};
    memset(&g, 0, sizeof g);
    g.chance = seed << 20;
    if (guard_go(&g, other, 0, &totals) != FO_REACHED) return;
    sum->pairs++;
    size_t rises = guard_firm_rises(&g);
    if (rises == expected) return;
    if (!firm || totals.nothing) {
        sum->open++;
        return;
    }
    sum->differ++;
    fprintf(stderr, "%zu rises, not %zu, with %s, x times %g, t times %g\n%s", rises, expected,
            g.solver, other->scale, other->slow, g.text);
}

static void guard_try_ways(uint64_t seed, guard_pairs *sum)
{
    static const guard_way ways[] = {
        {0x1p-40, 1, "dp45"},  {0x1p40, 1, "dp45"}, {1, 0x1p-30, "dp45"},   {1, 0x1p30, "dp45"},
        {1, 1, "dop853"},      {1, 1, "radau5"},    {1, 1, "rodas4"},       {1, 1, "adams"},
        {1, 1, "rk4"},         {1, 1, "euler"},     {1, 1, "bs23"},         {1, 1, "cvode-bdf"},
        {1, 1, "cvode-adams"}, {1, 1, "ida"},       {1, 1, "ark-explicit"}, {1, 1, "rkv56"},
    };
    const guard_way plain = {1, 1, "dp45"};
    static guard_case g;
    guard_totals totals = {0};
    memset(&g, 0, sizeof g);
    g.chance = seed << 20;
    if (guard_go(&g, &plain, 0, &totals) != FO_REACHED) return;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        if (fo_solver_find(ways[i].solver, NULL))
            guard_pair(seed, &ways[i], guard_firm_rises(&g), totals.nothing == 0, sum);
}

#endif
