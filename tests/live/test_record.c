// Recorded runs are replayed in batch to the same bits.
#include <stdlib.h>
#include <unistd.h>

#include "stage.h"

/// A file in the folder for such things, removed at the end.
typedef struct scratch {
    char path[64];
} scratch;

static scratch scratch_make(const char *text)
{
    scratch s = {"/tmp/foliot-live-XXXXXX"};
    int fd = mkstemp(s.path);
    if (fd < 0 || (text && write(fd, text, strlen(text)) != (ssize_t)strlen(text)))
        test_fail(__FILE__, __LINE__, "no file to write to");
    if (fd >= 0) close(fd);
    return s;
}

static uint64_t rest_of(uint64_t *seed)
{
    *seed ^= *seed << 13, *seed ^= *seed >> 7, *seed ^= *seed << 17;
    return *seed;
}

// A session of chance: frames of any length, and whatever a user may do.
static void play(stage *s, const char *const *lines, size_t count, uint64_t seed)
{
    fo_status status = FO_REACHED;
    for (int i = 0; i < 400 && status == FO_REACHED; i++) {
        s->clock.now += (int64_t)(rest_of(&seed) % 20000000);
        if (rest_of(&seed) % 4 == 0) stage_tell(s, lines[rest_of(&seed) % count]);
        if (rest_of(&seed) % 4 == 0) stage_tell(s, lines[rest_of(&seed) % count]);
        s->clock.now += (int64_t)(rest_of(&seed) % 20000000);
        status = fo_live_advance(s->live);
    }
    CHECK(!fo_failed(status));
}

static void check_session(fo_live_def def, stage *s, const char *const *lines, size_t count,
                          uint64_t seed)
{
    scratch file = scratch_make(NULL);
    REQUIRE(stage_open(s, &def));
    fo_simulation_set(fo_live_simulation(s->live), "g", 9.5);
    CHECK_STATUS(fo_live_record(s->live, file.path), FO_OK, fo_live_message(s->live));
    play(s, lines, count, seed);
    uint64_t hash = stage_hash(s);
    double t = stage_time(s);
    CHECK_STATUS(fo_live_record_end(s->live), FO_OK, fo_live_message(s->live));
    fo_recording *r = fo_recording_open(file.path, NULL, &s->why);
    if (!r) test_fail(__FILE__, __LINE__, "%s", s->why.text);
    fo_simulation *sim = NULL;
    if (r) {
        CHECK_TEXT(fo_recording_model(r), def.system.about->name);
        CHECK_NEAR(fo_recording_end_time(r), t, 0);
        fo_status status = fo_recording_replay(r, def.system, NULL, 0, &sim, &s->why);
        if (fo_failed(status))
            test_fail(__FILE__, __LINE__, "%s, seed %llu: %s", def.system.about->name,
                      (unsigned long long)seed, s->why.text);
    }
    if (sim) CHECK(fo_simulation_hash(sim) == hash && fo_simulation_time(sim) == t);
    fo_simulation_destroy(sim);
    fo_recording_close(r);
    fo_live_destroy(s->live);
    unlink(file.path);
}

static const char *const pendulum_lines[] = {"tap 0.3",    "tap -0.2",    "set m 0.5", "pause",
                                             "go",         "speed 2",     "speed 0.7", "step",
                                             "step 0.3",   "back 0.4",    "go",        "set l 0.7",
                                             "2.5 tap .1", "4 set c 0.2", "set y 0.1", "space"};

TEST(sessions_with_a_pendulum)
{
    const char *const solvers[] = {NULL, "rk4", "nystrom", "radau5", "adams"};
    for (uint64_t seed = 1; seed <= 20; seed++) {
        stage s;
        fo_live_def def = stage_def(&s, "pendulum");
        def.max_time_step = 1;
        def.snapshot_interval = 0.1;
        def.run.solver = solvers[seed % 5];
        if (def.run.solver && !fo_solver_find(def.run.solver, NULL)) def.run.solver = "rk4";
        check_session(def, &s, pendulum_lines, FO_COUNT(pendulum_lines), 77 * seed);
    }
}

TEST(sessions_with_two_pendulums_that_degrade)
{
    static const char *const lines[] = {"tap1 0.9",  "tap2 -1.2", "tap2 0.8", "set m1 0.6",
                                        "speed 1.3", "back 0.3",  "go",       "3 tap1 1"};
    for (uint64_t seed = 1; seed <= 20; seed++) {
        stage s;
        fo_live_def def = stage_def(&s, "double-pendulum");
        def.max_time_step = 0.036; // often too short
        def.policy = seed % 2 ? FO_LIVE_DEGRADE : FO_LIVE_SKIP;
        def.cheap_solver = seed % 4 == 1 ? "euler" : NULL;
        def.cheap_step = 0.001;
        def.snapshot_interval = 0.1;
        check_session(def, &s, lines, FO_COUNT(lines), 991 * seed);
        if (def.policy == FO_LIVE_DEGRADE) CHECK_CONTAINS(s.notes, "late: ");
    }
}

TEST(sessions_with_a_ball)
{
    static const char *const lines[] = {"set e 0.2", "set vx 1", "pause",  "go",
                                        "step 0.5",  "back 1",   "set y 1"};
    for (uint64_t seed = 1; seed <= 10; seed++) {
        stage s;
        fo_live_def def = stage_def(&s, "ball");
        def.run.stop = 8;
        def.max_time_step = 1;
        check_session(def, &s, lines, FO_COUNT(lines), 5 * seed);
    }
}

TEST(a_recording_that_was_touched_is_noticed)
{
    scratch file = scratch_make("foliot live recording 1\nmodel pendulum\nseed 0\nsolver rk4\n"
                                "run 0 10 0.01 1e-6 1e-9 0 0 0 1e-9\nmore 0 0 0 1000\nbegin\n"
                                "1 event tap 0.3\n2 end 0123456789abcdef\n");
    fo_message why;
    fo_recording *r = fo_recording_open(file.path, NULL, &why);
    REQUIRE(r);
    fo_simulation *sim;
    fo_system pendulum = gallery_find("pendulum", NULL)->system;
    CHECK_STATUS(fo_recording_replay(r, pendulum, NULL, 0, &sim, &why), FO_ERROR_FORMAT, &why);
    CHECK_CONTAINS(why.text, "with other bits");
    fo_simulation_destroy(sim);
    fo_system ball = gallery_find("ball", NULL)->system;
    CHECK_STATUS(fo_recording_replay(r, ball, NULL, 0, &sim, &why), FO_ERROR_ARGUMENT, &why);
    CHECK_CONTAINS(why.text, "the recording is of 'pendulum', the model is 'ball'");
    CHECK(!sim);
    fo_recording_close(r);
    unlink(file.path);
}

TEST(a_recording_that_was_cut_off_is_good_until_there)
{
    scratch file = scratch_make("foliot live recording 1\nmodel pendulum\nseed 0\nsolver -\n"
                                "run 0 10 0.01 1e-6 1e-9 0 0 0 1e-9\nmore 0 0 0 1000\nbegin\n"
                                "1 event tap 0.3\n");
    fo_message why;
    fo_recording *r = fo_recording_open(file.path, NULL, &why);
    REQUIRE(r);
    fo_simulation *sim;
    fo_system pendulum = gallery_find("pendulum", NULL)->system;
    CHECK_STATUS(fo_recording_replay(r, pendulum, NULL, 0, &sim, &why), FO_REACHED, &why);
    CHECK_NEAR(fo_simulation_time(sim), 1, 0);
    fo_simulation_destroy(sim);
    fo_recording_close(r);
    unlink(file.path);
}

// What is wrong, and on which line.
TEST(bad_recordings_are_refused_with_the_line)
{
#define HEAD                                                                                \
    "foliot live recording 1\nmodel pendulum\nseed 0\nsolver rk4\nrun 0 10 0.01 1e-6 1e-9 " \
    "0 0 0 1e-9\nmore 0 0 0 1000\nbegin\n"
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", ":1: expected 'begin'"},
        {"hello\n", ":1: expected 'foliot live recording 1'"},
        {"foliot live recording 2\n", ":1: expected a recording of version 1"},
        {"foliot live recording 1\nmodel\n", ":2: expected model, opened, seed"},
        {"foliot live recording 1\nrun 1 2 x\n", ":2: expected ten numbers"},
        {"foliot live recording 1\nbegin\n", ":2: expected a model"},
        {HEAD "x event tap 1\n", ":8: expected a time"},
        {HEAD "1 evnt tap 1\n", ":8: expected event, set"},
        {HEAD "1 event tap nan\n", ":8: expected a name and a number"},
        {HEAD "1 event tap\n", ":8: expected a name and a number"},
        {HEAD "2 event tap 1\n1 event tap 1\n", ":9: expected times that do not go back"},
        {HEAD "99 event tap 1\n", ":8: expected a time within the run"},
        {HEAD "1 back 7\n", ":8: expected after 'back'"},
        {HEAD "1 back -1\n", ":8: expected after 'back'"},
        {HEAD "1 method rk4\n", ":8: expected a solver, a step"},
        {HEAD "1 end xyz\n", ":8: expected a hash"},
        {HEAD "1 end 12\n1 event tap 1\n", ":9: expected nothing after 'end'"},
        {HEAD "2 event tap 1\n1 end 12\n", "expected an end after all"},
        {HEAD "\n", ":8: expected something on the line"},
        {HEAD "1 a b c d e f g h i j k l m\n", ":8: expected fewer words"},
    };
    for (size_t i = 0; i < FO_COUNT(cases); i++) {
        scratch file = scratch_make(cases[i].text);
        fo_message why = {0};
        CHECK(!fo_recording_open(file.path, NULL, &why));
        CHECK_CONTAINS(why.text, cases[i].message);
        unlink(file.path);
    }
    fo_message why;
    CHECK(!fo_recording_open("/nowhere/at/all", NULL, &why));
    CHECK_CONTAINS(why.text, "cannot read /nowhere/at/all");
}

// Bytes changed at random: a message or a replay, never a crash.
TEST(recordings_of_chance)
{
    static const char good[] = HEAD "1 event tap 0.3\n1.5 set m 0.5\n2 method euler 0.01 1e-3\n"
                                    "1.5 back 2\n3 event+ tap 1\n4 end 0123456789abcdef\n";
    uint64_t seed = 42;
    int read = 0;
    for (int i = 0; i < 400; i++) {
        char text[sizeof good];
        memcpy(text, good, sizeof good);
        for (uint64_t k = rest_of(&seed) % 3 + 1; k > 0; k--)
            text[rest_of(&seed) % (sizeof good - 1)] = (char)(32 + rest_of(&seed) % 95);
        scratch file = scratch_make(text);
        fo_message why = {0};
        fo_recording *r = fo_recording_open(file.path, NULL, &why);
        fo_simulation *sim = NULL;
        if (r && fo_recording_end_time(r) < 100) {
            fo_recording_replay(r, gallery_find("pendulum", NULL)->system, NULL, 0, &sim, &why);
            read++;
        }
        if (!r) CHECK(why.text[0]);
        fo_simulation_destroy(sim);
        fo_recording_close(r);
        unlink(file.path);
    }
    CHECK(read > 20);
}

TEST(a_disk_that_is_full_is_told)
{
    if (access("/dev/full", W_OK) != 0) return;
    stage s;
    fo_live_def def = stage_def(&s, "pendulum");
    REQUIRE(stage_open(&s, &def));
    CHECK_STATUS(fo_live_record(s.live, "/nowhere/x"), FO_ERROR_INPUT, fo_live_message(s.live));
    CHECK_STATUS(fo_live_record(s.live, "/dev/full"), FO_OK, fo_live_message(s.live));
    CHECK_STATUS(fo_live_start(s.live), FO_ERROR_INPUT, fo_live_message(s.live));
    CHECK_CONTAINS(fo_live_message(s.live)->text, "No space left");
    fo_live_destroy(s.live);
}

TEST_MAIN(TEST_ENTRY(sessions_with_a_pendulum),
          TEST_ENTRY(sessions_with_two_pendulums_that_degrade), TEST_ENTRY(sessions_with_a_ball),
          TEST_ENTRY(a_recording_that_was_touched_is_noticed),
          TEST_ENTRY(a_recording_that_was_cut_off_is_good_until_there),
          TEST_ENTRY(bad_recordings_are_refused_with_the_line), TEST_ENTRY(recordings_of_chance),
          TEST_ENTRY(a_disk_that_is_full_is_told))
