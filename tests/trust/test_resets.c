// What a jump sets somewhere else is no contact, and may lie beyond the guard that let it jump:
// saws whose teeth are set inside or outside of their limits, beside their closed form.
#include <foliot/language.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "test.h"

typedef struct saw {
    double low, high, below, above; ///< the limits, and where it is set behind them
    double down, up;                ///< the rates: down where n mod every is 1
    int every;
} saw;

static const char *const solvers[] = {
    "dp45",  "dop853", "adams",       "radau5",    "rodas4",       "bs23",
    "rkv56", "ab3",    "cvode-adams", "cvode-bdf", "ark-explicit", "ida",
};

static double between(uint64_t *s, double a, double b)
{
    *s = *s * 6364136223846793005u + 1442695040888963407u;
    return a + (b - a) * (double)(*s >> 11) * 0x1p-53;
}

static saw make(uint64_t seed)
{
    uint64_t s = seed * 0x9e3779b97f4a7c15u + 1;
    saw w = {.low = -between(&s, 0.1, 0.5), .high = between(&s, 0.1, 0.5)};
    w.down = -between(&s, 0.5, 2), w.up = between(&s, 0.3, 1.5);
    w.every = 2 + (int)between(&s, 0, 3);
    w.below = w.low + between(&s, -0.4, 0.3), w.above = w.high + between(&s, -0.3, 0.6);
    return w;
}

typedef struct place {
    double x;
    int n;
    bool under, over, near; ///< the relations as they are; an event at the end
} place;

// What turns true acts, the lower limit first, until nothing does.
static void act(const saw *w, place *p)
{
    for (int turn = 0; turn < 20; turn++) {
        bool under = p->x<w->low, over = p->x> w->high;
        bool first = under && !p->under, second = over && !p->over;
        p->under = under, p->over = over;
        if (first)
            p->n += 2, p->x = w->below;
        else if (second)
            p->n += 1, p->x = w->above;
        else
            return;
    }
}

static place end_of(const saw *w, double stop)
{
    place p = {.x = w->low};
    for (double t = 0;;) {
        double rate = p.n % w->every == 1 ? w->down : w->up, limit = INFINITY;
        if (rate < 0 && p.over) limit = w->high;
        if (rate < 0 && !p.over && !p.under) limit = w->low;
        if (rate > 0 && p.under) limit = w->low;
        if (rate > 0 && !p.under && !p.over) limit = w->high;
        double lasts = isinf(limit) ? INFINITY : (limit - p.x) / rate;
        p.near |= fabs(t + lasts - stop) < 1e-3;
        if (!(t + lasts < stop)) {
            p.x += rate * (stop - t);
            return p;
        }
        t += lasts;
        p.x = rate > 0 ? nextafter(limit, INFINITY) : nextafter(limit, -INFINITY);
        act(w, &p);
    }
}

static double value(fo_simulation *sim, const char *name)
{
    fo_reference at;
    if (fo_failed(fo_system_find(fo_simulation_system(sim), name, &at, NULL))) return NAN;
    return fo_simulation_value(sim, at);
}

static void try_one(uint64_t seed)
{
    enum { STOP = 6 };
    saw w = make(seed);
    place truth = end_of(&w, STOP);
    char text[640];
    snprintf(text, sizeof text,
             "model W Real x(start = %.17g, fixed = true); Integer n(start = 0, fixed = true);\n"
             "equation der(x) = if mod(n, %d) == 1 then %.17g else %.17g;\n"
             "when x < %.17g then n = pre(n) + 2; reinit(x, %.17g);\n"
             "elsewhen x > %.17g then n = pre(n) + 1; reinit(x, %.17g); end when;\nend W;\n",
             w.low, w.every, w.down, w.up, w.low, w.below, w.high, w.above);
    if (truth.near || truth.n > 500) return;
    fo_message why = {0};
    fo_text_model *model =
        fo_text_model_open(&(fo_text_model_def){.path = "W.mo", .text = text}, &why);
    if (!model) test_fail(__FILE__, __LINE__, "%s\n%s", why.text, text);
    for (size_t i = 0; model && i < FO_COUNT(solvers); i++) {
        fo_run_def def = fo_default_run_def();
        def.stop = STOP, def.solver = solvers[i], def.step = 1e-3;
        fo_simulation *sim = fo_simulation_create(fo_text_model_system(model), &def, &why);
        if (!sim) continue; // SUNDIALS is not there
        bool right = fo_simulation_advance(sim, STOP) == FO_REACHED &&
                     fabs(value(sim, "x") - truth.x) < 1e-6 && value(sim, "n") == truth.n;
        if (!right)
            test_fail(__FILE__, __LINE__, "seed %llu, %s: x = %.10g, n = %g, not %.10g, %d\n%s\n%s",
                      (unsigned long long)seed, solvers[i], value(sim, "x"), value(sim, "n"),
                      truth.x, truth.n, fo_simulation_message(sim)->text, text);
        fo_simulation_destroy(sim);
    }
    fo_text_model_close(model);
}

TEST(what_is_set_elsewhere_is_no_contact)
{
    long count = test_inputs(60, 3000);
    for (long seed = 1; seed <= count; seed++) try_one((uint64_t)seed);
}

TEST_MAIN(TEST_ENTRY(what_is_set_elsewhere_is_no_contact))
