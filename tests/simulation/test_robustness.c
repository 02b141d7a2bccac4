/// Bad input gets a message and nothing is lost.
#include "gallery.h"
#include "scene.h"

static fo_message why;

static fo_simulation *make(const fo_system_type *type, const fo_description *about, fo_run_def def)
{
    return fo_simulation_create((fo_system){type, about, NULL}, &def, &why);
}

static fo_run_def run_to(double stop, const char *solver)
{
    fo_run_def def = fo_default_run_def();
    def.stop = stop, def.solver = solver, def.step = 0.01;
    return def;
}

#define IGNORE (void)model, (void)s, (void)t

static const fo_description two = {.name = "two",
                                   .states = FO_VARIABLES({"x", "m", 1}, {"speed", "m/s", -1})};

SCENE_RATES(root_of_x)
{
    IGNORE;
    dx[0] = -1;
    dx[1] = sqrt(x[0]); // not a number once x is below zero, at t = 1
    return FO_OK;
}

TEST(a_rate_that_is_not_a_number_is_named)
{
    static const fo_system_type type = {.rates = root_of_x};
    for (size_t i = 0; i < fo_solver_count(); i++) {
        const fo_solver_info *info = fo_solver_get(i);
        if (strcmp(info->name, "own") == 0 || strcmp(info->name, "ark-imex") == 0 ||
            (info->traits & FO_SECOND_ORDER))
            continue;
        fo_simulation *sim = make(&type, &two, run_to(2, info->name));
        REQUIRE(sim);
        fo_status status = fo_simulation_advance(sim, 2);
        CHECK(fo_failed(status));
        const fo_state *s = fo_simulation_state(sim);
        // the state is that of the last good point
        bool good = s->t <= 1.02 && s->t > 0.5 && isfinite(s->x[0]) && isfinite(s->x[1]) &&
                    fabs(s->x[0] - (1 - s->t)) < 0.02;
        if (!good)
            test_fail(__FILE__, __LINE__, "%s: t %g x %g %g", info->name, s->t, s->x[0], s->x[1]);
        if (status == FO_ERROR_NUMBER) CHECK_CONTAINS(fo_simulation_message(sim)->text, "speed");
        CHECK(strlen(fo_simulation_message(sim)->text) > 20);
        CHECK(fo_simulation_advance(sim, 2) == status); // and stays so
        fo_simulation_destroy(sim);
    }
}

SCENE_RATES(blows_up)
{
    IGNORE;
    dx[0] = x[0] * x[0]; // 1 / (1 - t)
    dx[1] = 0;
    return FO_OK;
}

SCENE_RATES(ends)
{
    IGNORE;
    dx[0] = -0.5 / x[0]; // sqrt(1 - t)
    dx[1] = 0;
    return FO_OK;
}

TEST(a_rate_without_limit_says_where)
{
    static const fo_system_type type = {.rates = ends};
    const char *solvers[] = {"dp45", "dop853", "rkf45", "rodas4", "adams"};
    for (size_t i = 0; i < sizeof solvers / sizeof solvers[0]; i++) {
        fo_simulation *sim = make(&type, &two, run_to(2, solvers[i]));
        REQUIRE(sim);
        fo_status status = fo_simulation_advance(sim, 2);
        CHECK(status == FO_ERROR_STEP || status == FO_ERROR_NUMBER);
        if (status == FO_ERROR_STEP) {
            CHECK_CONTAINS(fo_simulation_message(sim)->text,
                           "the rate of 'x' escapes to infinity near t = ");
        }
        CHECK_NEAR(fo_simulation_time(sim), 1, 1e-4);
        fo_simulation_destroy(sim);
    }
}

TEST(definitions_that_make_no_sense_are_refused)
{
    static const fo_system_type type = {.rates = blows_up};
    const struct {
        fo_run_def def;
        const char *says;
    } wrong[] = {
        {{.start = 1, .stop = 0, .rtol = 1}, "cannot go from t = 1 to t = 0"},
        {{.stop = NAN, .rtol = 1}, "cannot go"},
        {{.stop = 1, .rtol = -1}, "rtol must be a positive number, not -1"},
        {{.stop = 1}, "rtol and atol cannot both be 0"},
        {{.stop = 1, .rtol = 1, .step = INFINITY}, "step must be"},
        {{.stop = 1, .rtol = 1, .min_step = 2, .max_step = 1}, "larger than max step"},
        {{.stop = 1, .rtol = 1, .solver = "dp54"}, "did you mean 'dp45'?"},
        {{.stop = 1, .rtol = 1, .solver = "nystrom"}, "second-order"},
        {{.stop = 1, .rtol = 1, .solver = "own"}, "stepper"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        fo_simulation *sim = make(&type, &two, wrong[i].def);
        CHECK(!sim);
        CHECK(fo_failed(why.status));
        CHECK_CONTAINS(why.text, wrong[i].says);
        fo_simulation_destroy(sim);
    }
    CHECK(!make(NULL, &two, run_to(1, NULL)));
    CHECK(!make(&type, NULL, run_to(1, NULL)));
    static const fo_system_type nothing = {.kind = "C"};
    CHECK(!make(&nothing, &two, run_to(1, NULL)));
    CHECK_CONTAINS(why.text, "rates");
}

SCENE_GUARDS(bad_guard)
{
    IGNORE;
    g[0] = x[0] > 0.5 ? 1 : NAN;
    return FO_OK;
}

SCENE_RATES(falls)
{
    IGNORE, (void)x;
    dx[0] = -1;
    dx[1] = 0;
    return FO_OK;
}

SCENE_GUARDS(half)
{
    IGNORE;
    g[0] = x[0] - 0.5;
    return FO_OK;
}

SCENE_JUMP(breaks)
{
    (void)model, (void)m, (void)e;
    s->x[0] = 7;
    s->x[1] = NAN;
    return FO_OK;
}

SCENE_JUMP(refuses)
{
    (void)model, (void)m, (void)e;
    s->x[0] = 7;
    return fo_refuse(s, "x may not be %g", s->x[0]);
}

TEST(what_a_model_does_wrong_is_said_and_taken_back)
{
    const fo_description about = {.name = "wrong",
                                  .states = FO_VARIABLES({"x", "m", 1}, {"speed"}),
                                  .guards = FO_GUARDS({"half", FO_FALLING})};
    static const fo_system_type bad = {.rates = falls, .guards = bad_guard, .jump = breaks};
    static const fo_system_type nan = {.rates = falls, .guards = half, .jump = breaks};
    static const fo_system_type no = {.rates = falls, .guards = half, .jump = refuses};
    const struct {
        const fo_system_type *type;
        fo_status status;
        const char *says;
    } all[] = {{&bad, FO_ERROR_NUMBER, "guard 'half' is not a number"},
               {&nan, FO_ERROR_NUMBER, "state 'speed' is nan after the jump of 'half' at t = 0.5"},
               {&no, FO_ERROR_MODEL, "x may not be 7"}};
    for (size_t i = 0; i < 3; i++) {
        fo_simulation *sim = make(all[i].type, &about, run_to(1, "dp45"));
        REQUIRE(sim);
        CHECK_STATUS(fo_simulation_advance(sim, 1), all[i].status, fo_simulation_message(sim));
        CHECK_CONTAINS(fo_simulation_message(sim)->text, all[i].says);
        CHECK(fo_simulation_state(sim)->x[0] <= 1); // not the 7 of the jump that failed
        CHECK(fo_simulation_state(sim)->x[0] >= 0.49);
        fo_simulation_destroy(sim);
    }
}

TEST(limits_of_steps_and_times)
{
    static const fo_system_type type = {.rates = scene_circle_rates};
    fo_run_def def = run_to(1000, "dp45");
    def.max_steps = 10;
    fo_simulation *sim = make(&type, &two, def);
    REQUIRE(sim);
    CHECK_STATUS(fo_simulation_advance(sim, 1000), FO_ERROR_STEP, fo_simulation_message(sim));
    CHECK_CONTAINS(fo_simulation_message(sim)->text, "more than 10 steps");
    CHECK(fo_simulation_statistics(sim).steps == 10);
    fo_simulation_destroy(sim);
    sim = make(&type, &two, run_to(1, "dp45"));
    REQUIRE(sim);
    CHECK(fo_simulation_advance(sim, 2) == FO_ERROR_ARGUMENT);
    CHECK(fo_simulation_advance(sim, NAN) == FO_ERROR_ARGUMENT);
    CHECK(fo_simulation_advance(sim, 1) == FO_REACHED); // a wrong question is not the end
    CHECK(fo_simulation_advance(sim, 0.5) == FO_ERROR_ARGUMENT);
    fo_simulation_destroy(sim);
}

// ------------------------------------------------------------------------------------- memory

static fo_status ignore_row(void *self, const fo_row *row, fo_message *message)
{
    (void)self, (void)row, (void)message;
    return FO_OK;
}

/// Build, set, run, snapshot, restore, destroy: what of it succeeds.
static bool whole_life(const char *model, const char *solver, test_memory *memory, long *in_loop)
{
    const fo_compiled_model *m = gallery_find(model, &why);
    if (!m) return false;
    fo_observer observer = {.row = ignore_row, .interval = 0.1};
    fo_run_def def = run_to(3, solver);
    def.allocator = &memory->allocator;
    def.observers = &observer, def.observer_count = 1;
    fo_simulation *sim = fo_simulation_create(m->system, &def, &why);
    if (!sim) {
        CHECK(why.status == FO_ERROR_MEMORY);
        return false;
    }
    fo_status status = fo_simulation_advance(sim, 0.5);
    if (status == FO_REACHED) {
        long before = memory->allocations;
        status = fo_simulation_advance(sim, 3);
        *in_loop = memory->allocations - before;
    }
    fo_snapshot *snap = status == FO_REACHED ? fo_simulation_snapshot(sim) : NULL;
    bool good = snap && fo_simulation_restore(sim, snap) == FO_OK &&
                fo_simulation_send(sim, 3, "tap", 0.1) != FO_ERROR_MEMORY;
    if (status != FO_REACHED) CHECK(status == FO_ERROR_MEMORY);
    fo_snapshot_destroy(snap);
    fo_simulation_destroy(sim);
    return good;
}

TEST(every_allocation_may_fail_once)
{
    const char *solvers[] = {"dp45",   "rk4",   "dop853",        "radau5",
                             "rodas4", "adams", "implicit-euler"};
    for (size_t i = 0; i < sizeof solvers / sizeof solvers[0]; i++) {
        bool done = false;
        for (long fail_at = 1; !done && fail_at < 500; fail_at++) {
            test_memory memory;
            long in_loop;
            test_memory_init(&memory, fail_at);
            done = whole_life("pendulum", solvers[i], &memory, &in_loop);
            CHECK_INT(memory.live, 0);
            if (done) CHECK(memory.allocations < fail_at);
        }
        CHECK(done);
    }
}

TEST(nothing_is_allocated_while_it_advances)
{
    const char *models[] = {"double-pendulum", "ball", "lorenz", "robertson"};
    for (size_t m = 0; m < 4; m++)
        for (size_t i = 0; i < fo_solver_count(); i++) {
            const fo_solver_info *info = fo_solver_get(i);
            bool is_explicit = !(info->traits & FO_STIFF);
            if (strcmp(info->name, "own") == 0 || (info->traits & FO_SECOND_ORDER) ||
                (info->traits & FO_SUNDIALS) ||
                (m == 3 && (is_explicit || (info->traits & FO_FIXED_WORK))))
                continue;
            test_memory memory;
            long in_loop = -1;
            test_memory_init(&memory, 0);
            CHECK(whole_life(models[m], info->name, &memory, &in_loop));
            if (in_loop)
                test_fail(__FILE__, __LINE__, "%s with %s allocates %ld times in the loop",
                          models[m], info->name, in_loop);
            CHECK_INT(memory.live, 0);
        }
}

TEST_MAIN(TEST_ENTRY(a_rate_that_is_not_a_number_is_named),
          TEST_ENTRY(a_rate_without_limit_says_where),
          TEST_ENTRY(definitions_that_make_no_sense_are_refused),
          TEST_ENTRY(what_a_model_does_wrong_is_said_and_taken_back),
          TEST_ENTRY(limits_of_steps_and_times), TEST_ENTRY(every_allocation_may_fail_once),
          TEST_ENTRY(nothing_is_allocated_while_it_advances))
