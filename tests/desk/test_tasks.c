// Long work beside other messages: an analysis, a translation and a slow frame are overtaken by
// what others ask, can be cancelled, and what is asked of one document is done in its order.
#include <foliot/desk.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "talk.h"
#include "test.h"

/// A run of very many steps.
#define FAST_SINE                                                                                 \
    "model F parameter Real a = 1; Real x(start = 0, fixed = true); equation der(x) = a*sin(1e6*" \
    "time); end F;"
/// A translation of a second or more: 150 equations in which everything is in everything.
#define DENSE                                                                                  \
    "model D Real x[150]; equation for i in 1:150 loop sum({sin(x[j])*i*j for j in 1:150}) + " \
    "x[i] "                                                                                    \
    "= time; end for; end D;"
#define SMALL "model S Real x(start = 0, fixed = true); equation der(x) = 1; end S;"

static void tell_line(talk *t, const char *line)
{
    tell(t, line);
    tell(t, "\n");
}

static void open(talk *t, int id, const char *text)
{
    char line[600];
    snprintf(line, sizeof line,
             "{\"id\": %d, \"do\": \"open\", \"name\": \"a.mo\", \"text\": \"%s\"}", id, text);
    tell_line(t, line);
}

static const char fit[] = "{\"id\": 5, \"do\": \"fit\", \"doc\": 1, \"adjust\": [\"a=0..2\"], "
                          "\"data\": [{\"t\": [0, 1000], "
                          "\"signals\": {\"x\": [0, 1]}}]}";

TEST(an_analysis_is_overtaken_and_cancelled)
{
    talk t = begin(NULL);
    open(&t, 1, FAST_SINE);
    open(&t, 2, SMALL);
    CHECK(says(&t, "\"diagnostics\", \"doc\": 2", 100));
    tell_line(&t, fit);
    fo_desk_work(t.desk, 0, 1000);
    tell_line(&t, "{\"id\": 6, \"do\": \"outline\", \"doc\": 2}");
    CHECK(says(&t, "\"id\": 6, \"ok\"", 1));
    // also of its own document, of which it has a copy
    tell_line(
        &t,
        "{\"id\": 7, \"do\": \"change\", \"doc\": 1, \"version\": 1, \"text\": \"model F Real y; "
        "equation y = q; end F;\"}");
    CHECK(says(&t, "'q' is not declared", 10));
    CHECK(!strstr(t.said, "\"id\": 5"));
    tell_line(&t, "{\"id\": 8, \"do\": \"cancel\", \"request\": 5}");
    CHECK(says(&t, "\"id\": 8, \"ok\"", 1));
    CHECK(says(&t, "\"id\": 5, \"error\": {\"code\": \"cancelled\"", 3));
    CHECK_INT(fo_desk_work(t.desk, 0, 1000), FO_DESK_IDLE);
    end(&t);
}

TEST(a_translation_is_overtaken_and_ended_by_a_change)
{
    talk t = begin(NULL);
    open(&t, 1, DENSE);
    open(&t, 2, SMALL);
    CHECK(says(&t, "\"diagnostics\", \"doc\": 2", 10));
    CHECK(!strstr(t.said, "\"diagnostics\", \"doc\": 1"));
    tell_line(&t, "{\"id\": 3, \"do\": \"run\", \"doc\": 2, \"stop\": 1}");
    CHECK(says(&t, "\"done\", \"run\": 3, \"status\": \"reached\"", 50));
    CHECK(!strstr(t.said, "\"diagnostics\", \"doc\": 1"));
    tell_line(&t, "{\"id\": 4, \"do\": \"hover\", \"doc\": 1, \"at\": [0, 13]}");
    CHECK(says(&t, "\"id\": 4, \"ok\"", 1));
    tell_line(&t, "{\"id\": 5, \"do\": \"change\", \"doc\": 1, \"version\": 1, \"text\": \"" SMALL
                  "\"}");
    CHECK(
        says(&t, "\"diagnostics\", \"doc\": 1, \"version\": 1, \"list\": [], \"runs\": true", 10));
    CHECK(!strstr(t.said, "\"doc\": 1, \"version\": 0, \"list\""));
    // nobody waits for what was begun, which ends when it asks
    int turns = 0;
    while (fo_desk_work(t.desk, 0, 1000) != FO_DESK_IDLE && turns < 10000) turns++;
    CHECK(turns < 10000);
    end(&t);
}

// The last number of the first column of the last frame.
static double last_number(const talk *t)
{
    double value = NAN;
    if (t->length >= sizeof value) memcpy(&value, t->said + t->length - sizeof value, sizeof value);
    return value;
}

TEST(what_is_asked_of_one_document_is_done_in_its_order)
{
    talk t = begin(NULL);
    open(&t, 1, SMALL);
    CHECK(says(&t, "\"diagnostics\"", 10));
    tell_line(
        &t, "{\"id\": 2, \"do\": \"change\", \"doc\": 1, \"version\": 1, \"text\": \"model S Real "
            "x(start = 0, fixed = true); equation der(x) = 2; end S;\"}");
    tell_line(&t, "{\"id\": 3, \"do\": \"run\", \"doc\": 1, \"stop\": 1}");
    tell_line(
        &t, "{\"id\": 4, \"do\": \"change\", \"doc\": 1, \"version\": 2, \"text\": \"model S Real "
            "x(start = 0, fixed = true); equation der(x) = 3; end S;\"}");
    CHECK(says(&t, "\"done\"", 50));
    tell_line(&t, "{\"id\": 5, \"do\": \"rows\", \"run\": 2, \"signals\": [0]}");
    CHECK(says(&t, "\"id\": 5, \"ok\"", 5));
    CHECK_NEAR(last_number(&t), 2, 1e-12);
    end(&t);

    // a translation of a second is in the way
    t = begin(NULL);
    open(&t, 1, DENSE);
    fo_desk_work(t.desk, 0, 1000);
    tell_line(&t, "{\"id\": 2, \"do\": \"describe\", \"doc\": 1}");
    tell_line(&t, "{\"id\": 3, \"do\": \"text\", \"doc\": 1}");
    tell_line(&t, "{\"id\": 4, \"do\": \"close\", \"doc\": 1}");
    tell_line(&t, "{\"id\": 5, \"do\": \"text\", \"doc\": 1}");
    CHECK(says(&t, "\"id\": 5", 1000000));
    const char *two = strstr(t.said, "\"id\": 2, \"ok\""),
               *three = strstr(t.said, "\"id\": 3, \"ok\"");
    const char *four = strstr(t.said, "\"id\": 4, \"ok\""),
               *five = strstr(t.said, "\"id\": 5, \"err");
    CHECK(two && three && four && five && two < three && three < four && four < five);
    end(&t);
}

TEST(a_slow_frame_is_overtaken)
{
    talk t = begin(NULL);
    open(&t, 1, FAST_SINE);
    open(&t, 2, SMALL);
    tell_line(&t, "{\"id\": 3, \"do\": \"live\", \"doc\": 1, \"clock\": 0, \"longest_gap\": 100}");
    CHECK(says(&t, "\"live\": 3", 100));
    tell_line(&t, "{\"id\": 4, \"do\": \"frame\", \"live\": 3, \"clock\": 2000000000}");
    tell_line(&t, "{\"id\": 5, \"do\": \"outline\", \"doc\": 2}");
    tell_line(&t, "{\"id\": 6, \"do\": \"measure\", \"live\": 3}");
    CHECK(says(&t, "\"id\": 5, \"ok\"", 10));
    CHECK(!strstr(t.said, "\"id\": 4"));
    CHECK(says(&t, "\"id\": 6, \"ok\"", 1000000));
    const char *four = strstr(t.said, "\"id\": 4, \"ok\": {\"t\": 0.1");
    CHECK(four && !memmem(t.said, (size_t)(four - t.said), "\"id\": 6", 7));
    end(&t);
}

TEST(a_desk_is_put_away_in_the_middle)
{
    for (int turns = 1; turns <= 40; turns += 13) {
        talk t = begin(NULL);
        open(&t, 1, FAST_SINE);
        open(&t, 2, DENSE);
        tell_line(&t, fit);
        tell_line(&t, "{\"id\": 6, \"do\": \"describe\", \"doc\": 2}");
        tell_line(
            &t, "{\"id\": 7, \"do\": \"sweep\", \"doc\": 1, \"vary\": [\"a=1:2:9\"], \"measures\": "
                "[\"final(x)\"], \"stop\": 100}");
        for (int i = 0; i < turns; i++) fo_desk_work(t.desk, 0, 1000);
        end(&t);
    }
}

TEST(those_who_wait_are_counted)
{
    talk t = begin(NULL);
    open(&t, 1, DENSE);
    fo_desk_work(t.desk, 0, 1000);
    for (int i = 0; i < 600; i++) {
        char line[80];
        snprintf(line, sizeof line, "{\"id\": %d, \"do\": \"describe\", \"doc\": 1}", i + 10);
        tell_line(&t, line);
    }
    CHECK(says(&t, "\"error\": {\"code\": \"limit\", \"text\": \"too many requests wait\"", 1000));
    end(&t);
}

TEST_MAIN(TEST_ENTRY(an_analysis_is_overtaken_and_cancelled),
          TEST_ENTRY(a_translation_is_overtaken_and_ended_by_a_change),
          TEST_ENTRY(what_is_asked_of_one_document_is_done_in_its_order),
          TEST_ENTRY(a_slow_frame_is_overtaken), TEST_ENTRY(a_desk_is_put_away_in_the_middle),
          TEST_ENTRY(those_who_wait_are_counted))
