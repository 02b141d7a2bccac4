// What is counted is a whole number within limits, in every request; and bytes behind a message
// never lead out of step.
#include <stdio.h>

#include "talk.h"

#define BALL                                                                                    \
    "{\"id\":1,\"do\":\"open\",\"name\":\"a.mo\",\"text\":\"model A Real x(start = 1, fixed = " \
    "true); equation der(x) = -x; when x < 0.5 then reinit(x, 1); end when; end A;\"}"

static const struct {
    const char *request; ///< without its end; the member's value and '}' follow
    double least, most;
} counts[] = {
    {"\"do\":\"hello\",\"credit\":", 1, 0x1p53 - 1},
    {"\"do\":\"ack\",\"bytes\":", 0, 0x1p53 - 1},
    {"\"do\":\"open\",\"name\":\"b.mo\",\"text\":\"\",\"version\":", 0, 0x1p53 - 1},
    {"\"do\":\"change\",\"doc\":1,\"text\":\"\",\"version\":", 0, 0x1p53 - 1},
    {"\"do\":\"close\",\"doc\":", 0, 0x1p53 - 1},
    {"\"do\":\"diagnostics\",\"doc\":", 0, 0x1p53 - 1},
    {"\"do\":\"describe\",\"doc\":", 0, 0x1p53 - 1},
    {"\"do\":\"files\",\"doc\":", 0, 0x1p53 - 1},
    {"\"do\":\"view\",\"view\":\"flat\",\"doc\":", 0, 0x1p53 - 1},
    {"\"do\":\"layout\",\"doc\":", 0, 0x1p53 - 1},
    {"\"do\":\"outline\",\"doc\":", 0, 0x1p53 - 1},
    {"\"do\":\"run\",\"doc\":", 0, 0x1p53 - 1},
    {"\"do\":\"live\",\"clock\":0,\"doc\":", 0, 0x1p53 - 1},
    {"\"do\":\"linearize\",\"doc\":", 0, 0x1p53 - 1},
    {"\"do\":\"moments\",\"run\":", 0, 0x1p53 - 1},
    {"\"do\":\"moments\",\"run\":2,\"after\":", 0, 0x1p53 - 1},
    {"\"do\":\"moments\",\"run\":2,\"most\":", 0, 0x1p53 - 1},
    {"\"do\":\"acts\",\"run\":2,\"after\":", 0, 0x1p53 - 1},
    {"\"do\":\"acts\",\"run\":2,\"most\":", 0, 0x1p53 - 1},
    {"\"do\":\"rows\",\"run\":2,\"pixels\":", 0, 16384},
    {"\"do\":\"cancel\",\"request\":", 0, 0x1p53 - 1},
    {"\"do\":\"cancel\",\"run\":", 0, 0x1p53 - 1},
    {"\"do\":\"cancel\",\"sweep\":", 0, 0x1p53 - 1},
    {"\"do\":\"run\",\"doc\":1,\"seed\":", 0, 0x1p53 - 1},
    {"\"do\":\"live\",\"doc\":1,\"clock\":0,\"seed\":", 0, 0x1p53 - 1},
    {"\"do\":\"sweep\",\"doc\":1,\"vary\":[\"x=1,2\"],\"measures\":[\"final(x)\"],\"seed\":", 0,
     0x1p53 - 1},
    {"\"do\":\"sweep\",\"doc\":1,\"vary\":[\"x=1,2\"],\"measures\":[\"final(x)\"],\"samples\":", 0,
     1e6},
    {"\"do\":\"optimize\",\"doc\":1,\"adjust\":[\"x=1..2\"],\"minimize\":\"final(x)\",\"seed\":", 0,
     0x1p53 - 1},
    {"\"do\":\"steady\",\"doc\":1,\"starts\":", 0, 1000},
    {"\"do\":\"linearize\",\"doc\":1,\"frequencies\":", 0, 2000},
    {"\"do\":\"live\",\"doc\":1,\"clock\":", -0x1p62, 0x1p62},
    {"\"do\":\"frame\",\"live\":3,\"clock\":", -0x1p62, 0x1p62},
    {"\"do\":\"act\",\"live\":3,\"verb\":\"set\",\"name\":\"x\",\"value\":1,\"stamp\":", -0x1p62,
     0x1p62},
    {"\"do\":\"act\",\"live\":3,\"verb\":\"pause\",\"value\":", -1, 1},
    {"\"do\":\"look\",\"live\":3,\"from\":", 0, 1},
    {"\"do\":\"look\",\"live\":3,\"count\":", 0, 1},
};

static talk begin_all(void)
{
    talk t = begin(NULL);
    exchange(&t, BALL);
    exchange(&t, "{\"id\":2,\"do\":\"run\",\"doc\":1,\"stop\":2}");
    exchange(&t, "{\"id\":3,\"do\":\"live\",\"doc\":1,\"clock\":0}");
    CHECK_CONTAINS(t.said, "\"live\": 3");
    return t;
}

static void refuse(talk *t, const char *request, const char *value)
{
    char line[400];
    snprintf(line, sizeof line, "{\"id\":9,%s%s}", request, value);
    exchange(t, line);
    if (!strstr(t->said, "\"id\": 9, \"error\": {\"code\": \"argument\""))
        fprintf(stderr, "%s\n%s\n", line, t->said);
    CHECK(strstr(t->said, "\"id\": 9, \"error\": {\"code\": \"argument\""));
}

TEST(every_count_is_a_whole_number_within_its_limits)
{
    static const char *const none[] = {"1.5",  "-1.5", "1e-300", "\"x\"", "\"1\"", "null",
                                       "true", "[]",   "{}",     "1e300", "-1e300"};
    talk t = begin_all();
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        char value[64];
        for (size_t k = 0; k < sizeof none / sizeof none[0]; k++)
            refuse(&t, counts[i].request, none[k]);
        double step = counts[i].most >= 0x1p53 ? 0x1p62 : 1;
        snprintf(value, sizeof value, "%.17g", counts[i].least - step);
        refuse(&t, counts[i].request, value);
        snprintf(value, sizeof value, "%.17g", counts[i].most + step);
        refuse(&t, counts[i].request, value);
    }
    exchange(&t, "{\"id\":10,\"do\":\"compare\",\"runs\":[2,2.5]}");
    CHECK_CONTAINS(t.said, "\"code\": \"argument\"");
    exchange(&t, "{\"id\":11,\"do\":\"ack\",\"bytes\":0}");
    CHECK_CONTAINS(t.said, "{\"id\": 11, \"ok\": {}}");
    end(&t);
}

TEST(the_largest_counts_are_good)
{
    talk t = begin_all();
    exchange(&t, "{\"id\":4,\"do\":\"moments\",\"run\":2,\"most\":9007199254740991}");
    CHECK_CONTAINS(t.said, "\"id\": 4, \"ok\"");
    exchange(&t, "{\"id\":5,\"do\":\"run\",\"doc\":1,\"seed\":9007199254740991}");
    CHECK_CONTAINS(t.said, "\"id\": 5, \"ok\"");
    exchange(&t,
             "{\"id\":6,\"do\":\"change\",\"doc\":1,\"version\":9007199254740991,\"text\":\"\"}");
    CHECK_CONTAINS(t.said, "\"version\": 9007199254740991");
    exchange(&t, "{\"id\":7,\"do\":\"change\",\"doc\":1,\"text\":\"\"}");
    CHECK_CONTAINS(t.said, "\"code\": \"limit\"");
    exchange(&t, "{\"id\":8,\"do\":\"change\",\"doc\":1,\"version\":1,\"text\":\"\"}");
    CHECK_CONTAINS(t.said, "\"code\": \"stale\"");
    end(&t);
}

// Whoever announces bytes sends them, to whatever request: they are never read as messages.
TEST(bytes_that_no_request_takes_are_passed_over)
{
    static const char *const verbs[] = {"hello", "open", "text", "run", "dance", "rows", "cancel"};
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
        talk t = begin_all();
        char line[200];
        snprintf(line, sizeof line,
                 "{\"id\":4,\"do\":\"%s\",\"bytes\":23}\n{\"id\":5,\"do\":\"hello\"}\n\n{\"id\":6,"
                 "\"do\":\"ack\",\"bytes\":24}",
                 verbs[i]);
        exchange(&t, line);
        CHECK_CONTAINS(t.said, "\"id\": 4, \"error\"");
        CHECK(!strstr(t.said, "\"id\": 5"));
        CHECK_CONTAINS(t.said, "\"id\": 6, \"ok\"");
        end(&t);
    }
}

static void end_of_input(talk *t, const char *bytes)
{
    tell(t, bytes);
    fo_desk_end(t->desk);
    t->length = 0, t->said[0] = 0;
    while (fo_desk_work(t->desk, 0, 100000) != FO_DESK_IDLE) listen(t);
    listen(t);
}

TEST(the_end_of_input_leaves_nothing_unanswered)
{
    talk t = begin_all();
    end_of_input(&t, "{\"id\":4,\"do\":\"replay\",\"doc\":1,\"bytes\":100}\nfoliot live");
    CHECK_CONTAINS(t.said, "\"id\": 4, \"error\": {\"code\": \"input\"");
    CHECK_CONTAINS(t.said, "after 11 of 100 bytes");
    end(&t);
    t = begin_all();
    end_of_input(&t, "{\"id\":4,\"do\":\"ack\"}"); // without its end
    CHECK_CONTAINS(t.said, "{\"id\": 4, \"ok\": {}}");
    end(&t);
    t = begin_all();
    end_of_input(&t, "{\"id\":4,\"do\":\"a");
    CHECK_CONTAINS(t.said, "\"code\": \"parse\"");
    end(&t);
    t = begin_all();
    end_of_input(&t, "{\"id\":4,\"do\":\"replay\",\"doc\":1,\"bytes\":1}");
    CHECK_CONTAINS(t.said, "after 0 of 1 bytes");
    end(&t);
}

// Wherever a recording is cut, its replay is refused.
TEST(a_recording_that_is_cut_is_refused)
{
    talk t = begin(NULL);
    exchange(&t, BALL);
    exchange(&t, "{\"id\":2,\"do\":\"live\",\"doc\":1,\"clock\":0,\"record\":true}");
    exchange(&t, "{\"id\":3,\"do\":\"frame\",\"live\":2,\"clock\":100000000}");
    exchange(&t,
             "{\"id\":4,\"do\":\"act\",\"live\":2,\"verb\":\"set\",\"name\":\"x\",\"value\":3}");
    exchange(&t, "{\"id\":5,\"do\":\"frame\",\"live\":2,\"clock\":200000000}");
    exchange(&t, "{\"id\":6,\"do\":\"record\",\"live\":2}");
    const char *recorded = memmem(t.said, t.length, "foliot live", 11);
    REQUIRE(recorded);
    size_t count = t.length - (size_t)(recorded - t.said);
    char *bytes = malloc(count), head[100];
    REQUIRE(bytes);
    memcpy(bytes, recorded, count);
    for (size_t cut = 1; cut <= count; cut++) {
        snprintf(head, sizeof head, "{\"id\":7,\"do\":\"replay\",\"doc\":1,\"bytes\":%zu}\n", cut);
        tell(&t, head);
        CHECK_INT((long long)fo_desk_give(t.desk, bytes, cut), (long long)cut);
        exchange(&t, "");
        CHECK_CONTAINS(t.said, cut < count ? "\"id\": 7, \"error\"" : "\"id\": 7, \"ok\"");
    }
    free(bytes);
    end(&t);
}

// One edit that is refused takes back those before it.
TEST(a_change_is_made_as_a_whole)
{
    talk t = begin(NULL);
    exchange(&t, "{\"id\":1,\"do\":\"open\",\"name\":\"a.mo\",\"text\":\"model A end A;\"}");
    exchange(&t, "{\"id\":2,\"do\":\"change\",\"doc\":1,\"version\":5,\"edits\":[{\"from\":[0,0],"
                 "\"to\":[0,5],\"text\":\"block with a longer text\"},{\"from\":[0,3],\"to\":[0,1],"
                 "\"text\":\"\"}]}");
    CHECK_CONTAINS(t.said, "an edit ends before it begins");
    exchange(&t, "{\"id\":3,\"do\":\"text\",\"doc\":1}");
    CHECK_CONTAINS(t.said, "\"version\": 0, \"text\": \"model A end A;\"");
    end(&t);
}

TEST_MAIN(TEST_ENTRY(every_count_is_a_whole_number_within_its_limits),
          TEST_ENTRY(the_largest_counts_are_good),
          TEST_ENTRY(bytes_that_no_request_takes_are_passed_over),
          TEST_ENTRY(the_end_of_input_leaves_nothing_unanswered),
          TEST_ENTRY(a_recording_that_is_cut_is_refused), TEST_ENTRY(a_change_is_made_as_a_whole))
