// Derivatives of generated hybrid systems, against an event-driven simulation with dual numbers.
// States have constant rates in each mode, so that the next event of each guard is the root of a
// line: numbers of 64 bits that carry their derivative by p know all of it. Then what has no
// derivative: events whose order p decides, and guards that are only touched.
#include <foliot/analysis.h>
#include <foliot/random.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "test.h"

enum { MOST = 3, STOP = 3 };

/// A number and its derivative by p.
typedef struct dual {
    long double v, d;
} dual;

static dual number(long double v)
{
    return (dual){v, 0};
}

static dual add(dual a, dual b)
{
    return (dual){a.v + b.v, a.d + b.d};
}

static dual times(dual a, dual b)
{
    return (dual){a.v * b.v, a.d * b.v + a.v * b.d};
}

static dual by(dual a, dual b)
{
    return (dual){a.v / b.v, (a.d - a.v / b.v * b.d) / b.v};
}

/// a + b p.
typedef struct line {
    double a, b;
} line;

typedef struct when {
    double x[MOST], time; ///< c x + time t + (a + b p) > 0
    line rest;
    bool sets[MOST];
    double factor[MOST];
    line value[MOST]; ///< x := factor x + a + b p
    double mode;
} when;

typedef struct model {
    int states, whens;
    double p;
    line start[MOST], rate[MOST]; ///< rate + by_mode m
    double by_mode[MOST];
    when when[MOST];
    bool samples;
    line sample; ///< its first time
    double interval;
    char text[4096];
    size_t length;
} model;

static double pick(fo_random *r)
{
    return (double)fo_random_below(r, 401) / 100 - 2;
}

static bool chance(fo_random *r, double part)
{
    return fo_random_uniform(r, 0, 1) < part;
}

static line pick_line(fo_random *r, double part)
{
    line l = {pick(r), 0};
    if (chance(r, part)) l.b = pick(r) / 2;
    return l;
}

static when pick_when(fo_random *r, int states)
{
    when w = {.rest = pick_line(r, 0.6), .mode = pick(r) / 2};
    bool alone = chance(r, 0.2);
    if (alone || chance(r, 0.3)) w.time = alone ? 1 : pick(r) / 2;
    for (int i = 0; i < states && !alone; i++)
        if (i == 0 || chance(r, 0.5)) w.x[i] = pick(r);
    for (int i = 0; i < states; i++) {
        w.sets[i] = chance(r, 0.5);
        w.factor[i] = pick(r) / 2, w.value[i] = pick_line(r, 0.5);
    }
    return w;
}

__attribute__((format(printf, 2, 3))) static void put(model *m, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int length = vsnprintf(m->text + m->length, sizeof m->text - m->length, format, list);
    va_end(list);
    m->length += (size_t)length;
}

static void put_when(model *m, const when *w)
{
    put(m, " when ");
    for (int i = 0; i < m->states; i++) put(m, "(%.2f)*x%d + ", w->x[i], i);
    put(m, "(%.4f)*time + (%.6f) + (%.3f)*p > 0 then m := %.3f;", w->time, w->rest.a, w->rest.b,
        w->mode);
    for (int i = 0; i < m->states; i++)
        if (w->sets[i])
            put(m, " reinit(x%d, (%.3f)*pre(x%d) + (%.2f) + (%.3f)*p);", i, w->factor[i], i,
                w->value[i].a, w->value[i].b);
    put(m, " end when;\n");
}

static void write(model *m)
{
    m->length = 0;
    put(m, "model G parameter Real p = %.2f; discrete Real m(start = 0, fixed = true);\n", m->p);
    for (int i = 0; i < m->states; i++)
        put(m, "Real x%d(start = %.2f + (%.3f)*p, fixed = true);\n", i, m->start[i].a,
            m->start[i].b);
    put(m, "equation\n");
    for (int i = 0; i < m->states; i++)
        put(m, "der(x%d) = (%.2f) + (%.3f)*p + (%.3f)*m;\n", i, m->rate[i].a, m->rate[i].b,
            m->by_mode[i]);
    put(m, "algorithm\n");
    for (int k = 0; k < m->whens; k++) put_when(m, &m->when[k]);
    if (m->samples)
        put(m, " when sample(%.2f + (%.3f)*p, %.2f) then reinit(x0, pre(x0) + 0.25); end when;\n",
            m->sample.a, m->sample.b, m->interval);
    put(m, "end G;");
}

static void generate(model *m, uint64_t seed)
{
    fo_random r = fo_random_stream(83, seed);
    *m = (model){.states = 1 + (int)fo_random_below(&r, MOST)};
    m->whens = 1 + (int)fo_random_below(&r, MOST);
    m->p = 0.5 + (double)fo_random_below(&r, 100) / 100;
    for (int i = 0; i < m->states; i++)
        m->start[i] = pick_line(&r, 0.4), m->rate[i] = pick_line(&r, 0.4), m->by_mode[i] = pick(&r);
    for (int k = 0; k < m->whens; k++) m->when[k] = pick_when(&r, m->states);
    if (m->whens > 1 && chance(&r, 0.3)) { // the same surface: two events at one instant
        when *a = &m->when[0], *b = &m->when[1];
        for (int i = 0; i < MOST; i++) b->x[i] = a->x[i];
        b->time = a->time, b->rest = a->rest;
    }
    m->samples = chance(&r, 0.25);
    m->sample = (line){0.33, 0.1}, m->interval = 0.71;
    write(m);
}

// ------------------------------------------------------------------------------- the other way

typedef struct world {
    const model *m;
    dual p, t, x[MOST], mode, next;
    bool on[MOST];
} world;

static bool rivals; ///< of the last model: two whens set one state in one turn

static dual at_p(const world *w, line l)
{
    return add(number(l.a), times(number(l.b), w->p));
}

static dual rate(const world *w, int i)
{
    return add(at_p(w, w->m->rate[i]), times(number(w->m->by_mode[i]), w->mode));
}

static dual guard(const world *w, int k)
{
    const when *q = &w->m->when[k];
    dual g = add(at_p(w, q->rest), times(number(q->time), w->t));
    for (int i = 0; i < w->m->states; i++) g = add(g, times(number(q->x[i]), w->x[i]));
    return g;
}

static dual slope(const world *w, int k)
{
    const when *q = &w->m->when[k];
    dual s = number(q->time);
    for (int i = 0; i < w->m->states; i++) s = add(s, times(number(q->x[i]), rate(w, i)));
    return s;
}

static void flow(world *w, dual to)
{
    dual h = add(to, times(number(-1), w->t)), x[MOST];
    for (int i = 0; i < w->m->states; i++) x[i] = add(w->x[i], times(rate(w, i), h));
    for (int i = 0; i < w->m->states; i++) w->x[i] = x[i];
    w->t = to;
}

static const long double near = 1e-9L;

// What happens at one instant: all that have become true act at once, again and again. False: it is
// not for this test (a guard is left at zero, or turns back).
static bool act(world *w, const bool *zero, bool sampled)
{
    bool fires[MOST], any = sampled;
    const model *m = w->m;
    for (int k = 0; k < m->whens; k++) {
        fires[k] = zero[k] && !w->on[k];
        any |= fires[k];
        if (zero[k]) w->on[k] = !w->on[k];
    }
    for (int turns = 0; any; turns++) {
        dual x[MOST];
        for (int i = 0; i < m->states; i++) x[i] = w->x[i];
        if (turns > 8) return false;
        for (int i = 0; i < m->states; i++) {
            int setters = sampled && i == 0;
            for (int k = 0; k < m->whens; k++) setters += fires[k] && m->when[k].sets[i];
            if (setters > 1) return !(rivals = true);
        }
        for (int k = 0; k < m->whens; k++)
            for (int i = 0; i < m->states && fires[k]; i++)
                if (m->when[k].sets[i])
                    w->x[i] = add(times(number(m->when[k].factor[i]), x[i]),
                                  at_p(w, m->when[k].value[i]));
        for (int k = 0; k < m->whens; k++)
            if (fires[k]) w->mode = number(m->when[k].mode);
        if (sampled) w->x[0] = add(x[0], number(0.25)), w->next = add(w->next, number(m->interval));
        sampled = any = false;
        for (int k = 0; k < m->whens; k++) {
            long double g = guard(w, k).v, s = slope(w, k).v;
            bool same = fabsl(g) < near, on = same ? w->on[k] : g > 0;
            if (same && (!zero[k] || fabsl(s) < near || (s > 0) != on)) return false;
            fires[k] = on && !w->on[k], any |= fires[k], w->on[k] = on;
        }
    }
    return true;
}

static bool simulate(const model *m, dual *x)
{
    rivals = false;
    world w = {.m = m, .p = {m->p, 1}};
    for (int i = 0; i < m->states; i++) w.x[i] = at_p(&w, m->start[i]);
    for (int k = 0; k < m->whens; k++) {
        long double g = guard(&w, k).v;
        if (fabsl(g) < near) return false;
        w.on[k] = g > 0;
    }
    w.next = m->samples ? at_p(&w, m->sample) : number(INFINITY);
    for (int events = 0; events < 40; events++) {
        dual first = w.next, when_[MOST];
        bool zero[MOST] = {0}, sampled;
        for (int k = 0; k < m->whens; k++) {
            dual g = guard(&w, k), s = slope(&w, k);
            when_[k] = number(INFINITY);
            if (s.v != 0 && -g.v / s.v > near) when_[k] = add(w.t, times(number(-1), by(g, s)));
            if (when_[k].v < first.v) first = when_[k];
        }
        if (fabsl(first.v - STOP) < 1e-3L) return false;
        if (first.v > STOP) {
            flow(&w, number(STOP));
            for (int i = 0; i < m->states; i++) x[i] = w.x[i];
            return true;
        }
        for (int k = 0; k < m->whens; k++) {
            zero[k] = fabsl(when_[k].v - first.v) < near;
            if (zero[k] && fabsl(when_[k].d - first.d) > near) return false;
        }
        sampled = fabsl(w.next.v - first.v) < near;
        if (sampled && fabsl(w.next.d - first.d) > near) return false;
        flow(&w, first);
        if (!act(&w, zero, sampled)) return false;
    }
    return false;
}

// ------------------------------------------------------------------------------------------- tests

static fo_sensitivity *compute(const char *text, int states, fo_sensitivity_method method,
                               fo_message *why)
{
    const char *to[] = {"p"}, *measures[] = {"final(x0)", "final(x1)", "final(x2)"};
    fo_sensitivity_def def = fo_default_sensitivity_def();
    def.experiment.model.name = "model.mo", def.experiment.model.text = text;
    def.experiment.model.kind = "text", def.experiment.stop = STOP, def.threads = 1;
    def.to = to, def.to_count = 1, def.method = method;
    def.measures = measures, def.measure_count = (size_t)states;
    return fo_sensitivity_create(&def, why);
}

TEST(generated)
{
    static model m;
    int known = 0, met = 0;
    for (uint64_t seed = 0; seed < 120; seed++) {
        dual x[MOST];
        fo_message why = {0};
        generate(&m, seed);
        bool clear = simulate(&m, x);
        if (rivals) { // there is no run
            CHECK(!compute(m.text, m.states, FO_SENSITIVITY_FORWARD, &why));
            CHECK_CONTAINS(why.text, "two whens set");
            met++;
        }
        if (!clear) continue;
        fo_sensitivity *s = compute(
            m.text, m.states, seed % 2 ? FO_SENSITIVITY_ADJOINT : FO_SENSITIVITY_FORWARD, &why);
        REQUIRE(s != NULL);
        for (int i = 0; i < m.states; i++) {
            double value = (double)x[i].v, derivative = (double)x[i].d;
            CHECK_NEAR(s->values[i], value, 1e-8 * (1 + fabs(value)));
            CHECK_NEAR(s->derivatives[i], derivative, 1e-7 * (1 + fabs(derivative)));
            CHECK(s->exact[i]);
        }
        if (s->unsettled) test_fail(__FILE__, __LINE__, "model %d: %s", (int)seed, why.text);
        known++;
        fo_sensitivity_destroy(s);
    }
    CHECK(known > 90);
    CHECK(met > 0);
}

// Two events at t = 1.3 + 0.5 p, of which p moves one otherwise: what each sets is lost on the
// other, so that the end jumps, bends, or both. Where they do the same thing to x the end is
// smooth in nothing but name: a value that is at p alone what it is nowhere near. Where both set x
// to something else there is no run.
TEST(events_that_meet)
{
    static const char *const acts[][2] = {
        {"m := 1;", "m := 2;"},                                       // the last one stays
        {"reinit(x0, pre(x0) + 0.5);", "m := 1;"},                    // growth of one or the other
        {"reinit(x0, pre(x0) + 0.1);", "reinit(x0, pre(x0) + 0.1);"}, // at p once, elsewhere twice
    };
    static const char *const texts[] = {"time - 1.3 - (%g)*p > 0", "x1 - 1.3 - (%g)*p > 0"};
    for (size_t i = 0; i < sizeof acts / sizeof acts[0]; i++)
        for (int k = 0; k < 2; k++) {
            char text[1024], first[64], second[64];
            const double p = 0.8, other = -0.25;
            snprintf(first, sizeof first, texts[k], 0.5);
            // 1.3 + 0.5 p = a - 0.25 p
            snprintf(second, sizeof second, "time - %.17g - (%g)*p > 0", 1.3 + (0.5 - other) * p,
                     other);
            snprintf(text, sizeof text,
                     "model G parameter Real p = %g; discrete Real m(start = 0, fixed = true);\n"
                     "Real x0(start = 0.4, fixed = true); Real x1(start = 0, fixed = true);\n"
                     "equation der(x0) = 0.3 + m*x0 + 0.1*p; der(x1) = 1;\n"
                     "algorithm when %s then %s end when; when %s then %s end when;\n"
                     "when time < -1 then m := 0; end when; end G;",
                     p, first, acts[i][0], second, acts[i][1]);
            for (int way = 0; way < 2; way++) {
                fo_message why = {0};
                fo_sensitivity *s = compute(
                    text, 1, way ? FO_SENSITIVITY_DIFFERENCES : FO_SENSITIVITY_FORWARD, &why);
                CHECK_STATUS(s ? FO_OK : why.status, FO_OK, &why);
                if (!s) continue;
                CHECK_INT((long long)s->unsettled, 1);
                CHECK(isnan(s->derivatives[0]));
                if (!isnan(s->derivatives[0])) test_fail(__FILE__, __LINE__, "%s", text);
                fo_sensitivity_destroy(s);
            }
        }
}

// The top of a parabola stands at the guard's zero but for rounding errors: whether there is an
// event depends on p. A thousandth of its height away it does not.
TEST(guards_that_are_touched)
{
    int given = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        fo_random r = fo_random_stream(84, seed);
        double a = 0.5 + fo_random_uniform(&r, 0, 2), top = 0.5 + fo_random_uniform(&r, 0, 1.5);
        double c = pick(&r), away = seed % 3 == 0 ? (seed % 2 ? 1e-3 : -1e-3) : 0;
        char text[1024];
        snprintf(text, sizeof text,
                 "model G parameter Real p = 1; discrete Real m(start = 1, fixed = true);\n"
                 "Real x0(start = 0, fixed = true); Real x1(start = %.17g%s, fixed = true);\n"
                 "Real x2(start = %.17g%s, fixed = true);\n"
                 "equation der(x0) = m*x1; der(x1) = x2; der(x2) = %.17g;\n"
                 "when x1%s > %.17g then m = -2; end when; end G;",
                 c - a * top * top, seed % 4 == 1 ? " + (p - 1)" : "", 2 * a * top,
                 seed % 4 == 2 ? " + (p - 1)" : "", -2 * a,
                 seed % 4 == 0 || seed % 4 == 3 ? " + (p - 1)" : "", c + away);
        fo_message why = {0};
        fo_sensitivity *s = compute(text, 1, FO_SENSITIVITY_CHOSEN, &why);
        CHECK_STATUS(s ? FO_OK : why.status, FO_OK, &why);
        if (!s) continue;
        if (isnan(s->derivatives[0]) != (away == 0)) test_fail(__FILE__, __LINE__, "%s", text);
        given += away != 0;
        fo_sensitivity_destroy(s);
    }
    CHECK(given > 10);
}

TEST_MAIN(TEST_ENTRY(generated), TEST_ENTRY(events_that_meet), TEST_ENTRY(guards_that_are_touched))
