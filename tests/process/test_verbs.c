// Verbs that the other tests do not say: last states, interruptions wherever one may wait, events
// that are moved, and what a world declares.
#include <foliot/ensemble.h>

#include "scene.h"

// ----------------------------------------------------------------------------------- last states

typedef struct track {
    fo_level x;
    fo_continuous flow;
    fo_reporter reporter;
    double before; ///< the state at the last report
    int reports, differ;
    double crossed;
} track;

static void grow(fo_world *w, void *self)
{
    track *p = self;
    (void)w;
    p->x.rate = p->x.state;
}

// At the end of each step `last` is what the state was at the end of the step before.
static void compare(fo_world *w, void *self)
{
    track *p = self;
    (void)w;
    if (p->reports++ > 0 && p->x.last != p->before) p->differ++;
    p->before = p->x.state;
}

// As programs in the manner of the source write it.
static bool passes_two(fo_world *w, void *self)
{
    const track *p = self;
    (void)w;
    return p->x.last < 2 && p->x.state >= 2;
}

static void follow(fo_world *w, void *self)
{
    track *p = self;
    fo_level_start_at(w, &p->x, 1);
    CHECK(p->x.last == 1);
    fo_continuous_start(w, &p->flow, grow, p);
    fo_reporter_start(w, &p->reporter, compare, p, FO_EVERY_STEP);
    fo_wait_until(w, passes_two, p);
    p->crossed = fo_time(w);
    fo_reporter_stop(w, &p->reporter);
    CHECK(p->x.last < 2); // still that of the step that led here
    fo_hold(w, 0.25);
    p->x.state = 7;
    fo_hold(w, 0.01); // one step
    CHECK(p->x.last == 7);
    fo_hold(w, 0.99);
    CHECK(p->x.last > 7 && p->x.last < p->x.state);
    CHECK_NEAR(p->x.state, 7 * exp(1), 1e-8);
}

TEST(last_states_are_those_of_the_step_before)
{
    track p = {0};
    fo_world *w = fo_world_create(
        &(fo_world_def){.max_rel_error = 1e-10, .max_abs_error = 1e-10, .dt_max = 0.05}, NULL);
    CHECK_STATUS(fo_world_simulate(w, follow, &p), FO_STOPPED, fo_world_message(w));
    CHECK(p.reports > 10);
    CHECK_INT(p.differ, 0);
    CHECK_NEAR(p.crossed, log(2), 1e-9);
    fo_world_destroy(w);
}

// --------------------------------------------------------------------------- who may change what

static void pours(fo_world *w, void *self)
{
    scene *s = self;
    for (int i = 0; i < 4; i++) {
        fo_hold(w, 1);
        s->x.state += 1;
    }
}

static void doubles(fo_world *w, void *self)
{
    scene *s = self;
    fo_hold(w, 2);
    s->x.state *= 2; // its event was scheduled before that of the other
    s->x.rate = 0.5;
}

static void one_tank(fo_world *w, void *self)
{
    scene *s = self;
    fo_level_start_at(w, &s->x, 10);
    fo_spawn(w, "pours", pours, s);
    fo_spawn(w, "doubles", doubles, s);
    fo_hold(w, 6);
    CHECK_NEAR(s->x.state, (10 + 1) * 2 + 1 + 2 + 0.5 * 4, 1e-12);
}

TEST(several_processes_change_one_level)
{
    scene s;
    scene_open(&s, NULL);
    scene_play(&s, one_tank);
    CHECK_TEXT(fo_simulation_solver(fo_world_simulation(s.w))->name, "rkf45"); // the default
    scene_close(&s);
}

// ------------------------------------------------------------------- interrupted wherever it waits

static bool never_true(fo_world *w, void *self)
{
    (void)w, (void)self;
    return false;
}

static double never_zero(fo_world *w, void *self)
{
    (void)w, (void)self;
    return 1;
}

static fo_wake wait_somehow(fo_world *w, scene *s, int way)
{
    int item;
    switch (way) {
    case 0: return fo_hold(w, 100);
    case 1: return fo_passivate(w);
    case 2: return fo_wait(w, &s->queue);
    case 3: return fo_wait_for(w, &s->queue, 100);
    case 4: return fo_seize(w, s->resource);
    case 5: return fo_store_get(w, s->store, &item);
    case 6: return fo_container_get(w, s->container, 5);
    case 7: return fo_gate_pass(w, s->gate);
    case 8: return fo_wait_until(w, never_true, s);
    case 9: return fo_wait_zero(w, never_zero, s, FO_EITHER);
    case 10: return fo_wait_level(w, &s->x, 1e6, FO_RISING);
    default: return fo_wait_level_with(w, &s->x, 1e6, FO_RISING, &(fo_state_event){.patience = 99});
    }
}

enum { WAYS = 12 };

// Is interrupted with a reason, waits once more, is interrupted again, and goes on.
static void patient(fo_world *w, void *self)
{
    scene *s = self;
    int way = s->count;
    for (int i = 0; i < 2; i++) {
        CHECK_INT(wait_somehow(w, s, way), FO_INTERRUPTED);
        CHECK_TEXT(fo_reason(w), i ? "second" : "first");
        if (way == 0) CHECK_NEAR(fo_remaining(w), 99, 1e-12);
        if (way == 2 || way == 3) fo_link_out(fo_process_link(fo_current(w)));
    }
    fo_hold(w, 1);
    note(s, "on");
}

static void interrupter(fo_world *w, void *self)
{
    scene *s = self;
    s->resource = fo_resource_create(w, "dock", 1);
    s->store = fo_store_create(w, "box", sizeof(int), 0);
    s->container = fo_container_create(w, "tank", 10, 0);
    s->gate = fo_gate_create(w, "gate", false);
    fo_seize(w, s->resource);
    fo_level_start_at(w, &s->x, 0);
    fo_process *p = fo_process_create(w, "patient", patient, s);
    fo_activate(p);
    fo_hold(w, 1);
    CHECK_INT(fo_interrupt(p, "first"), FO_OK);
    fo_hold(w, 1);
    CHECK_INT(fo_interrupt(p, "second"), FO_OK);
    fo_hold(w, 2);
    CHECK(fo_process_terminated(p));
    CHECK_INT(fo_resource_line(s->resource), 0); // it left where it stood
    CHECK(fo_queue_empty(&s->queue));
    fo_release(w, s->resource);
    CHECK(fo_resource_available(s->resource) == 1);
}

TEST(interrupted_wherever_one_may_wait)
{
    for (int way = 0; way < WAYS; way++) {
        scene s;
        scene_open(&s, NULL);
        s.count = way;
        scene_play(&s, interrupter);
        CHECK_TEXT(s.log, "on@3");
        scene_close(&s);
    }
}

// --------------------------------------------------------------------------------- moving events

static void say_name(fo_world *w, void *self)
{
    note(self, fo_process_name(fo_current(w)));
}

static fo_process *speaker(scene *s, const char *name)
{
    return fo_process_create(s->w, name, say_name, s);
}

static void moves(fo_world *w, void *self)
{
    scene *s = self;
    fo_process *a = speaker(s, "a"), *b = speaker(s, "b"), *c = speaker(s, "c");
    fo_process *d = speaker(s, "d"), *e = speaker(s, "e");
    fo_activate_at(a, 1, false);
    fo_activate_at(b, 1, false);
    fo_activate_at(c, 1, false);
    fo_activate_delay(d, 1, true); // prior
    fo_activate_at(e, 9, false);
    fo_reactivate_before(c, a);
    fo_reactivate_after(a, b);
    fo_reactivate_delay(e, 1, true);
    CHECK(fo_world_next(w) == e && fo_process_next(e) == d && fo_process_next(d) == c);
    CHECK(fo_process_next(c) == b && fo_process_next(b) == a && !fo_process_next(a));
    fo_hold(w, 2);
    fo_process_set_priority(e, 3);
    CHECK_INT(fo_process_priority(e), 3);
    CHECK(fo_process_self(e) == s && fo_process_world(e) == w);
    CHECK_INT(fo_process_number(e), 6);
}

TEST(events_are_moved_beside_and_before_others)
{
    scene s;
    scene_open(&s, NULL);
    scene_play(&s, moves);
    CHECK_TEXT(s.log, "e@1 d@1 c@1 b@1 a@1");
    scene_close(&s);
}

// ------------------------------------------------------------------------------- what is declared

typedef struct shop {
    double rate, limit; ///< parameters
    double sold, drawn; ///< outputs
} shop;

static void sells(fo_world *w, void *self)
{
    shop *s = self;
    fo_random random = fo_world_stream(w, 5);
    s->drawn = fo_random_unit(&random);
    while (s->sold < s->limit) {
        fo_hold(w, 1 / s->rate);
        s->sold++;
    }
}

static fo_world *open_shop(shop *s, const fo_world_def *def)
{
    fo_world *w = fo_world_create(def, NULL);
    const fo_variable rate = {"rate", "1/s", 2, "customers in a second", 0.1, 10};
    const fo_variable limit = {"limit", NULL, 5};
    CHECK_INT(fo_world_parameter(w, &rate, &s->rate), FO_OK);
    CHECK_INT(fo_world_parameter(w, &limit, &s->limit), FO_OK);
    CHECK(s->rate == 2 && s->limit == 5);
    CHECK_INT(fo_world_output(w, "sold", NULL, &s->sold), FO_OK);
    CHECK_INT(fo_main_create(w, sells, s), FO_OK);
    CHECK_INT(fo_main_create(w, sells, s), FO_ERROR_MODEL); // there is one
    return w;
}

TEST(parameters_reach_the_processes)
{
    shop s = {0};
    fo_message why = {0};
    fo_world *w = open_shop(&s, &(fo_world_def){.replication = 3});
    fo_run_def def = fo_default_run_def();
    def.stop = 100, def.solver = "rkf45", def.seed = 11;
    fo_simulation *sim = fo_simulation_create(fo_world_system(w), &def, &why);
    CHECK_INT(fo_simulation_set(sim, "rate", 20), FO_ERROR_ARGUMENT);
    CHECK_CONTAINS(fo_simulation_message(sim)->text, "between 0.1 and 10");
    CHECK_INT(fo_simulation_set(sim, "rate", 4), FO_OK);
    CHECK_STATUS(fo_simulation_advance(sim, 0.6), FO_REACHED, fo_simulation_message(sim));
    CHECK(s.sold == 2);
    CHECK_INT(fo_simulation_set(sim, "limit", 8), FO_OK); // while it runs
    CHECK_STATUS(fo_simulation_advance(sim, 100), FO_STOPPED, fo_simulation_message(sim));
    CHECK_NEAR(fo_simulation_time(sim), 2, 1e-12);
    CHECK(s.sold == 8);
    // the streams are those of the replication
    fo_random random = fo_replication_stream(&(fo_replication){.number = 3, .seed = 11}, 5);
    CHECK(s.drawn == fo_random_unit(&random));
    CHECK_INT(fo_world_replication(w), 3);
    const fo_variable late = {"late"};
    CHECK_INT(fo_world_parameter(w, &late, &s.rate), FO_ERROR_MODEL);
    CHECK_INT(fo_world_output(w, "late", NULL, &s.rate), FO_ERROR_MODEL);
    fo_simulation_destroy(sim);
    fo_world_destroy(w);
}

static void gives_up(fo_world *w, void *self)
{
    (void)self;
    fo_hold(w, 1);
    fo_passivate(w);
}

// A main process that can never go on is named there, too.
TEST(deadlock_of_a_main_process_in_a_simulation)
{
    fo_message why = {0};
    fo_world *w = fo_world_create(NULL, NULL);
    CHECK_INT(fo_main_create(w, gives_up, NULL), FO_OK);
    fo_run_def def = fo_default_run_def();
    def.stop = 10, def.solver = "rkf45";
    fo_simulation *sim = fo_simulation_create(fo_world_system(w), &def, &why);
    CHECK_STATUS(fo_simulation_advance(sim, 10), FO_ERROR_MODEL, fo_simulation_message(sim));
    CHECK_CONTAINS(fo_simulation_message(sim)->text, "process 'main' (#1) is passive");
    fo_simulation_destroy(sim);
    fo_world_destroy(w);
}

// Steps are neither longer than dt_max nor shorter than dt_min.
TEST(steps_have_their_limits)
{
    track p = {0};
    fo_world *w = fo_world_create(&(fo_world_def){.dt_max = 0.01, .max_rel_error = 1e-3}, NULL);
    CHECK_STATUS(fo_world_simulate(w, follow, &p), FO_STOPPED, fo_world_message(w));
    CHECK(fo_simulation_statistics(fo_world_simulation(w)).steps >= 190);
    fo_world_destroy(w);
    p = (track){0};
    w = fo_world_create(&(fo_world_def){.dt_min = 0.5, .max_rel_error = 1e-13}, NULL);
    CHECK(fo_failed(fo_world_simulate(w, follow, &p)));
    CHECK_CONTAINS(fo_world_message(w)->text, "step became too small");
    fo_world_destroy(w);
}

TEST_MAIN(TEST_ENTRY(last_states_are_those_of_the_step_before),
          TEST_ENTRY(several_processes_change_one_level),
          TEST_ENTRY(interrupted_wherever_one_may_wait),
          TEST_ENTRY(events_are_moved_beside_and_before_others),
          TEST_ENTRY(parameters_reach_the_processes),
          TEST_ENTRY(deadlock_of_a_main_process_in_a_simulation),
          TEST_ENTRY(steps_have_their_limits))
