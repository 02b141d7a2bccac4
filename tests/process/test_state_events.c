// State events: crossings and conditions, against closed forms.
#include "scene.h"

static const fo_world_def fine = {.max_rel_error = 1e-11, .max_abs_error = 1e-12};

static void oscillate(fo_world *w, void *self)
{
    scene *s = self;
    (void)w;
    s->x.rate = s->y.state;
    s->y.rate = -s->x.state;
}

static void crossings(fo_world *w, void *self)
{
    scene *s = self;
    fo_level_start_at(w, &s->x, 0); // x = sin t
    fo_level_start_at(w, &s->y, 1);
    fo_continuous_start(w, &s->flow, oscillate, s);
    const double pi = acos(-1);
    fo_wait_level(w, &s->x, 0.5, FO_RISING);
    CHECK_NEAR(fo_time(w), pi / 6, 1e-10);
    CHECK(s->x.state >= 0.5);
    fo_wait_level(w, &s->x, 0.5, FO_FALLING);
    CHECK_NEAR(fo_time(w), 5 * pi / 6, 1e-10);
    fo_wait_level(w, &s->x, 0, FO_EITHER);
    CHECK_NEAR(fo_time(w), pi, 1e-10);
    fo_wait_level(w, &s->x, 0.5, FO_RISING);
    CHECK_NEAR(fo_time(w), 2 * pi + pi / 6, 1e-10);
}

TEST(levels_cross_values)
{
    scene s;
    scene_open(&s, &fine);
    scene_play(&s, crossings);
    scene_close(&s);
}

// From zero, upwards and down again: leaving is no crossing, coming back is one.
static void from_zero(fo_world *w, void *self)
{
    scene *s = self;
    fo_level_start_at(w, &s->x, 0);
    fo_level_start_at(w, &s->y, 1);
    fo_continuous_start(w, &s->flow, oscillate, s);
    for (int i = 1; i <= 3; i++) {
        fo_wait_level(w, &s->x, 0, FO_EITHER);
        CHECK_NEAR(fo_time(w), i * acos(-1), 1e-9);
        if (i == 1) s->x.state = 0; // to the bit
    }
}

TEST(leaving_zero_is_no_crossing)
{
    scene s;
    scene_open(&s, &fine);
    scene_play(&s, from_zero);
    scene_close(&s);
}

// Turned round at a crossing, again and again: whether the state there is zero or just past it, the
// way back is a crossing at once, and the same crossing is never seen twice.
static double level_of_x(fo_world *w, void *self)
{
    (void)w;
    return ((scene *)self)->x.state - 0.7;
}

static void cross(fo_world *w, scene *s, fo_direction direction)
{
    if (s->number == 0)
        fo_wait_level(w, &s->x, 0.7, direction);
    else
        fo_wait_zero(w, level_of_x, s, direction);
}

static void turns_round(fo_world *w, void *self)
{
    scene *s = self;
    fo_level_start_at(w, &s->x, 1);
    for (int i = 0; i < 20; i++) {
        s->x.rate = -0.3 - 0.1 * i;
        cross(w, s, FO_FALLING);
        double turned = fo_time(w);
        s->x.rate = 0.4 + 0.1 * i;
        cross(w, s, FO_RISING);
        CHECK_NEAR(fo_time(w), turned, 1e-9);
        s->count++;
        fo_hold(w, 0.25);
    }
}

TEST(turning_back_is_a_crossing)
{
    static const char *const solvers[] = {"euler", "rk4",    "bs23",   "rkf45", "dp45",
                                          "rkv56", "dop853", "rodas4", "radau5"};
    for (size_t i = 0; i < sizeof solvers / sizeof solvers[0]; i++)
        for (int how = 0; how < 2; how++) {
            scene s;
            scene_open(&s, &(fo_world_def){.solver = solvers[i], .stop = 20, .step = 0.1});
            s.number = how;
            scene_play(&s, turns_round);
            CHECK_INT(s.count, 20);
            scene_close(&s);
        }
}

static bool x_is_large(fo_world *w, void *self)
{
    (void)w;
    return ((scene *)self)->x.state > 0.5;
}

static bool x_falls(fo_world *w, void *self)
{
    (void)w;
    return ((scene *)self)->x.rate <= 0;
}

static void conditions(fo_world *w, void *self)
{
    scene *s = self;
    const double pi = acos(-1);
    fo_level_start_at(w, &s->x, 0);
    fo_level_start_at(w, &s->y, 1);
    fo_continuous_start(w, &s->flow, oscillate, s);
    fo_wait_until(w, x_is_large, s);
    CHECK_NEAR(fo_time(w), pi / 6, 1e-10);
    double t = fo_time(w);
    fo_wait_until(w, x_is_large, s); // true already
    CHECK(fo_time(w) == t);
    fo_wait_until(w, x_falls, s);
    CHECK_NEAR(fo_time(w), pi / 2, 1e-8);
    fo_state_event soon = {.patience = 0.25};
    s->x.state = -10; // the phase is another now, and it is long until x is large again
    CHECK_INT(fo_wait_until_with(w, x_is_large, s, &soon), FO_TIMED_OUT);
    CHECK_NEAR(fo_time(w), pi / 2 + 0.25, 1e-8);
    CHECK_INT(fo_wait_level_with(w, &s->x, 1e6, FO_RISING, &soon), FO_TIMED_OUT);
}

TEST(conditions_come_true)
{
    scene s;
    scene_open(&s, &(fo_world_def){.max_rel_error = 1e-11, .max_abs_error = 1e-12, .dt_max = 0.5});
    scene_play(&s, conditions);
    scene_close(&s);
}

static void contender(fo_world *w, void *self)
{
    scene *s = self;
    const char *name = fo_process_name(fo_current(w));
    fo_state_event how = {.priority = name[1] - '0', .prior = name[0] == 'p'};
    if (s->number == 1)
        fo_wait_level_with(w, &s->x, 0.5, FO_RISING, &how);
    else
        fo_wait_until_with(w, x_is_large, s, &how);
    note(s, name);
}

// Five state events at one time, x = t / 2: the prior ones, then the others, by priority.
static void contest(fo_world *w, void *self)
{
    scene *s = self;
    s->x.rate = 0.5;
    fo_level_start_at(w, &s->x, 0);
    static const char *const names[] = {"c1", "c3", "c2", "p1", "p7"};
    for (int i = 0; i < 5; i++) fo_spawn(w, names[i], contender, s);
    fo_hold(w, 3);
}

TEST(state_events_have_priorities)
{
    for (int guards = 0; guards < 2; guards++) {
        scene s;
        scene_open(&s, &fine);
        s.number = guards;
        scene_play(&s, contest);
        CHECK_TEXT(s.log, "p7@1 p1@1 c3@1 c2@1 c1@1");
        scene_close(&s);
    }
}

static bool token_is_there(fo_world *w, void *self)
{
    (void)w;
    return ((scene *)self)->count > 0;
}

static void taker(fo_world *w, void *self)
{
    scene *s = self;
    fo_wait_until(w, token_is_there, s);
    s->count--;
    note(s, fo_process_name(fo_current(w)));
}

// Nothing flows: a condition that the first to see it makes false again.
static void tokens(fo_world *w, void *self)
{
    scene *s = self;
    fo_spawn(w, "a", taker, s);
    fo_spawn(w, "b", taker, s);
    fo_hold(w, 1);
    s->count = 1;
    fo_hold(w, 1);
    s->count = 1;
    fo_hold(w, 1);
}

TEST(condition_is_asked_once_more)
{
    scene s;
    scene_open(&s, NULL);
    scene_play(&s, tokens);
    CHECK_TEXT(s.log, "a@1 b@2");
    scene_close(&s);
}

static void watcher(fo_world *w, void *self)
{
    scene *s = self;
    note(s, wake_text(fo_wait_level(w, &s->x, 100, FO_RISING)));
    note(s, wake_text(fo_wait_until(w, x_is_large, s)));
}

static void disturb(fo_world *w, void *self)
{
    scene *s = self;
    s->x.rate = 0.001;
    fo_level_start_at(w, &s->x, 0);
    fo_process *p = fo_process_create(w, "watcher", watcher, s);
    fo_activate(p);
    CHECK(fo_process_idle(p));
    fo_hold(w, 1);
    fo_activate(p);
    fo_hold(w, 1);
    fo_cancel(p); // the state event is off; the process is passive
    s->x.state = 1;
    fo_hold(w, 1);
    CHECK(!fo_process_terminated(p));
    fo_interrupt(p, NULL);
    fo_hold(w, 1);
    CHECK(fo_process_terminated(p));
}

TEST(state_events_are_cancelled)
{
    scene s;
    scene_open(&s, &fine);
    scene_play(&s, disturb);
    CHECK_TEXT(s.log, "activated@1 interrupted@3");
    scene_close(&s);
}

static void waits_for_jump(fo_world *w, void *self)
{
    scene *s = self;
    fo_wait_level(w, &s->x, 0, FO_FALLING);
    note(s, fo_process_name(fo_current(w)));
    fo_wait_level(w, &s->x, 0, FO_FALLING);
    note(s, fo_process_name(fo_current(w)));
}

// An event that carries a level across the value, or just to it, is a crossing, too; also when the
// same event changes what flows.
static void jump_across(fo_world *w, void *self)
{
    scene *s = self;
    fo_level_start_at(w, &s->x, 5);
    fo_spawn(w, "a", waits_for_jump, s);
    fo_hold(w, 1);
    s->x.state = -1;
    fo_level_start_at(w, &s->y, 0);
    fo_hold(w, 1);
    s->x.state = 3; // the wrong way
    fo_level_stop(w, &s->y);
    fo_hold(w, 1);
    s->x.state = 0;
    fo_level_start(w, &s->y);
    fo_hold(w, 1);
    fo_spawn(w, "b", waits_for_jump, s);
    fo_hold(w, 1);
    s->x.state = 3;
    fo_hold(w, 1);
    s->x.state = -2; // without any other change
    fo_hold(w, 1);
}

TEST(events_carry_a_level_across)
{
    scene s;
    scene_open(&s, &fine);
    scene_play(&s, jump_across);
    CHECK_TEXT(s.log, "a@1 a@3 b@6");
    scene_close(&s);
}

static double past_one(fo_world *w, void *self)
{
    (void)self;
    return fo_time(w) - 1;
}

static void waits_long(fo_world *w, void *self)
{
    fo_wait_level(w, &((scene *)self)->x, 1e9, FO_RISING);
}

static void waits_for_one(fo_world *w, void *self)
{
    fo_wait_zero(w, past_one, self, FO_RISING);
    note(self, "one");
}

// A crossing and a time event at the same double; the event takes away the guard that was declared
// before, so that the other has another place among them.
static void same_double(fo_world *w, void *self)
{
    scene *s = self;
    fo_process *p = fo_process_create(w, "long", waits_long, s);
    fo_level_start_at(w, &s->x, 0);
    fo_activate(p);
    fo_spawn(w, "one", waits_for_one, s);
    fo_hold(w, 1);
    fo_cancel(p);
    fo_hold(w, 1);
}

TEST(crossing_is_not_lost_to_an_event_of_its_time)
{
    scene s;
    scene_open(&s, &fine);
    scene_play(&s, same_double);
    CHECK_TEXT(s.log, "one@1");
    scene_close(&s);
}

// A ball that bounces perfectly, caught by a guard on the floor: no bounce is lost, and a time
// event that falls on a bounce to the bit does not hide it.
static void fall(fo_world *w, void *self)
{
    scene *s = self;
    (void)w;
    s->x.rate = s->y.state;
    s->y.rate = -8;
}

static void bouncer(fo_world *w, void *self)
{
    scene *s = self;
    for (;;) {
        fo_wait_level(w, &s->x, 0, FO_FALLING);
        s->y.state = fabs(s->y.state);
        s->count++;
        CHECK_NEAR(fo_time(w), s->count - 0.5, 1e-9);
    }
}

static void bounces(fo_world *w, void *self)
{
    scene *s = self;
    fo_level_start_at(w, &s->x, 1);
    fo_level_start_at(w, &s->y, 0);
    fo_continuous_start(w, &s->flow, fall, s);
    fo_spawn(w, "bouncer", bouncer, s);
    for (int i = 0; i < 40; i++) fo_hold(w, 0.5);
    CHECK_INT(s->count, 20);
    CHECK_NEAR(s->x.state, 1, 1e-7);
}

TEST(guards_and_events_at_one_time)
{
    scene s;
    scene_open(&s, &fine);
    scene_play(&s, bounces);
    scene_close(&s);
}

// ------------------------------------------------------------------------------- hops that end

/// A ball that a process turns round.
typedef struct hopper {
    fo_level x, v;
    fo_continuous flow;
    double floor, keeps; ///< of its speed
    double enough;       ///< a slower one is held
    double force;
    int hits;
} hopper;

static void hop_flow(fo_world *w, void *self)
{
    hopper *h = self;
    (void)w;
    h->x.rate = h->v.state, h->v.rate = h->force;
}

static double hop_height(fo_world *w, void *self)
{
    hopper *h = self;
    (void)w;
    return h->x.state - h->floor;
}

static void hop(fo_world *w, void *self)
{
    hopper *h = self;
    h->force = -9.81;
    fo_level_start_at(w, &h->x, h->floor + 1);
    fo_level_start_at(w, &h->v, 0);
    fo_continuous_start(w, &h->flow, hop_flow, h);
    for (;;) {
        fo_wait_zero(w, hop_height, h, FO_FALLING);
        h->v.state *= -h->keeps, h->hits++;
        if (fabs(h->v.state) <= h->enough) h->v.state = h->force = 0;
    }
}

static fo_status hop_until(hopper *h, const char *solver, double stop, double *reached)
{
    fo_world_def def = {.max_rel_error = 1e-8, .max_abs_error = 1e-10, .solver = solver};
    def.stop = stop, def.dt_max = 0.05;
    fo_world *w = fo_world_create(&def, NULL);
    fo_spawn(w, "ball", hop, h);
    fo_status status = fo_world_run(w, stop);
    *reached = fo_time(w);
    if (status == FO_ERROR_ZENO)
        CHECK_CONTAINS(fo_world_message(w)->text, "process 'ball' (#1) has turned");
    fo_world_destroy(w);
    return status;
}

// Its impacts accumulate at (1 + e) / (1 - e) times the first one: nothing holds it there, and it
// does not fall through the floor.
TEST(hops_that_end_are_no_fall)
{
    static const char *const solvers[] = {"rkf45", "dp45", "rk4", "radau5", "adams", "rodas4"};
    static const double keeps[] = {0, 1e-6, 0.01, 0.1, 0.5, 0.8, 0.95}, floors[] = {0, 1000, 1e-9};
    for (int k = 0; k < 7 * 3 * 6; k++) {
        hopper h = {.keeps = keeps[k % 7], .floor = floors[k / 7 % 3], .enough = -1};
        double reached, e = h.keeps, end = sqrt(2 / 9.81) * (1 + e) / (1 - e);
        CHECK_INT(hop_until(&h, solvers[k / 21], 40, &reached), FO_ERROR_ZENO);
        CHECK(fabs(reached - end) < 0.2 * end);
        CHECK(h.x.state - h.floor > -0.5);
    }
}

TEST(who_is_held_rests)
{
    hopper h = {.keeps = 0.8, .enough = 1e-9}, up = {.keeps = 1, .enough = -1};
    double reached;
    CHECK_INT(hop_until(&h, "rkf45", 40, &reached), FO_REACHED);
    CHECK(h.hits > 90 && fabs(h.x.state) < 1e-12);
    CHECK_INT(hop_until(&up, "rkf45", 40, &reached), FO_REACHED);
    CHECK_INT(up.hits, 44);
}

// It is held, the floor is opened, and it falls, as it should; or a second process turns it round
// once more at the same instant, so that it goes through.
static void open_floor(fo_world *w, void *self)
{
    hopper *h = self;
    fo_hold(w, 5);
    h->force = -9.81;
}

static void turn_back(fo_world *w, void *self)
{
    hopper *h = self;
    fo_wait_zero(w, hop_height, h, FO_FALLING);
    h->v.state = -h->v.state;
    fo_wait_zero(w, hop_height, h, FO_FALLING);
}

TEST(who_may_fall_falls)
{
    for (int k = 0; k < 2; k++) {
        const fo_world_def def = {.max_rel_error = 1e-8, .max_abs_error = 1e-10};
        hopper h = {.keeps = k ? 1 : 0, .enough = k ? -1 : 0};
        fo_world *w = fo_world_create(&def, NULL);
        fo_spawn(w, "ball", hop, &h);
        fo_spawn(w, "other", k ? turn_back : open_floor, &h);
        CHECK_STATUS(fo_world_run(w, 6), FO_REACHED, fo_world_message(w));
        CHECK_NEAR(h.x.state, k ? 1 - 9.81 * 18 : -9.81 / 2, 1e-6);
        fo_world_destroy(w);
    }
}

TEST_MAIN(TEST_ENTRY(levels_cross_values), TEST_ENTRY(leaving_zero_is_no_crossing),
          TEST_ENTRY(turning_back_is_a_crossing), TEST_ENTRY(conditions_come_true),
          TEST_ENTRY(state_events_have_priorities), TEST_ENTRY(condition_is_asked_once_more),
          TEST_ENTRY(state_events_are_cancelled), TEST_ENTRY(events_carry_a_level_across),
          TEST_ENTRY(crossing_is_not_lost_to_an_event_of_its_time),
          TEST_ENTRY(guards_and_events_at_one_time), TEST_ENTRY(hops_that_end_are_no_fall),
          TEST_ENTRY(who_is_held_rests), TEST_ENTRY(who_may_fall_falls))
