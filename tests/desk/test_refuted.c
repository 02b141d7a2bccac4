// What was found wrong from outside: worlds that live, files that a message names, places behind
// letters of several bytes, the edges of a window.
#include <foliot/desk.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "talk.h"
#include "test.h"

TEST(worlds_live)
{
    static const char *const worlds[] = {"bouncing-balls", "predator-prey",  "rocket",
                                         "dominoes",       "pilot-ejection", "mm1"};
    for (size_t i = 0; i < FO_COUNT(worlds); i++) {
        talk desk = begin(NULL);
        char line[200];
        REQUIRE(desk.desk);
        snprintf(line, sizeof line, "{\"id\": 1, \"do\": \"open\", \"name\": \"%s\"}", worlds[i]);
        exchange(&desk, line);
        CHECK_CONTAINS(desk.said, "\"doc\": 1");
        exchange(&desk, "{\"id\": 2, \"do\": \"live\", \"doc\": 1, \"clock\": 0}");
        CHECK_CONTAINS(desk.said, "\"live\": 2");
        for (int k = 1; k <= 5; k++) {
            snprintf(line, sizeof line,
                     "{\"id\": 3, \"do\": \"frame\", \"live\": 2, \"clock\": %d}", 50000000 * k);
            exchange(&desk, line);
            CHECK_CONTAINS(desk.said, "\"id\": 3, \"ok\"");
        }
        end(&desk);
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
    talk desk = begin(NULL);
    static const char *const names[] = {"/etc/passwd", "CMakeLists.txt", "x.mo",
                                        "y.fmu",       "../z.json",      "w.so"};
    for (size_t i = 0; i < FO_COUNT(names); i++) {
        char line[200];
        snprintf(line, sizeof line, "{\"id\": 1, \"do\": \"open\", \"name\": \"%s\"}", names[i]);
        exchange(&desk, line);
        CHECK_CONTAINS(desk.said, "no files are opened");
    }
    exchange(&desk, "{\"id\": 1, \"do\": \"open\", \"name\": \"a.fmu\", \"text\": \"PK\"}");
    CHECK_CONTAINS(desk.said, "code that a message brings");
    char line[600];
    snprintf(line, sizeof line,
             "{\"id\": 1, \"do\": \"open\", \"name\": \"d.json\", \"text\": \"{\\\"format\\\": "
             "\\\"foliot diagram\\\", \\\"nodes\\\": [{\\\"name\\\": \\\"s\\\", \\\"type\\\": "
             "\\\"Structure\\\", \\\"parameters\\\": {\\\"File Name\\\": \\\"%s\\\"}}], "
             "\\\"lines\\\": []}\"}",
             path);
    exchange(&desk, line);
    CHECK_CONTAINS(desk.said, "may use no files");
    end(&desk);
    unlink(path);
}

TEST(places_are_counted_as_editors_do)
{
    talk desk = begin(NULL);
    exchange(&desk,
             "{\"id\": 1, \"do\": \"open\", \"name\": \"a.mo\", \"text\": \"model A\\n  Real "
             "x;\\nequation\\n  /*\xc3\xa9*/ x = zz;\\nend A;\\n\"}");
    CHECK_CONTAINS(desk.said, "\"from\": [3, 12], \"to\": [3, 14]");
    exchange(&desk,
             "{\"id\": 1, \"do\": \"open\", \"name\": \"b.mo\", \"text\": \"model A\\n  Real "
             "x;\\nequation\\n  /*\xf0\x9f\x98\x80*/ x = zz;\\nend A;\\n\"}");
    CHECK_CONTAINS(desk.said, "\"from\": [3, 13], \"to\": [3, 15]");
    end(&desk);
}

// x = 1 - 4 (t - 1/2)^2 has its peak in the first column of a window from just before it.
TEST(the_edges_of_a_window_are_their_own)
{
    talk desk = begin(NULL);
    exchange(
        &desk,
        "{\"id\": 1, \"do\": \"open\", \"name\": \"a.mo\", \"text\": \"model A Real x(start = 0, "
        "fixed = true); equation der(x) = 4 - 8*time; end A;\"}");
    exchange(&desk, "{\"id\": 2, \"do\": \"run\", \"doc\": 1, \"stop\": 1, \"interval\": 0.01}");
    exchange(&desk,
             "{\"id\": 3, \"do\": \"rows\", \"run\": 2, \"signals\": [0], \"from\": 0.455, \"to\": "
             "0.955, \"pixels\": 5}");
    const char *frame = memchr(desk.said, '\n', desk.length);
    REQUIRE(frame && desk.length > (size_t)(frame - desk.said) + 60);
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
    end(&desk);
}

#define OPEN(name, text) \
    "{\"id\": 1, \"do\": \"open\", \"name\": \"" name "\", \"text\": \"" text "\"}"

TEST(hover_shows_the_value_of_the_class_that_runs)
{
    talk t = begin(NULL);
    exchange(&t, OPEN("a.mo", "package P constant Real g = 5; end P;\\n"
                              "partial model B parameter Real k(unit=\\\"m\\\") = 4; end B;\\n"
                              "model S parameter Real g = 3; end S;\\n"
                              "model A extends B; parameter Real g = 7; S s(g = 8);\\n"
                              "Real x = k + g + s.g; end A;"));
    exchange(&t, "{\"id\": 2, \"do\": \"hover\", \"doc\": 1, \"at\": [0, 24]}");
    CHECK(strstr(t.said, "Real g = 5") && !strstr(t.said, "value")); // P's
    exchange(&t, "{\"id\": 3, \"do\": \"hover\", \"doc\": 1, \"at\": [2, 23]}");
    CHECK(strstr(t.said, "Real g = 3") && !strstr(t.said, "value")); // S's
    exchange(&t, "{\"id\": 4, \"do\": \"hover\", \"doc\": 1, \"at\": [4, 13]}");
    CHECK_CONTAINS(t.said, "\"value\": 7");
    exchange(&t, "{\"id\": 5, \"do\": \"hover\", \"doc\": 1, \"at\": [4, 9]}");
    CHECK_CONTAINS(t.said, "\"value\": 4, \"unit\": \"m\""); // inherited
    exchange(&t, "{\"id\": 6, \"do\": \"hover\", \"doc\": 1, \"at\": [4, 19]}");
    CHECK_CONTAINS(t.said, "\"value\": 8"); // s.g
    exchange(&t, "{\"id\": 7, \"do\": \"hover\", \"doc\": 1, \"at\": [3, 45]}");
    CHECK_CONTAINS(t.said, "\"value\": 8"); // s(g = 8)
    end(&t);
}

TEST(a_loop_has_its_own_variable)
{
    talk t = begin(NULL);
    exchange(&t, OPEN("a.mo", "model A parameter Integer i = 2; Real x[3]; Real y = i;\\n"
                              "equation for i in 1:2 loop x[i] = i; end for;\\n"
                              "x[3] = sum({i*j for i in 1:2, j in 1:i}) + i; end A;"));
    exchange(&t, "{\"id\": 2, \"do\": \"references\", \"doc\": 1, \"at\": [0, 26]}");
    CHECK_CONTAINS(t.said, "\"list\": [{\"from\": [0, 26], \"to\": [0, 27]}, {\"from\": [0, 53], "
                           "\"to\": [0, 54]}, {\"from\": [2, 43], \"to\": [2, 44]}]");
    exchange(&t, "{\"id\": 3, \"do\": \"rename\", \"doc\": 1, \"at\": [1, 29], \"name\": \"k\"}");
    CHECK_CONTAINS(t.said, "\"edits\": [{\"from\": [1, 34], \"to\": [1, 35], \"text\": \"k\"}, "
                           "{\"from\": [1, 29], \"to\": [1, 30], \"text\": \"k\"}, "
                           "{\"from\": [1, 13], \"to\": [1, 14], \"text\": \"k\"}]");
    exchange(&t, "{\"id\": 4, \"do\": \"references\", \"doc\": 1, \"at\": [2, 12]}");
    CHECK_CONTAINS(t.said, "\"list\": [{\"from\": [2, 12], \"to\": [2, 13]}, {\"from\": [2, 20], "
                           "\"to\": [2, 21]}, {\"from\": [2, 37], \"to\": [2, 38]}]");
    end(&t);
}

TEST(members_are_offered_behind_a_dot)
{
    talk t = begin(NULL);
    exchange(&t,
             OPEN("a.mo", "model A B b[2]; Modelica.Blocks.Types.\\n"
                          "equation b[1].c.; end A;\\nmodel B C c; end B; model C Real z; end C;"));
    exchange(&t, "{\"id\": 2, \"do\": \"complete\", \"doc\": 1, \"at\": [1, 14]}");
    CHECK_CONTAINS(t.said, "\"list\": [{\"name\": \"c\"");
    exchange(&t, "{\"id\": 3, \"do\": \"complete\", \"doc\": 1, \"at\": [1, 16]}");
    CHECK_CONTAINS(t.said, "\"list\": [{\"name\": \"z\", \"kind\": \"variable\"");
    exchange(&t, "{\"id\": 4, \"do\": \"complete\", \"doc\": 1, \"at\": [0, 25]}");
    CHECK_CONTAINS(t.said, "\"name\": \"Constants\"");
    end(&t);
}

TEST(a_choice_in_a_condition_ends_no_line)
{
    talk t = begin(NULL);
    exchange(&t, OPEN("a.mo",
                      "model A\\n  Real x;\\nequation\\n  when (if time > 1 then x > 0 else x < "
                      "0) then\\n    reinit(x, 0);\\n  end when;\\nend A;\\n"));
    exchange(&t, "{\"id\": 2, \"do\": \"format\", \"doc\": 1}");
    CHECK_CONTAINS(t.said, "\"edits\": []");
    end(&t);
}

// As long as texts may be: what is asked of them may not take the square of that.
TEST(long_texts_are_read)
{
    enum { PARENTHESES = 900000, NAMES = 50000 };
    static char text[1 << 20], line[(1 << 20) + 200];
    talk t = begin(NULL);
    memset(text, '(', PARENTHESES);
    snprintf(line, sizeof line, OPEN("a.mo", "model A Real x = %s"), text);
    exchange(&t, line);
    exchange(&t, "{\"id\": 2, \"do\": \"outline\", \"doc\": 1}");
    CHECK_CONTAINS(t.said, "\"name\": \"A\"");
    char *at = text;
    for (int i = 0; i < NAMES; i++) at += sprintf(at, "Real x%d;", i);
    snprintf(line, sizeof line, OPEN("b.mo", "model B %s end B;"), text);
    exchange(&t, line);
    exchange(&t, "{\"id\": 3, \"do\": \"outline\", \"doc\": 2}");
    CHECK_CONTAINS(t.said, "\"name\": \"x19000\"");
    exchange(&t, "{\"id\": 4, \"do\": \"references\", \"doc\": 2, \"at\": [0, 14]}");
    CHECK_CONTAINS(t.said, "\"list\": [{\"from\": [0, 13], \"to\": [0, 15]}]");
    end(&t);
}

// Columns of units of UTF-16 behind letters of one to four bytes, near and far.
TEST(places_of_a_long_line)
{
    static char text[9000], line[9400];
    char *at = text, want[80];
    int units = 0;
    for (int i = 0; i < 700; i++) {
        static const char *const letters[] = {"a", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};
        at += sprintf(at, "%s", letters[i % 4]);
        units += i % 4 == 3 ? 2 : 1;
    }
    talk t = begin(NULL);
    snprintf(line, sizeof line, OPEN("a.mo", "model A /*%s*/ Real x; end A;"), text);
    exchange(&t, line);
    exchange(&t, "{\"id\": 2, \"do\": \"outline\", \"doc\": 1}");
    snprintf(want, sizeof want, "\"name_at\": {\"from\": [0, %d]", 10 + units + 8);
    CHECK_CONTAINS(t.said, want);
    end(&t);
}

TEST(ids_and_values_that_are_none_are_refused)
{
    talk t = begin(NULL);
    static const char *const ids[] = {"1.5", "-1", "\"a\"", "1e300", "[1]"};
    for (size_t i = 0; i < FO_COUNT(ids); i++) {
        char line[80];
        snprintf(line, sizeof line, "{\"id\": %s, \"do\": \"ack\", \"bytes\": 0}", ids[i]);
        exchange(&t, line);
        CHECK_CONTAINS(t.said, "{\"id\": null, \"error\": {\"code\": \"argument\"");
    }
    exchange(&t,
             OPEN("a.mo", "model A Real x(start = 1, fixed = true); equation der(x) = 1; end A;"));
    exchange(&t, "{\"id\": 2, \"do\": \"live\", \"doc\": 1, \"clock\": 0}");
    exchange(&t, "{\"id\": 3, \"do\": \"act\", \"live\": 2, \"verb\": \"set\", \"name\": \"x\"}");
    CHECK_CONTAINS(t.said, "\"code\": \"argument\"");
    exchange(&t, "{\"id\": 4, \"do\": \"layout\", \"doc\": 1}");
    CHECK_CONTAINS(t.said, "\"code\": \"unfit\"");
    end(&t);
}

// x[i] = -x[i - 1] in any order of the equations: (-1)^(i - 1) t.
TEST(signs_of_a_chain_of_aliases)
{
    static const char *const orders[] = {"1:30", "30:-1:1",
                                         "{7*k - 30*div(7*k, 30) + 1 for k in 0:29}"};
    for (size_t i = 0; i < FO_COUNT(orders); i++) {
        talk t = begin(NULL);
        char line[400];
        snprintf(
            line, sizeof line,
            OPEN("a.mo",
                 "model A Real x[31]; equation x[1] = time; for i in %s loop x[i + 1] = -x[i]; "
                 "end for; end A;"),
            orders[i]);
        exchange(&t, line);
        exchange(&t, "{\"id\": 2, \"do\": \"run\", \"doc\": 1, \"stop\": 3, \"interval\": 3}");
        for (int k = 0; k < 31; k++) {
            snprintf(line, sizeof line,
                     "{\"id\": 3, \"do\": \"rows\", \"run\": 2, \"from\": 3, \"signals\": [%d]}",
                     k);
            exchange(&t, line);
            double last = NAN;
            if (t.length > sizeof last) memcpy(&last, t.said + t.length - sizeof last, sizeof last);
            CHECK_NEAR(last, k % 2 ? -3 : 3, 0);
        }
        end(&t);
    }
}

// x' = 1, at 116 ms when somebody says that he has paused it at 45 ms: it stays where it is, and
// goes on from there.
TEST(a_pause_finds_it_where_it_is)
{
    talk t = begin(NULL);
    exchange(&t,
             OPEN("a.mo", "model A Real x(start = 0, fixed = true); equation der(x) = 1; end A;"));
    exchange(&t, "{\"id\": 2, \"do\": \"live\", \"doc\": 1, \"clock\": 0}");
    exchange(&t, "{\"id\": 3, \"do\": \"frame\", \"live\": 2, \"clock\": 60000000}");
    exchange(&t, "{\"id\": 3, \"do\": \"frame\", \"live\": 2, \"clock\": 116000000}");
    exchange(&t, "{\"id\": 4, \"do\": \"act\", \"live\": 2, \"verb\": \"pause\", \"value\": 1, "
                 "\"stamp\": 45000000}");
    exchange(&t, "{\"id\": 5, \"do\": \"frame\", \"live\": 2, \"clock\": 200000000}");
    CHECK_CONTAINS(t.said, "\"t\": 0.116,");
    exchange(&t, "{\"id\": 6, \"do\": \"act\", \"live\": 2, \"verb\": \"pause\", \"value\": 0, "
                 "\"stamp\": 200000000}");
    exchange(&t, "{\"id\": 7, \"do\": \"frame\", \"live\": 2, \"clock\": 250000000}");
    const char *at = strstr(t.said, "\"t\": ");
    CHECK_NEAR(at ? strtod(at + 5, NULL) : NAN, 0.166, 1e-12);
    end(&t);
}

/// Ends live model 2, replays what was recorded, and gives the last value of its first signal.
static double last_replayed(talk *t)
{
    double last = NAN;
    exchange(t, "{\"id\": 4, \"do\": \"record\", \"live\": 2}");
    const char *break_at = memchr(t->said, '\n', t->length);
    size_t size = break_at ? t->length - (size_t)(break_at + 1 - t->said) : 0;
    char *recording = malloc(size + 1), line[100];
    if (!recording || !break_at) return NAN;
    memcpy(recording, break_at + 1, size);
    snprintf(line, sizeof line, "{\"id\": 5, \"do\": \"replay\", \"doc\": 1, \"bytes\": %zu}\n",
             size);
    tell(t, line);
    CHECK_INT((long long)fo_desk_give(t->desk, recording, size), (long long)size);
    CHECK(says(t, "\"id\": 5, \"ok\": {\"run\": 3", 100));
    exchange(t, "{\"id\": 6, \"do\": \"rows\", \"run\": 3, \"signals\": [0]}");
    memcpy(&last, t->said + t->length - sizeof last, sizeof last);
    free(recording);
    return last;
}

// The last row of a replay is where the recording ends, also between two steps, and after all that
// happens there.
TEST(a_replay_ends_where_the_recording_does)
{
    for (int acts = 0; acts < 4; acts++) {
        talk t = begin(NULL);
        exchange(&t, OPEN("a.mo",
                          "model A Real x(start = 0, fixed = true); equation der(x) = 1; end A;"));
        exchange(&t, "{\"id\": 2, \"do\": \"live\", \"doc\": 1, \"clock\": 0, \"record\": true}");
        exchange(&t, "{\"id\": 3, \"do\": \"frame\", \"live\": 2, \"clock\": 77000000}");
        for (int i = 1; i <= acts; i++) {
            char line[120];
            snprintf(line, sizeof line,
                     "{\"id\": 3, \"do\": \"tell\", \"live\": 2, \"line\": \"set x %d\"}", 10 * i);
            exchange(&t, line);
        }
        exchange(&t, "{\"id\": 3, \"do\": \"frame\", \"live\": 2, \"clock\": 77000000}");
        CHECK_NEAR(last_replayed(&t), acts ? 10 * acts : 0.077, 1e-12);
        end(&t);
    }
}

// Diagnoses wait for credit, and come when there is some.
TEST(diagnoses_come_when_there_is_credit)
{
    talk t = begin(NULL);
    exchange(&t, "{\"id\": 1, \"do\": \"hello\", \"versions\": [1], \"credit\": 10}");
    exchange(&t, OPEN("a.mo", "model A Real x = 1; end A;"));
    CHECK(!strstr(t.said, "diagnostics"));
    exchange(&t, "{\"id\": 2, \"do\": \"ack\", \"bytes\": 100000}");
    CHECK(!strstr(t.said, "diagnostics")); // the answer itself is more than 10 bytes
    exchange(&t, "{\"id\": 3, \"do\": \"hello\", \"credit\": 1000}");
    CHECK_CONTAINS(t.said, "\"on\": \"diagnostics\"");
    end(&t);
}

// Numbers that are none, and lengths of time by which nothing moves: such a run never ended.
TEST(numbers_of_a_run_are_looked_at)
{
    static const struct {
        const char *members, *error;
    } cases[] = {
        {"\"seed\": -1", "\"seed\\\" must be a whole number"},
        {"\"seed\": 0.5", "\"seed\\\" must be a whole number"},
        {"\"seed\": 1e300", "\"seed\\\" must be a whole number"},
        {"\"interval\": -1", "an interval must not be negative"},
        {"\"interval\": 1e-300", "an interval of 1e-300 is too short to move time"},
        {"\"start\": -1e200, \"stop\": 0", "too short to move time"},
        {"\"start\": -1e200, \"stop\": 0, \"step\": 1e199", "an interval of 0.002 is too short"},
        {"\"max_step\": 1e-300", "a longest step of 1e-300 is too short"},
    };
    talk t = begin(NULL);
    exchange(&t, OPEN("a.mo", "model A Real x(start = 1, fixed = true); equation der(x) = -x; "
                              "end A;"));
    for (size_t i = 0; i < FO_COUNT(cases); i++) {
        char line[200];
        snprintf(line, sizeof line, "{\"id\": 2, \"do\": \"run\", \"doc\": 1, %s}",
                 cases[i].members);
        exchange(&t, line);
        CHECK_CONTAINS(t.said, "\"id\": 2, \"error\": {\"code\": \"argument\"");
        CHECK_CONTAINS(t.said, cases[i].error);
    }
    end(&t);
}

TEST(runs_are_compared_in_signals_that_they_have)
{
    talk t = begin(NULL);
    exchange(&t, OPEN("a.mo", "model A Real x(start = 1, fixed = true); equation der(x) = -x; "
                              "end A;"));
    exchange(&t, "{\"id\": 2, \"do\": \"run\", \"doc\": 1}");
    exchange(&t, "{\"id\": 3, \"do\": \"compare\", \"runs\": [2, 2], \"signals\": [\"z\"]}");
    CHECK_CONTAINS(t.said, "run 2 has no signal 'z'");
    exchange(&t, "{\"id\": 3, \"do\": \"compare\", \"runs\": [2, 2], \"signals\": [0]}");
    CHECK_CONTAINS(t.said, "must be a list of names");
    exchange(&t, "{\"id\": 4, \"do\": \"rows\", \"run\": 2, \"pixels\": 1.5}");
    CHECK_CONTAINS(t.said, "\"pixels\\\" must be a whole number");
    end(&t);
}

// What is announced behind a message that is refused is no message.
TEST(bytes_of_a_refused_message_are_skipped)
{
    talk t = begin(NULL);
    char *block = malloc(5000001);
    REQUIRE(block);
    memset(block, '\n', 5000000);
    memcpy(block, "{\"id\": 9, \"do\": \"gallery\"}", 27);
    block[5000000] = 0;
    tell(&t, "{\"id\": 1, \"do\": \"replay\", \"doc\": 1, \"bytes\": 5000000}\n");
    for (size_t given = 0; given < 5000000;) {
        given += fo_desk_give(t.desk, block + given, 5000000 - given);
        fo_desk_work(t.desk, 0, 1000);
    }
    exchange(&t, "{\"id\": 2, \"do\": \"ack\"}");
    CHECK(!strstr(t.said, "\"id\": 9"));
    CHECK_CONTAINS(t.said, "{\"id\": 1, \"error\": {\"code\": \"limit\"");
    CHECK_CONTAINS(t.said, "{\"id\": 2, \"ok\"");
    exchange(&t, "{\"id\": 3, \"do\": \"replay\", \"doc\": 1, \"bytes\": 1.5}");
    CHECK_CONTAINS(t.said, "{\"id\": 3, \"error\"");
    exchange(&t, "{\"id\": 9007199254740993, \"do\": \"ack\"}"); // no number of its own
    CHECK_CONTAINS(t.said, "\"id\": null, \"error\"");
    free(block);
    end(&t);
}

static bool is_utf8(const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c;) {
        int more = *c < 0x80 ? 0 : *c >= 0xc2 && *c < 0xe0 ? 1 : *c < 0xf0 ? 2 : 3;
        if (*c >= 0x80 && *c < 0xc2) return false;
        for (c++; more--; c++)
            if ((*c & 0xc0) != 0x80) return false;
    }
    return true;
}

// A name is quoted up to some length, which may be in the middle of a letter.
TEST(what_is_quoted_stays_utf_8)
{
    for (int length = 1; length < 300; length++) {
        char line[1300], name[1000] = ""; // up to 4 bytes each
        for (int i = 0; i < length; i++) strcat(name, i % 3 ? "\xc3\xa4" : "\xf0\x9f\x98\x80");
        talk t = begin(NULL);
        snprintf(line, sizeof line,
                 "{\"id\": 1, \"do\": \"open\", \"name\": \"a.mo\", \"text\": \"model A Real x = "
                 "'%s'; end A;\"}",
                 name);
        exchange(&t, line);
        CHECK(strstr(t.said, "diagnostics") && is_utf8(t.said));
        end(&t);
    }
}

// The break of a line may have two bytes; and each byte of a long comment is looked at once.
TEST(formatting_leaves_breaks_alone)
{
    talk t = begin(NULL);
    exchange(&t, OPEN("a.mo", "model A\\r\\n  Real x = 1;\\r\\nend A;\\r\\n"));
    exchange(&t, "{\"id\": 2, \"do\": \"format\", \"doc\": 1}");
    CHECK_CONTAINS(t.said, "\"edits\": []");
    exchange(&t, "{\"id\": 3, \"do\": \"change\", \"doc\": 1, \"version\": 1, \"edits\": "
                 "[{\"from\": [1, 99], \"to\": [1, 99], \"text\": \" // end\"}]}");
    exchange(&t, "{\"id\": 4, \"do\": \"text\", \"doc\": 1}");
    CHECK_CONTAINS(t.said, "Real x = 1; // end\\u000d\\nend A;");
    // a line of blanks may be all that is between two breaks, which would be one without it
    talk u = begin(NULL);
    exchange(&u, OPEN("c.mo", "model A\\r \\n\\tReal x = time;\\n \\r \\r\\nend A;\\n"));
    exchange(&u, "{\"id\": 2, \"do\": \"format\", \"doc\": 1}");
    CHECK_CONTAINS(u.said, "\"edits\": [{\"from\": [2, 0], \"to\": [2, 1], \"text\": \"  \"}, "
                           "{\"from\": [3, 0], \"to\": [3, 1], \"text\": \"\"}, "
                           "{\"from\": [4, 0], \"to\": [4, 1], \"text\": \"\"}]");
    end(&u);
    enum { LINES = 300000 };
    char *text = malloc(3 * LINES + 200);
    REQUIRE(text);
    strcpy(text, "{\"id\": 5, \"do\": \"open\", \"name\": \"b.mo\", \"text\": \"");
    size_t used = strlen(text);
    for (int i = 0; i < LINES; i++, used += 3) memcpy(text + used, "x\\n", 3);
    memcpy(text + used - 3 * LINES, "/*", 2);
    strcpy(text + used, "*/ model B end B;\"}");
    exchange(&t, text);
    exchange(&t, "{\"id\": 6, \"do\": \"format\", \"doc\": 2}");
    CHECK_CONTAINS(t.said, "\"id\": 6, \"ok\"");
    free(text);
    end(&t);
}

TEST_MAIN(TEST_ENTRY(numbers_of_a_run_are_looked_at),
          TEST_ENTRY(runs_are_compared_in_signals_that_they_have),
          TEST_ENTRY(bytes_of_a_refused_message_are_skipped),
          TEST_ENTRY(what_is_quoted_stays_utf_8), TEST_ENTRY(formatting_leaves_breaks_alone),
          TEST_ENTRY(hover_shows_the_value_of_the_class_that_runs),
          TEST_ENTRY(a_loop_has_its_own_variable), TEST_ENTRY(members_are_offered_behind_a_dot),
          TEST_ENTRY(a_choice_in_a_condition_ends_no_line), TEST_ENTRY(long_texts_are_read),
          TEST_ENTRY(places_of_a_long_line), TEST_ENTRY(ids_and_values_that_are_none_are_refused),
          TEST_ENTRY(signs_of_a_chain_of_aliases), TEST_ENTRY(a_pause_finds_it_where_it_is),
          TEST_ENTRY(a_replay_ends_where_the_recording_does),
          TEST_ENTRY(diagnoses_come_when_there_is_credit), TEST_ENTRY(worlds_live),
          TEST_ENTRY(no_file_is_read_because_a_message_says_so),
          TEST_ENTRY(places_are_counted_as_editors_do),
          TEST_ENTRY(the_edges_of_a_window_are_their_own))
