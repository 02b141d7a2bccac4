// Methods of the user's own: their order, their choice of steps, events, snapshots, refusals.
#include <foliot/simulation.h>
#include <math.h>
#include <string.h>

#include "test.h"

/// x'' = -x, and a ball: h'' = -10 with a guard on h.
typedef struct motion {
    bool falls;
} motion;

static fo_status rates(const void *model, const fo_state *s, double t, const double *x, double *dx)
{
    (void)s, (void)t;
    dx[0] = x[1], dx[1] = ((const motion *)model)->falls ? -10 : -x[0];
    return FO_OK;
}

static fo_status guards(const void *model, const fo_state *s, double t, const double *x, double *g)
{
    (void)s, (void)t;
    g[0] = ((const motion *)model)->falls ? x[0] : 1;
    return FO_OK;
}

static fo_status jump(const void *model, fo_state *s, const fo_moment *m, fo_effect *effect)
{
    (void)model, (void)m, (void)effect;
    s->x[1] = -0.5 * s->x[1];
    return FO_OK;
}

static const fo_system_type type = {.kind = "C", .rates = rates, .guards = guards, .jump = jump};
static const fo_variable states[] = {{"x", .start = 1}, {"v"}};
static const fo_guard guard = {.name = "floor", .direction = FO_FALLING};
static const fo_description about = {
    .name = "motion", .states = {states, 2}, .guards = {&guard, 1}};

/// Kutta's method of order 3, which also offers the midpoint rule's result: an error of order 3.
static fo_status kutta(void *self, fo_rates *f, double t, double h, uint32_t n, const double *x,
                       const double *k1, double *x1, double *error, double *work)
{
    double *at = work, *k2 = work + n, *k3 = work + 2 * n;
    int *calls = self;
    ++*calls;
    for (uint32_t i = 0; i < n; i++) at[i] = x[i] + h / 2 * k1[i];
    fo_status status = fo_rates_at(f, t + h / 2, at, k2);
    if (status != FO_OK) return status;
    for (uint32_t i = 0; i < n; i++) at[i] = x[i] + h * (2 * k2[i] - k1[i]);
    if ((status = fo_rates_at(f, t + h, at, k3)) != FO_OK) return status;
    for (uint32_t i = 0; i < n; i++) {
        x1[i] = x[i] + h / 6 * (k1[i] + 4 * k2[i] + k3[i]);
        error[i] = x1[i] - (x[i] + h * k2[i]);
    }
    return FO_OK;
}

static fo_status euler(void *self, fo_rates *f, double t, double h, uint32_t n, const double *x,
                       const double *dx, double *x1, double *error, double *work)
{
    (void)self, (void)f, (void)t, (void)error, (void)work;
    for (uint32_t i = 0; i < n; i++) x1[i] = x[i] + h * dx[i];
    return FO_OK;
}

static double run(const motion *m, const fo_method *method, double step, double rtol, double stop,
                  double *x)
{
    fo_message why = {0};
    fo_run_def def = fo_default_run_def();
    def.method = method, def.step = step, def.rtol = rtol, def.atol = rtol * 1e-3, def.stop = stop;
    fo_simulation *sim = fo_simulation_create((fo_system){&type, &about, m}, &def, &why);
    if (!sim) {
        test_fail(__FILE__, __LINE__, "%s", why.text);
        return NAN;
    }
    fo_status status = fo_simulation_advance(sim, stop);
    if (status != FO_REACHED) test_fail(__FILE__, __LINE__, "%s", fo_simulation_message(sim)->text);
    memcpy(x, fo_simulation_state(sim)->x, 2 * sizeof *x);
    double steps = (double)fo_simulation_statistics(sim).steps;
    fo_simulation_destroy(sim);
    return steps;
}

TEST(a_fixed_method_has_its_order)
{
    int calls = 0;
    motion swing = {false};
    fo_method m = {{"kutta3", NULL, 3, 0, FO_FIXED_WORK}, .work = 3, .self = &calls, .step = kutta};
    double x[2], errors[3];
    for (int i = 0; i < 3; i++) {
        double steps = run(&swing, &m, 0.1 / (1 << i), 1e-6, 5, x);
        CHECK_NEAR(steps, 50 << i, 0);
        errors[i] = hypot(x[0] - cos(5), x[1] + sin(5));
    }
    CHECK_NEAR(log2(errors[0] / errors[1]), 3, 0.1);
    CHECK_NEAR(log2(errors[1] / errors[2]), 3, 0.05);
    CHECK_INT(calls, 50 + 100 + 200);
}

TEST(an_adaptive_method_follows_the_tolerance)
{
    int calls = 0;
    motion swing = {false};
    fo_method own = {{"kutta3(2)", NULL, 3, 0, FO_ADAPTIVE},
                     .error_order = 3,
                     .work = 3,
                     .self = &calls,
                     .step = kutta};
    fo_method halved = {{"halved euler", NULL, 1, 0, FO_ADAPTIVE}, .halves = true, .step = euler};
    double x[2], before = 0;
    for (double tolerance = 1e-3; tolerance > 1e-10; tolerance /= 10) {
        double steps = run(&swing, &own, 0, tolerance, 5, x);
        CHECK(hypot(x[0] - cos(5), x[1] + sin(5)) < 20 * tolerance);
        CHECK(steps > before);
        before = steps;
    }
    for (double tolerance = 1e-2; tolerance > 1e-5; tolerance /= 10) {
        run(&swing, &halved, 0, tolerance, 5, x);
        CHECK(hypot(x[0] - cos(5), x[1] + sin(5)) < 40 * sqrt(tolerance)); // of order 1
    }
}

// h = 1 - 5 t^2 meets the floor at sqrt(0.2) with speed sqrt(20).
TEST(its_events_are_found)
{
    int calls = 0;
    motion ball = {true};
    fo_method fixed = {
        {"kutta3", NULL, 3, 0, FO_FIXED_WORK}, .work = 3, .self = &calls, .step = kutta};
    fo_method adaptive = fixed;
    adaptive.info.traits = FO_ADAPTIVE;
    double x[2], t = 0.7 - sqrt(0.2), v = sqrt(20) / 2;
    for (int i = 0; i < 2; i++) {
        run(&ball, i ? &adaptive : &fixed, 0.03, 1e-6, 0.7, x);
        CHECK_NEAR(x[0], v * t - 5 * t * t, 1e-12);
        CHECK_NEAR(x[1], v - 10 * t, 1e-12);
    }
}

TEST(a_snapshot_goes_on_with_the_same_bits)
{
    int calls = 0;
    motion swing = {false};
    fo_method m = {
        {"kutta3(2)", NULL, 3, 0, FO_ADAPTIVE}, .work = 3, .self = &calls, .step = kutta};
    fo_message why = {0};
    fo_run_def def = fo_default_run_def();
    def.method = &m, def.stop = 10;
    fo_simulation *sim = fo_simulation_create((fo_system){&type, &about, &swing}, &def, &why);
    REQUIRE(sim);
    CHECK_INT(fo_simulation_advance(sim, 4), FO_REACHED);
    fo_snapshot *kept = fo_simulation_snapshot(sim);
    REQUIRE(kept);
    CHECK_INT(fo_simulation_advance(sim, 10), FO_REACHED);
    double x = fo_simulation_state(sim)->x[0];
    CHECK_INT(fo_simulation_restore(sim, kept), FO_OK);
    CHECK_INT(fo_simulation_advance(sim, 10), FO_REACHED);
    CHECK(fo_simulation_state(sim)->x[0] == x);
    CHECK_TEXT(fo_simulation_solver(sim)->name, "kutta3(2)");
    fo_snapshot_destroy(kept);
    fo_simulation_destroy(sim);
}

TEST(what_cannot_be_one_is_refused)
{
    motion swing = {false};
    fo_method wrong[] = {{{"", NULL, 3, 0, FO_ADAPTIVE}, .step = kutta},
                         {{"a", NULL, 3, 0, FO_ADAPTIVE}},
                         {{"dp45", NULL, 3, 0, FO_ADAPTIVE}, .step = kutta},
                         {{"a", NULL, 0, 0, FO_ADAPTIVE}, .step = kutta},
                         {{"a", NULL, 1, 0, FO_ADAPTIVE}, .work = 1000000, .step = kutta}};
    static const char *const texts[] = {
        "needs a name and a step", "needs a name and a step", "there is a solver 'dp45' already",
        "the order is from 1 to 100, not 0", "1000000 working vectors are too many"};
    for (size_t i = 0; i < FO_COUNT(wrong); i++) {
        fo_message why = {0};
        fo_run_def def = fo_default_run_def();
        def.method = &wrong[i];
        CHECK(!fo_simulation_create((fo_system){&type, &about, &swing}, &def, &why));
        CHECK_CONTAINS(why.text, texts[i]);
    }
}

// What begins low takes many short steps where one of a fixed order takes a few.
TEST(methods_that_begin_low_say_so)
{
    static const motion free = {0};
    for (size_t i = 0; i < fo_solver_count(); i++) {
        const fo_solver_info *info = fo_solver_get(i);
        bool low = info->traits & FO_BEGINS_LOW;
        if (info->traits & FO_SUNDIALS) // all of these begin with tiny steps
            CHECK_INT(low, strncmp(info->name, "ark-", 4) != 0);
        if (!(info->traits & FO_ADAPTIVE) || info->traits & FO_SUNDIALS || info->order < 4)
            continue;
        fo_message why = {0};
        fo_run_def def = fo_default_run_def();
        def.solver = info->name, def.rtol = 1e-9, def.atol = 1e-9, def.stop = 1;
        fo_simulation *sim = fo_simulation_create((fo_system){&type, &about, &free}, &def, &why);
        if (!sim) {
            test_fail(__FILE__, __LINE__, "%s: %s", info->name, why.text);
            continue;
        }
        CHECK_STATUS(fo_simulation_advance_some(sim, 1, 10), FO_PAUSED, &why);
        CHECK_INT(low, fo_simulation_state(sim)->t < 0.01);
        fo_simulation_destroy(sim);
    }
}

TEST_MAIN(TEST_ENTRY(a_fixed_method_has_its_order),
          TEST_ENTRY(an_adaptive_method_follows_the_tolerance), TEST_ENTRY(its_events_are_found),
          TEST_ENTRY(a_snapshot_goes_on_with_the_same_bits),
          TEST_ENTRY(what_cannot_be_one_is_refused), TEST_ENTRY(methods_that_begin_low_say_so))
