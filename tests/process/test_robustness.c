// What goes wrong: every mistake ends the run with a message, and nothing leaks.
#include "process/coroutine.h"
#include "scene.h"

// ------------------------------------------------------------------------------------- mistakes

static void ends(fo_world *w, void *self)
{
    (void)w, (void)self;
}

static void activates_the_dead(fo_world *w, void *self)
{
    scene *s = self;
    fo_process *p = fo_process_create(w, "ghost", ends, s);
    fo_activate(p);
    CHECK(fo_process_terminated(p));
    CHECK_INT(fo_activate(p), FO_ERROR_MODEL);
    fo_hold(w, 1);
    note(s, "never");
}

static void holds_backwards(fo_world *w, void *self)
{
    fo_hold(w, 3);
    fo_hold(w, -2);
    note(self, "never");
}

static void holds_nan(fo_world *w, void *self)
{
    fo_hold(w, NAN);
    note(self, "never");
}

static void activates_in_the_past(fo_world *w, void *self)
{
    fo_hold(w, 3);
    fo_activate_at(fo_process_create(w, "late", ends, self), 2, false);
    fo_hold(w, 1);
    note(self, "never");
}

static void stops_twice(fo_world *w, void *self)
{
    scene *s = self;
    s->x.name = "water";
    fo_level_start_at(w, &s->x, 1);
    fo_hold(w, 1);
    CHECK_INT(fo_level_stop(w, &s->x), FO_OK);
    CHECK_INT(fo_level_stop(w, &s->x), FO_ERROR_MODEL);
    fo_hold(w, 1);
    note(s, "never");
}

static void starts_twice(fo_world *w, void *self)
{
    scene *s = self;
    s->x.name = "water";
    fo_level_start_at(w, &s->x, 1);
    fo_level_start_at(w, &s->x, 1);
}

static void stops_no_continuous(fo_world *w, void *self)
{
    fo_continuous_stop(w, &((scene *)self)->flow);
}

static void stops_no_reporter(fo_world *w, void *self)
{
    fo_reporter_stop(w, &((scene *)self)->reporter);
}

static void releases_what_it_has_not(fo_world *w, void *self)
{
    scene *s = self;
    s->resource = fo_resource_create(w, "dock", 1);
    CHECK_INT(fo_release(w, s->resource), FO_ERROR_MODEL);
}

static void seizes_too_much(fo_world *w, void *self)
{
    scene *s = self;
    s->resource = fo_resource_create(w, "dock", 1);
    fo_seize_with(w, s->resource, &(fo_request){.amount = 2});
    note(s, "never");
}

static void starts_at_nothing(fo_world *w, void *self)
{
    fo_level_start_at(w, &((scene *)self)->x, NAN);
}

static void runs_itself(fo_world *w, void *self)
{
    (void)self;
    fo_world_run(w, 10);
}

static void own_words(fo_world *w, void *self)
{
    (void)self;
    fo_hold(w, 1);
    fo_world_fail(w, FO_ERROR_MODEL, "the bridge is down");
    fo_hold(w, 1);
}

static void wild_rate(fo_world *w, void *self)
{
    (void)w;
    scene *s = self;
    s->x.rate = s->x.state > 2 ? NAN : 1;
}

static void goes_wild(fo_world *w, void *self)
{
    scene *s = self;
    s->x.name = "water";
    fo_level_start_at(w, &s->x, 1);
    fo_continuous_start(w, &s->flow, wild_rate, s);
    fo_hold(w, 10);
}

TEST(mistakes_end_the_run)
{
    static const struct {
        fo_actions *actions;
        fo_status status;
        const char *parts[3];
    } cases[] = {
        {activates_the_dead, FO_ERROR_MODEL, {"'ghost' (#2)", "it has ended"}},
        {holds_backwards, FO_ERROR_MODEL, {"'main' (#1)", "hold for -2", "t = 3"}},
        {holds_nan, FO_ERROR_MODEL, {"'main'", "nan"}},
        {activates_in_the_past, FO_ERROR_MODEL, {"'late'", "t = 3", "2"}},
        {stops_twice, FO_ERROR_MODEL, {"level 'water'", "stopped but not active", "t = 1"}},
        {starts_twice, FO_ERROR_MODEL, {"level 'water'", "active already"}},
        {stops_no_continuous, FO_ERROR_MODEL, {"continuous process", "stopped"}},
        {stops_no_reporter, FO_ERROR_MODEL, {"reporter", "stopped"}},
        {releases_what_it_has_not, FO_ERROR_MODEL, {"release 1", "'dock'", "it has 0"}},
        {seizes_too_much, FO_ERROR_MODEL, {"seize 2", "'dock'", "capacity is 1"}},
        {starts_at_nothing, FO_ERROR_NUMBER, {"nan"}},
        {runs_itself, FO_ERROR_MODEL, {"its own processes"}},
        {own_words, FO_ERROR_MODEL, {"the bridge is down"}},
        {goes_wild, FO_ERROR_STEP, {"water"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        scene s;
        scene_open(&s, NULL);
        fo_status status = fo_world_simulate(s.w, cases[i].actions, &s);
        if (cases[i].actions == goes_wild)
            CHECK(fo_failed(status)); // which error is the solver's affair
        else
            CHECK_STATUS(status, cases[i].status, fo_world_message(s.w));
        for (int k = 0; k < 3 && cases[i].parts[k]; k++)
            CHECK_CONTAINS(fo_world_message(s.w)->text, cases[i].parts[k]);
        CHECK_TEXT(s.log, "");
        scene_close(&s);
    }
}

static void small_process(fo_world *w, void *self)
{
    (void)self;
    fo_hold(w, -1);
}

static void tells_from_a_small_stack(fo_world *w, void *self)
{
    fo_activate(fo_process_make(w, &(fo_process_def){"small", small_process, self, .stack = 1500}));
}

TEST(small_stack_is_enough_for_a_message)
{
    scene s;
    scene_open(&s, NULL);
    scene_fails(&s, tells_from_a_small_stack, FO_ERROR_MODEL,
                "process 'small' (#2) cannot hold for -1, at t = 0");
    scene_close(&s);
}

TEST(mistakes_outside_of_a_run_are_told)
{
    scene s;
    scene_open(&s, NULL);
    CHECK_INT(fo_level_stop(s.w, &s.x), FO_ERROR_MODEL);
    CHECK_CONTAINS(fo_world_message(s.w)->text, "not active");
    CHECK(fo_resource_create(s.w, "none", 0) == NULL);
    CHECK_CONTAINS(fo_world_message(s.w)->text, "'none'");
    CHECK_INT(fo_hold(s.w, 1), FO_BALKED);
    CHECK_CONTAINS(fo_world_message(s.w)->text, "none runs");
    scene_play(&s, ends); // and the world is as good as before
    scene_close(&s);
}

// -------------------------------------------------------------------------------------- deadlock

static void holds_the_fork(fo_world *w, void *self)
{
    scene *s = self;
    fo_seize(w, s->resource);
    fo_store_get(w, s->store, &s->count);
}

static void wants_the_fork(fo_world *w, void *self)
{
    fo_seize(w, ((scene *)self)->resource);
}

static void queues(fo_world *w, void *self)
{
    fo_wait(w, &((scene *)self)->queue);
}

static void everyone_waits(fo_world *w, void *self)
{
    scene *s = self;
    s->resource = fo_resource_create(w, "fork", 1);
    s->store = fo_store_create(w, "plate", sizeof(int), 0);
    fo_spawn(w, "plato", holds_the_fork, s);
    fo_spawn(w, "kant", wants_the_fork, s);
    fo_spawn(w, "hume", queues, s);
    fo_hold(w, 2);
    fo_passivate(w);
}

TEST(deadlock_names_who_waits_for_what)
{
    scene s;
    scene_open(&s, NULL);
    scene_fails(&s, everyone_waits, FO_ERROR_MODEL, "'main' (#1) is passive");
    const char *text = fo_world_message(s.w)->text;
    CHECK_CONTAINS(text, "t = 2");
    CHECK_CONTAINS(text, "'plato' (#2) waits for an item of store 'plate'");
    CHECK_CONTAINS(text, "'kant' (#3) waits for resource 'fork'");
    CHECK_CONTAINS(text, "'hume' (#4) waits in a queue");
    scene_close(&s);
}

static void many_wait(fo_world *w, void *self)
{
    for (int i = 0; i < 100; i++) fo_spawn(w, "somebody", queues, self);
    fo_passivate(w);
}

TEST(long_deadlock_is_cut)
{
    scene s;
    scene_open(&s, NULL);
    scene_fails(&s, many_wait, FO_ERROR_MODEL, "more");
    CHECK(strlen(fo_world_message(s.w)->text) < FO_MESSAGE_SIZE - 1);
    scene_close(&s);
}

static bool never(fo_world *w, void *self)
{
    (void)w, (void)self;
    return false;
}

static void waits_for_ever(fo_world *w, void *self)
{
    fo_wait_until_with(w, never, self, &(fo_state_event){.name = "godot comes"});
}

TEST(condition_that_never_comes)
{
    scene s;
    scene_open(&s, NULL);
    scene_fails(&s, waits_for_ever, FO_ERROR_MODEL, "'main' (#1) waits until a condition: godot");
    scene_close(&s);
}

// ----------------------------------------------------------------------------- time stands still

static void holds_for_nothing(fo_world *w, void *self)
{
    (void)self;
    fo_hold(w, 2);
    for (;;) fo_hold(w, 0);
}

static void alone(fo_world *w, void *self)
{
    fo_activate(fo_process_create(w, "sleepless", holds_for_nothing, self));
    fo_hold(w, 10);
    note(self, "never");
}

// Two who wake each other, and something that flows meanwhile.
static void echo(fo_world *w, void *self)
{
    scene *s = self;
    for (;;) {
        fo_activate_at(s->p[fo_current(w) == s->p[0]], fo_time(w), false);
        fo_passivate(w);
    }
}

static void together(fo_world *w, void *self)
{
    scene *s = self;
    fo_level_start_at(w, &s->x, 1);
    s->x.rate = 1;
    fo_hold(w, 3);
    s->p[0] = fo_process_create(w, "echo", echo, s);
    s->p[1] = fo_process_create(w, "echo", echo, s);
    fo_activate(s->p[0]);
    fo_hold(w, 1);
    note(s, "never");
}

static bool always(fo_world *w, void *self)
{
    (void)w, (void)self;
    return true;
}

static void waits_in_vain(fo_world *w, void *self)
{
    fo_hold(w, 1);
    for (;;) fo_wait_until(w, always, self);
}

// As many as are allowed at each of several times are no mistake.
static void busy(fo_world *w, void *self)
{
    scene *s = self;
    for (int i = 0; i < 5; i++) {
        for (int k = 0; k < 90; k++) fo_hold(w, 0);
        fo_hold(w, 1);
    }
    s->number = fo_time(w);
}

TEST(time_that_stands_still_is_seen)
{
    scene s;
    const fo_world_def def = {.max_events = 100};
    static fo_actions *const cases[] = {alone, together, waits_in_vain};
    static const char *const words[] = {
        "time stands still at t = 2: 100 events at this instant, the next one would be of process "
        "'sleepless' (#2)",
        "time stands still at t = 3: 100 events at this instant, the next one would be of process "
        "'echo'",
        "time stands still at t = 1: 100 events at this instant, the next one would be of process "
        "'main' (#1)"};
    for (int i = 0; i < 3; i++) {
        scene_open(&s, &def);
        scene_fails(&s, cases[i], FO_ERROR_MODEL, words[i]);
        CHECK_TEXT(s.log, "");
        scene_close(&s);
    }
    scene_open(&s, &def);
    scene_play(&s, busy);
    CHECK(s.number == 5);
    scene_close(&s);
    scene_open(&s, NULL); // and without being asked
    scene_fails(&s, alone, FO_ERROR_MODEL, "10000000 events at this instant");
    scene_close(&s);
}

// ---------------------------------------------------------------------------------------- memory

static void grow(fo_world *w, void *self)
{
    scene *s = self;
    (void)w;
    s->x.rate = s->x.state;
}

static void holds_the_dock(fo_world *w, void *self)
{
    scene *s = self;
    fo_level x = {0};
    fo_level_start_at(w, &x, 1);
    fo_seize(w, s->resource);
    fo_hold(w, 1);
    fo_release(w, s->resource);
    fo_store_put(w, s->store, &s->count);
}

static bool is_large(fo_world *w, void *self)
{
    (void)w;
    return ((scene *)self)->x.state > 10;
}

static double state_of_x(fo_world *w, void *self)
{
    (void)w;
    return ((scene *)self)->x.state;
}

// Something of everything, and in the middle of it the world ends.
static void everything(fo_world *w, void *self)
{
    scene *s = self;
    s->resource = fo_resource_create(w, "dock", 1);
    s->store = fo_store_create(w, "box", sizeof(int), 0);
    s->container = fo_container_create(w, "tank", 10, 0);
    s->gate = fo_gate_create(w, "gate", true);
    if (!s->gate) return;
    fo_level_start_at(w, &s->x, 1);
    fo_continuous_start(w, &s->flow, grow, s);
    fo_delay_create(w, 0.5, state_of_x, s, 0);
    fo_difference_start(w, ends, s, 0.25);
    fo_reporter_start(w, &s->reporter, ends, s, 0.125);
    for (int i = 0; i < 5; i++) fo_spawn(w, "user", holds_the_dock, s);
    fo_wait_level(w, &s->x, 2, FO_RISING);
    fo_wait_until(w, is_large, s);
    fo_container_put(w, s->container, 5);
    fo_gate_pass(w, s->gate);
    fo_spawn(w, "waits", queues, s);
    fo_hold(w, 0.1);
    s->number = 1;
}

TEST(every_allocation_failing_once_is_clean)
{
    long fail_at = 1;
    for (; fail_at < 1000; fail_at++) {
        test_memory memory;
        test_memory_init(&memory, fail_at);
        scene s = {0};
        fo_message why = {0};
        s.w = fo_world_create(&(fo_world_def){.allocator = &memory.allocator, .dt_max = 0.1}, &why);
        double parameter;
        const fo_variable about = {"parameter"};
        fo_status status = s.w ? fo_world_parameter(s.w, &about, &parameter) : why.status;
        if (status == FO_OK) status = fo_world_output(s.w, "number", NULL, &s.number);
        if (status == FO_OK) status = fo_world_simulate(s.w, everything, &s);
        if (status != FO_STOPPED)
            CHECK_STATUS(status, FO_ERROR_MEMORY, s.w ? fo_world_message(s.w) : &why);
        CHECK((status == FO_STOPPED) == (s.number == 1));
        fo_world_destroy(s.w);
        CHECK_INT(memory.live, 0);
        if (status == FO_STOPPED) break;
    }
    CHECK(fail_at > 30 && fail_at < 1000);
}

TEST(world_ends_in_mid_work)
{
    test_memory memory;
    test_memory_init(&memory, 0);
    scene s = {0};
    s.w = fo_world_create(&(fo_world_def){.allocator = &memory.allocator, .dt_max = 0.1}, NULL);
    fo_spawn(s.w, "everything", everything, &s);
    CHECK_STATUS(fo_world_run(s.w, 1.5), FO_REACHED, fo_world_message(s.w));
    CHECK(s.number == 0);
    fo_world_destroy(s.w);
    CHECK_INT(memory.live, 0);
    CHECK(!fo_level_active(&s.x) && !s.reporter.world && fo_queue_empty(&s.queue));
    s.w = fo_world_create(&(fo_world_def){.allocator = &memory.allocator}, NULL);
    fo_spawn(s.w, "everything", everything, &s); // it never even begins
    fo_world_destroy(s.w);
    CHECK_INT(memory.live, 0);
}

// Cancelled events do not pile up, and forgotten processes are used again.
static void brief(fo_world *w, void *self)
{
    scene *s = self;
    fo_store_get_with(w, s->store, &s->count, &(fo_request){.patience = 1e6});
}

static void turnover(fo_world *w, void *self)
{
    scene *s = self;
    s->store = fo_store_create(w, "box", sizeof(int), 0);
    for (int i = 0; i < 20000; i++) {
        fo_spawn(w, "brief", brief, s);
        fo_hold(w, 1);
        fo_store_put(w, s->store, &i);
        fo_hold(w, 1);
        CHECK_INT(s->count, i);
    }
}

TEST(what_is_over_is_used_again)
{
    test_memory memory;
    test_memory_init(&memory, 0);
    scene s = {0};
    s.w = fo_world_create(&(fo_world_def){.allocator = &memory.allocator}, NULL);
    scene_play(&s, turnover);
    CHECK(memory.live < 40);
    fo_world_destroy(s.w);
    CHECK_INT(memory.live, 0);
}

TEST(a_snapshot_is_refused_with_the_reason)
{
    scene s;
    scene_open(&s, NULL);
    scene_play(&s, ends);
    fo_simulation *sim = fo_world_simulation(s.w);
    CHECK(fo_simulation_snapshot(sim) == NULL);
    CHECK_CONTAINS(fo_simulation_message(sim)->text, "stacks of processes");
    scene_close(&s);
}

TEST_MAIN(TEST_ENTRY(mistakes_end_the_run), TEST_ENTRY(small_stack_is_enough_for_a_message),
          TEST_ENTRY(mistakes_outside_of_a_run_are_told),
          TEST_ENTRY(deadlock_names_who_waits_for_what), TEST_ENTRY(long_deadlock_is_cut),
          TEST_ENTRY(condition_that_never_comes), TEST_ENTRY(time_that_stands_still_is_seen),
          TEST_ENTRY(every_allocation_failing_once_is_clean), TEST_ENTRY(world_ends_in_mid_work),
          TEST_ENTRY(what_is_over_is_used_again), TEST_ENTRY(a_snapshot_is_refused_with_the_reason))
