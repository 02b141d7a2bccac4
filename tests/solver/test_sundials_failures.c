// The solvers through SUNDIALS: goals, jumps and shapes, and what can go wrong.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sundials_rig.h"

#ifndef FOI_WITH_SUNDIALS

TEST(missing_solvers_are_not_listed)
{
    for (size_t i = 0; i < fo_solver_count(); i++) CHECK(!(fo_solver_get(i)->traits & FO_SUNDIALS));
    for (int m = 0; m < ALL; m++) CHECK(!fo_solver_find(all[m], NULL));
}

TEST_MAIN(TEST_ENTRY(missing_solvers_are_not_listed))

#else

static fo_status make(rig *r, const char *method, const fo_system_type *type, uint32_t n,
                      double tolerance)
{
    rig_set(r, method, type, NULL, n, tolerance);
    return foi_solver_prepare(&r->o);
}

static fo_status run(rig *r, const char *method, const fo_system_type *type, uint32_t n,
                     const double *x, double goal, double tolerance)
{
    rig_set(r, method, type, NULL, n, tolerance);
    fo_status status = rig_begin(r, x);
    return status == FO_OK ? rig_go(r, goal) : status;
}

// -------------------------------------------------------------------------- goals, jumps, shapes

TEST(goals_are_hit_exactly)
{
    for (int m = 0; m < ALL; m++) {
        rig r;
        CHECK_STATUS(make(&r, all[m], &swing_type, 2, 1e-7), FO_OK, &r.message);
        CHECK_STATUS(foi_solver_begin(&r.o, 0, swing_start, FOI_COLD), FO_OK, &r.message);
        for (int k = 1; k <= 40; k++) {
            double goal = k * 0.1;
            CHECK_STATUS(rig_go(&r, goal), FO_OK, &r.message);
            CHECK(r.o.t1 == goal);
            CHECK_NEAR(r.o.x1[0], cos(goal), 2e-5);
        }
        // one that is a few ulps ahead, after a step and after a start
        double near = nextafter(nextafter(r.o.t1, 9), 9);
        CHECK_STATUS(rig_go(&r, near), FO_OK, &r.message);
        CHECK(r.o.t1 == near);
        CHECK_STATUS(foi_solver_begin(&r.o, near, r.o.x1, FOI_JUMP), FO_OK, &r.message);
        double nearer = nextafter(near, 9);
        CHECK_STATUS(rig_go(&r, nearer), FO_OK, &r.message);
        CHECK(r.o.t1 == nearer);
        CHECK_STATUS(foi_solver_dense(&r.o), FO_OK, &r.message);
        CHECK_STATUS(rig_go(&r, 5), FO_OK, &r.message);
        CHECK_NEAR(r.o.x1[0], cos(5), 2e-5);
        foi_solver_destroy(&r.o);
    }
}

TEST(attention_and_budget_end_a_march)
{
    for (int m = 0; m < ALL; m++) {
        rig r;
        CHECK_STATUS(make(&r, all[m], &swing_type, 2, 1e-7), FO_OK, &r.message);
        CHECK_STATUS(foi_solver_begin(&r.o, 0, swing_start, FOI_COLD), FO_OK, &r.message);
        r.o.budget = 3;
        CHECK_STATUS(r.o.method->march(&r.o, 100, 100), FO_OK, &r.message);
        CHECK_INT((long long)r.o.counts.steps, 3);
        r.o.budget = UINT64_MAX;
        CHECK_STATUS(r.o.method->march(&r.o, 2, 100), FO_OK, &r.message);
        CHECK(r.o.t1 >= 2 && r.o.t0 < 2 && r.o.t1 < 100);
        foi_solver_destroy(&r.o);
    }
}

TEST(goes_on_after_a_jump)
{
    for (int m = 0; m < ALL; m++) {
        rig r;
        CHECK_STATUS(run(&r, all[m], &swing_type, 2, swing_start, 3, 1e-8), FO_OK, &r.message);
        double x[] = {0, 2};
        CHECK_STATUS(foi_solver_begin(&r.o, 3, x, FOI_JUMP), FO_OK, &r.message);
        CHECK(r.o.t1 == 3 && r.o.x1[1] == 2);
        CHECK_STATUS(rig_go(&r, 5), FO_OK, &r.message);
        CHECK_NEAR(r.o.x1[0], 2 * sin(2), 1e-5);
        CHECK_NEAR(r.o.x1[1], 2 * cos(2), 1e-5);
        foi_solver_destroy(&r.o);
    }
}

static fo_status decay(const void *model, const fo_state *s, double t, const double *x, double *dx)
{
    (void)model, (void)t;
    for (uint32_t i = 0; i < s->shape.states; i++) dx[i] = -x[i];
    return FO_OK;
}

static const fo_system_type decay_type = {.rates = decay, .stiff_rates = decay};

TEST(number_of_states_may_change)
{
    static const double ones[] = {1, 1, 1, 1, 1};
    static const uint32_t sizes[] = {2, 5, 1, 3};
    for (int m = 0; m < ALL; m++) {
        rig r;
        CHECK_STATUS(make(&r, all[m], &decay_type, 1, 1e-8), FO_OK, &r.message);
        for (int k = 0; k < 4; k++) {
            r.s.shape.states = r.o.n = sizes[k];
            CHECK_STATUS(foi_solver_prepare(&r.o), FO_OK, &r.message);
            CHECK_STATUS(foi_solver_begin(&r.o, k, ones, FOI_JUMP), FO_OK, &r.message);
            CHECK_STATUS(rig_go(&r, k + 1), FO_OK, &r.message);
            CHECK(r.o.t1 == k + 1);
            CHECK_STATUS(foi_solver_dense(&r.o), FO_OK, &r.message);
            for (uint32_t i = 0; i < sizes[k]; i++) CHECK_NEAR(r.o.x1[i], exp(-1), 1e-6);
        }
        foi_solver_destroy(&r.o);
    }
}

// ------------------------------------------------------------------------------ what can go wrong

static fo_status failing(const void *model, const fo_state *s, double t, const double *x,
                         double *dx)
{
    (void)model;
    dx[0] = -x[0];
    return t > 1 ? fo_refuse(s, "no further than 1") : FO_OK;
}

static fo_status not_a_number(const void *model, const fo_state *s, double t, const double *x,
                              double *dx)
{
    (void)model, (void)s;
    dx[0] = t > 1 ? NAN : -x[0];
    return FO_OK;
}

// Refuses all x < 0.5, which a step from far may try but the solution never reaches.
static fo_status picky(const void *model, const fo_state *s, double t, const double *x, double *dx)
{
    (void)model, (void)s, (void)t;
    dx[0] = 100 * (0.6 - x[0]);
    return x[0] < 0.5 ? FO_RETRY : FO_OK;
}

static fo_status walled(const void *model, const fo_state *s, double t, const double *x, double *dx)
{
    (void)model, (void)s, (void)x;
    dx[0] = 1;
    return t > 1 ? FO_RETRY : FO_OK;
}

static fo_status explode(const void *model, const fo_state *s, double t, const double *x,
                         double *dx)
{
    (void)model, (void)s, (void)t;
    dx[0] = x[0] * x[0];
    return FO_OK;
}

static void check_failure(fo_status (*rates)(const void *, const fo_state *, double, const double *,
                                             double *),
                          fo_status expected, const char *part, double last)
{
    fo_system_type type = {.rates = rates, .stiff_rates = decay};
    for (int m = 0; m < ALL; m++) {
        rig r;
        double one = 1;
        fo_status status = run(&r, all[m], &type, 1, &one, 3, 1e-6);
        if (status != expected) fprintf(stderr, "%s: ", all[m]);
        CHECK_STATUS(status, expected, &r.message);
        CHECK_INT(r.message.status, expected);
        CHECK_CONTAINS(r.message.text, part);
        CHECK(r.o.t1 > 0.5 * last && r.o.t1 <= last + 1e-3);
        CHECK(isfinite(r.o.x1[0]) && r.o.x1[0] != 1);
        foi_solver_destroy(&r.o);
    }
}

TEST(model_errors_come_through)
{
    check_failure(failing, FO_ERROR_MODEL, "no further than 1", 1);
}

TEST(numbers_that_are_none_are_named)
{
    check_failure(not_a_number, FO_ERROR_NUMBER, "the rate of 'x[0]' became not a number", 1);
}

TEST(a_wall_of_retries_is_an_error)
{
    check_failure(walled, FO_ERROR_STEP, "asked for a shorter one", 1);
}

static fo_status never_a_number(const void *model, const fo_state *s, double t, const double *x,
                                double *dx)
{
    (void)model, (void)s, (void)t, (void)x;
    dx[0] = NAN;
    return FO_OK;
}

static fo_status never(const void *model, const fo_state *s, double t, const double *x, double *dx)
{
    (void)model, (void)s, (void)t, (void)x;
    dx[0] = 0;
    return FO_RETRY;
}

TEST(a_bad_start_is_an_error)
{
    fo_system_type nan = {.rates = never_a_number, .stiff_rates = decay};
    fo_system_type wall = {.rates = never, .stiff_rates = decay};
    for (int m = 0; m < ALL; m++) {
        rig r;
        double one = 1;
        CHECK_STATUS(run(&r, all[m], &nan, 1, &one, 3, 1e-6), FO_ERROR_NUMBER, &r.message);
        CHECK_CONTAINS(r.message.text, "not a number at t = 0");
        CHECK(r.o.t1 == 0 && r.o.x1[0] == 1);
        foi_solver_destroy(&r.o);
        CHECK_STATUS(run(&r, all[m], &wall, 1, &one, 3, 1e-6), FO_ERROR_STEP, &r.message);
        CHECK_CONTAINS(r.message.text, "at t = 0 the model still asked");
        CHECK(r.o.t1 == 0 && r.o.x1[0] == 1);
        foi_solver_destroy(&r.o);
    }
}

TEST(blow_up_ends_with_a_small_step)
{
    fo_system_type type = {.rates = explode, .stiff_rates = decay};
    for (int m = 0; m < ALL; m++) {
        rig r;
        double one = 1;
        fo_status status = run(&r, all[m], &type, 1, &one, 3, 1e-6);
        CHECK(status == FO_ERROR_STEP || status == FO_ERROR_CONVERGE || status == FO_ERROR_NUMBER);
        CHECK_INT(r.message.status, status);
        CHECK_NEAR(r.o.t1, 1, 1e-2);
        foi_solver_destroy(&r.o);
    }
}

TEST(least_step_is_kept)
{
    fo_system_type type = {.rates = explode, .stiff_rates = decay};
    for (int m = 0; m < ALL; m++) {
        rig r;
        double one = 1;
        CHECK_STATUS(make(&r, all[m], &type, 1, 1e-6), FO_OK, &r.message);
        r.o.min_step = 1e-4;
        CHECK_STATUS(foi_solver_prepare(&r.o), FO_OK, &r.message);
        CHECK_STATUS(foi_solver_begin(&r.o, 0, &one, FOI_COLD), FO_OK, &r.message);
        CHECK_STATUS(rig_go(&r, 0.5), FO_OK, &r.message);
        CHECK_NEAR(r.o.x1[0], 2, 1e-3);
        fo_status status = rig_go(&r, 3);
        CHECK(status == FO_ERROR_STEP || status == FO_ERROR_CONVERGE);
        CHECK_CONTAINS(r.message.text, "h = 0.0001");
        foi_solver_destroy(&r.o);
    }
}

TEST(retries_shorten_the_step)
{
    fo_system_type type = {.rates = picky, .stiff_rates = picky};
    for (int m = 0; m < ALL; m++) {
        rig r;
        double far = 2;
        CHECK_STATUS(make(&r, all[m], &type, 1, 1e-4), FO_OK, &r.message);
        r.o.first_step = 0.5;
        CHECK_STATUS(foi_solver_begin(&r.o, 0, &far, FOI_COLD), FO_OK, &r.message);
        CHECK_STATUS(rig_go(&r, 1), FO_OK, &r.message);
        CHECK_NEAR(r.o.x1[0], 0.6, 1e-3);
        foi_solver_destroy(&r.o);
    }
}

static fo_status line_residual(const void *model, const fo_state *s, double t, const double *x,
                               const double *dx, double *r)
{
    (void)model, (void)t, (void)x;
    for (uint32_t i = 0; i < s->shape.states; i++) r[i] = dx[i] - 1;
    return FO_OK;
}

static fo_status no_mass(const void *model, const fo_state *s, double *values)
{
    (void)model;
    memset(values, 0, (size_t)s->shape.states * s->shape.states * sizeof(double));
    return FO_OK;
}

TEST(unfit_systems_are_refused)
{
    static const fo_system_type with_mass = {.rates = decay, .mass = no_mass};
    static const fo_system_type residual_only = {.residual = line_residual};
    static const fo_system_type plain = {.rates = decay};
    for (int m = 0; m < 5; m++) {
        rig r;
        CHECK_STATUS(make(&r, all[m], &residual_only, 3, 1e-6), FO_ERROR_UNFIT, &r.message);
        CHECK_CONTAINS(r.message.text, "use ida");
        CHECK_CONTAINS(r.message.text, all[m]);
        foi_solver_destroy(&r.o);
        CHECK_STATUS(make(&r, all[m], &with_mass, 3, 1e-6), FO_ERROR_UNFIT, &r.message);
        CHECK_CONTAINS(r.message.text, "radau5, rodas4 or ida");
        foi_solver_destroy(&r.o);
    }
    rig r;
    CHECK_STATUS(make(&r, "ark-imex", &plain, 1, 1e-6), FO_ERROR_UNFIT, &r.message);
    CHECK_TEXT(r.message.text, "ark-imex needs stiff_rates; use ark-implicit");
    foi_solver_destroy(&r.o);
    static const fo_system_type nothing = {0};
    CHECK_STATUS(make(&r, "ida", &nothing, 1, 1e-6), FO_ERROR_UNFIT, &r.message);
    foi_solver_destroy(&r.o);
}

// Every allocation of ours fails once, with a dense and a sparse matrix.
TEST(no_memory_is_a_status)
{
    static const fo_system_type type = {
        .rates = rod, .stiff_rates = rod, .pattern = model_is_pattern};
    rod_pattern wide;
    double x[ROD];
    for (int i = 0; i < ROD; i++) x[i] = 1;
    const fo_pattern *patterns[] = {NULL, make_rod_pattern(&wide, true)};
    for (int m = 0; m < 2 * ALL; m++) {
        long fail_at = 1;
        for (bool done = false; !done; fail_at++) {
            test_memory memory;
            test_memory_init(&memory, fail_at);
            rig r;
            rig_set(&r, all[m / 2], &type, patterns[m % 2], ROD, 1e-3);
            r.o.budget = 1, r.o.allocator = &memory.allocator;
            fo_status status = foi_solver_prepare(&r.o);
            if (status == FO_OK) status = foi_solver_begin(&r.o, 0, x, FOI_COLD);
            if (status == FO_OK) status = r.o.method->march(&r.o, 1e-3, 1e-3);
            done = memory.allocations < fail_at;
            CHECK_STATUS(status, done ? FO_OK : FO_ERROR_MEMORY, &r.message);
            foi_solver_destroy(&r.o);
            CHECK_INT(memory.live, 0);
            if (fail_at > 200) break;
        }
        CHECK(fail_at > 10 && fail_at < 200);
    }
}

TEST_MAIN(TEST_ENTRY(goals_are_hit_exactly), TEST_ENTRY(attention_and_budget_end_a_march),
          TEST_ENTRY(goes_on_after_a_jump), TEST_ENTRY(number_of_states_may_change),
          TEST_ENTRY(model_errors_come_through), TEST_ENTRY(numbers_that_are_none_are_named),
          TEST_ENTRY(a_wall_of_retries_is_an_error), TEST_ENTRY(a_bad_start_is_an_error),
          TEST_ENTRY(blow_up_ends_with_a_small_step), TEST_ENTRY(least_step_is_kept),
          TEST_ENTRY(retries_shorten_the_step), TEST_ENTRY(unfit_systems_are_refused),
          TEST_ENTRY(no_memory_is_a_status))

#endif
