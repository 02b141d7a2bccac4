// Rest by impact, against closed forms (g = 9.81): plain C systems with nothing but a guard and a
// jump.
#include "scene.h"

#define IGNORE (void)model, (void)s, (void)t, (void)x
static const double G = 9.81;

static const char *const solvers[] = {"dp45",      "dop853", "rodas4", "radau5", "adams",
#ifdef FOI_WITH_SUNDIALS
                                      "cvode-bdf",
#endif
                                      NULL};
static scene_log log_;
static fo_message why;

static fo_moment *find(fo_moment_kind kind, size_t which)
{
    static fo_moment found;
    for (size_t i = 0; i < log_.count; i++)
        if (log_.list[i].kind == kind && which-- == 0) {
            found = (fo_moment){.kind = kind, .index = log_.list[i].index, .t = log_.list[i].t};
            return &found;
        }
    return NULL;
}

static void check_at(int line, const char *solver, fo_moment_kind kind, double t, double error)
{
    const fo_moment *m = find(kind, 0);
    if (!m)
        test_fail(__FILE__, line, "%s: no report of kind %d", solver, (int)kind);
    else if (!(fabs(m->t - t) <= error))
        test_fail(__FILE__, line, "%s: kind %d at %.15g, not %.15g", solver, (int)kind, m->t, t);
}

typedef struct run {
    fo_run_def def;
    fo_observer observer;
    fo_simulation *sim;
} run;

static run *begin(fo_system system, double stop, const char *solver)
{
    static run r;
    r = (run){.def = fo_default_run_def()};
    log_.count = 0;
    r.def.stop = stop, r.def.rtol = 1e-9, r.def.atol = 1e-12, r.def.solver = solver;
    r.def.step = stop / 2048;
    r.observer = (fo_observer){.self = &log_, .moment = scene_note, .interval = -1};
    r.def.observers = &r.observer, r.def.observer_count = 1;
    r.sim = fo_simulation_create(system, &r.def, &why);
    if (!r.sim) test_fail(__FILE__, __LINE__, "%s", why.text);
    return &r;
}

static double go(run *r, double t, uint32_t state)
{
    fo_status status = fo_simulation_advance(r->sim, t);
    if (status != FO_REACHED)
        test_fail(__FILE__, __LINE__, "%s: %s", r->def.solver, fo_simulation_message(r->sim)->text);
    return fo_simulation_state(r->sim)->x[state];
}

// ---- 1. the ball, with p[0] = e

SCENE_RATES(falls)
{
    IGNORE;
    dx[0] = x[1], dx[1] = -G;
    return FO_OK;
}

SCENE_GUARDS(height)
{
    IGNORE;
    g[0] = x[0];
    return FO_OK;
}

SCENE_JUMP(bounce)
{
    (void)model, (void)e;
    if (m->kind == FO_GUARD) s->x[1] *= -s->p[0];
    return FO_OK;
}

static fo_description ball_about(double e)
{
    static fo_variable states[] = {{"h", "m", 1}, {"v", "m/s"}}, parameters[] = {{"e"}};
    static const fo_guard guards[] = {{"floor", FO_FALLING}};
    parameters[0].start = e;
    return (fo_description){.name = "ball",
                            .states = {states, 2},
                            .parameters = {parameters, 1},
                            .guards = {guards, 1}};
}

static double ball_limit(double e)
{
    return sqrt(2 / G) * (1 + e) / (1 - e);
}

TEST(a_ball_rests_at_the_limit)
{
    static const fo_system_type type = {.rates = falls, .guards = height, .jump = bounce};
    static const double es[] = {0.8, 0.5, 1e-3, 1e-8, 0, 0.95};
    CHECK_NEAR(ball_limit(0.8), 4.063712769, 1e-9);
    CHECK_NEAR(ball_limit(1e-3), 0.452427592, 1e-9);
    for (size_t i = 0; i < sizeof es / sizeof *es; i++)
        for (size_t k = 0; solvers[k]; k++) {
            fo_description about = ball_about(es[i]);
            double stop = ball_limit(es[i]) + 3;
            run *r = begin((fo_system){&type, &about, NULL}, stop, solvers[k]);
            CHECK_NEAR(go(r, stop, 0), 0, 1e-15);
            CHECK_NEAR(go(r, stop, 1), 0, 1e-15);
            check_at(__LINE__, solvers[k], FO_REST, ball_limit(es[i]),
                     strcmp(solvers[k], "cvode-bdf") ? 2e-8
                                                     : 2e-4); // a low hop is below its tolerance
            CHECK(!find(FO_REST_END, 0));
            fo_simulation_destroy(r->sim);
        }
}

// A time between the last bounce and the limit that it is followed by can be asked for, again and
// again: that time is passed over.
TEST(time_that_is_passed_over_can_be_asked_for)
{
    static const fo_system_type type = {.rates = falls, .guards = height, .jump = bounce};
    fo_description about = ball_about(0.8);
    run *r = begin((fo_system){&type, &about, NULL}, 10, "dp45");
    go(r, 10, 0);
    const fo_moment *rest = find(FO_REST, 0);
    REQUIRE(rest && log_.count > 1);
    double limit = rest->t, last = log_.list[log_.count - 2].t;
    CHECK(last < limit);
    fo_simulation_destroy(r->sim);
    r = begin((fo_system){&type, &about, NULL}, 10, "dp45");
    for (int k = 0; k <= 8; k++) go(r, last + k * (limit - last) / 8, 0);
    CHECK_INT(fo_simulation_advance(r->sim, last - 1e-9), FO_ERROR_ARGUMENT);
    go(r, 5, 0);
    CHECK_INT(fo_simulation_advance(r->sim, limit), FO_ERROR_ARGUMENT);
    CHECK_NEAR(go(r, 10, 0), 0, 1e-15);
    fo_simulation_destroy(r->sim);
}

// ---- 2. resting, then lifted by 5 t: leaves at 1.962, height 5 tau^3 / 6

SCENE_RATES(lifted)
{
    IGNORE;
    dx[0] = x[1], dx[1] = -G + 5 * t;
    return FO_OK;
}

TEST(a_ball_leaves_when_it_is_lifted)
{
    static const fo_system_type type = {.rates = lifted, .guards = height, .jump = bounce};
    for (size_t k = 0; solvers[k]; k++)
        for (int still = 0; still < 2; still++) {
            fo_description about = ball_about(0.4);
            fo_variable states[] = {{"h", "m", still ? 0 : 0.1}, {"v", "m/s"}};
            about.states.list = states;
            run *r = begin((fo_system){&type, &about, NULL}, 3, solvers[k]);
            CHECK_NEAR(go(r, 1.9, 0), 0, 1e-15);
            double tau = 3 - G / 5;
            CHECK_NEAR(go(r, 3, 0), 5 * tau * tau * tau / 6, 1e-8);
            check_at(__LINE__, solvers[k], FO_REST_END, G / 5, 1e-9);
            fo_simulation_destroy(r->sim);
        }
}

// ---- 3. on a floor that moves as 0.1 sin 15 t: leaves at 0.0300766

SCENE_GUARDS(above_floor)
{
    IGNORE;
    g[0] = x[0] - 0.1 * sin(15 * t);
    return FO_OK;
}

SCENE_JUMP(bounce_on_floor)
{
    (void)model, (void)e;
    double floor = 1.5 * cos(15 * s->t);
    if (m->kind == FO_GUARD) s->x[1] = floor - s->p[0] * (s->x[1] - floor);
    return FO_OK;
}

TEST(a_ball_is_thrown_off_by_a_moving_floor)
{
    static const fo_system_type type = {
        .rates = falls, .guards = above_floor, .jump = bounce_on_floor};
    double leaves = asin(G / 22.5) / 15;
    CHECK_NEAR(leaves, 0.0300766, 1e-6);
    for (size_t k = 0; solvers[k]; k++) {
        fo_description about = ball_about(0.5);
        fo_variable states[] = {{"h", "m", 0}, {"v", "m/s", 1.5}};
        about.states.list = states;
        run *r = begin((fo_system){&type, &about, NULL}, 0.1, solvers[k]);
        CHECK_NEAR(go(r, 0.02, 0), 0.1 * sin(0.3), 1e-12);
        CHECK_NEAR(go(r, 0.02, 1), 1.5 * cos(0.3), 1e-12);
        double v = 1.5 * cos(15 * leaves), d = 0.04 - leaves;
        CHECK_NEAR(go(r, 0.04, 0), 0.1 * sin(15 * leaves) + v * d - G * d * d / 2, 1e-9);
        check_at(__LINE__, solvers[k], FO_REST_END, leaves, 2e-8);
        fo_simulation_destroy(r->sim);
    }
}

// The floor falls away from the ball by a little, and it lands again soon. Methods that
// begin with order 1 do not see that it was up there; but they see that it would go through.
#define FALLS_AWAY (3.1415926535897932 - asin(1.1 * 9.81 / 22.5))

SCENE_GUARDS(above_falling_floor)
{
    IGNORE;
    g[0] = x[0] - 0.1 * sin(15 * t + FALLS_AWAY);
    return FO_OK;
}

SCENE_JUMP(stay_on_falling_floor)
{
    (void)model, (void)e;
    if (m->kind == FO_GUARD) s->x[1] = 1.5 * cos(15 * s->t + FALLS_AWAY);
    return FO_OK;
}

TEST(a_ball_that_leaves_at_the_start_is_caught)
{
    static const fo_system_type type = {
        .rates = falls, .guards = above_falling_floor, .jump = stay_on_falling_floor};
    static const char *const methods[] = {"adams",       "dp45",      "radau5",
#ifdef FOI_WITH_SUNDIALS
                                          "cvode-adams", "cvode-bdf", "ida",
#endif
                                          NULL};
    for (size_t k = 0; methods[k]; k++)
        for (double rtol = 1e-5; rtol > 1e-9; rtol /= 100) {
            fo_description about = ball_about(0);
            fo_variable states[] = {{"h", "m", 0.1 * sin(FALLS_AWAY)},
                                    {"v", "m/s", 1.5 * cos(FALLS_AWAY)}};
            about.states.list = states;
            fo_run_def def = fo_default_run_def();
            def.stop = 0.2, def.rtol = rtol, def.atol = rtol / 100, def.solver = methods[k];
            fo_observer observer = {.self = &log_, .moment = scene_note, .interval = -1};
            def.observers = &observer, def.observer_count = 1, log_.count = 0;
            fo_simulation *sim = fo_simulation_create((fo_system){&type, &about, NULL}, &def, &why);
            fo_status status = sim ? fo_simulation_advance(sim, 0.2) : FO_ERROR_INPUT;
            CHECK_STATUS(status, FO_REACHED, sim ? fo_simulation_message(sim) : &why);
            if (sim) CHECK_NEAR(fo_simulation_state(sim)->x[0], 0.1 * sin(3 + FALLS_AWAY), 1e-9);
            if (sim) CHECK_NEAR(fo_simulation_state(sim)->x[1], 1.5 * cos(3 + FALLS_AWAY), 1e-9);
            check_at(__LINE__, methods[k], FO_REST, 0.009753074083, sqrt(rtol));
            CHECK(!find(FO_REST_END, 0));
            fo_simulation_destroy(sim);
        }
}

// A point on a dome, beside which its slope is a difference of large terms.
enum { DOME_X, DOME_Y, DOME_VX, DOME_VY };

SCENE_RATES(falls_in_plane)
{
    IGNORE;
    dx[DOME_X] = x[DOME_VX], dx[DOME_Y] = x[DOME_VY], dx[DOME_VX] = 0,
    dx[DOME_VY] = -2.522899098967815;
    return FO_OK;
}

SCENE_GUARDS(above_dome)
{
    IGNORE;
    g[0] = x[DOME_X] * x[DOME_X] + x[DOME_Y] * x[DOME_Y] - 2.5519969637210558 * 2.5519969637210558;
    return FO_OK;
}

SCENE_JUMP(stay_on_dome)
{
    (void)model, (void)e;
    double *x = s->x, r2 = x[DOME_X] * x[DOME_X] + x[DOME_Y] * x[DOME_Y];
    double out = (x[DOME_X] * x[DOME_VX] + x[DOME_Y] * x[DOME_VY]) / r2;
    if (m->kind == FO_GUARD) x[DOME_VX] -= out * x[DOME_X], x[DOME_VY] -= out * x[DOME_Y];
    return FO_OK;
}

TEST(a_point_that_begins_on_a_dome_lies_on_it)
{
    static const fo_system_type type = {
        .rates = falls_in_plane, .guards = above_dome, .jump = stay_on_dome};
    static const fo_guard guards[] = {{"dome", FO_FALLING}};
    static const char *const methods[] = {"adams", "dp45", "radau5"};
    double r = 2.5519969637210558;
    for (size_t k = 0; k < 3; k++)
        for (int i = 0; i < 2; i++) {
            fo_variable states[] = {{"x", "m", -0.46533926852192053},
                                    {"y", "m", 2.5092125992057692}, // above by 9e-16
                                    {"vx", "m/s", 0.0070289380742896215},
                                    {"vy", "m/s", 0.001303532790729297}};
            fo_description about = {.name = "dome", .states = {states, 4}, .guards = {guards, 1}};
            fo_run_def def = fo_default_run_def();
            def.rtol = i ? 1e-6 : 1e-8, def.atol = def.rtol / 100;
            def.stop = 1.2532117726424907, def.solver = methods[k];
            fo_simulation *sim = fo_simulation_create((fo_system){&type, &about, NULL}, &def, &why);
            fo_status status = sim ? fo_simulation_advance(sim, def.stop) : FO_ERROR_INPUT;
            CHECK_STATUS(status, FO_REACHED, sim ? fo_simulation_message(sim) : &why);
            if (sim) {
                const double *x = fo_simulation_state(sim)->x;
                CHECK_NEAR(hypot(x[DOME_X], x[DOME_Y]), r, 1e-7);
            }
            fo_simulation_destroy(sim);
        }
}

// ---- several balls, each with its own e and height

enum { BALLS = 5 };

SCENE_RATES(all_fall)
{
    IGNORE;
    for (int i = 0; i < BALLS; i++) dx[2 * i] = x[2 * i + 1], dx[2 * i + 1] = -G;
    return FO_OK;
}

SCENE_GUARDS(heights)
{
    IGNORE;
    for (int i = 0; i < BALLS; i++) g[i] = x[2 * i];
    return FO_OK;
}

static const double elastic[BALLS] = {0.8, 0.5, 0.3, 0.7, 0.01};

SCENE_JUMP(bounce_one)
{
    (void)model, (void)e;
    if (m->kind == FO_GUARD) s->x[2 * m->index + 1] *= -elastic[m->index];
    return FO_OK;
}

TEST(several_balls_come_to_rest_one_after_the_other)
{
    static const fo_system_type type = {.rates = all_fall, .guards = heights, .jump = bounce_one};
    fo_variable states[2 * BALLS];
    static const char *const names[] = {"h0", "v0", "h1", "v1", "h2", "v2", "h3", "v3", "h4", "v4"};
    fo_guard guards[BALLS];
    for (int i = 0; i < BALLS; i++) {
        states[2 * i] = (fo_variable){names[2 * i], "m", 1 + 0.25 * i};
        states[2 * i + 1] = (fo_variable){names[2 * i + 1], "m/s"};
        guards[i] = (fo_guard){names[2 * i], FO_FALLING};
    }
    const fo_description about = {
        .name = "balls", .states = {states, 2 * BALLS}, .guards = {guards, BALLS}};
    for (size_t k = 0; solvers[k]; k++) {
        run *r = begin((fo_system){&type, &about, NULL}, 8, solvers[k]);
        for (uint32_t i = 0; i < 2 * BALLS; i++) CHECK_NEAR(go(r, 8, i), 0, 1e-12);
        CHECK(!find(FO_REST_END, 0));
        for (size_t i = 0; i < BALLS; i++) {
            const fo_moment *m = find(FO_REST, i);
            REQUIRE(m);
            double e = elastic[m->index];
            double limit = sqrt(2 * (1 + 0.25 * m->index) / G) * (1 + e) / (1 - e);
            bool rough = !strcmp(solvers[k], "cvode-bdf") || !strcmp(solvers[k], "adams");
            CHECK_NEAR(m->t, limit, rough ? 2e-5 : 1e-7);
        }
        CHECK(!find(FO_REST, BALLS));
        fo_simulation_destroy(r->sim);
    }
}

// ---- kicked from outside while it rests

static const fo_event kick_event = {"kick"};

SCENE_JUMP(bounce_or_kick)
{
    (void)model, (void)e;
    if (m->kind == FO_GUARD) s->x[1] *= -s->p[0];
    if (m->kind == FO_EXTERNAL) s->x[1] += m->value;
    return FO_OK;
}

TEST(a_kick_ends_the_rest)
{
    static const fo_system_type type = {.rates = falls, .guards = height, .jump = bounce_or_kick};
    for (int down = 0; down < 2; down++)
        for (size_t k = 0; solvers[k]; k++) {
            fo_description about = ball_about(0.5);
            about.events = (fo_events){&kick_event, 1};
            run *r = begin((fo_system){&type, &about, NULL}, 10, solvers[k]);
            // down, the floor throws it back with half the speed
            fo_simulation_send(r->sim, 3, "kick", down ? -4 : 2);
            fo_simulation_send(r->sim, 2, "kick", 0);
            CHECK_NEAR(go(r, 2.5, 0), 0, 1e-15);
            CHECK_NEAR(go(r, 3 + 2 / G, 0), 2 / G, 1e-8);
            CHECK_NEAR(go(r, 10, 0), 0, 1e-15);
            check_at(__LINE__, solvers[k], FO_REST_END, 3, 0);
            CHECK(find(FO_REST, 1) && !find(FO_REST, 2) && !find(FO_REST_END, 1));
            fo_simulation_destroy(r->sim);
        }
}

// ---- without memory

SCENE_RATES(ball_and_relay)
{
    IGNORE;
    dx[0] = x[1], dx[1] = -G, dx[2] = sin(3 * t) * 1.5 - s->d[0];
    return FO_OK;
}

SCENE_GUARDS(height_and_relay)
{
    IGNORE;
    g[0] = x[0], g[1] = x[2];
    return FO_OK;
}

SCENE_JUMP(bounce_and_switch)
{
    (void)model, (void)e;
    if (m->index == 0)
        s->x[1] *= -0.3;
    else
        s->d[0] = m->direction;
    return FO_OK;
}

// True when it came to its end.
static bool run_in(test_memory *memory)
{
    static const fo_system_type type = {
        .rates = ball_and_relay, .guards = height_and_relay, .jump = bounce_and_switch};
    const fo_description about = {.name = "both",
                                  .states = FO_VARIABLES({"h", "", 1}, {"v"}, {"z", "", 0.5}),
                                  .discretes = FO_VARIABLES({"mode", "", 1}),
                                  .guards = FO_GUARDS({"floor", FO_FALLING}, {"relay"})};
    fo_run_def def = fo_default_run_def();
    def.stop = 4, def.allocator = &memory->allocator;
    def.solver = "dp45"; // one that is chosen tries others, and does without where memory fails
    fo_simulation *sim = fo_simulation_create((fo_system){&type, &about, NULL}, &def, &why);
    if (!sim) return false;
    bool done = true;
    for (double t = 0.5; t <= 4 && done; t += 0.5) {
        done = fo_simulation_advance(sim, t) == FO_REACHED;
        if (!done && fo_simulation_message(sim)->status != FO_ERROR_MEMORY)
            test_fail(__FILE__, __LINE__, "%s", fo_simulation_message(sim)->text);
        fo_snapshot *snap = done ? fo_simulation_snapshot(sim) : NULL;
        if (done && !snap) done = false;
        if (snap && fo_simulation_restore(sim, snap) != FO_OK) done = false;
        fo_snapshot_destroy(snap);
    }
    fo_simulation_destroy(sim);
    return done;
}

TEST(every_allocation_may_fail_once)
{
    for (long fail_at = 1; fail_at < 400; fail_at++) {
        test_memory memory;
        test_memory_init(&memory, fail_at);
        bool done = run_in(&memory);
        CHECK_INT(memory.live, 0);
        if (done) {
            CHECK(memory.allocations < fail_at);
            break;
        }
    }
}

// ---- the old behaviour

TEST(without_rest_the_limit_is_an_error)
{
    static const fo_system_type type = {.rates = falls, .guards = height, .jump = bounce};
    fo_description about = ball_about(0.8);
    fo_run_def def = fo_default_run_def();
    def.stop = 10, def.no_rest = true;
    CHECK_STATUS(scene_run((fo_system){&type, &about, NULL}, def, &log_, &why), FO_ERROR_ZENO,
                 &why);
    CHECK_CONTAINS(why.text, "before t = 4.0637127");
}

TEST_MAIN(TEST_ENTRY(a_ball_rests_at_the_limit), TEST_ENTRY(a_ball_leaves_when_it_is_lifted),
          TEST_ENTRY(a_ball_is_thrown_off_by_a_moving_floor),
          TEST_ENTRY(a_ball_that_leaves_at_the_start_is_caught),
          TEST_ENTRY(a_point_that_begins_on_a_dome_lies_on_it), TEST_ENTRY(a_kick_ends_the_rest),
          TEST_ENTRY(every_allocation_may_fail_once),
          TEST_ENTRY(time_that_is_passed_over_can_be_asked_for),
          TEST_ENTRY(several_balls_come_to_rest_one_after_the_other),
          TEST_ENTRY(without_rest_the_limit_is_an_error))
