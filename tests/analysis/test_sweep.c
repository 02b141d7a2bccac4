// Sweeps and measures against closed forms; the same table for any number of threads.
#include <foliot/analysis.h>
#include <gallery.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

static const char ball[] = "model Ball\n"
                           "  parameter Real e = 0.8; parameter Real g = 9.81;\n"
                           "  Real h(start = 1.5, fixed = true); Real v(start = 0, fixed = true);\n"
                           "equation\n"
                           "  der(h) = v; der(v) = -g;\n"
                           "  when h <= 0 then reinit(v, -e*pre(v)); end when;\n"
                           "end Ball;\n";

static const char wave[] = "model Wave\n"
                           "  parameter Real w = 1; parameter Real d = 0;\n"
                           "  Real x(start = 0, fixed = true); Real y(start = 1, fixed = true);\n"
                           "equation\n"
                           "  der(x) = w*y - d*x; der(y) = -w*x - d*y;\n"
                           "end Wave;\n";

enum { MOST = 4096, WIDE = 8 };

typedef struct table {
    double rows[MOST][WIDE];
    size_t count, width, values, failed;
    char reason[FO_MESSAGE_SIZE];
    uint64_t stop_after;
} table;

static fo_status take(void *self, const fo_parameter_sweep_row *row, fo_message *why)
{
    table *t = self;
    (void)why;
    if (t->count == MOST) return FO_ERROR_MEMORY;
    double *to = t->rows[t->count++];
    for (size_t i = 0; i < t->width; i++)
        to[i] = i < t->values ? row->values[i] : row->measures[i - t->values];
    if (row->status != FO_OK && !t->failed++) strcpy(t->reason, row->reason);
    return FO_OK;
}

static bool go_on(void *self, uint64_t done, uint64_t count)
{
    const table *t = self;
    (void)count;
    return !t->stop_after || done < t->stop_after;
}

typedef struct sweep {
    const char *text;
    const char *vary[4], *measures[6];
    double stop, rtol;
    fo_design design;
    uint64_t samples, first;
    unsigned threads;
} sweep;

static fo_status run(const sweep *s, table *t, fo_message *why)
{
    fo_parameter_sweep_def def = fo_default_parameter_sweep_def();
    def.experiment.model.name = "model.mo", def.experiment.model.text = s->text;
    def.experiment.model.kind = "text";
    def.experiment.stop = s->stop ? s->stop : NAN, def.experiment.rtol = s->rtol ? s->rtol : 1e-10;
    def.experiment.atol = def.experiment.rtol;
    def.vary = s->vary, def.measures = s->measures;
    while (def.vary_count < 4 && s->vary[def.vary_count]) def.vary_count++;
    while (def.measure_count < 6 && s->measures[def.measure_count]) def.measure_count++;
    def.design = s->design, def.samples = s->samples;
    def.threads = s->threads ? s->threads : 1;
    def.row = take, def.progress = go_on, def.self = t;
    t->values = def.vary_count, t->width = def.vary_count + def.measure_count;
    fo_parameter_sweep *sw = fo_parameter_sweep_create(&def, why);
    if (!sw) return why->status;
    fo_status status = fo_parameter_sweep_run(sw, s->first, why);
    fo_parameter_sweep_destroy(sw);
    return status;
}

// The n-th bounce is at t1 (1 + 2 e + 2 e^2 + ... + 2 e^(n-1)), t1 = sqrt(2 h0 / g).
TEST(bounces_of_a_ball)
{
    static table t;
    fo_message why = {0};
    const sweep s = {.text = ball,
                     .vary = {"e=0.5,0.7,0.8"},
                     .measures = {"first(\"h <= 0\")", "count(h <= 0)", "max(h)", "integral(h)",
                                  "max(h) - min(h)"},
                     .stop = 1};
    t = (table){0};
    CHECK_STATUS(run(&s, &t, &why), FO_OK, &why);
    REQUIRE(t.count == 3);
    double g = 9.81, t1 = sqrt(3 / g);
    for (size_t i = 0; i < 3; i++) {
        const double *r = t.rows[i];
        double e = r[0], v1 = e * g * t1, rest = 1 - t1;
        CHECK_NEAR(r[1], t1, 1e-9);
        CHECK_INT((long long)r[2], t1 * (1 + 2 * e) < 1 ? 2 : 1);
        CHECK_NEAR(r[3], 1.5, 1e-12);
        if (r[2] == 1)
            CHECK_NEAR(r[4],
                       1.5 * t1 - g * t1 * t1 * t1 / 6 + v1 * rest * rest / 2 -
                           g * rest * rest * rest / 6,
                       1e-8);
        CHECK_NEAR(r[5], 1.5, 1e-9);
    }
}

// x = sin(w t): few samples do not see the peaks of a fast one, more are taken until they do.
TEST(measures_of_a_sine)
{
    static table t;
    fo_message why = {0};
    const sweep s = {.text = wave,
                     .vary = {"w=1,7,300"},
                     .measures = {"max(x)", "rms(x)", "integral(x)", "at(x, 0.1)"},
                     .stop = 6.283185307179586};
    t = (table){0};
    CHECK_STATUS(run(&s, &t, &why), FO_OK, &why);
    REQUIRE(t.count == 3);
    for (size_t i = 0; i < 3; i++) {
        double w = t.rows[i][0];
        CHECK_NEAR(t.rows[i][1], 1, 1e-6);
        CHECK_NEAR(t.rows[i][2], sqrt(0.5), 1e-6);
        CHECK_NEAR(t.rows[i][3], 0, 1e-5);
        CHECK_NEAR(t.rows[i][4], sin(w * 0.1), 1e-7);
    }
}

// An expression that jumps where nothing happens is seen by samples alone: they become many.
TEST(a_comparison_is_measured_by_samples)
{
    static table t;
    fo_message why = {0};
    const sweep s = {
        .text = wave, .vary = {"w=1,2"}, .measures = {"mean(x > 0.5)"}, .stop = 6.283185307179586};
    t = (table){0};
    CHECK_STATUS(run(&s, &t, &why), FO_OK, &why);
    CHECK_NEAR(t.rows[0][1], 1 / 3., 1e-5);
    CHECK_NEAR(t.rows[1][1], 1 / 3., 1e-5);
}

// The envelope of exp(-d t) (sin, cos) settles; overshoot of a step.
TEST(settling_and_overshoot)
{
    static const char second[] =
        "model Second\n"
        "  parameter Real z = 0.3;\n"
        "  Real x(start = 0, fixed = true); Real v(start = 0, fixed = true);\n"
        "equation\n  der(x) = v; der(v) = 1 - x - 2*z*v;\nend Second;\n";
    static table t;
    fo_message why = {0};
    const double pi = acos(-1);
    const sweep s = {.text = second,
                     .vary = {"z=0.2,0.3,0.5,1"},
                     .measures = {"overshoot(x)", "settling(x)", "settling(x, 0.05)", "final(x)"},
                     .stop = 100};
    t = (table){0};
    CHECK_STATUS(run(&s, &t, &why), FO_OK, &why);
    REQUIRE(t.count == 4);
    for (size_t i = 0; i < 3; i++) {
        double z = t.rows[i][0];
        CHECK_NEAR(t.rows[i][1], exp(-pi * z / sqrt(1 - z * z)), 1e-5);
        CHECK(t.rows[i][2] > t.rows[i][3]);
        // never later than the envelope says
        CHECK(t.rows[i][2] <= -log(0.02 * sqrt(1 - z * z)) / z);
    }
    // critically damped: (1 + t) exp(-t) = 0.02 at t = 5.8339
    CHECK_NEAR(t.rows[3][2], 5.8339, 1e-3);
    CHECK_NEAR(t.rows[3][1], 0, 1e-6);
}

// The same bits on 1, 2 and 5 threads, and when it is interrupted and goes on.
TEST(threads_and_interruptions_change_nothing)
{
    static table one, other;
    fo_message why = {0};
    sweep s = {.text = ball,
               .vary = {"e=0.3..0.9", "g=normal(9.81, 0.5)", "h=1,2"},
               .measures = {"max(v)", "last(h <= 0)", "mean(h^2)"},
               .stop = 3,
               .rtol = 1e-7,
               .samples = 48};
    for (int d = FO_DESIGN_LATIN; d <= FO_DESIGN_RANDOM; d++) {
        s.design = (fo_design)d, s.threads = 1;
        one = (table){0};
        CHECK_STATUS(run(&s, &one, &why), FO_OK, &why);
        CHECK_INT((long long)one.count, 48);
        for (unsigned threads = 2; threads <= 5; threads += 3) {
            s.threads = threads;
            other = (table){0};
            CHECK_STATUS(run(&s, &other, &why), FO_OK, &why);
            CHECK(memcmp(one.rows, other.rows, sizeof one.rows) == 0);
        }
        other = (table){.stop_after = 37};
        CHECK_STATUS(run(&s, &other, &why), FO_ERROR_CANCELLED, &why);
        CHECK_INT((long long)other.count, 37);
        other.stop_after = 0;
        s.first = 37;
        CHECK_STATUS(run(&s, &other, &why), FO_OK, &why);
        CHECK(memcmp(one.rows, other.rows, sizeof one.rows) == 0);
        s.first = 0;
    }
}

TEST(a_run_that_fails_is_a_row)
{
    static const char picky[] =
        "model Picky\n  parameter Real p = 1;\n"
        "  Real x(start = 1, fixed = true);\nequation\n"
        "  der(x) = -x;\n  assert(p < 2.5, \"p is too large\");\nend Picky;\n";
    static table t;
    fo_message why = {0};
    const sweep s = {.text = picky, .vary = {"p=1:4:4"}, .measures = {"final(x)"}, .stop = 1};
    t = (table){0};
    CHECK_STATUS(run(&s, &t, &why), FO_OK, &why);
    REQUIRE(t.count == 4);
    CHECK_INT((long long)t.failed, 2);
    CHECK_CONTAINS(t.reason, "p is too large");
    CHECK_NEAR(t.rows[1][1], exp(-1), 1e-8);
    CHECK(isnan(t.rows[2][1]));
}

// What makes no sense is said before anything runs.
TEST(mistakes)
{
    static const struct {
        const char *vary, *measure, *says;
    } list[] = {
        {"e=", "max(h)", "e=FIRST:LAST:COUNT"},
        {"e", "max(h)", "NAME=RANGE"},
        {"e=1:2", "max(h)", "e=FIRST:LAST:COUNT"},
        {"e=1:2:0", "max(h)", "whole number"},
        {"e=1:2:2.5", "max(h)", "whole number"},
        {"e=1..2", "max(h)", "a grid needs values"},
        {"e=normal(1)", "max(h)", "distribution"},
        {"e=1,x", "max(h)", "e=A,B,C"},
        {"E=1,2", "max(h)", "no quantity"},
        {"e=1", "max(", "column 5: expected a number, a name"},
        {"e=1", "max(h", "')'"},
        {"e=1", "maxi(h)", "no function"},
        {"e=1", "max(h))", "expected"},
        {"e=1", "max(hh)", "no quantity"},
        {"e=1", "at(h)", "a signal and a time"},
        {"e=1", "count(bang)", "no event 'bang'"},
        {"e=1", "h h", "operator"},
        {"e=1", "sin(1,2)", "sin has 1 argument, found 2"},
    };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        static table t;
        fo_message why = {0};
        const sweep s = {.text = ball, .vary = {list[i].vary}, .measures = {list[i].measure}};
        t = (table){0};
        CHECK_STATUS(run(&s, &t, &why), FO_ERROR_ARGUMENT, &why);
        CHECK_CONTAINS(why.text, list[i].says);
        CHECK_INT((long long)t.count, 0);
    }
}

TEST(expressions)
{
    static const struct {
        const char *text;
        double value;
    } list[] = {
        {"1 + 2*3^2 - -4", 23},
        {"-2^2", -4},
        {"2^3^2", 512},
        {"(1+2)*3", 9},
        {"max(1, min(5, 2))", 2},
        {"sqrt(16)/2", 2},
        {"1 < 2", 1},
        {"2 <= 1", 0},
        {"e*10", 8},
        {"atan2(1, 1)*4", 3.14159265358979323846},
        {"abs(-3)", 3},
        {"final(h) - h", 0},
        {"initial(h)", 1.5},
        {"1e3 - 1E-3", 999.999},
    };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        static table t;
        fo_message why = {0};
        const sweep s = {.text = ball, .vary = {"e=0.8"}, .measures = {list[i].text}, .stop = 0.25};
        t = (table){0};
        CHECK_STATUS(run(&s, &t, &why), FO_OK, &why);
        CHECK_NEAR(t.rows[0][1], list[i].value, 1e-14 * fabs(list[i].value));
    }
}

TEST(memory_may_fail_anywhere)
{
    const char *vary[] = {"y=1,2"}, *measures[] = {"max(y) + integral(v^2) + settling(y)"};
    static table t;
    bool done = false;
    for (long at = 1; at < 20000 && !done; at++) {
        test_memory memory;
        test_memory_init(&memory, at);
        fo_message why = {0};
        fo_parameter_sweep_def def = fo_default_parameter_sweep_def();
        def.experiment.model.name = "ball", def.experiment.model.table = fo_compiled_models();
        def.experiment.model.allocator = &memory.allocator;
        def.vary = vary, def.vary_count = 1, def.measures = measures, def.measure_count = 1;
        def.threads = 1, def.row = take, def.self = &t;
        t = (table){.values = 1, .width = 2};
        fo_parameter_sweep *sw = fo_parameter_sweep_create(&def, &why);
        fo_status status = sw ? fo_parameter_sweep_run(sw, 0, &why) : why.status;
        fo_parameter_sweep_destroy(sw);
        CHECK_INT(memory.live, 0);
        done = status == FO_OK;
        CHECK_INT(status, done ? FO_OK : FO_ERROR_MEMORY);
        CHECK_INT((long long)t.failed, 0);
    }
    CHECK(done);
    CHECK_INT((long long)t.count, 2);
}

/// Traces of some runs: rows, and the last value of the first signal.
typedef struct seen {
    size_t rows;
    double last, final;
    bool over;
} seen;

static fo_status see_row(void *self, const fo_row *row, fo_message *why)
{
    seen *s = self;
    (void)why;
    s->rows++, s->last = row->values[0];
    return FO_OK;
}

static fo_status begin_trace(void *self, uint64_t number, fo_system system, fo_observer *observer,
                             fo_message *why)
{
    seen *all = self;
    (void)system, (void)why;
    *observer = (fo_observer){.self = &all[number], .row = see_row, .interval = NAN};
    return FO_OK;
}

static fo_status end_trace(void *self, uint64_t number, fo_observer *observer, fo_message *why)
{
    seen *all = self;
    (void)why;
    CHECK(observer->self == &all[number] && !all[number].over);
    all[number].over = true;
    return FO_OK;
}

static fo_status take_final(void *self, const fo_parameter_sweep_row *row, fo_message *why)
{
    (void)why;
    ((seen *)self)[row->number].final = row->measures[0];
    return FO_OK;
}

// Every run is seen once, whole, and ends with the bits that were measured.
TEST(traces)
{
    enum { RUNS = 12 };
    const char *vary[] = {"e=0.8:0.9:12"}, *measures[] = {"final(h)"};
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        seen all[RUNS] = {0};
        fo_parameter_sweep_def def = fo_default_parameter_sweep_def();
        def.experiment.model.name = "model.mo", def.experiment.model.kind = "text";
        def.experiment.model.text =
            "model B parameter Real e = 0.8; Real h(start = 1.5, fixed = true); Real v(start = 0, "
            "fixed = true);\n"
            "equation der(h) = v; der(v) = -9.81; when h <= 0 then reinit(v, -e*v); end when; end "
            "B;";
        def.experiment.stop = 2;
        def.vary = vary, def.vary_count = 1, def.measures = measures, def.measure_count = 1;
        def.threads = threads, def.self = all, def.row = take_final;
        def.trace = begin_trace, def.traced = end_trace;
        fo_message why = {0};
        fo_parameter_sweep *s = fo_parameter_sweep_create(&def, &why);
        REQUIRE(s != NULL);
        CHECK_STATUS(fo_parameter_sweep_run(s, 0, &why), FO_OK, &why);
        for (int i = 0; i < RUNS; i++) {
            CHECK(all[i].over && all[i].rows >= 501 && all[i].last == all[i].final);
            CHECK(i == 0 || all[i].final != all[i - 1].final);
        }
        fo_parameter_sweep_destroy(s);
    }
}

static long counted_sweep(const char *vary, table *t)
{
    static const char text[] = "model S parameter Integer n = 40; Real x[n](each start = 1, each "
                               "fixed = true); equation for j in 1:n loop der(x[j]) = -j*x[j]/n; "
                               "end for; end S;";
    static const char *const measures[] = {"settling(x[1])"};
    test_memory memory;
    test_memory_init(&memory, 0);
    fo_message why = {0};
    fo_parameter_sweep_def def = fo_default_parameter_sweep_def();
    def.experiment.model.name = "model.mo", def.experiment.model.text = text;
    def.experiment.model.kind = "text", def.experiment.stop = 1;
    def.experiment.rtol = def.experiment.atol = 1e-10;
    def.experiment.model.allocator = &memory.allocator;
    def.vary = &vary, def.vary_count = 1, def.measures = measures, def.measure_count = 1;
    def.threads = 1, def.row = take, def.self = t;
    t->values = 1, t->width = 2;
    fo_parameter_sweep *s = fo_parameter_sweep_create(&def, &why);
    CHECK(s != NULL);
    if (s) CHECK_STATUS(fo_parameter_sweep_run(s, 0, &why), FO_OK, &why);
    fo_parameter_sweep_destroy(s);
    CHECK_INT(memory.live, 0);
    return memory.allocations;
}

// A number that decides about the equations: x[1] = exp(-t / n) is within 2 % of its way around its
// end from a closed form on. Every run translates the model once, however often it is run.
TEST(sizes)
{
    static table t;
    t = (table){0};
    long one = counted_sweep("n=40", &t), four = counted_sweep("n=40,40,40,40", &t);
    CHECK((double)(four - one) < 1.75 * (double)one);
    t = (table){0};
    counted_sweep("n=1:30:30", &t);
    REQUIRE(t.count == 30);
    for (size_t i = 0; i < 30; i++) {
        double n = t.rows[i][0], end = exp(-1 / n);
        CHECK_NEAR(t.rows[i][1], -n * log(end + 0.02 * (1 - end)), 1e-7);
    }
}

TEST_MAIN(TEST_ENTRY(sizes), TEST_ENTRY(traces), TEST_ENTRY(bounces_of_a_ball),
          TEST_ENTRY(measures_of_a_sine), TEST_ENTRY(a_comparison_is_measured_by_samples),
          TEST_ENTRY(settling_and_overshoot), TEST_ENTRY(threads_and_interruptions_change_nothing),
          TEST_ENTRY(a_run_that_fails_is_a_row), TEST_ENTRY(mistakes), TEST_ENTRY(expressions),
          TEST_ENTRY(memory_may_fail_anywhere))
