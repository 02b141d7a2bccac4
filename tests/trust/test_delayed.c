// What comes out of delays is what went in, whatever it was: jumps and kinks of relations that make
// no moments, chains of delays, lags that move. Random expressions, against their closed forms.
#include <foliot/foliot.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

#ifndef DELAYED
#define DELAYED 60
#endif

enum { NODES = 64, TEXT = 1 << 15, LOOKS = 700 };

typedef enum op { WAVE, ZIGZAG, SAW, SUM, LEAST, MOST, SIZE, STEP, DELAY, MOVE } op;

typedef struct node {
    op op;
    int a, b;
    double lag, way, pace;
} node;

typedef struct delayed {
    uint64_t chance;
    node node[NODES];
    int count;
    double pace, phase, period, offset, rate, unit, begin;
    double level, rtol;
    char text[TEXT];
    size_t length;
} delayed;

static double chance(delayed *d)
{
    uint64_t z = d->chance += 0x9e3779b97f4a7c15u; // splitmix64
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static int below(delayed *d, int n)
{
    return (int)(chance(d) * n);
}

static int grow(delayed *d, int depth)
{
    static const double lags[] = {0.1, 0.25, 0.3, 0.5, 1, 0.75, 1.7, 0.6180339887498949};
    int me = d->count++;
    node *n = &d->node[me];
    bool leaf = depth <= 0 || d->count > NODES - 8;
    n->op = (op)(leaf ? below(d, 3) : SUM + below(d, MOVE - SUM + 1));
    if (!leaf && chance(d) < 0.3) n->op = DELAY;
    n->lag = lags[below(d, 8)], n->way = 0, n->pace = 0.5 + below(d, 24) / 8.0;
    if (n->op == MOVE) n->lag = 0.3 + below(d, 16) / 16.0, n->way = n->lag * 0.7 * chance(d);
    if (leaf) return me;
    int a = grow(d, depth - 1);
    d->node[me].a = a;
    op o = d->node[me].op;
    int b = o == SUM || o == LEAST || o == MOST || o == STEP ? grow(d, depth - 2) : 0;
    d->node[me].b = b;
    return me;
}

static double zigzag(const delayed *d, double t)
{
    double r = fmod(t, d->period);
    return r < d->period / 2 ? r : d->period - r;
}

static double value(const delayed *d, int at, double t)
{
    const node *n = &d->node[at];
    double saw = d->offset + d->rate * t, past;
    switch (n->op) {
    case WAVE: return sin(d->pace * t + d->phase);
    case ZIGZAG: return 2 * (zigzag(d, t + d->offset) - zigzag(d, d->offset));
    case SAW: return saw - floor(saw);
    case SUM: return value(d, n->a, t) + value(d, n->b, t);
    case LEAST: return fmin(value(d, n->a, t), value(d, n->b, t));
    case MOST: return fmax(value(d, n->a, t), value(d, n->b, t));
    case SIZE: return fabs(value(d, n->a, t) - 0.07);
    case STEP: return value(d, n->a, t) > 0.3 ? 1.5 : value(d, n->b, t);
    default: past = t - n->lag - n->way * sin(n->pace * t); break;
    }
    return value(d, n->a, past > 0 ? past : 0);
}

static void put(delayed *d, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    d->length += (size_t)vsnprintf(d->text + d->length, TEXT - d->length, format, list);
    va_end(list);
}

static void write_node(delayed *d, int at)
{
    static const char *const before[] = {"wave", "zigzag", "saw",  "(",      "min(",
                                         "max(", "abs(",   "(if ", "delay(", "delay("};
    static const char *const between[] = {
        [SUM] = " + ", [LEAST] = ", ", [MOST] = ", ", [STEP] = " > 0.3 then 1.5 else "};
    const node n = d->node[at];
    put(d, "%s", before[n.op]);
    if (n.op <= SAW) return;
    write_node(d, n.a);
    if (n.op == SIZE) put(d, " - 0.07");
    if (n.op <= STEP && n.op != SIZE) put(d, "%s", between[n.op]), write_node(d, n.b);
    if (n.op == DELAY) put(d, ", %.17g", n.lag * d->unit);
    if (n.op == MOVE)
        put(d, ", %.17g*(%.17g + %.17g*sin(%.17g*tau)), %.17g", d->unit, n.lag, n.way, n.pace,
            2 * n.lag * d->unit);
    put(d, ")");
}

static void draw(delayed *d, uint64_t seed)
{
    static const double units[] = {1, 1, 1, 0x1p-20, 1e-9, 1e6};
    static const double tolerances[] = {1e-9, 1e-9, 1e-6, 1e-4};
    memset(d, 0, sizeof *d);
    d->chance = seed << 20;
    d->pace = 1 + below(d, 24) / 8.0, d->phase = below(d, 30) / 10.0;
    d->period = 0.7 + below(d, 6) / 4.0, d->offset = 0.111 + below(d, 8) / 10.0;
    d->rate = 0.3 + below(d, 12) / 8.0, d->unit = units[below(d, 6)];
    d->begin = d->unit == 1 && chance(d) < 0.3 ? 1e6 : 0;
    grow(d, 2 + below(d, 3));
    d->level = value(d, 0, 7 * chance(d)) + 0.003, d->rtol = tolerances[below(d, 4)];
    put(d, "model D\n  Real wave(start = %.17g, fixed = true), zigzag(start = 0, fixed = true);\n",
        sin(d->phase));
    put(d,
        "  Real saw(start = %.17g, fixed = true), y, tau = (time - (%.17g))/%.17g;\n  Integer "
        "n(start = 0, fixed = true);\n",
        d->offset, d->begin, d->unit);
    put(d, "equation\n  der(wave) = %.17g*cos(%.17g*tau + %.17g)/%.17g;\n", d->pace, d->pace,
        d->phase, d->unit);
    put(d, "  der(zigzag) = (if mod(tau + %.17g, %.17g) < %.17g then 2 else -2)/%.17g;\n",
        d->offset, d->period, d->period / 2, d->unit);
    put(d, "  der(saw) = %.17g/%.17g;\n  when saw >= 1 then reinit(saw, 0); end when;\n  y = ",
        d->rate, d->unit);
    write_node(d, 0);
    put(d, ";\n  when y > %.17g then n = pre(n) + 1; end when;\nend D;\n", d->level);
}

#define LAST (7 * (1 - 0.37 / LOOKS)) // the time of the last look

// How often it rises above a level, as so many samples see it.
static int rises(const delayed *d, double level, int samples)
{
    int count = 0;
    bool above = value(d, 0, 0) > level, now;
    for (int i = 1; i <= samples; i++, above = now) {
        now = value(d, 0, LAST * i / samples) > level;
        count += now && !above;
    }
    return count;
}

// Where it jumps nearby, the instant of that decides.
static bool is_calm(const delayed *d, double t, double truth)
{
    const double apart = 3000 * d->rtol;
    for (int k = -2; k <= 2; k++)
        if (!(fabs(value(d, 0, t + k * apart) - truth) < 100 * apart)) return false;
    return true;
}

typedef struct tried {
    long runs, refused, counted;
} tried;

static void count_rises(const delayed *d, uint64_t seed, const char *solver, fo_simulation *sim,
                        tried *sum)
{
    const double near = 1000 * d->rtol;
    fo_reference n;
    CHECK_INT(fo_system_find(fo_simulation_system(sim), "n", &n, NULL), FO_OK);
    int is = (int)fo_simulation_value(sim, n), truth = 0;
    // What lies above for less than two samples are apart is seen by closer ones.
    for (int samples = 35000; samples <= 3500000; samples *= 10) {
        truth = rises(d, d->level, samples);
        if (rises(d, d->level - near, samples) != truth) return;
        if (rises(d, d->level + near, samples) != truth) return;
        if (is != truth) continue;
        sum->counted++;
        return;
    }
    test_fail(__FILE__, __LINE__, "seed %llu, %s %g: %d rises, not %d\n%s",
              (unsigned long long)seed, solver, d->rtol, is, truth, d->text);
}

static void compare(const delayed *d, uint64_t seed, const char *solver, fo_simulation *sim,
                    tried *sum)
{
    fo_reference y;
    CHECK_INT(fo_system_find(fo_simulation_system(sim), "y", &y, NULL), FO_OK);
    for (int i = 1; i <= LOOKS; i++) {
        double t = 7.0 * (i - 0.37) / LOOKS, truth = value(d, 0, t);
        if (fo_simulation_advance(sim, d->begin + t * d->unit) != FO_REACHED) {
            sum->refused++;
            CHECK_CONTAINS(fo_simulation_message(sim)->text, "is full");
            return;
        }
        double is = fo_simulation_value(sim, y);
        if (fabs(is - truth) < 1e4 * d->rtol || !is_calm(d, t, truth)) continue;
        test_fail(__FILE__, __LINE__, "seed %llu, %s %g: at %.9g it is %.9g, not %.9g\n%s",
                  (unsigned long long)seed, solver, d->rtol, t, is, truth, d->text);
        return;
    }
    count_rises(d, seed, solver, sim, sum);
}

static void try(uint64_t seed, tried *sum)
{
    static const char *const solvers[] = {"dp45", "dop853", "radau5", "rodas4", "adams", "rkv56"};
    static delayed d;
    const char *solver = solvers[seed % 6];
    fo_message why = {0};
    draw(&d, seed);
    fo_text_model *model =
        fo_text_model_open(&(fo_text_model_def){.path = "D.mo", .text = d.text}, &why);
    fo_run_def def = fo_default_run_def();
    def.start = d.begin, def.stop = d.begin + 7 * d.unit, def.solver = solver;
    def.rtol = d.rtol, def.atol = 0.01 * d.rtol;
    fo_simulation *sim =
        model ? fo_simulation_create(fo_text_model_system(model), &def, &why) : NULL;
    if (sim)
        compare(&d, seed, solver, sim, sum);
    else
        test_fail(__FILE__, __LINE__, "%s\n%s", why.text, d.text);
    sum->runs++;
    fo_simulation_destroy(sim);
    fo_text_model_close(model);
}

TEST(what_was_delayed_comes_out)
{
    tried sum = {0};
    uint64_t from = getenv("SEED") ? strtoull(getenv("SEED"), NULL, 10) : 1;
    uint64_t count = test_is_slow() ? 6 : DELAYED;
    for (uint64_t seed = from; seed < from + count; seed++) try(seed, &sum);
    fprintf(stderr, "    %ld runs, %ld refused, %ld counted\n", sum.runs, sum.refused, sum.counted);
    CHECK(sum.refused <= 2 + sum.runs / 10);
}

TEST_MAIN(TEST_ENTRY(what_was_delayed_comes_out))
