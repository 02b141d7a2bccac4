/// Explicit Runge-Kutta methods: what a march promises, and what happens where it fails.
#include <float.h>
#include <math.h>

#include "erk_rig.h"

RATES(constant)
{
    UNUSED;
    dx[0] = 1, dx[1] = -1;
    return FO_OK;
}

RATES(blow_up)
{
    UNUSED;
    dx[0] = 0, dx[1] = x[1] * x[1];
    return FO_OK;
}

RATES(domain_edge) // v falls with slope one; the rate of u needs v >= 0
{
    UNUSED;
    dx[0] = sqrt(x[1]), dx[1] = -1;
    return FO_OK;
}

RATES(refusing) // decays fast; is refused where it is negative
{
    UNUSED;
    dx[0] = -100 * x[0];
    return x[0] < 0 ? FO_RETRY : FO_OK;
}

RATES(never_past_one)
{
    UNUSED;
    dx[0] = 1;
    return t > 1 ? FO_RETRY : FO_OK;
}

RATES(broken_past_one)
{
    UNUSED;
    dx[0] = 1;
    return t > 1 ? fo_fail(s->message, FO_ERROR_MODEL, "broken at t = %g", t) : FO_OK;
}

RATES(stiff)
{
    UNUSED;
    dx[0] = -1e4 * (x[0] - cos(t)), dx[1] = -x[1];
    return FO_OK;
}

RATES(overflow)
{
    UNUSED;
    dx[0] = 1e308, dx[1] = 0;
    return FO_OK;
}

RATES(watched) // notes the latest time it was asked for
{
    UNUSED;
    double *latest = s->d;
    if (t > *latest) *latest = t;
    dx[0] = cos(t) * x[0];
    return FO_OK;
}

// ------------------------------------------------------------------------- the march contract

TEST(goal_is_hit_exactly_and_nothing_is_evaluated_beyond)
{
    for (int m = 0; m < ADAPTIVE + FIXED; m++) {
        rig r;
        double x = 1, latest = 0, goal = 0;
        make(&r, method_name(m), 1, watched);
        r.s.d = &latest;
        r.o.step = 0.01;
        begin(&r, 0, &x);
        r.o.first_step = 0.01; // choosing one evaluates the rates at another place
        for (int k = 1; k < 8; k++) {
            goal += 0.7 / k;
            CHECK_STATUS(march(&r, INFINITY, goal), FO_OK, &r.message);
            CHECK(r.o.t1 == goal && latest == goal);
            CHECK_NEAR(r.o.x1[0], exp(sin(goal)), m == ADAPTIVE ? 0.02 : 2e-4);
        }
        unmake(&r);
    }
}

TEST(budget_and_attention_end_a_march)
{
    for (int m = 0; m < ADAPTIVE + FIXED; m++) {
        rig r;
        double x[2] = {2.5, 0};
        make(&r, method_name(m), 2, pendulum);
        r.o.step = 0.001;
        begin(&r, 0, x);
        r.o.budget = 3;
        CHECK_STATUS(march(&r, 10, 10), FO_OK, &r.message);
        CHECK_INT((long long)r.o.counts.steps, 3);
        r.o.budget = UINT64_MAX;
        CHECK_STATUS(march(&r, 5, 10), FO_OK, &r.message);
        CHECK(r.o.t1 >= 5 && r.o.t0 < 5 && r.o.t1 < 10);
        uint64_t steps = r.o.counts.steps;
        CHECK_STATUS(march(&r, 5, 10), FO_OK, &r.message); // already past: one step
        CHECK_INT((long long)(r.o.counts.steps - steps), 1);
        CHECK(r.o.f1_valid);
        double f[2];
        pendulum(NULL, NULL, r.o.t1, r.o.x1, f);
        CHECK(f[0] == r.o.f1[0] && f[1] == r.o.f1[1]);
        pendulum(NULL, NULL, r.o.t0, r.o.x0, f);
        CHECK(f[0] == r.o.f0[0] && f[1] == r.o.f0[1]);
        unmake(&r);
    }
}

TEST(landing_does_not_spoil_the_step)
{
    for (int m = 0; m < ADAPTIVE; m++) {
        rig r;
        double x[2] = {2.5, 0};
        make(&r, adaptive[m], 2, pendulum);
        begin(&r, 0, x);
        CHECK_STATUS(march(&r, 1, 10), FO_OK, &r.message);
        double h = r.o.h_next;
        CHECK_STATUS(march(&r, 10, r.o.t1 + 1e-9 * h), FO_OK, &r.message);
        CHECK(r.o.h_next >= h);
        unmake(&r);
    }
}

TEST(a_jump_costs_one_evaluation_and_keeps_the_step)
{
    rig r;
    double x[2] = {2.5, 0};
    make(&r, "dp45", 2, pendulum);
    begin(&r, 0, x);
    CHECK_STATUS(march(&r, 1, 10), FO_OK, &r.message);
    double h = r.o.h_next;
    uint64_t rates = r.o.counts.rates;
    double after[2] = {-r.o.x1[0], -r.o.x1[1]}; // the mirror image takes the same steps
    CHECK_STATUS(foi_solver_begin(&r.o, r.o.t1, after, FOI_JUMP), FO_OK, &r.message);
    r.o.budget = 1;
    CHECK_STATUS(march(&r, 10, 10), FO_OK, &r.message);
    CHECK_INT((long long)(r.o.counts.rates - rates), 7);
    CHECK_NEAR(r.o.t1 - r.o.t0, h, 1e-15);
    unmake(&r);
}

TEST(fixed_steps_lie_on_the_grid)
{
    for (int m = 0; m < FIXED; m++) {
        rig r;
        double x[2] = {2.5, 0}, base = 0.3;
        make(&r, fixed[m], 2, pendulum);
        r.o.step = 0.0137, r.o.budget = 1;
        begin(&r, base, x);
        for (int k = 1; k < 500; k++) {
            CHECK_STATUS(march(&r, 100, 100), FO_OK, &r.message);
            CHECK(r.o.t1 == base + k * 0.0137);
        }
        // off the grid, and a new one from there
        base = r.o.t1 + 0.3 * 0.0137;
        CHECK_STATUS(march(&r, 100, base), FO_OK, &r.message);
        CHECK(r.o.t1 == base);
        CHECK_STATUS(march(&r, 100, 100), FO_OK, &r.message);
        CHECK(r.o.t1 == base + 0.0137);
        CHECK_INT((long long)r.o.counts.steps, 501);
        unmake(&r);
    }
}

TEST(no_states_only_time)
{
    for (int m = 0; m < ADAPTIVE + FIXED; m++) {
        rig r;
        make(&r, method_name(m), 0, NULL);
        begin(&r, 0, NULL);
        CHECK_STATUS(march(&r, 3, 3), FO_OK, &r.message);
        CHECK(r.o.t1 == 3);
        CHECK_STATUS(foi_solver_dense(&r.o), FO_OK, &r.message);
        unmake(&r);
    }
}

TEST(max_step_is_kept)
{
    rig r;
    double x[2] = {0, 0};
    make(&r, "dop853", 2, constant);
    r.o.max_step = 0.25;
    begin(&r, 0, x);
    CHECK_STATUS(march(&r, 10, 10), FO_OK, &r.message);
    CHECK(r.o.counts.steps >= 40 && r.o.counts.steps < 60);
    CHECK_NEAR(r.o.x1[1], -10, 1e-12);
    unmake(&r);
}

// ------------------------------------------------------------------------------ what goes wrong

TEST(a_step_that_gets_too_small_is_an_error)
{
    for (int m = 0; m < ADAPTIVE; m++) {
        rig r;
        double x[2] = {1, 1};
        make(&r, adaptive[m], 2, blow_up);
        begin(&r, 0, x);
        CHECK_STATUS(march(&r, 2, 2), FO_ERROR_STEP, &r.message);
        CHECK_CONTAINS(r.message.text, "step became too small at t = ");
        CHECK_CONTAINS(r.message.text, "'v'");
        CHECK_NEAR(r.o.t1, 1, 1e-6);
        CHECK(r.o.x1[1] > 1e6 && isfinite(r.o.x1[1]));
        unmake(&r);
    }
}

TEST(what_is_not_a_number_is_named)
{
    for (int m = 0; m < ADAPTIVE + FIXED; m++) {
        rig r;
        double x[2] = {0, 1};
        make(&r, method_name(m), 2, domain_edge);
        begin(&r, 0, x);
        CHECK_STATUS(march(&r, 2, 2), FO_ERROR_NUMBER, &r.message);
        CHECK_CONTAINS(r.message.text, "the rate of 'u' became not a number at t = 1");
        CHECK(r.o.t1 <= 1 + 1e-9 && r.o.t1 > 0.8 && r.o.f1_valid);
        CHECK_NEAR(r.o.x1[1], 1 - r.o.t1, 1e-9);
        // from a point where there is nothing at all
        x[1] = -1;
        CHECK_STATUS(foi_solver_begin(&r.o, 7, x, FOI_JUMP), FO_OK, &r.message);
        CHECK_STATUS(march(&r, 9, 9), FO_ERROR_NUMBER, &r.message);
        CHECK_CONTAINS(r.message.text, "the rate of 'u' became not a number at t = 7");
        unmake(&r);
    }
}

TEST(an_infinite_state_is_an_error)
{
    for (int m = 0; m < ADAPTIVE + FIXED; m++) {
        rig r;
        double x[2] = {0, 0};
        make(&r, method_name(m), 2, overflow);
        begin(&r, 0, x);
        fo_status status = march(&r, 1e3, 1e3);
        CHECK(status == FO_ERROR_NUMBER || status == FO_ERROR_STEP);
        CHECK(isfinite(r.o.x1[0]) && r.o.t1 < 2);
        unmake(&r);
    }
}

TEST(a_model_may_ask_for_a_shorter_step)
{
    for (int m = 0; m < ADAPTIVE; m++) {
        rig r;
        double x[1] = {1};
        make(&r, adaptive[m], 1, refusing);
        r.o.rtol = r.o.atol = 1e-3, r.o.first_step = 1;
        begin(&r, 0, x);
        CHECK_STATUS(march(&r, 0.03, 0.03), FO_OK, &r.message);
        CHECK(r.o.counts.rejected > 0);
        CHECK_NEAR(r.o.x1[0], exp(-3), 1e-2);
        unmake(&r);

        make(&r, adaptive[m], 1, never_past_one);
        begin(&r, 0, x);
        CHECK_STATUS(march(&r, 2, 2), FO_ERROR_STEP, &r.message);
        CHECK_CONTAINS(r.message.text, "the model refuses every step");
        CHECK_NEAR(r.o.t1, 1, 1e-12);
        CHECK_NEAR(r.o.x1[0], 2, 1e-12);
        unmake(&r);
    }
}

TEST(a_models_error_is_passed_on)
{
    for (int m = 0; m < ADAPTIVE + FIXED; m++) {
        rig r;
        double x[1] = {0};
        make(&r, method_name(m), 1, broken_past_one);
        r.s.message = &r.message;
        r.o.max_step = r.o.first_step = 0.3;
        begin(&r, 0, x);
        CHECK_STATUS(march(&r, 2, 2), FO_ERROR_MODEL, &r.message);
        CHECK_CONTAINS(r.message.text, "broken at t = 1.");
        CHECK(r.o.t1 <= 1 && r.o.t1 > 0.6);
        CHECK_NEAR(r.o.x1[0], r.o.t1, 1e-12);
        unmake(&r);
    }
}

TEST(fixed_steps_cannot_be_shorter)
{
    rig r;
    double x[1] = {0};
    make(&r, "rk4", 1, never_past_one);
    begin(&r, 0, x);
    CHECK_STATUS(march(&r, 2, 2), FO_ERROR_STEP, &r.message);
    CHECK_CONTAINS(r.message.text, "'rk4' has fixed steps");
    CHECK_STATUS(foi_solver_begin(&r.o, 1.5, x, FOI_COLD), FO_OK, &r.message);
    CHECK_STATUS(march(&r, 2, 2), FO_ERROR_MODEL, &r.message);
    CHECK_CONTAINS(r.message.text, "no rates at t = 1.5");
    r.o.step = 0;
    CHECK_STATUS(foi_solver_prepare(&r.o), FO_ERROR_ARGUMENT, &r.message);
    CHECK_CONTAINS(r.message.text, "the step must be positive, not 0");
    unmake(&r);
}

TEST(stiffness_is_noticed)
{
    static const char *const method[] = {"dp45", "dop853"};
    for (int m = 0; m < 2; m++) {
        rig r;
        double x[2] = {1, 1};
        make(&r, method[m], 2, stiff);
        r.o.rtol = r.o.atol = 1e-4;
        r.o.look_from = 1;
        begin(&r, 0, x);
        CHECK_STATUS(march(&r, 2, 2), FO_OK, &r.message);
        CHECK(r.o.stiff && r.o.t1 < 2 && r.o.counts.steps < 30);
        unmake(&r);

        make(&r, method[m], 2, stiff); // nobody looks
        r.o.rtol = r.o.atol = 1e-4;
        begin(&r, 0, x);
        CHECK_STATUS(march(&r, 2, 2), FO_OK, &r.message);
        CHECK(!r.o.stiff && r.o.t1 == 2);
        unmake(&r);

        make(&r, method[m], 2, stiff); // from the hundredth step on
        r.o.rtol = r.o.atol = 1e-4;
        r.o.look_from = 100;
        begin(&r, 0, x);
        CHECK_STATUS(march(&r, 2, 2), FO_OK, &r.message);
        CHECK(r.o.stiff && r.o.counts.steps >= 100 && r.o.counts.steps < 200);
        unmake(&r);

        make(&r, method[m], 2, pendulum);
        r.o.look_from = 1;
        begin(&r, 0, x);
        uint64_t suspected = 0; // where a turning point makes both differences small
        for (; r.o.t1 < 100; suspected += r.o.stiff, r.o.stiff = false)
            if (!CHECK_STATUS(march(&r, 100, 100), FO_OK, &r.message)) break;
        CHECK(suspected < r.o.counts.steps / 20);
        unmake(&r);
    }
}

TEST_MAIN(TEST_ENTRY(goal_is_hit_exactly_and_nothing_is_evaluated_beyond),
          TEST_ENTRY(budget_and_attention_end_a_march), TEST_ENTRY(landing_does_not_spoil_the_step),
          TEST_ENTRY(a_jump_costs_one_evaluation_and_keeps_the_step),
          TEST_ENTRY(fixed_steps_lie_on_the_grid), TEST_ENTRY(no_states_only_time),
          TEST_ENTRY(max_step_is_kept), TEST_ENTRY(a_step_that_gets_too_small_is_an_error),
          TEST_ENTRY(what_is_not_a_number_is_named), TEST_ENTRY(an_infinite_state_is_an_error),
          TEST_ENTRY(a_model_may_ask_for_a_shorter_step), TEST_ENTRY(a_models_error_is_passed_on),
          TEST_ENTRY(fixed_steps_cannot_be_shorter), TEST_ENTRY(stiffness_is_noticed))
