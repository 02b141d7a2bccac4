// What a request says about a run counts: times before zero, tolerances that are none, the rows of
// a run that was cancelled, and what was set when a recording was made.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "talk.h"
#include "test.h"

/// x = k (t + 5), from t = -5.
#define EARLY                                                                                      \
    "{\"id\": 1, \"do\": \"open\", \"name\": \"e.mo\", \"text\": \"model E parameter Real k = 1; " \
    "Real x(start = 0, fixed = true); equation der(x) = k; annotation(experiment(StartTime = "     \
    "-5, StopTime = 5)); end E;\"}"

static const char *const questions[] = {
    "\"do\": \"run\", \"doc\": 1",
    "\"do\": \"sensitivity\", \"doc\": 1, \"to\": [\"k\"], \"measures\": [\"final(x)\"]",
    "\"do\": \"optimize\", \"doc\": 1, \"adjust\": [\"k=0..4\"], \"minimize\": \"abs(final(x) - "
    "1)\"",
    "\"do\": \"fit\", \"doc\": 1, \"adjust\": [\"k=0..4\"], \"data\": [{\"t\": [-4.75, -4.5], "
    "\"signals\": {\"x\": [0.5, 1]}}]",
    "\"do\": \"sweep\", \"doc\": 1, \"vary\": [\"k=1,2\"], \"measures\": [\"final(x)\"]",
    "\"do\": \"steady\", \"doc\": 1",
    "\"do\": \"linearize\", \"doc\": 1",
};

static void ask(talk *t, int question, const char *with)
{
    char line[600];
    snprintf(line, sizeof line, "{\"id\": 2, %s, %s}", questions[question], with);
    exchange(t, line);
}

static double behind(const talk *t, const char *key)
{
    const char *at = memmem(t->said, t->length, key, strlen(key));
    return at ? strtod(at + strlen(key), NULL) : NAN;
}

TEST(a_stop_before_zero_counts_in_every_question)
{
    talk t = begin(NULL);
    exchange(&t, EARLY);
    ask(&t, 1, "\"stop\": -4.5");
    CHECK_NEAR(behind(&t, "\"values\": ["), 0.5, 1e-9);
    CHECK_NEAR(behind(&t, "\"derivatives\": [["), 0.5, 1e-7);
    ask(&t, 1, "\"stop\": 0");
    CHECK_NEAR(behind(&t, "\"values\": ["), 5, 1e-9);
    ask(&t, 1, "\"rtol\": 1e-9");
    CHECK_NEAR(behind(&t, "\"values\": ["), 10, 1e-8);
    ask(&t, 2, "\"stop\": -4.5");
    CHECK_NEAR(behind(&t, "\"values\": ["), 2, 1e-3);
    ask(&t, 3, "\"stop\": -4.5");
    CHECK_NEAR(behind(&t, "\"values\": ["), 2, 1e-6);
    ask(&t, 4, "\"stop\": -4.5");
    CHECK_NEAR(behind(&t, "\"measures\": ["), 0.5, 1e-9);
    end(&t);
}

TEST(numbers_with_which_there_is_no_run_are_refused)
{
    static const char *const wrong[] = {"\"stop\": -6",  "\"rtol\": -1",     "\"atol\": -1e-3",
                                        "\"step\": -1",  "\"max_step\": -1", "\"stop\": \"a\"",
                                        "\"start\": 10", "\"atol\": null"};
    talk t = begin(NULL);
    exchange(&t, EARLY);
    for (int i = 0; i < (int)FO_COUNT(questions); i++)
        for (size_t j = 0; j < FO_COUNT(wrong); j++) {
            ask(&t, i, wrong[j]);
            CHECK_CONTAINS(t.said, "\"error\": {\"code\": \"argument\"");
            CHECK(!strstr(t.said, "\"text\": \"\""));
        }
    for (int i = 1; i < (int)FO_COUNT(questions); i++) {
        ask(&t, i, "\"stop\": -5");
        CHECK_CONTAINS(t.said, "a run cannot go from t = -5 to t = -5");
    }
    exchange(&t, "{\"id\": 3, \"do\": \"live\", \"doc\": 1, \"clock\": 0, \"seed\": -1}");
    CHECK_CONTAINS(t.said, "\\\"seed\\\" must be a whole number");
    end(&t);
}

/// After it was said to be done nothing of a run changes, wherever it was.
TEST(a_cancelled_run_stays_as_it_was)
{
    talk t = begin(NULL);
    exchange(&t, "{\"id\": 1, \"do\": \"open\", \"name\": \"b.mo\", \"text\": \"model B Real "
                 "x(start = 1, fixed = true); equation der(x) = -x; when sample(0, 1e-4) then "
                 "reinit(x, 1); end when; end B;\"}");
    for (int i = 0; i < 40; i++) {
        char line[100];
        tell(&t, "{\"id\": 2, \"do\": \"run\", \"doc\": 1, \"stop\": 30}\n");
        t.length = 0, t.said[0] = 0;
        CHECK(says(&t, "\"run\": ", 1000));
        double run = behind(&t, "\"run\": ");
        for (int j = 0; j < i; j++) fo_desk_work(t.desk, 0, 1000);
        listen(&t);
        snprintf(line, sizeof line, "{\"id\": 3, \"do\": \"cancel\", \"run\": %.0f}", run);
        exchange(&t, line);
        const char *done = memmem(t.said, t.length, "\"on\": \"done\"", 12);
        const char *rows = done ? strstr(done, "\"rows\": ") : NULL;
        const char *moments = done ? strstr(done, "\"moments\": ") : NULL;
        double kept = rows ? strtod(rows + 8, NULL) : NAN;
        double seen = moments ? strtod(moments + 11, NULL) : NAN;
        snprintf(line, sizeof line, "{\"id\": 4, \"do\": \"progress\", \"run\": %.0f}", run);
        exchange(&t, line);
        CHECK_CONTAINS(t.said, "\"status\": \"cancelled\"");
        CHECK_NEAR(behind(&t, "\"rows\": "), kept, 0);
        snprintf(line, sizeof line, "{\"id\": 5, \"do\": \"moments\", \"run\": %.0f, \"most\": 0}",
                 run);
        exchange(&t, line);
        CHECK_NEAR(behind(&t, "\"count\": "), seen, 0);
        snprintf(line, sizeof line, "{\"id\": 6, \"do\": \"forget\", \"run\": %.0f}", run);
        exchange(&t, line);
    }
    end(&t);
}

static void set_number(talk *t, int doc, double k)
{
    char line[120];
    snprintf(line, sizeof line,
             "{\"id\": 9, \"do\": \"set\", \"doc\": %d, \"name\": \"k\", \"value\": %g}", doc, k);
    exchange(t, line);
}

/// The bytes of the answer, in a message that replays them.
static void replay(talk *t, int doc, const char *bytes, size_t size)
{
    char line[120];
    snprintf(line, sizeof line, "{\"id\": 8, \"do\": \"replay\", \"doc\": %d, \"bytes\": %zu}\n",
             doc, size);
    tell(t, line);
    CHECK_INT((long long)fo_desk_give(t->desk, bytes, size), (long long)size);
    t->length = 0, t->said[0] = 0;
    CHECK(says(t, "\"id\": 8", 1000));
}

TEST(a_recording_is_replayed_with_what_was_set_then)
{
    talk t = begin(NULL);
    static const char open[] = "{\"id\": 1, \"do\": \"open\", \"name\": \"b.mo\", \"text\": "
                               "\"model B parameter Real k = 1; Real x(start = 1, fixed = true); "
                               "equation der(x) = -k*x; end B;\"}";
    for (int i = 0; i < 3; i++) exchange(&t, open);
    set_number(&t, 1, 5);
    set_number(&t, 3, 7);
    for (int doc = 1; doc <= 2; doc++) { // the second was recorded with nothing set
        char line[120];
        snprintf(line, sizeof line,
                 "{\"id\": 2, \"do\": \"live\", \"doc\": %d, \"clock\": 0, \"record\": true}", doc);
        exchange(&t, line);
        int live = (int)behind(&t, "\"live\": ");
        snprintf(line, sizeof line,
                 "{\"id\": 3, \"do\": \"frame\", \"live\": %d, \"clock\": 90000000}", live);
        exchange(&t, line);
        snprintf(line, sizeof line, "{\"id\": 4, \"do\": \"record\", \"live\": %d}", live);
        exchange(&t, line);
        const char *from = memchr(t.said, '\n', t.length);
        size_t size = from ? t.length - (size_t)(from + 1 - t.said) : 0;
        char *bytes = calloc(size + 1, 1);
        if (bytes && from) memcpy(bytes, from + 1, size);
        CHECK_INT(bytes && strstr(bytes, "number k 5"), doc == 1);
        for (int in = 1; in <= 3 && bytes; in++) {
            replay(&t, in, bytes, size);
            CHECK_CONTAINS(t.said, "\"status\": \"reached\"");
        }
        free(bytes);
    }
    end(&t);
}

TEST(a_replay_has_the_moments_of_what_was_done)
{
    talk t = begin(NULL);
    exchange(&t, "{\"id\": 1, \"do\": \"open\", \"name\": \"bell.mo\", \"text\": \"model Bell "
                 "input Real p; input Boolean tap annotation(__Foliot_event(value = p)); Real "
                 "x(start = 0, fixed = true); equation der(x) = -x; when tap then reinit(x, pre(x) "
                 "+ p); end when; end Bell;\"}");
    exchange(&t, "{\"id\": 2, \"do\": \"live\", \"doc\": 1, \"clock\": 0, \"record\": true}");
    exchange(&t, "{\"id\": 3, \"do\": \"act\", \"live\": 2, \"verb\": \"send\", \"name\": \"tap\", "
                 "\"value\": 2, \"stamp\": 40000000}");
    exchange(&t, "{\"id\": 4, \"do\": \"frame\", \"live\": 2, \"clock\": 90000000}");
    exchange(&t, "{\"id\": 5, \"do\": \"record\", \"live\": 2}");
    const char *from = memchr(t.said, '\n', t.length);
    size_t size = from ? t.length - (size_t)(from + 1 - t.said) : 0;
    char *bytes = calloc(size + 1, 1);
    if (bytes && from) memcpy(bytes, from + 1, size);
    if (bytes) replay(&t, 1, bytes, size);
    free(bytes);
    char line[120];
    snprintf(line, sizeof line, "{\"id\": 9, \"do\": \"moments\", \"run\": %.0f}",
             behind(&t, "\"run\": "));
    exchange(&t, line);
    CHECK_CONTAINS(t.said, "\"count\": 1");
    CHECK_CONTAINS(t.said, "\"t\": 0.04");
    CHECK_CONTAINS(t.said, "\"name\": \"tap\"");
    end(&t);
}

/// A frame carries at most 100 ms: what was acted in them has its time, what was acted after them
/// happens at their end, and the clock goes on from there.
TEST(acts_have_their_time_in_a_frame_that_drops_some)
{
    talk t = begin(NULL);
    exchange(&t, "{\"id\": 1, \"do\": \"open\", \"name\": \"b.mo\", \"text\": \"model B "
                 "parameter Real k = 1; Real x(start = 0, fixed = true); equation der(x) = k; end "
                 "B;\"}");
    exchange(&t, "{\"id\": 2, \"do\": \"live\", \"doc\": 1, \"clock\": 0, \"record\": true}");
    CHECK_CONTAINS(t.said, "\"live\": 2");
    exchange(&t, "{\"id\": 3, \"do\": \"act\", \"live\": 2, \"verb\": \"set\", \"name\": \"k\", "
                 "\"value\": 3, \"stamp\": 40000000}");
    exchange(&t, "{\"id\": 4, \"do\": \"act\", \"live\": 2, \"verb\": \"set\", \"name\": \"k\", "
                 "\"value\": 5, \"stamp\": 150000000}");
    exchange(&t, "{\"id\": 5, \"do\": \"frame\", \"live\": 2, \"clock\": 200000000}");
    CHECK_NEAR(behind(&t, "\"t\": "), 0.1, 1e-15);
    CHECK_CONTAINS(t.said, "\"note\": \"late by 0.2 s: 0.1 s dropped\"");
    exchange(&t, "{\"id\": 6, \"do\": \"act\", \"live\": 2, \"verb\": \"set\", \"name\": \"k\", "
                 "\"value\": 7, \"stamp\": 230000000}");
    exchange(&t, "{\"id\": 7, \"do\": \"frame\", \"live\": 2, \"clock\": 250000000}");
    CHECK_NEAR(behind(&t, "\"t\": "), 0.15, 1e-15);
    exchange(&t, "{\"id\": 8, \"do\": \"record\", \"live\": 2}");
    CHECK_CONTAINS(t.said, "\n0.04 set k 3\n");
    CHECK_CONTAINS(t.said, " set k 5\n");
    CHECK_CONTAINS(t.said, " set k 7\n");
    const char *second = strstr(t.said, "set k 3\n"), *third = strstr(t.said, "set k 5\n");
    if (second && third) {
        CHECK_NEAR(strtod(second + 8, NULL), 0.1, 1e-15);
        CHECK_NEAR(strtod(third + 8, NULL), 0.13, 1e-15);
    }
    end(&t);
}

TEST_MAIN(TEST_ENTRY(a_stop_before_zero_counts_in_every_question),
          TEST_ENTRY(numbers_with_which_there_is_no_run_are_refused),
          TEST_ENTRY(a_cancelled_run_stays_as_it_was),
          TEST_ENTRY(a_recording_is_replayed_with_what_was_set_then),
          TEST_ENTRY(a_replay_has_the_moments_of_what_was_done),
          TEST_ENTRY(acts_have_their_time_in_a_frame_that_drops_some))
