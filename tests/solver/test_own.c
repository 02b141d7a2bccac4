#include "classic.h"

// A system that steps itself exactly: the swing, turned by h. It counts its steps in its memory.
static fo_status turn(const void *model, fo_state *s, double t, double h, const double *x,
                      double *x_new)
{
    (void)model;
    if (t >= 3) return fo_fail(s->message, FO_ERROR_MODEL, "no steps after t = 3");
    if (s->memory) ++*(int *)s->memory;
    x_new[0] = x[0] * cos(h) + x[1] * sin(h);
    x_new[1] = x[1] * cos(h) - x[0] * sin(h);
    return FO_OK;
}
static const fo_stepper turning = {"turn", 99, turn};
static const fo_system_type turning_type = {.kind = "C", .rates = swing_rates, .stepper = &turning};
static const problem turning_swing = {{&turning_type, &swing_about, NULL}, 2, 1, swing_solution};
static const fo_system_type blind_type = {.kind = "C", .stepper = &turning};
static const problem blind_swing = {{&blind_type, &swing_about, NULL}, 2, 1, swing_solution};

static fo_status tick(const void *model, fo_state *s, double t, double h, const double *x,
                      double *x_new)
{
    (void)model, (void)t, (void)h, (void)x, (void)x_new;
    ++*(int *)s->memory;
    return FO_OK;
}
static const fo_stepper ticking = {"tick", 1, tick};
static const fo_system_type ticking_type = {.kind = "C", .stepper = &ticking};
static const problem clockwork = {{&ticking_type, &empty_about, NULL}, 0, 0, empty_solution};

TEST(the_systems_own_steps_are_taken)
{
    int count = 0;
    bench b;
    REQUIRE(bench_make(&b, "own", &turning_swing, 0.1, 1e-6));
    b.s.memory = &count;
    CHECK_STATUS(bench_begin(&b, &turning_swing, 0), FO_OK, &b.message);
    CHECK(bench_go(&b, 2.55));
    CHECK_INT(count, 26);
    CHECK_INT((long long)b.o.counts.steps, 26);
    CHECK_INT((long long)b.o.counts.rates, 0); // nobody read the dense output
    CHECK(bench_error(&b, &turning_swing) < 1e-14);
    bench_free(&b);
}

TEST(dense_output_is_cubic_with_rates_and_a_line_without)
{
    CHECK_NEAR(measured_dense_order("own", &turning_swing, 0.1, 1), 3, 0.2);
    CHECK_NEAR(measured_dense_order("own", &blind_swing, 0.1, 1), 1, 0.2);
}

TEST(steps_without_states_are_taken_too)
{
    int count = 0;
    bench b;
    REQUIRE(bench_make(&b, "own", &clockwork, 0.25, 1e-6));
    b.s.memory = &count;
    CHECK_STATUS(bench_begin(&b, &clockwork, 0), FO_OK, &b.message);
    CHECK(bench_go(&b, 2));
    CHECK_INT(count, 8);
    CHECK_STATUS(foi_solver_dense(&b.o), FO_OK, &b.message);
    bench_free(&b);
}

TEST(a_failing_stepper_leaves_the_last_good_point)
{
    bench b;
    REQUIRE(bench_make(&b, "own", &turning_swing, 0.1, 1e-6));
    CHECK_STATUS(bench_begin(&b, &turning_swing, 0), FO_OK, &b.message);
    CHECK_STATUS(b.o.method->march(&b.o, 10, 10), FO_ERROR_MODEL, &b.message);
    CHECK_NEAR(b.o.t1, 3, 0.1);
    CHECK(bench_error(&b, &turning_swing) < 1e-14);
    CHECK_CONTAINS(b.message.text, "no steps after");
    bench_free(&b);
}

TEST(a_system_without_a_stepper_is_refused)
{
    bench b;
    CHECK_STATUS(bench_try(&b, "own", &swing, 0.1, 1e-6, 0), FO_ERROR_UNFIT, &b.message);
    CHECK_CONTAINS(b.message.text, "'swing' has no stepper");
    bench_free(&b);
}

TEST(march_copy_jump_memory)
{
    check_march("own", &turning_swing);
    check_reading("own", &turning_swing, 1e-6, 2);
    check_copy("own", &turning_swing);
    check_jump("own", &turning_swing, 1e-13);
    check_memory("own", &blind_swing);
    check_empty("own");
    check_fixed_settings("own", &turning_swing);
}

TEST_MAIN(TEST_ENTRY(the_systems_own_steps_are_taken),
          TEST_ENTRY(dense_output_is_cubic_with_rates_and_a_line_without),
          TEST_ENTRY(steps_without_states_are_taken_too),
          TEST_ENTRY(a_failing_stepper_leaves_the_last_good_point),
          TEST_ENTRY(a_system_without_a_stepper_is_refused), TEST_ENTRY(march_copy_jump_memory))
