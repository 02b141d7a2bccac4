// Levels, continuous processes and reporters, against closed forms.
#include "scene.h"

static const fo_world_def fine = {.max_rel_error = 1e-11, .max_abs_error = 1e-12};

static void decay(fo_world *w, void *self)
{
    scene *s = self;
    (void)w;
    s->x.rate = -s->x.state;
}

// ------------------------------------------------------------------------------------- flowing

static void start_and_stop(fo_world *w, void *self)
{
    scene *s = self;
    fo_level_start_at(w, &s->x, 2);
    fo_continuous_start(w, &s->flow, decay, s);
    CHECK(fo_level_active(&s->x) && fo_continuous_active(&s->flow));
    fo_hold(w, 1);
    CHECK_NEAR(s->x.state, 2 * exp(-1), 1e-10);
    CHECK_NEAR(s->x.rate, -2 * exp(-1), 1e-10);
    fo_level_stop(w, &s->x); // it stands still
    fo_hold(w, 1);
    CHECK_NEAR(s->x.state, 2 * exp(-1), 1e-10);
    fo_level_start(w, &s->x); // and goes on
    fo_hold(w, 1);
    CHECK_NEAR(s->x.state, 2 * exp(-2), 1e-10);
    s->x.state = 5; // a jump
    fo_hold(w, 0.5);
    CHECK_NEAR(s->x.state, 5 * exp(-0.5), 1e-10);
    fo_continuous_stop(w, &s->flow); // the last rate stays
    double x = s->x.state;
    s->x.rate = -3;
    fo_hold(w, 2);
    CHECK_NEAR(s->x.state, x - 6, 1e-10);
}

TEST(levels_start_stop_and_jump)
{
    scene s;
    scene_open(&s, &fine);
    scene_play(&s, start_and_stop);
    CHECK_NEAR(fo_time(s.w), 5.5, 1e-14);
    scene_close(&s);
    CHECK(!fo_level_active(&s.x));
}

static void add_one(fo_world *w, void *self)
{
    scene *s = self;
    (void)w;
    s->x.rate += 1;
}

static void twice(fo_world *w, void *self)
{
    scene *s = self;
    (void)w;
    s->x.rate *= 2;
}

static void set_three(fo_world *w, void *self)
{
    scene *s = self;
    (void)w;
    s->x.rate = 3;
}

// Evaluated in the order of their priority: (3 + 1) * 2.
static void three_parts(fo_world *w, void *self)
{
    scene *s = self;
    fo_continuous a = {.priority = -1}, b = {.priority = 0}, c = {.priority = 7};
    fo_level_start_at(w, &s->x, 0);
    fo_continuous_start(w, &a, twice, s);
    fo_continuous_start(w, &b, add_one, s);
    fo_continuous_start(w, &c, set_three, s);
    fo_hold(w, 1);
    CHECK_NEAR(s->x.state, 8, 1e-12);
}

TEST(continuous_processes_have_priorities)
{
    scene s;
    scene_open(&s, &fine);
    scene_play(&s, three_parts);
    scene_close(&s);
}

static void own_rate(fo_world *w, void *self)
{
    (void)w;
    fo_level *l = self;
    l->rate = -l->state;
}

// What lies on the stack of a process ends with it.
static void short_life(fo_world *w, void *self)
{
    scene *s = self;
    fo_level x = {0};
    fo_continuous flow = {0};
    fo_level_start_at(w, &x, 1);
    fo_continuous_start(w, &flow, own_rate, &x);
    fo_hold(w, 1 + 0.1 * s->count++);
    s->number += x.state;
}

static void varying_number(fo_world *w, void *self)
{
    scene *s = self;
    fo_level_start_at(w, &s->x, 1);
    fo_continuous_start(w, &s->flow, decay, s);
    for (int i = 0; i < 20; i++) {
        fo_spawn(w, "short life", short_life, s);
        fo_hold(w, 0.3);
    }
    fo_hold(w, 10);
    double expected = 0;
    for (int i = 0; i < 20; i++) expected += exp(-(1 + 0.1 * i));
    CHECK_NEAR(s->number, expected, 1e-9);
    CHECK_NEAR(s->x.state, exp(-16), 1e-10);
}

TEST(number_of_equations_varies)
{
    scene s;
    scene_open(&s, &fine);
    scene_play(&s, varying_number);
    CHECK_INT(fo_simulation_state(fo_world_simulation(s.w))->shape.states, 1);
    scene_close(&s);
}

static void run_decay(fo_world *w, void *self)
{
    scene *s = self;
    fo_level_start_at(w, &s->x, 1);
    fo_continuous_start(w, &s->flow, decay, s);
    fo_hold(w, 1);
}

TEST(any_solver_of_the_engine)
{
    static const char *const names[] = {"euler", "rk4",    "dp45",  "dop853",
                                        "bs23",  "radau5", "rodas4"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        scene s;
        scene_open(&s, &(fo_world_def){.solver = names[i],
                                       .max_rel_error = 1e-8,
                                       .max_abs_error = 1e-8,
                                       .step = 1e-3});
        scene_play(&s, run_decay);
        CHECK_NEAR(s.x.state, exp(-1), i == 0 ? 3e-4 : 1e-6);
        CHECK_TEXT(fo_simulation_solver(fo_world_simulation(s.w))->name, names[i]);
        scene_close(&s);
    }
}

// ------------------------------------------------------------------------------------- reporters

static void report_x(fo_world *w, void *self)
{
    scene *s = self;
    CHECK_NEAR(s->x.state, exp(-fo_time(w)), 2e-8);
    CHECK_NEAR(s->x.rate, -s->x.state, 1e-15);
    s->number = fo_time(w);
    s->count++;
}

static void reported(fo_world *w, void *self)
{
    scene *s = self;
    fo_level_start_at(w, &s->x, 1);
    fo_continuous_start(w, &s->flow, decay, s);
    if (s->number > 0) fo_reporter_start(w, &s->reporter, report_x, s, s->number);
    fo_hold(w, 2.005);
}

TEST(reports_do_not_disturb_the_steps)
{
    uint64_t steps[2];
    double last[2];
    for (int i = 0; i < 2; i++) {
        scene s;
        scene_open(&s, &(fo_world_def){.max_rel_error = 1e-9, .max_abs_error = 1e-9});
        s.number = i ? 0.01 : 0;
        scene_play(&s, reported);
        CHECK_INT(s.count, i ? 201 : 0);
        if (i) CHECK_NEAR(s.number, 2, 1e-12);
        steps[i] = fo_simulation_statistics(fo_world_simulation(s.w)).steps;
        last[i] = s.x.state;
        scene_close(&s);
    }
    CHECK_INT(steps[0], steps[1]);
    CHECK(last[0] == last[1]);
}

static void count_it(fo_world *w, void *self)
{
    scene *s = self;
    (void)w;
    s->count++;
}

static void reported_at_steps(fo_world *w, void *self)
{
    scene *s = self;
    fo_level_start_at(w, &s->x, 1);
    fo_continuous_start(w, &s->flow, decay, s);
    fo_reporter_start(w, &s->reporter, count_it, s, s->number);
    fo_hold(w, 1);
    fo_hold(w, 1);
    fo_reporter_stop(w, &s->reporter);
    fo_hold(w, 1);
}

TEST(reports_at_steps_and_at_events)
{
    scene s;
    scene_open(&s, &(fo_world_def){.dt_max = 0.1});
    s.number = FO_EVENTS_ONLY;
    scene_play(&s, reported_at_steps);
    CHECK_INT(s.count, 2); // at 0 and 1; at 2 it is stopped
    scene_close(&s);
    scene_open(&s, &(fo_world_def){.dt_max = 0.1});
    s.number = FO_EVERY_STEP;
    scene_play(&s, reported_at_steps);
    CHECK(s.count >= 22);
    scene_close(&s);
}

static void note_time(fo_world *w, void *self)
{
    (void)w;
    note(self, "r");
}

static void ticker(fo_world *w, void *self)
{
    for (;;) {
        note(self, "tick");
        fo_hold(w, 1);
    }
}

static void discrete_reports(fo_world *w, void *self)
{
    scene *s = self;
    fo_spawn(w, "ticker", ticker, s);
    fo_reporter_start(w, &s->reporter, note_time, s, 0.75);
    fo_hold(w, 2.5);
    fo_reporter_stop(w, &s->reporter);
    fo_hold(w, 1);
}

TEST(reports_where_nothing_flows)
{
    scene s;
    scene_open(&s, NULL);
    scene_play(&s, discrete_reports);
    CHECK_TEXT(s.log, "r@0 tick@0 r@0.75 tick@1 r@1.5 tick@2 r@2.25 tick@3");
    scene_close(&s);
}

// --------------------------------------------------------------------------- other ways to run it

static fo_status count_moment(void *self, const fo_moment *m, fo_message *why)
{
    (void)m, (void)why;
    ++*(int *)self;
    return FO_OK;
}

// Someone who hears of every moment does not change what happens.
TEST(moments_are_heard)
{
    int moments = 0;
    fo_observer observer = {.self = &moments, .moment = count_moment, .interval = -1};
    scene s;
    scene_open(&s, &(fo_world_def){.observers = &observer, .observer_count = 1});
    scene_play(&s, discrete_reports);
    CHECK_TEXT(s.log, "r@0 tick@0 r@0.75 tick@1 r@1.5 tick@2 r@2.25 tick@3");
    CHECK(moments >= 8);
    scene_close(&s);
}

static void make_mistake(fo_world *w, void *self)
{
    scene *s = self;
    CHECK_NEAR(s->x.state, exp(-1), 1e-8);
    fo_hold(w, -1);
}

// A simulation of the user's own: reports become moments, and mistakes end it as well.
TEST(world_is_a_system_like_others)
{
    scene s;
    fo_message why = {0};
    scene_open(&s, NULL);
    fo_spawn(s.w, "decay", run_decay, &s);
    fo_activate_at(fo_process_create(s.w, "mistaken", make_mistake, &s), 1, false);
    fo_reporter_start(s.w, &s.reporter, count_it, &s, 0.25);
    fo_run_def def = fo_default_run_def();
    def.stop = 2, def.solver = "dop853", def.rtol = def.atol = 1e-10;
    fo_simulation *sim = fo_simulation_create(fo_world_system(s.w), &def, &why);
    CHECK(sim != NULL);
    CHECK_STATUS(fo_simulation_advance(sim, 0.6), FO_REACHED, fo_simulation_message(sim));
    CHECK_INT(s.count, 3);
    CHECK_STATUS(fo_simulation_advance(sim, 2), FO_ERROR_MODEL, fo_simulation_message(sim));
    CHECK_CONTAINS(fo_simulation_message(sim)->text, "'mistaken' (#2) cannot hold for -1");
    fo_simulation_destroy(sim);
    scene_close(&s);
}

// --------------------------------------------------------------------------------------- outputs

TEST(outputs_are_seen_by_observers)
{
    fo_table *table = fo_table_create(1, NULL);
    const fo_reference signal = {FO_OUTPUT, 0};
    fo_observer observer = fo_table_observer(table, &signal, 0.25);
    scene s;
    scene_open(&s, &(fo_world_def){.max_rel_error = 1e-10,
                                   .max_abs_error = 1e-10,
                                   .stop = 2,
                                   .observers = &observer,
                                   .observer_count = 1});
    fo_world_output(s.w, "x", "m", &s.x.state);
    scene_play(&s, run_decay);
    CHECK(fo_table_rows(table) >= 4);
    for (size_t i = 2; i + 1 < fo_table_rows(table); i++)
        CHECK_NEAR(fo_table_value(table, i, 0), exp(-fo_table_time(table, i)), 1e-8);
    scene_close(&s);
    fo_table_destroy(table);
}

TEST_MAIN(TEST_ENTRY(levels_start_stop_and_jump), TEST_ENTRY(continuous_processes_have_priorities),
          TEST_ENTRY(number_of_equations_varies), TEST_ENTRY(any_solver_of_the_engine),
          TEST_ENTRY(reports_do_not_disturb_the_steps), TEST_ENTRY(reports_at_steps_and_at_events),
          TEST_ENTRY(reports_where_nothing_flows), TEST_ENTRY(moments_are_heard),
          TEST_ENTRY(world_is_a_system_like_others), TEST_ENTRY(outputs_are_seen_by_observers))
