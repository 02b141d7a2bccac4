// Requests in words, good and hostile; what the model refuses is undone.
#include "stage.h"

static void open_pendulum(stage *s)
{
    fo_live_def def = stage_def(s, "pendulum");
    if (!stage_open(s, &def)) return;
    fo_live_start(s->live);
    stage_pass(s, 10 * MS);
}

static const char *answer_to(stage *s, const char *line)
{
    static char answer[FO_LIVE_ANSWER];
    fo_live_tell(s->live, line, 1, answer);
    return answer;
}

TEST(good_lines)
{
    stage s;
    open_pendulum(&s);
    REQUIRE(s.live);
    CHECK_TEXT(answer_to(&s, "tap 0.3"), "ok 0.01");
    CHECK_TEXT(answer_to(&s, "  tap\t-1e-1  \r\n"), "ok 0.01");
    CHECK_TEXT(answer_to(&s, "12.5 tap 0.3"), "ok 12.5");
    CHECK_TEXT(answer_to(&s, "set m 0.4\n"), "ok 0.01");
    CHECK_TEXT(answer_to(&s, "3 set m 0.4"), "ok 3");
    CHECK_TEXT(answer_to(&s, "tap"), "ok 0.01");
    CHECK_TEXT(answer_to(&s, "event tap 0.1"), "ok 0.01");
    CHECK_TEXT(answer_to(&s, "5 event tap 0.1"), "ok 5");
    CHECK_TEXT(answer_to(&s, ""), "");
    CHECK_TEXT(answer_to(&s, "   \n"), "");
    CHECK_CONTAINS(answer_to(&s, "help"), "ok EVENT VALUE");
    CHECK_CONTAINS(answer_to(&s, "stats"), "ok {\"advances\": 1,");
    CHECK(!strchr(answer_to(&s, "stats"), '\n'));
    fo_live_destroy(s.live);
}

TEST(bad_lines)
{
    static const char *const cases[][2] = {
        {"tapp 1", "error 'tapp' is no command and no event of 'pendulum'; did you mean 'tap'?"},
        {"puase", "did you mean 'pause'?"},
        {"event", "error 'event' is no command and no event of 'pendulum'"},
        {"event pause", "error 'pause' is no command and no event of 'pendulum'"},
        {"tap x", "error event 'tap' takes a number"},
        {"tap inf", "error event 'tap' takes a number"},
        {"tap nan", "error event 'tap' takes a number"},
        {"tap 1 2", "error event 'tap' takes a number"},
        {"tap 1e999", "error event 'tap' takes a number"},
        {"set", "error 'set' takes a name and a number"},
        {"set m", "error 'set' takes a name and a number"},
        {"set m x", "error 'set' takes a name and a number"},
        {"set mm 1", "error pendulum has no quantity 'mm'"},
        {"set a 1", "error 'a' is computed by the model and cannot be set"},
        {"speed", "error 'speed' takes a number"},
        {"speed 0", "error the speed must lie between 1e-6 and 1e6, not 0"},
        {"speed -1", "error the speed must lie"},
        {"step -1", "error the time must lie between 0 and 1e6 s, not -1"},
        {"back x", "error 'back' takes a number or nothing"},
        {"pause 3", "error 'pause' takes nothing more"},
        {"12.5 pause", "error 'pause' is no command and no event"},
        {"1 2 3", "error '2' is no command and no event"},
        {"a b c d e f", "error too many words"},
        {"tap\x01", "error byte 4 of the line is no letter"},
        {"\xff\xfe", "error '\\xff\\xfe' is no command"},
    };
    stage s;
    open_pendulum(&s);
    REQUIRE(s.live);
    uint64_t hash = stage_hash(&s);
    for (size_t i = 0; i < FO_COUNT(cases); i++)
        CHECK_CONTAINS(answer_to(&s, cases[i][0]), cases[i][1]);
    char longest[4096];
    memset(longest, 'a', sizeof longest);
    longest[sizeof longest - 1] = 0;
    CHECK_CONTAINS(answer_to(&s, longest), "error a line may have at most 511 letters");
    longest[300] = 0;
    CHECK_CONTAINS(answer_to(&s, longest), "error 'aaa");
    stage_pass(&s, 0);
    CHECK(stage_hash(&s) == hash);
    fo_live_destroy(s.live);
}

TEST(lines_of_chance)
{
    stage s;
    open_pendulum(&s);
    REQUIRE(s.live);
    uint32_t seed = 7;
    for (int i = 0; i < 20000; i++) {
        static const char *const parts[] = {"tap", " ",     "set", "m",    "-",    "1",
                                            "e9",  "\t",    ".",   "back", "step", "\x80",
                                            "%s",  "speed", "y",   "0"};
        char line[256] = "";
        for (int k = 0; k < 8; k++) {
            seed = seed * 1664525u + 1013904223u;
            strcat(line, parts[seed >> 28]);
        }
        char answer[FO_LIVE_ANSWER];
        fo_live_tell(s.live, line, seed >> 30, answer);
        CHECK(strlen(answer) < FO_LIVE_ANSWER);
        if (i % 50 == 0 && fo_failed(stage_pass(&s, MS))) break;
    }
    CHECK(stage_figures(&s).advances > 300);
    fo_live_destroy(s.live);
}

TEST(what_one_source_may_have_waiting_is_bounded)
{
    stage s;
    open_pendulum(&s);
    REQUIRE(s.live);
    char answer[FO_LIVE_ANSWER];
    int taken = 0;
    for (int i = 0; i < 1000000; i++)
        taken += fo_live_tell(s.live, "tap 0.0001", 3, answer) == FO_OK;
    CHECK_INT(taken, FO_LIVE_WAITING_EACH);
    CHECK_TEXT(answer, "error 256 requests wait already, this one is dropped");
    CHECK_STATUS(fo_live_tell(s.live, "tap 0.1", 4, answer), FO_OK, NULL); // others are served
    CHECK_STATUS(stage_pass(&s, 10 * MS), FO_REACHED, NULL);
    CHECK_INT((long long)stage_figures(&s).events, FO_LIVE_WAITING_EACH + 1);
    CHECK_INT((long long)stage_figures(&s).dropped, 1000000 - FO_LIVE_WAITING_EACH);
    for (uint32_t source = 0; source < 40; source++) // and all together
        for (int i = 0; i < 300; i++) fo_live_tell(s.live, "900 tap 1", source, answer);
    CHECK_STATUS(fo_live_tell(s.live, "tap 0.1", 50, answer), FO_ERROR_MEMORY, NULL);
    CHECK_STATUS(fo_live_tell(s.live, "quit", 50, answer), FO_OK,
                 NULL); // but one can always end it
    CHECK_STATUS(stage_pass(&s, 10 * MS), FO_STOPPED, NULL);
    fo_live_destroy(s.live);
}

// l = 1e-310 makes the rates infinite: the model cannot go on. The setting is undone and told, what
// came with it happens.
TEST(what_the_model_cannot_bear_is_undone)
{
    stage s;
    open_pendulum(&s);
    REQUIRE(s.live);
    fo_simulation *sim = fo_live_simulation(s.live);
    stage_tell(&s, "tap 0.2");
    stage_tell(&s, "set l 1e-310");
    stage_tell(&s, "set c 0.3");
    CHECK_STATUS(stage_pass(&s, 20 * MS), FO_REACHED, fo_live_message(s.live));
    CHECK_CONTAINS(s.notes, "l 1e-310 at t = 0.01 s was undone: ");
    uint32_t source = 99;
    fo_message told;
    CHECK(fo_live_next_refusal(s.live, &source, &told) && source == 0);
    CHECK_CONTAINS(told.text, "l 1e-310 at t = 0.01 s was undone: ");
    CHECK(!fo_live_next_refusal(s.live, &source, &told));
    CHECK_NEAR(fo_simulation_state(sim)->p[1], 0.5, 0);
    CHECK_NEAR(fo_simulation_state(sim)->p[3], 0.3, 0);
    CHECK(fo_simulation_state(sim)->x[1] > 0.3); // the tap, and not the way down alone
    CHECK_NEAR(stage_time(&s), 0.03, 1e-12);
    fo_live_figures f = stage_figures(&s);
    CHECK_INT((long long)f.events, 2);
    CHECK_INT((long long)f.refused, 1);
    CHECK_STATUS(stage_pass(&s, 20 * MS), FO_REACHED, fo_live_message(s.live));
    fo_live_destroy(s.live);
}

// Trying out is dear: one who sends such things again and again may send only a few.
TEST(a_source_that_sends_what_cannot_be_borne_may_send_less)
{
    stage s;
    open_pendulum(&s);
    REQUIRE(s.live);
    char answer[FO_LIVE_ANSWER];
    int taken[3] = {0};
    for (int frame = 0; frame < 3; frame++) {
        for (int i = 0; i < 300; i++)
            taken[frame] +=
                fo_live_tell(s.live, i ? "tap 0.001" : "set l 1e-310", 5, answer) == FO_OK;
        CHECK_STATUS(stage_pass(&s, (frame == 1 ? 1500 : 10) * MS), FO_REACHED, NULL);
    }
    CHECK_INT(taken[0], FO_LIVE_WAITING_EACH);
    CHECK_INT(taken[1], 8);
    CHECK_INT(taken[2], 8); // for it has sent them again
    s.clock.now += 1100 * MS;
    int later = 0;
    for (int i = 0; i < 300; i++) later += fo_live_tell(s.live, "tap 0.001", 5, answer) == FO_OK;
    CHECK_INT(later, FO_LIVE_WAITING_EACH);
    fo_live_destroy(s.live);
}

TEST_MAIN(TEST_ENTRY(good_lines), TEST_ENTRY(bad_lines), TEST_ENTRY(lines_of_chance),
          TEST_ENTRY(what_one_source_may_have_waiting_is_bounded),
          TEST_ENTRY(what_the_model_cannot_bear_is_undone),
          TEST_ENTRY(a_source_that_sends_what_cannot_be_borne_may_send_less))
