/// Sweeps in lanes, and generated models for them: a few states, rates of random terms, modes and
/// events.
#ifndef TEST_LANE_MODELS_H
#define TEST_LANE_MODELS_H

#include <foliot/analysis.h>
#include <foliot/random.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "test.h"

typedef struct lane_model {
    char text[4096];
    size_t length;
    fo_random r;
    int states;
} lane_model;

static inline int lane_pick(lane_model *m, int count)
{
    return (int)fo_random_below(&m->r, (uint64_t)count);
}

static inline double lane_number(lane_model *m)
{
    return fo_random_uniform(&m->r, -1.5, 1.5);
}

__attribute__((format(printf, 2, 3))) static inline void lane_put(lane_model *m, const char *format,
                                                                  ...)
{
    va_list list;
    va_start(list, format);
    int length = vsnprintf(m->text + m->length, sizeof m->text - m->length, format, list);
    va_end(list);
    m->length += (size_t)length;
}

static inline void lane_term(lane_model *m)
{
    int i = 1 + lane_pick(m, m->states), k = 1 + lane_pick(m, m->states);
    double c = lane_number(m), d = lane_number(m);
    switch (lane_pick(m, 15)) {
    case 0: lane_put(m, " + (%.3f)*x%d", c, i); break;
    case 1: lane_put(m, " + (%.3f)*x%d*x%d/(1 + x%d^2)", c, i, k, k); break;
    case 2: lane_put(m, " + sin(x%d)", i); break;
    case 3: lane_put(m, " + (%.3f)*cos((%.3f)*time)", c, 3 * d); break;
    case 4: lane_put(m, " + exp(-x%d^2)", i); break;
    case 5: lane_put(m, " + a*x%d", i); break;
    case 6: lane_put(m, " + abs(x%d - (%.3f))", i, c); break;
    case 7: lane_put(m, " + min(x%d, %.3f)", i, c); break;
    case 8: lane_put(m, " - max(x%d, x%d)", i, k); break;
    case 9: lane_put(m, " + (if x%d > %.3f then (%.3f)*x%d else %.3f)", i, c, d, k, c); break;
    case 10: lane_put(m, " + sqrt(x%d^2 + 0.5)", i); break;
    case 11: lane_put(m, " + log(1 + x%d^2)", i); break;
    case 12: lane_put(m, " + (x%d^2 + 0.1)^0.7", i); break;
    case 13: lane_put(m, " + u*x%d", i); break;
    default: lane_put(m, " + noEvent(if x%d < x%d then %.3f else 0)", i, k, c); break;
    }
}

static inline void lane_events(lane_model *m)
{
    int i = 1 + lane_pick(m, m->states), k = 1 + lane_pick(m, m->states);
    double c = lane_number(m), d = lane_number(m);
    int kind = lane_pick(m, 6);
    if (kind == 0)
        lane_put(m, "when x%d > %.3f then reinit(x%d, (%.3f)*x%d); end when;", i, c, k, d, k);
    if (kind == 1)
        lane_put(m, "when sample(%.3f, 0.37) then reinit(x%d, x%d + %.3f); end when;", 0.2, k, k,
                 d);
    if (kind == 4)
        lane_put(m, "when sample(%.3f, 0.21) then u = (%.3f)*x%d + 0.5*pre(u); end when;",
                 0.5 + 0.3 * c, d, i);
    if (kind == 5)
        lane_put(m,
                 "when sample(0.1, 0.1) then u = pre(u) + 0.1; reinit(x%d, x%d*u + a); end when;"
                 "when sample(0, 0.3) then reinit(x%d, %.3f); end when;",
                 i, k, k, d);
    if (kind < 4) lane_put(m, "when sample(5, 5) then u = a; end when;");
    if (kind == 2) lane_put(m, "when x%d < x1 - 0.2 then reinit(x%d, a); end when;", i, k);
}

// A term that all equations have, with numbers of their own: instructions of a code go over many of
// them at once.
static inline void lane_alike(lane_model *m, int shape, int i, int k)
{
    double c = lane_number(m), d = lane_number(m);
    switch (shape) {
    case 0: lane_put(m, " + x%d*exp(-x%d^2)", k, i); break;
    case 1: lane_put(m, " + (%.3f)*sin(x%d)", c, k); break;
    case 2: lane_put(m, " + (%.3f)*cos((%.3f)*time)", c, 3 * d); break;
    case 3: lane_put(m, " + (%.3f)*tanh(x%d)", c, k); break;
    case 4: lane_put(m, " + a*log(1 + x%d^2)", k); break;
    case 5: lane_put(m, " + noEvent(if x%d > %.3f then x%d else %.3f)", i, c, k, d); break;
    case 6: lane_put(m, " + (x%d^2 + 0.1)^0.7", k); break;
    case 7: lane_put(m, " + u*abs(x%d - (%.3f))", k, c); break;
    default: lane_put(m, " + atan(x%d*(%.3f))", k, d); break;
    }
}

// Equations that are alike, each with a state that is as far away; they are as long as lanes have
// them.
static inline void lane_arrays(lane_model *m)
{
    int apart = 1 + lane_pick(m, m->states), shapes[2] = {lane_pick(m, 9), lane_pick(m, 9)};
    for (int i = 1; i <= m->states; i++) {
        int k = 1 + (i + apart) % m->states;
        lane_put(m, "der(x%d) = -a*x%d", i, i);
        for (int t = 0; t < (m->states > 5 ? 1 : 2); t++) lane_alike(m, shapes[t], i, k);
        lane_put(m, ";\n");
    }
}

static inline void lane_mixture(lane_model *m)
{
    for (int i = 1; i <= m->states; i++) {
        lane_put(m, "der(x%d) = -0.2*x%d^3", i, i);
        for (int terms = 1 + lane_pick(m, 4); terms > 0; terms--) lane_term(m);
        lane_put(m, ";\n");
    }
}

/// The same model for the same number: those of odd numbers are what arrays are made of.
static inline const char *lane_generate(lane_model *m, uint64_t number)
{
    bool alike = number % 2 == 1;
    *m = (lane_model){.r = fo_random_stream(29, number)};
    m->states = alike ? 3 + lane_pick(m, 6) : 1 + lane_pick(m, 4);
    lane_put(m, "model G parameter Real a = 1; discrete Real u(start = 0.5, fixed = true);\n");
    for (int i = 1; i <= m->states; i++)
        lane_put(m, "Real x%d(start = %.3f, fixed = true);\n", i, lane_number(m));
    lane_put(m, "equation\n");
    if (alike)
        lane_arrays(m);
    else
        lane_mixture(m);
    lane_events(m);
    lane_put(m, " end G;");
    return m->text;
}

// ------------------------------------------------------------------------------------------ balls

// What a ball falls upon, and how it flies, from one to the next. Some of them come to rest.
static inline void lane_ball(lane_model *m, int i)
{
    double high = fo_random_uniform(&m->r, 0.2, 2), floor = fo_random_uniform(&m->r, -1, 0.1);
    double drag = lane_pick(m, 2) ? fo_random_uniform(&m->r, 0, 0.5) : 0;
    double push = lane_pick(m, 2) ? fo_random_uniform(&m->r, 0, 3) : 0;
    lane_put(m, "der(h%d) = v%d; der(v%d) = -9.81 - (%.3f)*v%d*abs(v%d) + (%.3f)*sin(7*h%d);\n", i,
             i, i, drag, i, i, push, i);
    lane_put(m, "when h%d <= %.3f then reinit(v%d, -e*pre(v%d)); n%d = pre(n%d) + 1; end when;\n",
             i, floor, i, i, i, i);
    if (lane_pick(m, 3) == 0)
        lane_put(m, "when h%d >= %.3f then reinit(v%d, -0.5*pre(v%d)); end when;\n", i, high + 0.05,
                 i, i);
}

/// Balls, each with a counter of its bounces; the same for the same number.
static inline const char *lane_balls(lane_model *m, uint64_t number)
{
    *m = (lane_model){.r = fo_random_stream(31, number)};
    m->states = 1 + lane_pick(m, 3);
    lane_put(m, "model B parameter Real e = 0.8;\n");
    for (int i = 1; i <= m->states; i++)
        lane_put(m,
                 "Real h%d(start = %.3f, fixed = true); Real v%d(start = %.3f, fixed = true);\n"
                 "discrete Real n%d(start = 0, fixed = true);\n",
                 i, fo_random_uniform(&m->r, 0.15, 2), i, lane_number(m), i);
    lane_put(m, "equation\n");
    for (int i = 1; i <= m->states; i++) lane_ball(m, i);
    lane_put(m, " end B;");
    return m->text;
}

// ------------------------------------------------------------------------------- sweeps of them

enum { MOST = 400 };

typedef struct table {
    double rows[MOST][4];
    uint64_t count, failed;
    uint64_t end; ///< cancelled after so many; 0: not
    fo_status status;
    fo_message why;
} table;

static inline fo_status take(void *self, const fo_parameter_sweep_row *row, fo_message *why)
{
    table *t = self;
    (void)why;
    CHECK_INT((long long)row->number, (long long)t->count);
    if (t->count >= MOST) return FO_ERROR_MEMORY;
    double *to = t->rows[t->count++];
    to[0] = row->values[0], to[1] = row->measures[0], to[2] = row->measures[1];
    to[3] = (double)row->status;
    t->failed += row->status != FO_OK;
    return FO_OK;
}

static inline bool enough(void *self, uint64_t done, uint64_t count)
{
    const table *t = self;
    (void)done, (void)count;
    return !t->end || t->count < t->end;
}

typedef struct sweep {
    const char *text, *vary, *measures[2];
    double stop;
} sweep;

static inline void run(const sweep *s, unsigned lanes, unsigned threads, uint64_t first, table *t)
{
    const char *vary[] = {s->vary};
    fo_parameter_sweep_def def = fo_default_parameter_sweep_def();
    def.experiment.model.name = "model.mo", def.experiment.model.text = s->text;
    def.experiment.model.kind = "text", def.experiment.stop = s->stop;
    def.experiment.solver = "dp45";
    // a jump without an event may be crossed to and fro for ever: such a run fails, in both ways
    def.experiment.max_steps = 5000;
    def.vary = vary, def.vary_count = 1, def.measures = s->measures, def.measure_count = 2;
    def.threads = threads, def.row = take, def.progress = enough, def.self = t, def.lanes = lanes;
    t->status = FO_OK;
    fo_parameter_sweep *sw = fo_parameter_sweep_create(&def, &t->why);
    t->status = sw ? fo_parameter_sweep_run(sw, first, &t->why) : t->why.status;
    fo_parameter_sweep_destroy(sw);
}

static inline bool is_missing(const table *t)
{
    return t->status == FO_ERROR_UNFIT && strstr(t->why.text, "no C compiler");
}

/// Whether rows of a sweep in lanes are those without, to the bit; true too where there is no
/// compiler. `number` is what it is called.
static inline bool lanes_equal(const sweep *s, uint64_t number, unsigned width)
{
    static table alone, together;
    alone = together = (table){0};
    run(s, 0, 1, 0, &alone);
    run(s, width, 1, 0, &together);
    bool same = alone.status == together.status && alone.count == together.count &&
                memcmp(alone.rows, together.rows, sizeof alone.rows) == 0;
    if (same || is_missing(&together)) return true;
    test_fail(__FILE__, __LINE__, "model %d differs (%s | %s): %s", (int)number, alone.why.text,
              together.why.text, s->text);
    return false;
}

/// The same of a generated model.
static inline bool lanes_agree(uint64_t number, unsigned width)
{
    static lane_model m;
    char last[32];
    const sweep s = {lane_generate(&m, number), "a=-1:1:41", {"final(x1)", last}, 3};
    snprintf(last, sizeof last, "final(x%d)", m.states);
    return lanes_equal(&s, number, width);
}

/// And of balls.
static inline bool balls_agree(uint64_t number, unsigned width)
{
    static lane_model m;
    char last[32];
    const sweep s = {lane_balls(&m, number), "e=0.3:0.95:33", {"final(h1)", last}, 1.6};
    snprintf(last, sizeof last, "final(v%d) + final(n1)", m.states);
    return lanes_equal(&s, number, width);
}

#endif
