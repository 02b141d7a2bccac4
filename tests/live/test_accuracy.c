/// Tolerances and limits of the steps that change while a live run goes on, and in its replay.
#include <foliot/live.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "test.h"

// A circle: x = cos t, y = -sin t.
static fo_status circle(const void *model, const fo_state *s, double t, const double *x, double *dx)
{
    (void)model, (void)s, (void)t;
    dx[0] = x[1];
    dx[1] = -x[0];
    return FO_OK;
}
static const fo_variable states[] = {{.name = "x", .start = 1}, {.name = "y"}};
static const fo_description about = {.name = "circle", .states = {states, 2}};
static const fo_system_type plain = {.kind = "C", .rates = circle};

TEST(a_line_changes_them_live)
{
    fo_virtual_clock clock = {0};
    fo_live_def def = fo_default_live_def((fo_system){&plain, &about, NULL});
    def.clock = fo_virtual_clock_use(&clock);
    def.run.solver = "dp45", def.run.rtol = 1e-3;
    fo_live *live = fo_live_create(&def, NULL);
    REQUIRE(live);
    char answer[FO_LIVE_ANSWER];
    fo_simulation *sim = fo_live_simulation(live);
    CHECK(fo_live_advance_at(live, clock.now) == FO_REACHED);
    CHECK(fo_live_tell(live, "max-step 0.001", 1, answer) == FO_OK);
    CHECK(fo_live_tell(live, "rtol 1e-9", 1, answer) == FO_OK);
    CHECK(fo_live_tell(live, "rtol -1", 1, answer) == FO_ERROR_ARGUMENT);
    CHECK(fo_live_tell(live, "rtol", 1, answer) == FO_ERROR_FORMAT);
    CHECK(fo_live_tell(live, "min-step 1", 1, answer) == FO_OK); // refused when its time comes
    for (int i = 0; i < 10; i++) {
        clock.now += 16666667;
        CHECK(fo_live_advance(live) == FO_REACHED);
    }
    uint32_t source = 0;
    fo_message text;
    CHECK(fo_live_next_refusal(live, &source, &text) && source == 1);
    CHECK(strstr(text.text, "min-step 1") && strstr(text.text, "was refused"));
    CHECK(fo_simulation_accuracy(sim).rtol == 1e-9);
    CHECK(fo_simulation_accuracy(sim).max_step == 0.001);
    CHECK(fo_simulation_statistics(sim).last_step <= 0.001 * (1 + 1e-9));
    fo_live_destroy(live);
}

// A recording has the changes, and a replay the same bits; also where the run went back over one.
TEST(a_replay_changes_them_too)
{
    fo_virtual_clock clock = {0};
    fo_live_def def = fo_default_live_def((fo_system){&plain, &about, NULL});
    def.clock = fo_virtual_clock_use(&clock);
    def.run.solver = "dp45", def.run.rtol = 1e-3;
    fo_live *live = fo_live_create(&def, NULL);
    FILE *file = tmpfile();
    REQUIRE(live && file);
    static const char *const said[] = {"rtol 1e-7", "max-step 0.01", "back 1", "atol 1e-4"};
    char answer[FO_LIVE_ANSWER];
    CHECK(fo_live_record_to(live, file, "test") == FO_OK);
    for (int i = 0; i < 240; i++) {
        CHECK(fo_live_advance_at(live, clock.now += 16666667) == FO_REACHED);
        if (i % 60 == 30) CHECK(fo_live_tell(live, said[i / 60], 1, answer) == FO_OK);
    }
    fo_accuracy last = fo_simulation_accuracy(fo_live_simulation(live));
    CHECK(last.rtol == 1e-7 && last.atol == 1e-4 && last.max_step != 0.01);
    uint64_t hash = fo_simulation_hash(fo_live_simulation(live));
    int copy = dup(fileno(file));
    CHECK(fo_live_record_end(live) == FO_OK); // and closes it
    fo_live_destroy(live);
    FILE *again = fdopen(copy, "r");
    REQUIRE(again);
    rewind(again);
    fo_message why = {0};
    fo_recording *r = fo_recording_read(again, "test", NULL, &why);
    REQUIRE(r);
    fo_simulation *sim = NULL;
    CHECK_STATUS(fo_recording_replay(r, (fo_system){&plain, &about, NULL}, NULL, 0, &sim, &why),
                 FO_REACHED, &why);
    CHECK(sim && fo_simulation_hash(sim) == hash && fo_simulation_accuracy(sim).rtol == 1e-7);
    fo_simulation_destroy(sim);
    fo_recording_close(r);
    fclose(again);
}

TEST_MAIN(TEST_ENTRY(a_line_changes_them_live), TEST_ENTRY(a_replay_changes_them_too))
