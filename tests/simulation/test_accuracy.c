/// Tolerances and limits of the steps that change while a run goes on.
#include <math.h>
#include <string.h>

#include <foliot/simulation.h>

#include "test.h"

// A circle: x = cos t, y = -sin t.
static fo_status circle(const void *model, const fo_state *s, double t, const double *x, double *dx)
{
    (void)model, (void)s, (void)t;
    dx[0] = x[1];
    dx[1] = -x[0];
    return FO_OK;
}
static fo_next at_five(const void *model, const fo_state *s)
{
    (void)model;
    return (fo_next){s->d[0] == 0 ? 5 : INFINITY, 0};
}
static fo_status to_tenths(const void *model, fo_state *s, const fo_moment *m, fo_effect *e)
{
    (void)model, (void)m, (void)e;
    s->d[0] = 1;
    fo_accuracy a = fo_same_accuracy();
    a.max_step = 0.1;
    return fo_state_accuracy(s, &a);
}

static const fo_variable states[] = {{.name = "x", .start = 1}, {.name = "y"}};
static const fo_variable done = {.name = "done"};
static const fo_event five = {.name = "five"};
static const fo_description about = {.name = "circle", .states = {states, 2}};
static const fo_description with_jump = {
    .name = "circle", .states = {states, 2}, .discretes = {&done, 1}, .moments = {&five, 1}};
static const fo_system_type plain = {.kind = "C", .rates = circle};
static const fo_system_type changing = {
    .kind = "C", .rates = circle, .next = at_five, .jump = to_tenths};

static double error_at(fo_simulation *sim)
{
    const fo_state *s = fo_simulation_state(sim);
    return hypot(s->x[0] - cos(s->t), s->x[1] + sin(s->t));
}

static void to(fo_simulation *sim, double t)
{
    CHECK_STATUS(fo_simulation_advance(sim, t), FO_REACHED, fo_simulation_message(sim));
}

static fo_simulation *begun(const fo_system_type *type, const char *solver, double rtol)
{
    fo_run_def def = fo_default_run_def();
    def.solver = solver, def.stop = 100, def.rtol = rtol, def.atol = rtol / 100;
    const fo_description *its = type == &changing ? &with_jump : &about;
    return fo_simulation_create((fo_system){type, its, NULL}, &def, NULL);
}

// Rough first and fine from 10 on, or the other way round: the error that is made afterwards is
// that of the new tolerance.
TEST(tolerances_change)
{
    for (size_t i = 0; i < fo_solver_count(); i++) {
        const fo_solver_info *info = fo_solver_get(i);
        if (!(info->traits & FO_ADAPTIVE) || info->traits & FO_RESIDUAL) continue;
        if (strcmp(info->name, "ark-imex") == 0 || strcmp(info->name, "fowler-warten") == 0)
            continue;
        fo_simulation *sim = begun(&plain, info->name, 1e-7);
        REQUIRE(sim);
        to(sim, 10);
        double before = error_at(sim);
        uint64_t fine = fo_simulation_statistics(sim).steps;
        fo_accuracy rough = fo_same_accuracy();
        rough.rtol = 1e-2, rough.atol = 1e-3;
        CHECK_STATUS(fo_simulation_change_accuracy(sim, &rough), FO_OK, fo_simulation_message(sim));
        CHECK(fo_simulation_accuracy(sim).rtol == 1e-2);
        to(sim, 20);
        double after = error_at(sim);
        uint64_t coarse = fo_simulation_statistics(sim).steps - fine;
        if (!(before < 1e-4 && after > 3 * before && coarse * 2 < fine))
            test_fail(__FILE__, __LINE__, "%s: errors %g and %g, steps %llu and %llu", info->name,
                      before, after, (unsigned long long)fine, (unsigned long long)coarse);
        fo_simulation_destroy(sim);
    }
}

TEST(limits_of_steps_change)
{
    fo_simulation *sim = begun(&plain, "dp45", 1e-3);
    REQUIRE(sim);
    to(sim, 10);
    fo_accuracy a = fo_same_accuracy();
    a.max_step = 0.01;
    CHECK_STATUS(fo_simulation_change_accuracy(sim, &a), FO_OK, fo_simulation_message(sim));
    uint64_t steps = fo_simulation_statistics(sim).steps;
    to(sim, 11);
    CHECK(fo_simulation_statistics(sim).last_step <= 0.01 * (1 + 1e-9));
    CHECK(fo_simulation_statistics(sim).steps - steps >= 99);
    // what makes no sense changes nothing
    a = fo_same_accuracy(), a.min_step = 0.02;
    CHECK(fo_simulation_change_accuracy(sim, &a) == FO_ERROR_ARGUMENT);
    a = fo_same_accuracy(), a.rtol = 0, a.atol = 0;
    CHECK(fo_simulation_change_accuracy(sim, &a) == FO_ERROR_ARGUMENT);
    a = fo_same_accuracy(), a.rtol = NAN;
    CHECK(fo_simulation_change_accuracy(sim, &a) == FO_ERROR_ARGUMENT);
    CHECK(fo_simulation_accuracy(sim).max_step == 0.01);
    CHECK(fo_simulation_accuracy(sim).rtol == 1e-3);
    to(sim, 12);
    fo_simulation_destroy(sim);
}

TEST(a_jump_changes_them)
{
    fo_simulation *sim = begun(&changing, "dop853", 1e-6);
    REQUIRE(sim);
    to(sim, 5);
    uint64_t steps = fo_simulation_statistics(sim).steps;
    CHECK(steps < 30);
    CHECK(fo_simulation_accuracy(sim).max_step == 0.1);
    to(sim, 15);
    CHECK(fo_simulation_statistics(sim).steps - steps >= 99);
    CHECK(fo_simulation_statistics(sim).last_step <= 0.1 * (1 + 1e-9));
    fo_simulation_destroy(sim);
}

// A snapshot has the accuracy of its time: going back takes it back, to the bit.
TEST(going_back_takes_it_back)
{
    static const char *const solvers[] = {"dp45", "adams", "radau5", "euler-adaptive"};
    for (int i = 0; i < 4; i++) {
        fo_simulation *sim = begun(&plain, solvers[i], 1e-5);
        REQUIRE(sim);
        to(sim, 3);
        fo_snapshot *snap = fo_simulation_snapshot(sim);
        REQUIRE(snap);
        to(sim, 8);
        double x[2];
        memcpy(x, fo_simulation_state(sim)->x, sizeof x);
        CHECK_STATUS(fo_simulation_restore(sim, snap), FO_OK, fo_simulation_message(sim));
        fo_accuracy a = {1e-2, 1e-2, 0, 0.5};
        CHECK_STATUS(fo_simulation_change_accuracy(sim, &a), FO_OK, fo_simulation_message(sim));
        to(sim, 8);
        CHECK(memcmp(x, fo_simulation_state(sim)->x, sizeof x) != 0);
        CHECK_STATUS(fo_simulation_restore(sim, snap), FO_OK, fo_simulation_message(sim));
        CHECK(fo_simulation_accuracy(sim).rtol == 1e-5 &&
              fo_simulation_accuracy(sim).max_step == 0);
        to(sim, 8);
        CHECK(memcmp(x, fo_simulation_state(sim)->x, sizeof x) == 0);
        fo_snapshot_destroy(snap);
        fo_simulation_destroy(sim);
    }
}

TEST_MAIN(TEST_ENTRY(tolerances_change), TEST_ENTRY(limits_of_steps_change),
          TEST_ENTRY(a_jump_changes_them), TEST_ENTRY(going_back_takes_it_back))
