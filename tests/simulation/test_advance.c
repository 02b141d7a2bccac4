/// The loop: what is seen does not depend on how often one looks, snapshots go on with the same
/// bits, things come from outside, the number of states changes.
#include <stdlib.h>

#include "gallery.h"
#include "scene.h"

static fo_message why;

static bool has(const fo_solver_info *info, unsigned traits)
{
    return (info->traits & traits) != 0;
}

/// Solvers of ours that fit a first-order system without anything special.
static bool plain(const fo_solver_info *info)
{
    return !has(info, FO_SUNDIALS) && strcmp(info->name, "own") != 0;
}

static fo_run_def def_for(const fo_solver_info *info, double stop)
{
    fo_run_def def = fo_default_run_def();
    def.stop = stop;
    def.solver = info->name;
    def.step = 0.01;
    def.rtol = def.atol = 1e-7;
    return def;
}

static fo_system gallery_system(const char *name)
{
    const fo_compiled_model *model = gallery_find(name, &why);
    return model ? model->system : (fo_system){0};
}

/// Runs to `stop` in the given number of advances and returns the last state.
static size_t run_in(fo_system system, const fo_run_def *def, int parts, double *x)
{
    fo_simulation *sim = fo_simulation_create(system, def, &why);
    if (!sim) return 0;
    for (int i = 1; i <= parts; i++) {
        fo_status status = fo_simulation_advance(sim, def->stop * i / parts);
        CHECK_STATUS(status, FO_REACHED, fo_simulation_message(sim));
    }
    const fo_state *s = fo_simulation_state(sim);
    memcpy(x, s->x, s->shape.states * sizeof(double));
    size_t n = s->shape.states;
    fo_simulation_destroy(sim);
    return n;
}

TEST(how_often_one_looks_does_not_matter)
{
    const char *models[] = {"double-pendulum", "pendulum"};
    for (size_t m = 0; m < 2; m++) {
        fo_system system = gallery_system(models[m]);
        REQUIRE(system.type);
        for (size_t i = 0; i < fo_solver_count(); i++) {
            const fo_solver_info *info = fo_solver_get(i);
            if (!plain(info) || has(info, FO_SECOND_ORDER)) continue;
            fo_run_def def = def_for(info, 5);
            double once[8], often[8];
            size_t n = run_in(system, &def, 1, once);
            CHECK(n > 0 && run_in(system, &def, 733, often) == n);
            if (memcmp(once, often, n * sizeof(double)) != 0)
                test_fail(__FILE__, __LINE__, "%s with %s: %.17g and %.17g", models[m], info->name,
                          once[0], often[0]);
        }
    }
}

TEST(going_on_from_a_snapshot_gives_the_same_bits)
{
    fo_system system = gallery_system("double-pendulum");
    REQUIRE(system.type);
    for (size_t i = 0; i < fo_solver_count(); i++) {
        const fo_solver_info *info = fo_solver_get(i);
        if (!plain(info) || has(info, FO_SECOND_ORDER)) continue;
        fo_run_def def = def_for(info, 6);
        fo_simulation *sim = fo_simulation_create(system, &def, &why);
        fo_simulation *other = fo_simulation_create(system, &def, &why);
        REQUIRE(sim && other);
        CHECK_STATUS(fo_simulation_advance(sim, 2.4321), FO_REACHED, fo_simulation_message(sim));
        fo_snapshot *snap = fo_simulation_snapshot(sim);
        REQUIRE(snap);
        CHECK(fo_snapshot_time(snap) == 2.4321);
        CHECK_STATUS(fo_simulation_advance(sim, 6), FO_REACHED, fo_simulation_message(sim));
        double x[4];
        memcpy(x, fo_simulation_state(sim)->x, sizeof x);
        uint64_t moments = fo_simulation_statistics(sim).moments;
        // back in the same simulation, and in another one that has been elsewhere
        CHECK_STATUS(fo_simulation_restore(sim, snap), FO_OK, fo_simulation_message(sim));
        CHECK(fo_simulation_time(sim) == 2.4321);
        fo_simulation_advance(other, 1);
        CHECK_STATUS(fo_simulation_restore(other, snap), FO_OK, fo_simulation_message(other));
        CHECK_STATUS(fo_simulation_advance(sim, 6), FO_REACHED, fo_simulation_message(sim));
        CHECK_STATUS(fo_simulation_advance(other, 6), FO_REACHED, fo_simulation_message(other));
        if (memcmp(x, fo_simulation_state(sim)->x, sizeof x) != 0 ||
            memcmp(x, fo_simulation_state(other)->x, sizeof x) != 0)
            test_fail(__FILE__, __LINE__, "%s goes on differently after a restore", info->name);
        CHECK_INT(fo_simulation_statistics(sim).moments, (long long)moments);
        fo_snapshot_destroy(snap);
        fo_simulation_destroy(sim);
        fo_simulation_destroy(other);
    }
}

TEST(the_method_can_change_while_it_runs)
{
    double expected[8];
    fo_run_def def = def_for(fo_solver_find("dop853", &why), 3);
    def.rtol = def.atol = 1e-11;
    run_in(gallery_system("kepler"), &def, 1, expected);
    fo_simulation *sim = fo_simulation_create(gallery_system("kepler"), &def, &why);
    CHECK(sim);
    if (!sim) return;
    fo_simulation_advance(sim, 1.2345);
    CHECK(fo_simulation_change_method(sim, "no-such", 0.1, 1e-3) == FO_ERROR_ARGUMENT);
    CHECK_TEXT(fo_simulation_solver(sim)->name, "dop853");
    CHECK(fo_simulation_change_method(sim, "rk4", 1e-4, 0) == FO_OK);
    CHECK_TEXT(fo_simulation_solver(sim)->name, "rk4");
    CHECK(fo_simulation_advance(sim, 2) == FO_REACHED);
    CHECK(fo_simulation_change_method(sim, "dp45", 0, 1e-10) == FO_OK);
    CHECK(fo_simulation_advance(sim, 3) == FO_REACHED);
    for (int i = 0; i < 4; i++) CHECK_NEAR(fo_simulation_state(sim)->x[i], expected[i], 1e-7);
    fo_simulation_destroy(sim);
}

TEST(a_tap_in_time_and_a_tap_sent_early_are_the_same)
{
    fo_system system = gallery_system("pendulum");
    REQUIRE(system.type);
    double x[2][2];
    for (int early = 0; early < 2; early++) {
        fo_run_def def = fo_default_run_def();
        def.stop = 10;
        fo_simulation *sim = fo_simulation_create(system, &def, &why);
        REQUIRE(sim);
        if (early) CHECK(fo_simulation_send(sim, 3.3, "tap", 0.2) == FO_OK);
        for (int i = 1; i <= 33; i++) fo_simulation_advance(sim, 3.3 * i / 33);
        double before = fo_simulation_state(sim)->x[1];
        if (!early) CHECK(fo_simulation_send(sim, 3.3, "tap", 0.2) == FO_OK);
        CHECK_STATUS(fo_simulation_advance(sim, 3.3), FO_REACHED, fo_simulation_message(sim));
        // momentum 0.2 on m = 0.4 at l = 0.5 is 1 rad/s
        if (!early) CHECK_NEAR(fo_simulation_state(sim)->x[1] - before, 1, 1e-12);
        CHECK_STATUS(fo_simulation_advance(sim, 10), FO_REACHED, fo_simulation_message(sim));
        memcpy(x[early], fo_simulation_state(sim)->x, sizeof x[early]);
        fo_simulation_destroy(sim);
    }
    CHECK(memcmp(x[0], x[1], sizeof x[0]) == 0);
}

TEST(variables_can_be_set_before_and_while_it_runs)
{
    fo_system system = gallery_system("pendulum");
    REQUIRE(system.type);
    fo_run_def def = fo_default_run_def();
    def.stop = 2;
    fo_simulation *sim = fo_simulation_create(system, &def, &why);
    REQUIRE(sim);
    CHECK(fo_simulation_set(sim, "y", 0.1) == FO_OK);
    CHECK(fo_simulation_set(sim, "c", 0) == FO_OK);
    CHECK(fo_simulation_set(sim, "lenght", 1) == FO_ERROR_ARGUMENT);
    CHECK(fo_simulation_set(sim, "y", NAN) == FO_ERROR_ARGUMENT);
    CHECK_STATUS(fo_simulation_advance(sim, 1), FO_REACHED, fo_simulation_message(sim));
    CHECK(fo_simulation_set(sim, "g", 0) == FO_OK || fo_simulation_set(sim, "g", 1e-9) == FO_OK);
    const fo_state *s = fo_simulation_state(sim);
    double y = s->x[0], v = s->x[1];
    CHECK_STATUS(fo_simulation_advance(sim, 2), FO_REACHED, fo_simulation_message(sim));
    CHECK_NEAR(s->x[0], y + v, 1e-7); // without weight and damping it goes straight on
    CHECK(fo_simulation_send(sim, 1, "tap", 1) == FO_ERROR_ARGUMENT);
    CHECK_CONTAINS(fo_simulation_message(sim)->text, "too late");
    CHECK(fo_simulation_send(sim, 2, "tpa", 1) == FO_ERROR_ARGUMENT);
    CHECK_CONTAINS(fo_simulation_message(sim)->text, "did you mean 'tap'?");
    fo_simulation_destroy(sim);
}

// ------------------------------------------------------------------- the number of states changes

// Drops appear every second, each falls by x' = -x from 1; the first one dries up at t = 2.5.
SCENE_RATES(drops_rates)
{
    (void)model, (void)t;
    for (uint32_t i = 0; i < s->shape.states; i++) dx[i] = -x[i];
    return FO_OK;
}

static fo_next drops_next(const void *model, const fo_state *s)
{
    (void)model;
    return s->d[1] ? (fo_next){s->d[0], 0} : (fo_next){fmin(s->d[0], 2.5), s->d[0] > 2.5};
}

SCENE_JUMP(drops_jump)
{
    (void)model, (void)e;
    if (m->index == 1) {
        s->d[1] = 1;
        memmove(s->x, s->x + 1, (s->shape.states - 1) * sizeof(double));
        return fo_state_resize(s, s->shape.states - 1, 2, 0, 0);
    }
    fo_status status = fo_state_resize(s, s->shape.states + 1, 2, 0, 0);
    if (status != FO_OK) return status;
    s->x[s->shape.states - 1] = 1;
    s->d[0]++;
    return FO_OK;
}

TEST(the_number_of_states_may_change)
{
    static const fo_system_type type = {
        .rates = drops_rates, .next = drops_next, .jump = drops_jump};
    const fo_description about = {.name = "drops",
                                  .discretes = FO_VARIABLES({"next"}, {"dried"}),
                                  .moments = FO_EVENTS({"drop"}, {"dry"})};
    for (size_t i = 0; i < fo_solver_count(); i++) {
        const fo_solver_info *info = fo_solver_get(i);
        if (strcmp(info->name, "own") == 0 || strcmp(info->name, "ark-imex") == 0 ||
            has(info, FO_SECOND_ORDER) || info->order < 4)
            continue;
        fo_run_def def = def_for(info, 4.5);
        fo_simulation *sim = fo_simulation_create((fo_system){&type, &about, NULL}, &def, &why);
        REQUIRE(sim);
        CHECK_STATUS(fo_simulation_advance(sim, 2.25), FO_REACHED, fo_simulation_message(sim));
        CHECK_INT(fo_simulation_state(sim)->shape.states, 3);
        fo_snapshot *snap = fo_simulation_snapshot(sim);
        for (int again = 0; again < 2; again++) {
            CHECK_STATUS(fo_simulation_advance(sim, 4.5), FO_REACHED, fo_simulation_message(sim));
            const fo_state *s = fo_simulation_state(sim);
            CHECK_INT(s->shape.states, 4); // those of t = 1, 2, 3, 4
            for (uint32_t k = 0; k < 4; k++)
                if (!test_near(__FILE__, __LINE__, info->name, s->x[k], exp(k + 1 - 4.5), 2e-6))
                    break;
            CHECK_STATUS(fo_simulation_restore(sim, snap), FO_OK, fo_simulation_message(sim));
            CHECK_INT(fo_simulation_state(sim)->shape.states, 3);
        }
        fo_snapshot_destroy(snap);
        fo_simulation_destroy(sim);
    }
}

// ----------------------------------------------------------------------------------------- settle

/// What a settled run keeps: the integral of x by the trapezoidal rule over accepted steps.
typedef struct tape {
    double t, x, sum, calls;
} tape;

static fo_status tape_start(const void *model, fo_state *s)
{
    (void)model;
    *(tape *)s->memory = (tape){s->t, s->x[0], 0, 0};
    return FO_OK;
}

static fo_status tape_settle(const void *model, fo_state *s, double t, const double *x)
{
    (void)model;
    tape *k = s->memory;
    k->sum += 0.5 * (t - k->t) * (x[0] + k->x);
    k->t = t, k->x = x[0], k->calls++;
    return FO_OK;
}

TEST(settle_sees_every_accepted_step_once)
{
    static const fo_system_type type = {
        .rates = scene_circle_rates, .start = tape_start, .settle = tape_settle};
    const fo_description about = {
        .name = "tape", .states = FO_VARIABLES({"x", "", 1}, {"v"}), .memory = sizeof(tape)};
    tape seen[2];
    for (int often = 0; often < 2; often++) {
        fo_run_def def = fo_default_run_def();
        def.stop = 3, def.max_step = 0.01;
        fo_simulation *sim = fo_simulation_create((fo_system){&type, &about, NULL}, &def, &why);
        REQUIRE(sim);
        int parts = often ? 1000 : 1;
        for (int i = 1; i <= parts; i++) fo_simulation_advance(sim, 3.0 * i / parts);
        seen[often] = *(tape *)fo_simulation_state(sim)->memory;
        CHECK(seen[often].calls == (double)fo_simulation_statistics(sim).steps);
        fo_simulation_destroy(sim);
    }
    CHECK(seen[0].t == 3 && seen[0].calls >= 300);
    CHECK_NEAR(seen[0].sum, sin(3), 1e-5);
    CHECK(memcmp(&seen[0], &seen[1], sizeof seen[0]) == 0);
}

static fo_status tape_observe(const void *model, const fo_state *s, double t, const double *x,
                              double *y)
{
    (void)model, (void)t, (void)x;
    y[0] = ((const tape *)s->memory)->calls;
    return FO_OK;
}

/// Rows whose output is not the number of the step that ends there.
static fo_status count_unsettled(void *self, const fo_row *row, fo_message *message)
{
    double *wrong = self;
    (void)message;
    *wrong += row->values[0] != nearbyint(row->t / 0.125);
    return FO_OK;
}

TEST(rows_at_the_end_of_a_step_show_what_was_settled_there)
{
    static const fo_system_type type = {.rates = scene_circle_rates,
                                        .start = tape_start,
                                        .settle = tape_settle,
                                        .observe = tape_observe};
    const fo_description about = {.name = "tape",
                                  .states = FO_VARIABLES({"x", "", 1}, {"v"}),
                                  .outputs = FO_VARIABLES({"calls"}),
                                  .memory = sizeof(tape)};
    const fo_reference calls = {FO_OUTPUT, 0};
    double wrong[2] = {0, 0}, grid[] = {0.25, 0}; // of the grid, and of every step
    fo_observer observers[2];
    for (int i = 0; i < 2; i++)
        observers[i] = (fo_observer){.self = &wrong[i],
                                     .row = count_unsettled,
                                     .interval = grid[i],
                                     .signals = &calls,
                                     .signal_count = 1};
    fo_run_def def = fo_default_run_def();
    def.stop = 2, def.solver = "rk4", def.step = 0.125;
    def.observers = observers, def.observer_count = 2;
    fo_simulation *sim = fo_simulation_create((fo_system){&type, &about, NULL}, &def, &why);
    REQUIRE(sim);
    CHECK_STATUS(fo_simulation_advance(sim, 2), FO_REACHED, fo_simulation_message(sim));
    CHECK(wrong[0] == 0 && wrong[1] == 0);
    CHECK(fo_simulation_value(sim, calls) == 16);
    fo_simulation_destroy(sim);
}

// --------------------------------------------------------------------------- choice of the solver

TEST(stiff_problems_are_recognised)
{
    fo_system system = gallery_system("van-der-pol");
    REQUIRE(system.type);
    fo_run_def def = fo_default_run_def();
    def.stop = 2000;
    fo_simulation *sim = fo_simulation_create(system, &def, &why);
    REQUIRE(sim);
    CHECK(!(fo_simulation_solver(sim)->traits & FO_STIFF));
    CHECK(fo_simulation_set(sim, "mu", 1000) == FO_OK);
    CHECK_STATUS(fo_simulation_advance(sim, 2000), FO_REACHED, fo_simulation_message(sim));
    CHECK(fo_simulation_solver(sim)->traits & FO_STIFF);
    CHECK_CONTAINS(fo_simulation_solver_reason(sim), "it is stiff");
    CHECK(fo_simulation_statistics(sim).steps < 5000);
    // published: 1.706167732170483 at t = 2000
    CHECK_NEAR(fo_simulation_state(sim)->x[0], 1.706167732170483, 1e-3);
    fo_simulation_destroy(sim);
}

// Ticks at every third of a second, and a guard that is a function of time alone.
static fo_next ticks_next(const void *model, const fo_state *s)
{
    (void)model;
    return (fo_next){(s->d[0] + 1) / 3, 0};
}

SCENE_JUMP(ticks_jump)
{
    (void)model, (void)e;
    s->d[m->kind == FO_SCHEDULED ? 0 : 1]++;
    return FO_OK;
}

SCENE_GUARDS(sine_of_t)
{
    (void)model, (void)s, (void)x;
    g[0] = sin(10 * t);
    return FO_OK;
}

TEST(without_states_time_goes_by_moments)
{
    static const fo_system_type type = {
        .guards = sine_of_t, .next = ticks_next, .jump = ticks_jump};
    const fo_description about = {.name = "ticks",
                                  .discretes = FO_VARIABLES({"ticks"}, {"zeros"}),
                                  .guards = FO_GUARDS({"sine", FO_FALLING}),
                                  .moments = FO_EVENTS({"tick"})};
    fo_run_def def = fo_default_run_def();
    def.stop = 10;
    fo_simulation *sim = fo_simulation_create((fo_system){&type, &about, NULL}, &def, &why);
    REQUIRE(sim);
    CHECK_STATUS(fo_simulation_advance(sim, 10), FO_REACHED, fo_simulation_message(sim));
    CHECK(fo_simulation_state(sim)->d[0] == 30);
    CHECK(fo_simulation_state(sim)->d[1] == 16); // 10 t = pi, 3 pi, ... 31 pi
    fo_simulation_destroy(sim);
}

// ------------------------------------------------------------------------------------------ rows

typedef struct rows {
    size_t count;
    double t[256], x[256];
    fo_row_kind kind[256];
} rows;

static fo_status keep_row(void *self, const fo_row *row, fo_message *message)
{
    (void)message;
    rows *r = self;
    if (r->count == 256) return FO_ERROR_CANCELLED;
    r->t[r->count] = row->t, r->x[r->count] = row->values[0], r->kind[r->count++] = row->kind;
    return FO_OK;
}

SCENE_GUARDS(at_one_half)
{
    (void)model, (void)s, (void)t;
    g[0] = x[0] - 0.5;
    return FO_OK;
}

SCENE_JUMP(hop_up)
{
    (void)model, (void)m, (void)e;
    s->x[0] += 10;
    return FO_OK;
}

TEST(rows_lie_on_the_grid_and_a_jump_is_two_rows)
{
    static const fo_system_type type = {
        .rates = scene_clock_rates, .guards = at_one_half, .jump = hop_up};
    const fo_description about = {
        .name = "rows", .states = FO_VARIABLES({"x"}), .guards = FO_GUARDS({"half", FO_RISING})};
    rows r = {0};
    fo_observer observer = {.self = &r, .row = keep_row, .interval = 0.3};
    fo_run_def def = fo_default_run_def();
    def.observers = &observer, def.observer_count = 1;
    fo_simulation *sim = fo_simulation_create((fo_system){&type, &about, NULL}, &def, &why);
    REQUIRE(sim);
    CHECK_STATUS(fo_simulation_advance(sim, 1), FO_REACHED, fo_simulation_message(sim));
    static const double t[] = {0, 0.3, 0.5, 0.5, 0.6, 0.9, 1};
    static const double x[] = {0, 0.3, 0.5, 10.5, 10.6, 10.9, 11};
    CHECK_INT(r.count, 7);
    for (size_t i = 0; i < 7 && i < r.count; i++) {
        CHECK_NEAR(r.t[i], t[i], 1e-15);
        CHECK_NEAR(r.x[i], x[i], 1e-13);
    }
    CHECK(r.kind[2] == FO_ROW_BEFORE && r.kind[3] == FO_ROW_AFTER && r.t[2] == r.t[3]);
    fo_simulation_destroy(sim);
}

TEST(rows_do_not_disturb_the_steps)
{
    fo_system system = gallery_system("double-pendulum");
    REQUIRE(system.type);
    double end[3];
    uint64_t steps[3];
    for (int i = 0; i < 3; i++) {
        static const double intervals[] = {-1, 0.037, 5};
        rows r = {0};
        fo_observer observer = {.self = &r, .row = keep_row, .interval = intervals[i]};
        fo_run_def def = fo_default_run_def();
        def.stop = 5;
        def.observers = &observer, def.observer_count = 1;
        fo_simulation *sim = fo_simulation_create(system, &def, &why);
        REQUIRE(sim);
        CHECK_STATUS(fo_simulation_advance(sim, 5), FO_REACHED, fo_simulation_message(sim));
        end[i] = fo_simulation_state(sim)->x[0];
        steps[i] = fo_simulation_statistics(sim).steps;
        fo_simulation_destroy(sim);
    }
    CHECK(end[0] == end[1] && end[0] == end[2]);
    CHECK(steps[0] == steps[1] && steps[0] == steps[2]);
}

TEST_MAIN(TEST_ENTRY(how_often_one_looks_does_not_matter),
          TEST_ENTRY(going_on_from_a_snapshot_gives_the_same_bits),
          TEST_ENTRY(the_method_can_change_while_it_runs),
          TEST_ENTRY(a_tap_in_time_and_a_tap_sent_early_are_the_same),
          TEST_ENTRY(variables_can_be_set_before_and_while_it_runs),
          TEST_ENTRY(the_number_of_states_may_change),
          TEST_ENTRY(settle_sees_every_accepted_step_once),
          TEST_ENTRY(rows_at_the_end_of_a_step_show_what_was_settled_there),
          TEST_ENTRY(stiff_problems_are_recognised),
          TEST_ENTRY(without_states_time_goes_by_moments),
          TEST_ENTRY(rows_lie_on_the_grid_and_a_jump_is_two_rows),
          TEST_ENTRY(rows_do_not_disturb_the_steps))
