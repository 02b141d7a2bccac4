// Analysis on the desk: closed forms, sweeps that have the numbers of the library's own, that other
// messages overtake and that can be ended, limits of work, and memory that is lacking.
#include <foliot/analysis.h>
#include <foliot/desk.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "talk.h"
#include "test.h"

/// x' = u - k x: x(t) = u/k + (1 - u/k) exp(-k t).
#define TANK                                                                               \
    "model Tank parameter Real k = 2; input Real u(start = 4); Real x(start = 1, fixed = " \
    "true); output Real y = x; equation der(x) = u - k*x; end Tank;"
#define OPEN "{\"id\": 1, \"do\": \"open\", \"name\": \"tank.mo\", \"text\": \"" TANK "\"}\n"

/// The number behind the last `key`; NaN where there is none.
static double number_behind(const talk *t, const char *key)
{
    const char *last = NULL;
    for (const char *at = t->said; (at = strstr(at, key)); at++) last = at + strlen(key);
    return last ? strtod(last, NULL) : NAN;
}

TEST(questions_have_the_answers_of_closed_forms)
{
    talk t = begin(NULL);
    tell(&t, OPEN "{\"id\": 2, \"do\": \"set\", \"doc\": 1, \"name\": \"k\", \"value\": 5}\n");
    tell(&t, "{\"id\": 3, \"do\": \"linearize\", \"doc\": 1, \"at\": 0.5, \"frequencies\": 1}\n");
    CHECK(says(&t, "\"id\": 3", 2000));
    CHECK_NEAR(number_behind(&t, "\"A\": [["), -5, 0);
    CHECK_NEAR(number_behind(&t, "\"point\": ["), 0.8 + 0.2 * exp(-2.5), 1e-5);
    double omega = number_behind(&t, "\"response\": [["); // 1 / (i omega + 5)
    char key[80];
    snprintf(key, sizeof key, "\"response\": [[%.17g, ", omega);
    const char *re = strstr(t.said, "\"response\": [[");
    re = re ? strchr(re, ',') : NULL;
    CHECK_NEAR(re ? strtod(re + 1, NULL) : NAN, 5 / (25 + omega * omega), 1e-12);
    tell(&t, "{\"id\": 4, \"do\": \"steady\", \"doc\": 1}\n");
    CHECK(says(&t, "\"id\": 4", 20000));
    CHECK_NEAR(number_behind(&t, "\"x\": ["), 0.8, 1e-9);
    CHECK_CONTAINS(t.said, "\"stability\": \"stable\"");
    tell(&t, "{\"id\": 5, \"do\": \"sensitivity\", \"doc\": 1, \"to\": [\"u\"], \"measures\": "
             "[\"at(x, 0.2)\"], \"stop\": 1}\n");
    CHECK(says(&t, "\"id\": 5", 2000));
    CHECK_NEAR(number_behind(&t, "\"derivatives\": [["), (1 - exp(-1)) / 5, 1e-7);
    tell(&t, "{\"id\": 6, \"do\": \"fit\", \"doc\": 1, \"adjust\": [\"k=1..20\"], \"data\": "
             "[{\"t\": [0.1, 10], \"signals\": {\"x\": [null, 0.5]}}, {\"t\": [10], \"signals\": "
             "{\"x\": [0.5]}}]}\n");
    CHECK(says(&t, "\"id\": 6", 2000));
    CHECK_NEAR(number_behind(&t, "\"values\": ["), 8, 1e-6);
    // at the end x = 4/k; the largest k is a bound
    tell(&t, "{\"id\": 7, \"do\": \"optimize\", \"doc\": 1, \"adjust\": [\"k=1..20\"], "
             "\"minimize\": \"abs(final(x) - 0.5)\", \"stop\": 30}\n");
    CHECK(says(&t, "\"id\": 7", 20000));
    CHECK_NEAR(number_behind(&t, "\"values\": ["), 8, 1e-3);
    tell(&t, "{\"id\": 8, \"do\": \"optimize\", \"doc\": 1, \"adjust\": [\"k=1..20\"], "
             "\"maximize\": \"-final(x)\", \"stop\": 30}\n");
    CHECK(says(&t, "\"id\": 8", 20000));
    CHECK_CONTAINS(t.said, "\"values\": [20], \"at_bound\": [true]");
    CHECK_NEAR(number_behind(&t, "\"objective\": "), -0.2, 1e-8);
    end(&t);
}

TEST(a_sweep_has_the_numbers_of_the_library)
{
    talk t = begin(NULL);
    tell(&t, OPEN "{\"id\": 2, \"do\": \"sweep\", \"doc\": 1, \"vary\": [\"k=0.5:3:11\", "
                  "\"u=1,2\"], \"measures\": [\"final(x)\", \"mean(x)\"], \"stop\": 2}\n");
    tell(&t, "{\"id\": 3, \"do\": \"close\", \"doc\": 1}\n"); // it goes on with what it has read
    CHECK(says(&t, "\"swept\"", 20000));
    CHECK_CONTAINS(t.said, "\"status\": \"reached\", \"rows\": 22");
    const char *at = t.said;
    for (int i = 0; i < 22; i++) {
        double k = 0.5 + i / 2 * 0.25, u = i % 2 + 1;
        at = strstr(at, "\"on\": \"row\"");
        REQUIRE(at);
        at = strstr(at, "\"values\": [") + 11;
        char *rest;
        CHECK_NEAR(strtod(at, &rest), k, 1e-15);
        CHECK_NEAR(strtod(rest + 1, NULL), u, 0);
        at = strstr(at, "\"measures\": [") + 13;
        CHECK_NEAR(strtod(at, &rest), u / k + (1 - u / k) * exp(-2 * k), 1e-5);
        CHECK_NEAR(strtod(rest + 1, NULL), u / k + (1 - u / k) * (1 - exp(-2 * k)) / (2 * k), 1e-4);
    }
    end(&t);
}

TEST(others_come_between_the_runs_of_a_sweep)
{
    talk t = begin(NULL);
    tell(&t, OPEN "{\"id\": 2, \"do\": \"sweep\", \"doc\": 1, \"vary\": [\"k=1:2:100000\"], "
                  "\"measures\": [\"final(x)\"]}\n");
    CHECK(says(&t, "\"on\": \"row\"", 2000));
    tell(&t, "{\"id\": 3, \"do\": \"open\", \"name\": \"x.mo\", \"text\": \"model X end\"}\n");
    CHECK(says(&t, "\"diagnostics\", \"doc\": 3", 20));
    tell(&t, "{\"id\": 4, \"do\": \"run\", \"doc\": 1, \"stop\": 1}\n");
    CHECK(says(&t, "\"on\": \"done\"", 500));
    tell(&t, "{\"id\": 5, \"do\": \"cancel\", \"sweep\": 2}\n");
    CHECK(says(&t, "\"swept\", \"sweep\": 2, \"status\": \"cancelled\"", 200));
    CHECK_INT(fo_desk_work(t.desk, 0, 1000), FO_DESK_IDLE);
    end(&t);
}

// Rows of the library, in its order.
typedef struct expected {
    double measures[1000];
    size_t count;
} expected;

static fo_status keep(void *self, const fo_parameter_sweep_row *row, fo_message *why)
{
    expected *e = self;
    (void)why;
    if (e->count < FO_COUNT(e->measures)) e->measures[e->count++] = row->measures[0];
    return FO_OK;
}

static void sweep_alone(expected *to)
{
    static const char *const vary[] = {"k=0.5:3:1000"}, *const measures[] = {"final(x)"};
    fo_message why = {0};
    fo_parameter_sweep_def def = fo_default_parameter_sweep_def();
    def.experiment.model.name = "tank.mo", def.experiment.model.text = TANK;
    def.experiment.stop = 2;
    def.vary = vary, def.vary_count = 1, def.measures = measures, def.measure_count = 1;
    def.row = keep, def.self = to;
    fo_parameter_sweep *sweep = fo_parameter_sweep_create(&def, &why);
    CHECK_INT(sweep ? fo_parameter_sweep_run(sweep, 0, &why) : why.status, FO_OK);
    fo_parameter_sweep_destroy(sweep);
}

TEST(a_diagnosis_overtakes_a_sweep_of_1000_runs)
{
    static expected alone;
    talk t = begin(NULL);
    tell(&t, OPEN "{\"id\": 2, \"do\": \"sweep\", \"doc\": 1, \"vary\": [\"k=0.5:3:1000\"], "
                  "\"measures\": [\"final(x)\"], \"stop\": 2}\n");
    CHECK(says(&t, "\"number\": 0", 20000));
    tell(&t, "{\"id\": 3, \"do\": \"open\", \"name\": \"x.mo\", \"text\": \"model X end\"}\n");
    CHECK(says(&t, "\"diagnostics\", \"doc\": 3", 100));
    CHECK(!strstr(t.said, "\"number\": 100,"));
    CHECK(says(&t, "\"status\": \"reached\", \"rows\": 1000", 1000000));
    sweep_alone(&alone);
    CHECK_INT((long long)alone.count, 1000);
    const char *at = t.said;
    for (size_t i = 0; i < alone.count; i++) {
        at = strstr(at, "\"on\": \"row\"");
        REQUIRE(at);
        at = strstr(at, "\"measures\": [") + 13;
        CHECK_NEAR(strtod(at, NULL), alone.measures[i], 0);
    }
    end(&t);
}

TEST(wrong_questions_and_too_much_work_are_refused)
{
    talk t = begin(NULL);
    static const char *const questions[][2] = {
        {"\"do\": \"linearize\", \"doc\": 1, \"inputs\": 3", "argument"},
        {"\"do\": \"linearize\", \"doc\": 1, \"inputs\": [\"q\"]", "argument"},
        {"\"do\": \"linearize\", \"doc\": 9", "stale"},
        {"\"do\": \"linearize\", \"doc\": 1, \"frequencies\": -1", "argument"},
        {"\"do\": \"sweep\", \"doc\": 1, \"vary\": [\"q=1,2\"], \"measures\": [\"x\"]", "argument"},
        {"\"do\": \"sweep\", \"doc\": 1, \"vary\": [\"k=1,2\"], \"measures\": [\"f(x)\"]",
         "argument"},
        {"\"do\": \"fit\", \"doc\": 1, \"adjust\": [\"k\"]", "argument"},
        {"\"do\": \"fit\", \"doc\": 1, \"adjust\": [\"k\"], \"data\": [{\"t\": [1, 2], "
         "\"signals\": {\"x\": [1]}}]",
         "argument"},
        {"\"do\": \"steady\", \"doc\": 1, \"starts\": 1e9", "argument"},
        {"\"do\": \"optimize\", \"doc\": 1, \"adjust\": [\"k=1..2\"]", "argument"},
        {"\"do\": \"optimize\", \"doc\": 1, \"adjust\": [\"k=1..2\"], \"minimize\": \"f(x)\"",
         "argument"},
        {"\"do\": \"optimize\", \"doc\": 1, \"minimize\": \"final(x)\"", "argument"},
        {"\"do\": \"optimize\", \"doc\": 1, \"adjust\": [\"k=1..2\"], \"minimize\": "
         "\"final(x)\", \"precision\": -1",
         "argument"},
    };
    tell(&t, OPEN);
    for (size_t i = 0; i < FO_COUNT(questions); i++) {
        char line[400], answer[80];
        snprintf(line, sizeof line, "{\"id\": %zu, %s}\n", i + 10, questions[i][0]);
        snprintf(answer, sizeof answer, "{\"id\": %zu, \"error\": {\"code\": \"%s\"", i + 10,
                 questions[i][1]);
        tell(&t, line);
        if (!says(&t, answer, 200)) test_fail(__FILE__, __LINE__, "%s: not %s", line, answer);
    }
    // a run of very many steps is cut off, whoever asks
    tell(&t, "{\"id\": 2, \"do\": \"open\", \"name\": \"f.mo\", \"text\": \"model F Real x(start = "
             "0, fixed = true); equation der(x) = sin(1e6*time); end F;\"}\n");
    tell(&t, "{\"id\": 3, \"do\": \"sweep\", \"doc\": 2, \"vary\": [\"x=0,1\"], \"measures\": "
             "[\"final(x)\"], \"stop\": 1e4}\n");
    CHECK(says(&t, "\"swept\"", 1000000));
    CHECK_CONTAINS(t.said, "\"measures\": [null], \"status\": \"");
    end(&t);
}

TEST(every_allocation_may_fail)
{
    static const char *const lines[] = {
        OPEN,
        "{\"id\": 2, \"do\": \"linearize\", \"doc\": 1, \"frequencies\": 3}\n",
        "{\"id\": 3, \"do\": \"sensitivity\", \"doc\": 1, \"to\": [\"k\"], \"measures\": "
        "[\"final(x)\"]}\n",
        "{\"id\": 4, \"do\": \"sweep\", \"doc\": 1, \"vary\": [\"k=1,2\"], \"measures\": "
        "[\"final(x)\"]}\n",
        "{\"id\": 5, \"do\": \"fit\", \"doc\": 1, \"adjust\": [\"k=1..9\"], \"data\": [{\"t\": "
        "[1, 2], \"signals\": {\"x\": [1, 2]}}]}\n",
        "{\"id\": 6, \"do\": \"steady\", \"doc\": 1, \"starts\": 1}\n",
        "{\"id\": 7, \"do\": \"optimize\", \"doc\": 1, \"adjust\": [\"k=1..9\"], \"minimize\": "
        "\"final(x)\", \"method\": \"line\", \"precision\": 0.1}\n",
        "{\"id\": 8, \"do\": \"diagnostics\", \"doc\": 1}\n"};
    for (long at = 1; at < 6000; at += at < 100 ? 3 : 61) {
        test_memory memory;
        test_memory_init(&memory, at);
        talk t = begin(&memory.allocator);
        for (size_t i = 0; t.desk && i < FO_COUNT(lines); i++) {
            fo_desk_give(t.desk, lines[i], strlen(lines[i]));
            for (int k = 0; k < 100 && fo_desk_work(t.desk, 0, 100000) != FO_DESK_IDLE; k++)
                listen(&t);
        }
        end(&t);
        CHECK_INT((long long)memory.live, 0);
    }
}

TEST_MAIN(TEST_ENTRY(questions_have_the_answers_of_closed_forms),
          TEST_ENTRY(a_sweep_has_the_numbers_of_the_library),
          TEST_ENTRY(others_come_between_the_runs_of_a_sweep),
          TEST_ENTRY(a_diagnosis_overtakes_a_sweep_of_1000_runs),
          TEST_ENTRY(wrong_questions_and_too_much_work_are_refused),
          TEST_ENTRY(every_allocation_may_fail))
