// Several threads: a world of objects, and people who ask while the run goes on. The clock of the
// document's table 8.1.
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "stage.h"

enum { OBJECTS = 60 };

static const char *const models[] = {"pendulum", "ball", "double-pendulum", "lorenz",
                                     "van-der-pol"};

// Every object with its own events, on so many threads.
static void run_world(unsigned threads, uint64_t *hashes)
{
    fo_virtual_clock clock = {.now = 5000 * MS};
    fo_live *objects[OBJECTS];
    fo_message why = {0};
    for (int i = 0; i < OBJECTS; i++) {
        fo_live_def def = fo_default_live_def(gallery_find(models[i % 5], NULL)->system);
        def.clock = fo_virtual_clock_use(&clock);
        def.max_time_step = 1;
        def.run.stop = i % 7 ? 2 : 1.3;
        objects[i] = fo_live_create(&def, &why);
        REQUIRE(objects[i]);
        char line[64], answer[FO_LIVE_ANSWER];
        snprintf(line, sizeof line, "%g %s %g", 0.01 * i, i % 5 ? "tap1" : "tap", 0.1 + 0.01 * i);
        fo_live_tell(objects[i], line, 0, answer);
    }
    fo_live_world *world =
        fo_live_world_create(objects, OBJECTS, threads, fo_virtual_clock_use(&clock), NULL, &why);
    REQUIRE(world);
    CHECK_INT(fo_live_world_threads(world), threads);
    fo_status status = FO_REACHED;
    while (status == FO_REACHED) {
        clock.now += 16 * MS;
        status = fo_live_world_advance(world);
    }
    CHECK_STATUS(status, FO_STOPPED, NULL);
    fo_live_world_destroy(world);
    for (int i = 0; i < OBJECTS; i++) {
        hashes[i] = fo_simulation_hash(fo_live_simulation(objects[i]));
        fo_live_destroy(objects[i]);
    }
}

TEST(a_world_gives_the_same_bits_on_any_number_of_threads)
{
    uint64_t alone[OBJECTS] = {0}, many[OBJECTS] = {0};
    run_world(1, alone);
    for (unsigned threads = 2; threads <= 8; threads *= 2) {
        run_world(threads, many);
        CHECK(memcmp(alone, many, sizeof alone) == 0);
    }
    CHECK(alone[0] != alone[5]);
}

typedef struct asker {
    fo_live *live;
    uint32_t source;
    atomic_bool *over;
    long taken, dropped;
} asker;

static void *ask(void *argument)
{
    asker *a = argument;
    char answer[FO_LIVE_ANSWER];
    while (!atomic_load(a->over)) {
        if (fo_live_tell(a->live, "tap 0.00001", a->source, answer) == FO_OK)
            a->taken++;
        else
            a->dropped++;
        if (a->taken % 16 == 0) fo_live_tell(a->live, "stats", a->source, answer);
        fo_live_look(a->live);
    }
    return NULL;
}

// Two askers as fast as they can, for 0.3 s of the machine's clock: nothing is lost or late.
TEST(askers_on_other_threads)
{
    fo_live_def def = fo_default_live_def(gallery_find("pendulum", NULL)->system);
    def.run.stop = 0.3, def.rate = 200, def.run.solver = "rk4";
    def.max_time_step = 5, def.longest_gap = 20;
    fo_message why;
    fo_live *live = fo_live_create(&def, &why);
    REQUIRE(live);
    atomic_bool over = false;
    asker askers[2] = {{live, 1, &over, 0, 0}, {live, 2, &over, 0, 0}};
    pthread_t threads[2];
    fo_live_start(live);
    for (int i = 0; i < 2; i++) REQUIRE(pthread_create(&threads[i], NULL, ask, &askers[i]) == 0);
    fo_status status = FO_REACHED;
    while (status == FO_REACHED) fo_live_wait(live), status = fo_live_advance(live);
    CHECK_STATUS(status, FO_STOPPED, fo_live_message(live));
    atomic_store(&over, true);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    fo_live_figures f;
    fo_live_measure(live, &f);
    CHECK(f.events > 0 && f.refused == 0);
    CHECK_INT((long long)f.dropped, askers[0].dropped + askers[1].dropped);
    CHECK((long)f.events <= askers[0].taken + askers[1].taken);
    CHECK_NEAR(fo_simulation_time(fo_live_simulation(live)), 0.3, 0);
    fo_live_destroy(live);
}

// Table 8.1: polling every 10 ms, 20 times. There a clock stood still for up to 60 ms at a time;
// ours moves at every poll, never back, and tells the time of the sleep.
TEST(the_clock_of_table_8_1)
{
    fo_clock clock = fo_machine_clock();
    int64_t start = clock.now(clock.self), last = start;
    for (int poll = 1; poll <= 20; poll++) {
        struct timespec ten = {0, 10 * MS};
        nanosleep(&ten, NULL);
        int64_t now = clock.now(clock.self);
        CHECK(now - last >= 10 * MS);
        CHECK(now - start >= poll * 10 * MS);
        last = now;
    }
    int changes = 0;
    for (int i = 0; i < 1000; i++) { // and it is fine: readings in a row differ by nanoseconds
        int64_t now = clock.now(clock.self);
        CHECK(now >= last);
        changes += now > last;
        last = now;
    }
    CHECK(changes > 500);
    int64_t until = clock.now(clock.self) + 2 * MS;
    clock.sleep_until(clock.self, until);
    CHECK(clock.now(clock.self) >= until);
    until += MS;
    clock.spin_until(clock.self, until);
    CHECK(clock.now(clock.self) >= until);
}

TEST_MAIN(TEST_ENTRY(a_world_gives_the_same_bits_on_any_number_of_threads),
          TEST_ENTRY(askers_on_other_threads), TEST_ENTRY(the_clock_of_table_8_1))
