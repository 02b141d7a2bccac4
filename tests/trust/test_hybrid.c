// Random hybrid systems against their closed-form solutions, and against themselves: scaled,
// shifted, written in another order, with other solvers, in other ways of running, in pieces.
#include <foliot/language.h>
#include <foliot/program.h>
#include <stdarg.h>
#include <stdlib.h>

#include "test.h"
#include "trust/hybrid.h"

enum { TEXT = 64 * 1024 };

#ifndef SYSTEMS
#define SYSTEMS ((uint64_t)test_inputs(200, 200))
#endif

#ifndef FIRST
#define FIRST 1 // of their numbers
#endif

// Each relation is tried with every system; in long runs every system has its turn with one of
// SHARES relations, so that all systems are tried in an hour and not in a day.
#ifndef SHARES
#define SHARES 1
#endif

typedef struct manner {
    const char *solver;
    double rtol, atol;
    writing writing;
    fo_way way;
    int pieces;
    const char *name;
} manner;

/// What a run gives, in the units of the truth.
typedef struct outcome {
    fo_status status;
    char why[512];
    int m[UNITS], counts[UNITS][COUNTERS];
    double x[UNITS], v[UNITS], sum[UNITS];
    double raw[UNITS * 3]; ///< x, v, sum as they came
} outcome;

static const manner plain = {NULL, 1e-6, 1e-9, {1, 1, 0, false}, FO_WAY_BYTECODE, 1, "plain"};

static double value(fo_simulation *sim, const char *format, int i)
{
    char name[16];
    fo_reference which;
    snprintf(name, sizeof name, format, i);
    if (fo_system_find(fo_simulation_system(sim), name, &which, NULL) != FO_OK) return NAN;
    return fo_simulation_value(sim, which);
}

static void collect(outcome *o, const hybrid *h, const writing *w, fo_simulation *sim)
{
    static const char *const counter[] = {"n%da", "n%db", "n%dc", "n%dd"};
    for (int i = 0; i < h->count; i++) {
        double x = value(sim, "x%d", i + 1), v = value(sim, "v%d", i + 1),
               sum = value(sim, "s%d", i + 1);
        o->raw[3 * i] = x, o->raw[3 * i + 1] = v, o->raw[3 * i + 2] = sum;
        o->x[i] = x / w->size, o->v[i] = v * w->time / w->size, o->sum[i] = sum / w->time;
        o->m[i] = (int)value(sim, "m%d", i + 1);
        for (int c = 0; c < COUNTERS; c++) o->counts[i][c] = (int)value(sim, counter[c], i + 1);
    }
}

static fo_status advance(fo_simulation *sim, const fo_run_def *def, int pieces)
{
    fo_status status = FO_REACHED;
    for (int k = 1; k <= pieces && status == FO_REACHED; k++) {
        double part = (k - 0.37 * (k < pieces)) / pieces;
        double t = k == pieces ? def->stop : def->start + part * (def->stop - def->start);
        status = fo_simulation_advance(sim, t);
    }
    return status;
}

static outcome run(const hybrid *h, const manner *how)
{
    static char text[TEXT];
    outcome o = {.status = FO_ERROR_INPUT};
    fo_message why = {0};
    hybrid_write(h, &how->writing, text, sizeof text);
    fo_text_model_def model_def = {.path = "random.mo", .text = text};
    fo_text_model *model = fo_text_model_open(&model_def, &why);
    fo_simulation *sim = NULL;
    if (model) {
        fo_program_def as = fo_default_program_def();
        as.way = how->way;
        fo_status way = fo_program_run_as(fo_text_model_system(model), &as, &why);
        fo_run_def def = fo_default_run_def();
        def.start = how->writing.start, def.stop = def.start + h->stop * how->writing.time;
        def.solver = how->solver, def.rtol = how->rtol, def.atol = how->atol;
        if (way == FO_OK) sim = fo_simulation_create(fo_text_model_system(model), &def, &why);
        if (sim) {
            o.status = advance(sim, &def, how->pieces);
            why = *fo_simulation_message(sim);
            collect(&o, h, &how->writing, sim);
        }
    }
    snprintf(o.why, sizeof o.why, "%.511s", why.text);
    fo_simulation_destroy(sim);
    fo_text_model_close(model);
    return o;
}

static long mistakes;

__attribute__((format(printf, 3, 4))) static void mistake(uint64_t seed, const manner *how,
                                                          const char *format, ...)
{
    char text[600];
    va_list args;
    if (mistakes++ >= 12) return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    test_fail(__FILE__, __LINE__, "system %llu, %s, %s: %s", (unsigned long long)seed, how->name,
              how->solver ? how->solver : "any solver", text);
}

/// Compares with the truth; `near` is how far x, v and times may be off, relative to their size.
static void judge(uint64_t seed, const hybrid *h, const manner *how, const outcome *o, double near)
{
    if (o->status != FO_REACHED) {
        mistake(seed, how, "%s", o->why);
        return;
    }
    for (int i = 0; i < h->count; i++) {
        const unit *u = &h->units[i];
        if (o->m[i] != u->count + 1)
            mistake(seed, how, "unit %d is on leg %d, not %d", i + 1, o->m[i], u->count + 1);
        for (int c = 0; c < COUNTERS; c++)
            if (o->counts[i][c] != u->counts[c])
                mistake(seed, how, "counter %d%c is %d, not %d", i + 1, "abcd"[c],
                        o -> counts[i][c], u -> counts[c]);
        double size = 16, times = 1 + fabs(u->sum);
        if (!(fabs(o->sum[i] - u->sum) <= near * times))
            mistake(seed, how, "unit %d: sum of times %.15g, not %.15g", i + 1, o->sum[i], u->sum);
        if (!(fabs(o->x[i] - u->x) <= near * size && fabs(o->v[i] - u->v) <= near * size))
            mistake(seed, how, "unit %d ends at %.15g, %.15g, not %.15g, %.15g", i + 1, o->x[i],
                    o->v[i], u->x, u->v);
    }
}

static uint64_t systems(void)
{
    return SYSTEMS;
}

/// Whether it is the system's turn with a relation, which its number tells apart.
static bool has_turn(uint64_t seed, uint64_t relation)
{
    return seed % SHARES == relation % SHARES;
}

static void try_all(const manner *how, double near, uint64_t relation)
{
    mistakes = 0;
    for (uint64_t seed = FIRST; seed < FIRST + systems(); seed++) {
        if (!has_turn(seed, relation)) continue;
        hybrid h;
        hybrid_make(&h, seed);
        outcome o = run(&h, how);
        judge(seed, &h, how, &o, near);
    }
    if (mistakes) test_fail(__FILE__, __LINE__, "%s: %ld mistakes", how->name, mistakes);
}

// The numbers are exact in all methods of order two and more, so rounding is all there is.
TEST(every_event_is_found)
{
    try_all(&plain, 1e-9, 0);
}

TEST(every_solver_finds_the_same)
{
    static const char *const solvers[] = {"dp45",  "dop853", "rke",   "radau5", "rodas4",
                                          "adams", "bs23",   "rkf45", "rkv56"};
    mistakes = 0;
    for (size_t k = 0; k < sizeof solvers / sizeof solvers[0]; k++) {
        manner how = plain;
        how.solver = solvers[k], how.name = "solver";
        if (!fo_solver_find(solvers[k], NULL)) continue;
        for (uint64_t seed = FIRST + k; seed < FIRST + systems(); seed += 3) {
            if (!has_turn(seed / 3, 1 + k)) continue;
            hybrid h;
            hybrid_make(&h, seed);
            outcome o = run(&h, &how);
            judge(seed, &h, &how, &o, 1e-4);
        }
    }
    if (mistakes) test_fail(__FILE__, __LINE__, "%ld mistakes", mistakes);
}

static bool same_bits(const outcome *a, const outcome *b, int units, bool raw)
{
    for (int i = 0; i < units; i++) {
        if (memcmp(a->counts[i], b->counts[i], sizeof a->counts[i]) != 0) return false;
        if (a->m[i] != b->m[i]) return false;
        for (int k = 0; k < 3 && raw; k++)
            if (a->raw[3 * i + k] != b->raw[3 * i + k]) return false;
        if (!raw && (a->x[i] != b->x[i] || a->v[i] != b->v[i] || a->sum[i] != b->sum[i]))
            return false;
    }
    return true;
}

/// Runs with `other` and plainly, and wants the same bits: as they came, or in the truth's units.
static void want_same(const manner *other, uint64_t every, bool raw, uint64_t relation)
{
    mistakes = 0;
    for (uint64_t seed = FIRST; seed < FIRST + systems(); seed += every) {
        if (!has_turn(seed / every, relation)) continue;
        hybrid h;
        hybrid_make(&h, seed);
        outcome a = run(&h, &plain), b = run(&h, other);
        if (b.status != FO_REACHED) {
            mistake(seed, other, "%s", b.why);
            continue;
        }
        if (!same_bits(&a, &b, h.count, raw))
            mistake(seed, other, "other bits: %.17g and %.17g", a.raw[0], b.raw[0]);
    }
    if (mistakes) test_fail(__FILE__, __LINE__, "%s: %ld mistakes", other->name, mistakes);
}

TEST(powers_of_two_change_nothing_but_the_scale)
{
    static const double times[] = {0x1p-30, 0x1p+30, 1, 1}, sizes[] = {1, 1, 0x1p-40, 0x1p+40};
    for (int k = 0; k < 4; k++) {
        manner scaled = plain;
        scaled.writing.time = times[k], scaled.writing.size = sizes[k], scaled.name = "scaled";
        scaled.atol *= sizes[k];
        if (times[k] != 1) continue; // x and v scale differently under one atol: counted below
        want_same(&scaled, 2, false, 10 + (uint64_t)k);
    }
}

TEST(scales_change_no_count)
{
    static const double times[] = {1e-9, 1e9, 1e-3, 1}, sizes[] = {1, 1e-12, 1e12, 1e-6};
    for (int k = 0; k < 4; k++) {
        manner scaled = plain;
        scaled.writing.time = times[k], scaled.writing.size = sizes[k], scaled.name = "scaled";
        scaled.atol = 1e-9 * sizes[k] * fmin(1, 1 / times[k]);
        try_all(&scaled, 1e-6, 1 + (uint64_t)k);
    }
}

// Scaled by 1e-6, unit 3 comes to the edge of a floor at the instant at which unit 1 jumps.
TEST(a_floor_turns_where_it_comes_to_its_edge)
{
    manner scaled = plain;
    scaled.writing.size = 1e-6, scaled.name = "scaled", scaled.atol *= 1e-6;
    hybrid h;
    hybrid_make(&h, 29956);
    outcome o = run(&h, &scaled);
    mistakes = 0;
    judge(29956, &h, &scaled, &o, 1e-6);
}

// Unit 1 jumps some ulps after unit 3: whether it touches zero before that is a question of its own
// unit, not of that of the tolerance, beside which a floor of x/1.05 is always small.
TEST(what_touches_does_not_depend_on_the_unit_of_states)
{
    manner scaled = plain;
    scaled.writing.size = 0x1p+40, scaled.atol *= 0x1p+40;
    hybrid h;
    hybrid_make(&h, 78363);
    outcome a = run(&h, &plain), b = run(&h, &scaled);
    CHECK_INT(b.status, FO_REACHED);
    CHECK(same_bits(&a, &b, h.count, false));
}

TEST(a_late_start_changes_no_count)
{
    manner late = plain;
    late.writing.start = 1e6, late.name = "from 1e6 s";
    try_all(&late, 1e-6, 5);
}

TEST(the_order_of_lines_changes_no_count)
{
    manner turned = plain;
    turned.writing.turned = true, turned.name = "turned round";
    try_all(&turned, 1e-9, 6);
}

TEST(pieces_give_the_same_bits)
{
    manner pieces = plain;
    pieces.pieces = 7, pieces.name = "in pieces";
    want_same(&pieces, 2, true, 7);
}

TEST(machine_code_gives_the_same_bits)
{
    manner native = plain;
    native.way = FO_WAY_NATIVE, native.name = "native";
    want_same(&native, 40, true, 8);
}

TEST_MAIN(TEST_ENTRY(every_event_is_found), TEST_ENTRY(every_solver_finds_the_same),
          TEST_ENTRY(powers_of_two_change_nothing_but_the_scale),
          TEST_ENTRY(scales_change_no_count), TEST_ENTRY(a_floor_turns_where_it_comes_to_its_edge),
          TEST_ENTRY(what_touches_does_not_depend_on_the_unit_of_states),
          TEST_ENTRY(a_late_start_changes_no_count),
          TEST_ENTRY(the_order_of_lines_changes_no_count), TEST_ENTRY(pieces_give_the_same_bits),
          TEST_ENTRY(machine_code_gives_the_same_bits))
