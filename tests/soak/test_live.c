// Ten minutes of a model of 100 states at 1 kHz, while another thread keeps the other core busy and
// a third one taps: the figures are printed, time is kept, and the recording replays to the same
// bits. FOLIOT_SOAK_SECONDS makes it shorter, FOLIOT_SOAK_POLICY chooses another policy than
// priority.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "test.h"

enum { MASSES = 50, RATE = 1000 };

// A chain of masses between walls: x'' = k (left - 2 x + right) - c x', and taps on the first.
static fo_status chain(const void *model, const fo_state *s, double t, const double *x, double *dx)
{
    (void)model, (void)s, (void)t;
    const double *v = x + MASSES;
    for (int i = 0; i < MASSES; i++) {
        double left = i ? x[i - 1] : 0, right = i + 1 < MASSES ? x[i + 1] : 0;
        dx[i] = v[i];
        dx[MASSES + i] = 400 * (left - 2 * x[i] + right) - 0.01 * v[i];
    }
    return FO_OK;
}

static void chain_shape(const void *model, fo_shape *shape)
{
    (void)model;
    shape->states = 2 * MASSES;
    shape->pairs = MASSES;
}

static fo_status tapped(const void *model, fo_state *s, const fo_moment *m, fo_effect *e)
{
    (void)model, (void)e;
    s->x[MASSES] += m->value;
    return FO_OK;
}

static const fo_system_type type = {
    .kind = "C", .shape = chain_shape, .rates = chain, .jump = tapped};
static const fo_event events[] = {{"tap", "m/s", "on the first mass"}};
static const fo_description about = {.name = "chain", .events = {events, 1}};

typedef struct company {
    fo_live *live;
    atomic_bool over;
} company;

static void *burden(void *argument)
{
    company *c = argument;
    volatile double x = 1;
    while (!atomic_load(&c->over))
        for (int i = 0; i < 100000; i++) x = x * 1.0000001 + 1e-9;
    return NULL;
}

static void *tap(void *argument)
{
    company *c = argument;
    char answer[FO_LIVE_ANSWER];
    while (!atomic_load(&c->over)) {
        struct timespec pause = {0, 37000000};
        nanosleep(&pause, NULL);
        fo_live_tell(c->live, "tap 0.1", 1, answer);
    }
    return NULL;
}

static double span(void)
{
    const char *text = getenv("FOLIOT_SOAK_SECONDS");
    double seconds = text ? atof(text) : 0;
    return seconds > 0 ? seconds : 600;
}

static fo_live_policy policy(void)
{
    fo_live_policy chosen = FO_LIVE_PRIORITY;
    const char *text = getenv("FOLIOT_SOAK_POLICY");
    if (text) CHECK(fo_live_policy_find(text, &chosen, NULL));
    return chosen;
}

// Overruns are in the figures; what the system grants is news.
static void note(void *self, const char *text)
{
    (void)self;
    if (!strncmp(text, "priority", 8)) puts(text);
}

static void check_replay(fo_system system, const char *path, uint64_t hash)
{
    fo_message why;
    fo_recording *r = fo_recording_open(path, NULL, &why);
    fo_simulation *sim = NULL;
    REQUIRE(r);
    CHECK_STATUS(fo_recording_replay(r, system, NULL, 0, &sim, &why), FO_REACHED, &why);
    CHECK(sim && fo_simulation_hash(sim) == hash);
    printf("%zu events replayed to the same bits\n", fo_recording_events(r));
    fo_simulation_destroy(sim);
    fo_recording_close(r);
}

TEST(ten_minutes_at_1_khz)
{
    fo_live_def def = fo_default_live_def((fo_system){&type, &about, NULL});
    char path[] = "/tmp/foliot-soak-XXXXXX";
    int fd = mkstemp(path);
    REQUIRE(fd >= 0);
    close(fd);
    def.run.stop = span(), def.rate = RATE, def.run.solver = "rk4", def.run.step = 1e-3;
    def.policy = policy(), def.note = note;
    fo_message why;
    static company c;
    c.live = fo_live_create(&def, &why);
    REQUIRE(c.live);
    CHECK_STATUS(fo_live_record(c.live, path), FO_OK, fo_live_message(c.live));
    pthread_t threads[2];
    REQUIRE(pthread_create(&threads[0], NULL, burden, &c) == 0);
    REQUIRE(pthread_create(&threads[1], NULL, tap, &c) == 0);
    fo_status status = FO_REACHED;
    while (status == FO_REACHED) fo_live_wait(c.live), status = fo_live_advance(c.live);
    CHECK_STATUS(status, FO_STOPPED, fo_live_message(c.live));
    atomic_store(&c.over, true);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);

    static fo_live_figures f;
    fo_live_measure(c.live, &f);
    fo_live_figures_print(&f, stdout);
    uint64_t hash = fo_simulation_hash(fo_live_simulation(c.live));
    CHECK_STATUS(fo_live_record_end(c.live), FO_OK, fo_live_message(c.live));
    fo_live_destroy(c.live);
    CHECK(f.R <= 0.05);
    CHECK(f.refused == 0 && f.dropped == 0 && f.events > 10 * span());
    // what was dropped because the machine stood still is in the figures, nothing else is lost
    CHECK_NEAR(f.elapsed - f.skipped, def.run.stop, 0.5);
    check_replay(def.system, path, hash);
    unlink(path);
}

TEST_MAIN(TEST_ENTRY(ten_minutes_at_1_khz))
