// The advance action on a virtual clock: time, events and the frame rate.
#include "stage.h"

TEST(the_model_follows_the_clock)
{
    stage s;
    fo_live_def def = stage_def(&s, "pendulum");
    REQUIRE(stage_open(&s, &def));
    CHECK_STATUS(fo_live_start(s.live), FO_OK, fo_live_message(s.live));
    const int64_t frames[] = {17 * MS, 3 * MS, 0, 30 * MS, 1, 16 * MS};
    double t = 0;
    for (size_t i = 0; i < FO_COUNT(frames); i++) {
        CHECK_STATUS(stage_pass(&s, frames[i]), FO_REACHED, fo_live_message(s.live));
        t += 1e-9 * (double)frames[i];
        CHECK_NEAR(stage_time(&s), t, 1e-12);
    }
    fo_live_destroy(s.live);
}

// The same acts at the same clock, with frames of other lengths.
static uint64_t run_with_frames(const char *model, const char *const *events, int64_t frame,
                                const char *solver)
{
    stage s;
    fo_live_def def = stage_def(&s, model);
    def.run.stop = 6;
    def.run.solver = solver;
    def.max_time_step = 1, def.longest_gap = 10;
    if (!stage_open(&s, &def)) return 0;
    fo_live_start(s.live);
    int64_t start = s.clock.now;
    for (int i = 0; events[i]; i++) {
        fo_live_request r = {.verb = FO_LIVE_EVENT, .name = events[i], .value = i % 2 ? -0.3 : 0.4};
        r.stamp = start + 537 * MS * (i + 1) + 123457;
        CHECK_STATUS(fo_live_ask(s.live, &r, NULL, &s.why), FO_OK, &s.why);
    }
    fo_live_request set = {
        .verb = FO_LIVE_SET, .name = "g", .value = 5, .stamp = start + 4100 * MS};
    CHECK_STATUS(fo_live_ask(s.live, &set, NULL, &s.why), FO_OK, &s.why);
    fo_live_request speed = {.verb = FO_LIVE_SPEED, .value = 1.5, .stamp = start + 4200 * MS};
    CHECK_STATUS(fo_live_ask(s.live, &speed, NULL, &s.why), FO_OK, &s.why);
    fo_status status = FO_REACHED;
    while (status == FO_REACHED) status = stage_pass(&s, frame);
    CHECK_STATUS(status, FO_STOPPED, fo_live_message(s.live));
    uint64_t hash = stage_hash(&s);
    fo_live_destroy(s.live);
    return hash;
}

static void check_frames(const char *model, const char *const *events)
{
    const char *const solvers[] = {NULL, "rk4", "euler"};
    for (size_t k = 0; k < FO_COUNT(solvers); k++) {
        uint64_t first = run_with_frames(model, events, MS, solvers[k]);
        const int64_t frames[] = {16666667, 41 * MS, 333 * MS, 7 * MS + 1};
        for (size_t i = 0; i < FO_COUNT(frames); i++)
            if (run_with_frames(model, events, frames[i], solvers[k]) != first)
                test_fail(__FILE__, __LINE__, "%s with %s: other bits with frames of %g ms", model,
                          solvers[k] ? solvers[k] : "its solver", 1e-6 * (double)frames[i]);
    }
}

TEST(the_result_does_not_depend_on_the_frame_rate)
{
    const char *const taps[] = {"tap", "tap", "tap", "tap", "tap", NULL};
    const char *const both[] = {"tap1", "tap2", "tap1", "tap1", "tap2", NULL};
    const char *const none[] = {NULL};
    check_frames("pendulum", taps);
    check_frames("double-pendulum", both);
    check_frames("ball", none);
}

// Bounces at the times of batch, whatever the frames.
static fo_status note_bounce(void *self, const fo_moment *m, fo_message *why)
{
    double *last = self;
    (void)why;
    if (m->kind == FO_GUARD && strcmp(m->name, "bounce") == 0) *last = m->t;
    return FO_OK;
}

TEST(no_bounce_is_missed_or_late_by_a_frame)
{
    double batch = 0, live = 0;
    fo_observer watch = {.self = &batch, .moment = note_bounce, .interval = -1};
    fo_system ball = gallery_find("ball", NULL)->system;
    fo_run_def run = fo_default_run_def();
    run.stop = 3, run.observers = &watch, run.observer_count = 1;
    fo_simulation *sim = fo_simulation_create(ball, &run, NULL);
    REQUIRE(sim);
    fo_simulation_set(sim, "vx", 0.7);
    fo_simulation_advance(sim, run.stop);
    fo_reference x;
    fo_system_find(ball, "x", &x, NULL);
    CHECK_NEAR(fo_simulation_value(sim, x), 2.1, 1e-12);

    stage s;
    fo_live_def def = stage_def(&s, "ball");
    fo_observer other = {.self = &live, .moment = note_bounce, .interval = -1};
    def.run = run, def.run.observers = &other;
    def.max_time_step = 1;
    REQUIRE(stage_open(&s, &def));
    fo_simulation_set(fo_live_simulation(s.live), "vx", 0.7);
    while (stage_pass(&s, 250 * MS) == FO_REACHED) continue;
    CHECK(live == batch && live > 2);
    CHECK(stage_hash(&s) == fo_simulation_hash(sim));
    CHECK_INT(fo_live_look(s.live).phase, FO_LIVE_AT_STOP);
    fo_simulation_destroy(sim);
    fo_live_destroy(s.live);
}

TEST(pause_speed_step_and_quit)
{
    stage s;
    fo_live_def def = stage_def(&s, "pendulum");
    REQUIRE(stage_open(&s, &def));
    fo_live_start(s.live);
    stage_pass(&s, 10 * MS);
    CHECK_STATUS(stage_tell(&s, "pause"), FO_OK, NULL);
    stage_pass(&s, 500 * MS);
    stage_pass(&s, 500 * MS);
    CHECK_NEAR(stage_time(&s), 0.010, 1e-12);
    CHECK(fo_live_look(s.live).paused);
    stage_tell(&s, "step 0.25");
    stage_pass(&s, 100 * MS);
    CHECK_NEAR(stage_time(&s), 0.260, 1e-12);
    stage_tell(&s, "step");
    stage_pass(&s, 100 * MS);
    CHECK_NEAR(stage_time(&s), 0.260 + 1.0 / 60, 1e-9);
    stage_tell(&s, "speed 3");
    stage_tell(&s, "go");
    stage_pass(&s, 10 * MS);
    CHECK_NEAR(stage_time(&s), 0.260 + 1.0 / 60 + 0.030, 1e-9);
    CHECK_NEAR(fo_live_look(s.live).speed, 3, 0);
    stage_tell(&s, "quit");
    CHECK_STATUS(stage_pass(&s, 10 * MS), FO_STOPPED, fo_live_message(s.live));
    CHECK_INT(fo_live_look(s.live).phase, FO_LIVE_BY_REQUEST);
    CHECK_STATUS(stage_pass(&s, 10 * MS), FO_STOPPED, fo_live_message(s.live));
    fo_live_destroy(s.live);
}

// Going back and on again without touching anything gives the same bits.
TEST(going_back_undoes_what_happened_since)
{
    stage s;
    fo_live_def def = stage_def(&s, "double-pendulum");
    def.snapshot_interval = 0.1, def.snapshots = 20;
    REQUIRE(stage_open(&s, &def));
    fo_live_start(s.live);
    for (int i = 0; i < 100; i++) stage_pass(&s, 10 * MS);
    fo_simulation *sim = fo_live_simulation(s.live);
    stage_tell(&s, "tap1 2");
    for (int i = 0; i < 50; i++) stage_pass(&s, 10 * MS);
    double v = fo_simulation_state(sim)->x[2];
    stage_tell(&s, "back 0.55");
    stage_pass(&s, 0);
    CHECK(stage_time(&s) > 0.8 && stage_time(&s) <= 0.95);
    double t = stage_time(&s);
    for (int i = 0; i < 50; i++) stage_pass(&s, 10 * MS);
    CHECK(fo_simulation_state(sim)->x[2] != v);
    CHECK_NEAR(stage_time(&s), t + 0.5, 1e-9);

    fo_run_def run = def.run;
    run.stop = 1e9, run.max_step = 0.5, run.zeno *= 1e-8, run.step = 0.01;
    fo_simulation *batch = fo_simulation_create(def.system, &run, NULL);
    REQUIRE(batch);
    fo_simulation_advance(batch, stage_time(&s));
    CHECK(stage_hash(&s) == fo_simulation_hash(batch));
    fo_simulation_destroy(batch);
    stage_tell(&s, "back 1000"); // farther than the ring: its oldest
    stage_pass(&s, 0);
    CHECK(stage_time(&s) < t);
    fo_live_destroy(s.live);
}

TEST(an_event_may_be_given_its_time)
{
    stage s;
    fo_live_def def = stage_def(&s, "pendulum");
    REQUIRE(stage_open(&s, &def));
    fo_simulation *sim = fo_live_simulation(s.live);
    fo_simulation_set(sim, "y", 0);
    fo_live_start(s.live);
    CHECK_STATUS(stage_tell(&s, "0.1 tap 0.2"), FO_OK, NULL);
    stage_pass(&s, 99 * MS);
    CHECK_NEAR(fo_simulation_state(sim)->x[1], 0, 0);
    stage_pass(&s, 2 * MS);
    CHECK_NEAR(fo_simulation_state(sim)->x[1], 1, 0.01);       // 0.2 / (0.4 * 0.5)
    CHECK_STATUS(stage_tell(&s, "0.05 tap 0.2"), FO_OK, NULL); // has passed: at once
    stage_pass(&s, 0);
    CHECK_NEAR(fo_simulation_state(sim)->x[1], 2, 0.01);
    CHECK_INT((long long)stage_figures(&s).events, 2);
    fo_live_destroy(s.live);
}

TEST(every_model_of_the_gallery_runs_live)
{
    for (size_t i = 0; i < gallery_count(); i++) {
        const fo_compiled_model *m = gallery_get(i);
        stage s;
        fo_live_def def = stage_def(&s, m->system.about->name);
        def.run.solver = m->solver;
        s.live = fo_live_create(&def, &s.why);
        if (!s.live && s.why.status == FO_ERROR_UNFIT) continue; // a solver that is not built in
        REQUIRE(s.live);
        fo_status status = FO_REACHED;
        for (int k = 0; k < 30 && status == FO_REACHED; k++) status = stage_pass(&s, 16 * MS);
        stage_tell(&s, "back 0.1");
        if (status == FO_REACHED) status = stage_pass(&s, 16 * MS);
        CHECK(!fo_failed(status));
        if (fo_failed(status))
            test_fail(__FILE__, __LINE__, "%s: %s", m->system.about->name,
                      fo_live_message(s.live)->text);
        fo_live_destroy(s.live);
    }
}

TEST(every_allocation_may_fail)
{
    for (long fail_at = 1; fail_at < 2000; fail_at++) {
        test_memory memory;
        test_memory_init(&memory, fail_at);
        stage s;
        fo_live_def def = stage_def(&s, "double-pendulum");
        def.run.allocator = &memory.allocator;
        def.snapshot_interval = 0.01;
        s.live = fo_live_create(&def, &s.why);
        bool done = false;
        if (s.live) {
            fo_status status = FO_REACHED;
            for (int i = 0; i < 5 && !fo_failed(status); i++) {
                stage_tell(&s, i == 3 ? "back 0.02" : "tap1 0.1");
                status = stage_pass(&s, 15 * MS);
            }
            done = memory.allocations < fail_at;
            if (fo_failed(status)) CHECK_INT(status, FO_ERROR_MEMORY);
        } else {
            CHECK_INT(s.why.status, FO_ERROR_MEMORY);
        }
        fo_live_destroy(s.live);
        CHECK_INT(memory.live, 0);
        if (done) return;
    }
    CHECK(false);
}

TEST_MAIN(TEST_ENTRY(the_model_follows_the_clock),
          TEST_ENTRY(the_result_does_not_depend_on_the_frame_rate),
          TEST_ENTRY(no_bounce_is_missed_or_late_by_a_frame), TEST_ENTRY(pause_speed_step_and_quit),
          TEST_ENTRY(going_back_undoes_what_happened_since),
          TEST_ENTRY(an_event_may_be_given_its_time),
          TEST_ENTRY(every_model_of_the_gallery_runs_live), TEST_ENTRY(every_allocation_may_fail))
