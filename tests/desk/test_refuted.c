// What was found wrong from outside: worlds that live, files that a message names, places behind
// letters of several bytes, the edges of a window.
#include <foliot/desk.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test.h"

static char said[1 << 20];
static size_t length;

static void tell(fo_desk *desk, const char *line)
{
    CHECK_INT((long long)fo_desk_give(desk, line, strlen(line)), (long long)strlen(line));
    fo_desk_give(desk, "\n", 1);
    length = 0;
    for (int i = 0; i < 100000; i++) {
        fo_desk_state state = fo_desk_work(desk, 0, 100000);
        length += fo_desk_take(desk, said + length, sizeof said - 1 - length);
        if (state == FO_DESK_IDLE) break;
    }
    said[length] = 0;
}

static fo_desk *make(void)
{
    fo_message why;
    fo_desk_def def = fo_default_desk_def();
    fo_model_def model = fo_default_model_def();
    def.table = model.table;
    return fo_desk_create(&def, &why);
}

TEST(worlds_live)
{
    static const char *const worlds[] = {"bouncing-balls", "predator-prey",  "rocket",
                                         "dominoes",       "pilot-ejection", "mm1"};
    for (size_t i = 0; i < FO_COUNT(worlds); i++) {
        fo_desk *desk = make();
        char line[200];
        REQUIRE(desk);
        snprintf(line, sizeof line, "{\"id\": 1, \"do\": \"open\", \"name\": \"%s\"}", worlds[i]);
        tell(desk, line);
        CHECK_CONTAINS(said, "\"doc\": 1");
        tell(desk, "{\"id\": 2, \"do\": \"live\", \"doc\": 1, \"clock\": 0}");
        CHECK_CONTAINS(said, "\"live\": 2");
        for (int k = 1; k <= 5; k++) {
            snprintf(line, sizeof line,
                     "{\"id\": 3, \"do\": \"frame\", \"live\": 2, \"clock\": %d}", 50000000 * k);
            tell(desk, line);
            CHECK_CONTAINS(said, "\"id\": 3, \"ok\"");
        }
        fo_desk_destroy(desk);
    }
}

TEST(no_file_is_read_because_a_message_says_so)
{
    char path[] = "/tmp/foliot-desk-XXXXXX";
    int fd = mkstemp(path);
    REQUIRE(fd >= 0);
    static const char text[] = "{\"structure\": \"s\", \"nodes\": [{\"at\": [0], \"mass\": 1}]}";
    CHECK(write(fd, text, sizeof text - 1) == (ssize_t)sizeof text - 1);
    close(fd);
    fo_desk *desk = make();
    static const char *const names[] = {"/etc/passwd", "CMakeLists.txt", "x.mo",
                                        "y.fmu",       "../z.json",      "w.so"};
    for (size_t i = 0; i < FO_COUNT(names); i++) {
        char line[200];
        snprintf(line, sizeof line, "{\"id\": 1, \"do\": \"open\", \"name\": \"%s\"}", names[i]);
        tell(desk, line);
        CHECK_CONTAINS(said, "a desk opens no files");
    }
    tell(desk, "{\"id\": 1, \"do\": \"open\", \"name\": \"a.fmu\", \"text\": \"PK\"}");
    CHECK_CONTAINS(said, "a desk runs no code");
    char line[600];
    snprintf(line, sizeof line,
             "{\"id\": 1, \"do\": \"open\", \"name\": \"d.json\", \"text\": \"{\\\"format\\\": "
             "\\\"foliot diagram\\\", \\\"nodes\\\": [{\\\"name\\\": \\\"s\\\", \\\"type\\\": "
             "\\\"Structure\\\", \\\"parameters\\\": {\\\"File Name\\\": \\\"%s\\\"}}], "
             "\\\"lines\\\": []}\"}",
             path);
    tell(desk, line);
    CHECK_CONTAINS(said, "may use no files");
    fo_desk_destroy(desk);
    unlink(path);
}

TEST(places_are_counted_as_editors_do)
{
    fo_desk *desk = make();
    tell(desk, "{\"id\": 1, \"do\": \"open\", \"name\": \"a.mo\", \"text\": \"model A\\n  Real "
               "x;\\nequation\\n  /*\xc3\xa9*/ x = zz;\\nend A;\\n\"}");
    CHECK_CONTAINS(said, "\"from\": [3, 12], \"to\": [3, 14]");
    tell(desk, "{\"id\": 1, \"do\": \"open\", \"name\": \"b.mo\", \"text\": \"model A\\n  Real "
               "x;\\nequation\\n  /*\xf0\x9f\x98\x80*/ x = zz;\\nend A;\\n\"}");
    CHECK_CONTAINS(said, "\"from\": [3, 13], \"to\": [3, 15]");
    fo_desk_destroy(desk);
}

// x = 1 - 4 (t - 1/2)^2 has its peak in the first column of a window from just before it.
TEST(the_edges_of_a_window_are_their_own)
{
    fo_desk *desk = make();
    tell(desk,
         "{\"id\": 1, \"do\": \"open\", \"name\": \"a.mo\", \"text\": \"model A Real x(start = 0, "
         "fixed = true); equation der(x) = 4 - 8*time; end A;\"}");
    tell(desk, "{\"id\": 2, \"do\": \"run\", \"doc\": 1, \"stop\": 1, \"interval\": 0.01}");
    tell(desk,
         "{\"id\": 3, \"do\": \"rows\", \"run\": 2, \"signals\": [0], \"from\": 0.455, \"to\": "
         "0.955, \"pixels\": 5}");
    const char *frame = memchr(said, '\n', length);
    REQUIRE(frame && length > (size_t)(frame - said) + 60);
    uint32_t count;
    memcpy(&count, frame + 1 + 36, sizeof count);
    double times[40], values[40];
    REQUIRE(count > 10 && count <= 40);
    memcpy(times, frame + 1 + 32 + 16, count * sizeof *times);
    memcpy(values, frame + 1 + 32 + 16 + count * sizeof *times, count * sizeof *values);
    CHECK_NEAR(times[0], 0.45, 1e-12); // the row before, then the first inside
    CHECK_NEAR(times[1], 0.46, 1e-12);
    CHECK_NEAR(times[count - 1], 0.96, 1e-12);
    double most = 0;
    for (uint32_t i = 0; i < count; i++) {
        CHECK_NEAR(values[i], 1 - 4 * (times[i] - 0.5) * (times[i] - 0.5), 1e-9);
        if (values[i] > most) most = values[i];
    }
    CHECK_NEAR(most, 1, 1e-9);
    fo_desk_destroy(desk);
}

TEST_MAIN(TEST_ENTRY(worlds_live), TEST_ENTRY(no_file_is_read_because_a_message_says_so),
          TEST_ENTRY(places_are_counted_as_editors_do),
          TEST_ENTRY(the_edges_of_a_window_are_their_own))
