// Rates that jump where no moment is: relays in noEvent and in functions, against the same relay
// with a relation. Where the solution does not slide both give the same numbers; where it does, an
// adaptive method would go back and forth over the jump in steps of its tolerance for days, and has
// to end and say so. What is stiff and smooth is let be.
#include <foliot/language.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "test.h"

static const char *const solvers[] = {
    "dp45", "dop853",      "bs23",      "adams", "rkv56", "trapezoid-adaptive", "radau5", "rodas4",
#ifdef FOI_WITH_SUNDIALS
    "ida",  "cvode-adams", "cvode-bdf",
#endif
};
enum { SOLVERS = sizeof solvers / sizeof solvers[0], STOP = 5 };

static double chance(uint64_t *s)
{
    *s = *s * 6364136223846793005u + 1442695040888963407u;
    return (double)(*s >> 11) * 0x1p-53;
}

static double between(uint64_t *s, double a, double b)
{
    return a + (b - a) * chance(s);
}

typedef struct result {
    fo_status status;
    double x, y, reached, slides; ///< when the first slide began
    fo_message why;
} result;

static fo_status hear(void *self, const fo_moment *m, fo_message *why)
{
    result *r = self;
    (void)why;
    if (m->kind == FO_SLIDE) r->slides = fmin(r->slides, m->t);
    return FO_OK;
}

static result run_text(const char *text, const char *solver)
{
    result r = {.slides = INFINITY};
    fo_text_model_def model_def = {.path = "flips.mo", .text = text};
    fo_text_model *model = fo_text_model_open(&model_def, &r.why);
    fo_run_def def = fo_default_run_def();
    fo_observer who = {.self = &r, .moment = hear, .interval = -1};
    def.stop = STOP, def.solver = solver, def.rtol = 1e-6, def.atol = 1e-8;
    def.observers = &who, def.observer_count = 1, def.max_steps = 100000;
    fo_simulation *sim =
        model ? fo_simulation_create(fo_text_model_system(model), &def, &r.why) : NULL;
    r.status = sim ? fo_simulation_advance(sim, STOP) : FO_ERROR_INPUT;
    if (sim) {
        const fo_state *s = fo_simulation_state(sim);
        r.x = s->x[0], r.y = s->x[1], r.reached = s->t, r.why = *fo_simulation_message(sim);
    }
    if (r.status == FO_ERROR_INPUT) test_fail(__FILE__, __LINE__, "%s", r.why.text);
    fo_simulation_destroy(sim);
    fo_text_model_close(model);
    return r;
}

/// A relay on a x + b y, in units of 10^scale.
typedef struct relay {
    double a, b, low, high, w, x, y, unit;
} relay;

typedef enum way { RELATION, NO_EVENT, FUNCTION, WAYS } way;

static result run_relay(const relay *r, way how, const char *solver)
{
    static const char *const calls[WAYS] = {"if s > 0 then %.17g else %.17g",
                                            "noEvent(if s > 0 then %.17g else %.17g)",
                                            "relay(s, %.17g, %.17g)"};
    char call[160], text[1000];
    snprintf(call, sizeof call, calls[how], r->high * r->unit, r->low * r->unit);
    snprintf(text, sizeof text,
             "model Flips function relay input Real s, high, low; output Real u; algorithm\n"
             "if s > 0 then u := high; else u := low; end if; end relay;\n"
             "Real x(start = %.17g, fixed = true), y(start = %.17g, fixed = true), s;\nequation\n"
             "s = %.17g*x + (%.17g)*y; der(x) = %s; der(y) = %.17g*cos(%.17g*time); end Flips;\n",
             r->x * r->unit, r->y * r->unit, r->a, r->b, call, r->unit, r->w);
    return run_text(text, solver);
}

/// True where it slides and is told so.
static bool try_relay(uint64_t seed, bool *slides)
{
    uint64_t random = seed * 0x9e3779b97f4a7c15u + 1;
    const char *solver = solvers[seed % SOLVERS];
    relay r = {.a = between(&random, 0.3, 2),
               .b = between(&random, -1, 1),
               .low = between(&random, -0.5, 2),
               .high = between(&random, -2, 0.5),
               .w = between(&random, 0.5, 4),
               .x = between(&random, -1, 1),
               .y = between(&random, -1, 1),
               .unit = pow(10, floor(between(&random, -1, 7)))};
    result right = run_relay(&r, RELATION, "dp45");
    result got = run_relay(&r, chance(&random) < 0.5 ? NO_EVENT : FUNCTION, solver);
    *slides = false;
    if (!CHECK_STATUS(right.status, FO_REACHED, &right.why)) return false;
    *slides = right.slides < STOP - 0.1;
    bool same = fabs(got.x - right.x) <= 1e-2 * r.unit && fabs(got.y - right.y) <= 1e-2 * r.unit;
    bool fine = got.status == FO_REACHED && same, crawls = got.status == FO_ERROR_STEP;
    crawls &= *slides && got.reached >= right.slides - 1e-2;
    if (!fine && !crawls && (*slides || right.slides == INFINITY))
        test_fail(__FILE__, __LINE__, "seed %llu, %s: slides from %g; x is %g, not %g, at %g: %s",
                  (unsigned long long)seed, solver, right.slides, got.x, right.x, got.reached,
                  got.why.text);
    return crawls && strstr(got.why.text, "back and forth");
}

TEST(who_slides_without_a_guard_is_told_so)
{
    int count = test_inputs(300, 6000), slide = 0, told = 0;
    for (int seed = 1; seed <= count; seed++) {
        bool slides;
        told += try_relay((uint64_t)seed, &slides);
        slide += slides;
    }
    CHECK(3 * slide >= count);
    CHECK(10 * told >= 9 * slide); // others get on with larger steps, or have had too many
}

// Short steps of explicit methods that are nothing but stiff.
TEST(what_is_stiff_does_not_flip)
{
    static const char *const explicit[] = {"dp45", "dop853", "bs23", "adams"};
    uint64_t random = 3;
    for (int k = 0; k < test_inputs(20, 400); k++) {
        char text[400];
        double rate = pow(10, between(&random, 7.5, 9));
        snprintf(text, sizeof text,
                 "model Stiff Real x(start = 1, fixed = true), y(start = 0, fixed = true);\n"
                 "equation der(x) = -%.17g*(x - %s); der(y) = x; end Stiff;\n",
                 rate, k % 2 ? "sin(y)" : "tanh(100*cos(time))");
        result r = run_text(text, explicit[k % 4]);
        CHECK_STATUS(r.status, FO_ERROR_STEP, &r.why);
        CHECK_CONTAINS(r.why.text, "more than 100000 steps");
    }
}

// A block that comes to stick: the rates of its place and its speed both turn their signs, but only
// one of them jumps.
TEST(who_sticks_without_a_guard_is_told_so)
{
    for (int k = 0; k < SOLVERS; k++) {
        char text[400];
        double speed = pow(10, 2 + k % 3);
        snprintf(text, sizeof text,
                 "model Sticks Real x(start = 1, fixed = true), v(start = 0, fixed = true);\n"
                 "equation der(x) = %g*v;\n"
                 "der(v) = -%g*(x + 0.11*noEvent(if v > 0 then 1 else -1)); end Sticks;\n",
                 speed, speed);
        result r = run_text(text, solvers[k]);
        // it turns round at -0.78, 0.56, -0.34, 0.12 and sticks at 0.1 after five half periods
        double sticks = 5 * acos(-1) / speed;
        CHECK_STATUS(r.status, FO_ERROR_STEP, &r.why);
        CHECK_CONTAINS(r.why.text, "back and forth across a jump of the rate of 'v'");
        CHECK(r.reached > 0.99 * sticks && r.reached < 1.1 * sticks);
    }
}

// 50 steps a period: after each of them it is where it was, and not because it crawls.
TEST(what_swings_does_not_crawl)
{
    static const char text[] =
        "model Swings Real x(start = 1, fixed = true), v(start = 0, fixed = true);\n"
        "equation der(x) = 3e6*v; der(v) = -3e6*x; end Swings;\n";
    if (!fo_solver_find("ark-implicit", NULL)) return;
    fo_text_model_def model_def = {.path = "swings.mo", .text = text};
    fo_message why = {0};
    fo_text_model *model = fo_text_model_open(&model_def, &why);
    REQUIRE(model);
    fo_run_def def = fo_default_run_def();
    def.solver = "ark-implicit";
    fo_simulation *sim = fo_simulation_create(fo_text_model_system(model), &def, &why);
    REQUIRE(sim);
    CHECK_STATUS(fo_simulation_advance(sim, 0.006), FO_REACHED, fo_simulation_message(sim));
    fo_simulation_destroy(sim);
    fo_text_model_close(model);
}

TEST_MAIN(TEST_ENTRY(who_slides_without_a_guard_is_told_so),
          TEST_ENTRY(what_is_stiff_does_not_flip), TEST_ENTRY(what_swings_does_not_crawl),
          TEST_ENTRY(who_sticks_without_a_guard_is_told_so))
