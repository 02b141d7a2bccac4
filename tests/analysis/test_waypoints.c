// The way back through a run whose tape is cut: the bits of the derivatives are those of a tape
// that is kept whole, wherever it is cut, with every method; and the memory does not grow with the
// steps.
#include <foliot/analysis.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/slopes.h"
#include "test.h"

enum { NUMBERS = 8, MEASURES = 8, RESULTS = MEASURES * (NUMBERS + 1) };

// A ball on a moving floor, samples at times that move, a pendulum that their discrete drives, an
// algebraic loop; with `busy` an event in every step.
static const char model[] =
    "model M\n"
    "parameter Real a = 1.3; parameter Real b = 0.2; parameter Real e = 0.8; parameter Real g = "
    "9.81; parameter Real T = 0.37; parameter Real q = 0.3;\n"
    "Real h(start = 1.5, fixed = true); Real v(start = 0, fixed = true); Real x(start = 0.3, fixed "
    "= true); Real w(start = 0, fixed = true);\n"
    "discrete Real u(start = 0, fixed = true); discrete Real c(start = 0, fixed = true);\n"
    "output Real y; Real z(start = 0);\nequation\n"
    "der(h) = v; der(v) = -g - b*v + 0.1*u + 0.01*x; der(x) = w;\n"
    "der(w) = -a*sin(x) - 0.05*w + 0.3*u*cos(2*time) + 0.001*c;\n"
    "z + 0.3*sin(z)*q = x; y = z*h + time*q;\n"
    "when h <= -1 + 0.1*sin(time) then reinit(v, -e*pre(v) + 3*q); end when;\n"
    "when sample(T/2, T) then u = 0.5*pre(u) + q*x + 0.1*sin(time); end when;\n"
    "when sample(0.01, %s) then c = 0.9*pre(c) + q*w; end when;\nend M;\n";
static const char *const names[NUMBERS] = {"a", "b", "e", "g", "T", "q", "h", "x"};
static const char *const measures[MEASURES] = {
    "final(y)", "integral(x*h)", "at(h, 2.3)", "at(x, 1.31) + at(y, 3)",
    "mean(u)",  "initial(y)",    "rms(v)",     "last(h <= -1 + 0.1 * sin(time))"};

/// Counts bytes, and can run out of them.
typedef struct meter {
    fo_allocator allocator;
    size_t now, most;
    long left; ///< allocations until one fails; below 0: none does
} meter;

// A block's size stands before it.
static void *resize(void *self, void *block, size_t before, size_t after)
{
    meter *m = self;
    max_align_t *old = block ? (max_align_t *)block - 1 : NULL;
    (void)before;
    if (after && m->left >= 0 && m->left-- == 0) return NULL;
    size_t had = 0;
    if (old) memcpy(&had, old, sizeof had);
    m->now += after - had;
    if (m->now > m->most) m->most = m->now;
    if (!after) {
        free(old);
        return NULL;
    }
    max_align_t *fresh = realloc(old, sizeof *fresh + after);
    if (!fresh) abort();
    memcpy(fresh, &after, sizeof after);
    return fresh + 1;
}

typedef struct result {
    double numbers[RESULTS];
    char reason[256];
    fo_status status;
} result;

static result differentiate(const char *text, const char *solver, double stop, size_t stretch,
                            meter *m)
{
    result r = {.status = FO_OK};
    fo_message why = {0};
    fo_experiment_def def = fo_default_experiment_def();
    def.model.name = "model.mo", def.model.kind = "text", def.model.text = text;
    def.model.allocator = m ? &m->allocator : NULL;
    def.solver = solver, def.stop = stop, def.rtol = 1e-6, def.atol = 1e-8, def.step = 0.01;
    foi_trial e = {0};
    foi_measures list = {0};
    double values[NUMBERS];
    foi_slopes slopes = {.values = r.numbers, .slopes = r.numbers + MEASURES};
    r.status = foi_trial_open(&e, &def, names, NUMBERS, &why);
    if (r.status == FO_OK)
        r.status = foi_measures_read(&list, fo_model_system(e.model), measures, MEASURES,
                                     def.model.allocator, &why);
    if (r.status == FO_OK) {
        for (size_t i = 0; i < NUMBERS; i++) values[i] = foi_trial_default(&e, i);
        e.stretch = stretch;
        if (m) m->most = m->now;
        r.status = foi_slopes_run(&e, &list, values, FOI_SLOPES_ADJOINT, &slopes, &why);
        foi_measures_destroy(&list);
    }
    if (slopes.reason) snprintf(r.reason, sizeof r.reason, "%s", slopes.reason);
    foi_trial_close(&e);
    return r;
}

static const char *text_of(const char *interval)
{
    static char text[sizeof model + 32];
    snprintf(text, sizeof text, model, interval);
    return text;
}

TEST(wherever_it_is_cut)
{
    static const char *const solvers[] = {"dp45",   "bs23",   "adams", "radau5",
                                          "rodas4", "dop853", "rk4"};
    static const char *const intervals[] = {"100", "0.02"}; // the second: events at every step
    for (size_t s = 0; s < sizeof solvers / sizeof *solvers; s += test_is_slow() ? 3 : 1) {
        for (size_t k = 0; k < 2; k++) {
            const char *text = text_of(intervals[k]);
            result whole = differentiate(text, solvers[s], 3.2, 0, NULL);
            CHECK_INT(whole.status, FO_OK);
            CHECK(!whole.reason[0]);
            for (size_t i = 0; i < RESULTS; i++) CHECK(isfinite(whole.numbers[i]));
            for (size_t stretch = 2 + s; stretch < 200; stretch = 3 * stretch + 1) {
                result cut = differentiate(text, solvers[s], 3.2, stretch, NULL);
                CHECK_INT(cut.status, FO_OK);
                CHECK(memcmp(cut.numbers, whole.numbers, sizeof whole.numbers) == 0);
            }
        }
    }
}

// Kept whole a tape grows with the steps; cut it does not.
TEST(memory_is_bounded)
{
    static const double stops[] = {3.2, 12.8, 51.2};
    size_t bytes[3];
    for (int i = 0; i < (test_is_slow() ? 2 : 3); i++) {
        meter m = {.allocator = {resize, &m}, .left = -1};
        size_t stretch = i == 2 ? 128 : SIZE_MAX;
        result r = differentiate(text_of("100"), "rk4", stops[i], stretch, &m);
        CHECK_INT(r.status, FO_OK);
        bytes[i] = m.most;
        CHECK_INT((long long)m.now, 0);
    }
    CHECK(bytes[1] > 2 * bytes[0]); // kept whole it grows with the steps
    if (test_is_slow()) return;
    CHECK(bytes[2] < bytes[1]); // cut, four times as many take less
}

TEST(without_memory)
{
    result whole = differentiate(text_of("100"), "dp45", 3.2, 0, NULL);
    for (long fail = 0, over = 0; !over; fail += 1 + fail / 8) {
        meter m = {.allocator = {resize, &m}, .left = fail};
        result cut = differentiate(text_of("100"), "dp45", 3.2, 20, &m);
        over = m.left >= 0;
        CHECK(cut.status == FO_ERROR_MEMORY || cut.status == FO_OK);
        if (cut.status == FO_OK)
            CHECK(memcmp(cut.numbers, whole.numbers, sizeof whole.numbers) == 0);
        CHECK_INT((long long)m.now, 0);
    }
}

TEST_MAIN(TEST_ENTRY(wherever_it_is_cut), TEST_ENTRY(memory_is_bounded), TEST_ENTRY(without_memory))
