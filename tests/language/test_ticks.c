/// Samples of texts: how many there are is a question of whole numbers.
#include "run.h"

static uint64_t seed = 99;

static uint32_t draw(uint32_t below)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (uint32_t)(seed % below);
}

// sample(a/q, b/q), sample(c/q, d/q) until s/q: what fired, and how often both at one instant.
static void compare(int64_t q, int64_t a, int64_t b, int64_t c, int64_t d, int64_t s)
{
    char text[800];
    world w;
    int64_t n = 0, m = 0, both = 0;
    for (int64_t k = 0; a + k * b <= s; k++) {
        int64_t t = a + k * b;
        n++, both += t >= c && (t - c) % d == 0;
    }
    for (int64_t k = 0; c + k * d <= s; k++) m++;
    double unit = (double)q;
    snprintf(text, sizeof text,
             "model M\n  Integer n(start = 0, fixed = true), m(start = 0, fixed = true);\n"
             "  Integer any(start = 0, fixed = true);\n"
             "equation\n  when sample(%.17g, %.17g) then\n    n = pre(n) + 1;\n  end when;\n"
             "  when sample(%.17g, %.17g) then\n    m = pre(m) + 1;\n  end when;\n"
             "  when {sample(%.17g, %.17g), sample(%.17g, %.17g)} then\n    any = pre(any) + 1;\n"
             "  end when;\nend M;\n",
             (double)a / unit, (double)b / unit, (double)c / unit, (double)d / unit,
             (double)a / unit, (double)b / unit, (double)c / unit, (double)d / unit);
    double stop = (double)s / unit;
    if (begin(&w, text, stop)) {
        CHECK_STATUS(fo_simulation_advance(w.sim, stop), FO_REACHED, fo_simulation_message(w.sim));
        CHECK_NEAR(at(&w, stop, "n"), (double)n, 0);
        CHECK_NEAR(at(&w, stop, "m"), (double)m, 0);
        CHECK_NEAR(at(&w, stop, "any"), (double)(n + m - both), 0);
    }
    end(&w);
}

TEST(samples_are_counted)
{
    compare(10, 0, 1, 0, 3, 10);   // 0.1 and 0.3 until 1
    compare(10, 0, 2, 0, 3, 6);    // 3 * 0.2 is an ulp above 0.6
    compare(100, 7, 7, 0, 21, 70); // 0.07 and 0.21
    for (int i = 0; i < 60; i++) {
        int64_t q = (int64_t[]){3, 10, 60, 100, 1000, 44100}[draw(6)];
        int64_t b = 1 + draw(20), d = 1 + draw(20), s = (10 + draw(200)) * (draw(2) ? b : d);
        compare(q, draw(20), b, draw(20), d, s);
    }
}

// What is true behind the stop only is never seen to be, whatever way it is written and wherever
// the stop is; what is true at the stop is.
TEST(relations_of_time_at_the_stop_are_what_they_say)
{
    static const double stops[] = {1, 0.3, 0x1p-20, 1e9, 0x1p40};
    for (int i = 0; i < 10; i++) {
        world w;
        char text[1600];
        double c = stops[i / 2];
        snprintf(text, sizeof text,
                 "model M\n  parameter Real c = %.17g;\n"
                 "  Integer n[6](each start = 0, each fixed = true);\n"
                 "  Real x(start = 0, fixed = true), y = if time > c then 1 else 0;\nequation\n"
                 "  der(x) = 1;\n  assert(time <= c, \"behind the stop\");\n"
                 "  when time > c then n[1] = pre(n[1]) + 1; end when;\n"
                 "  when c < time then n[2] = pre(n[2]) + 1; end when;\n"
                 "  when not time <= c then n[3] = pre(n[3]) + 1; end when;\n"
                 "  when time >= c then n[4] = pre(n[4]) + 1; end when;\n"
                 "  when not time < c then n[5] = pre(n[5]) + 1; end when;\n"
                 "  when time > c/2 then n[6] = pre(n[6]) + 1; end when;\nend M;\n",
                 c);
        if (begin(&w, text, c)) {
            if (i % 2)
                CHECK_STATUS(fo_simulation_advance(w.sim, c / 2), FO_REACHED,
                             fo_simulation_message(w.sim));
            CHECK_STATUS(fo_simulation_advance(w.sim, c), FO_REACHED, fo_simulation_message(w.sim));
            static const char *const names[] = {"n[1]", "n[2]", "n[3]", "n[4]", "n[5]", "n[6]"};
            for (int k = 0; k < 6; k++) CHECK_NEAR(at(&w, c, names[k]), k >= 3, 0);
            CHECK_NEAR(at(&w, c, "y"), 0, 0);
        }
        end(&w);
    }
}

typedef struct rows {
    size_t count;
    double last;
} rows;

static fo_status count(void *self, const fo_row *row, fo_message *why)
{
    rows *r = self;
    (void)why;
    r->count += row->kind == FO_ROW_SAMPLE;
    r->last = row->t;
    return FO_OK;
}

// start a/q, interval b/q, stop start + n b/q: n + 1 rows, the last at the stop.
TEST(rows_are_counted)
{
    world w;
    if (world_open(&w, "test.mo",
                   "model M\n  Real x(start = 0, fixed = true);\nequation\n  der(x) = 1;\nend M;\n",
                   NULL)) {
        for (int i = 0; i < 300; i++) {
            int64_t q = (int64_t[]){3, 7, 10, 60, 100, 1000}[draw(6)];
            int64_t a = (int64_t)draw(2000) - 1000, b = 1 + draw(30), n = 1 + draw(400);
            fo_message why = {0};
            fo_run_def def = fo_default_run_def();
            rows seen = {0};
            fo_observer o = {.self = &seen, .row = count, .interval = (double)b / (double)q};
            def.start = (double)a / (double)q, def.stop = (double)(a + n * b) / (double)q;
            def.observers = &o, def.observer_count = 1;
            fo_simulation *sim = fo_simulation_create(fo_text_model_system(w.model), &def, &why);
            REQUIRE(sim);
            CHECK_STATUS(fo_simulation_advance(sim, def.stop), FO_REACHED, &why);
            CHECK_INT(seen.count, n + 1);
            CHECK_NEAR(seen.last, def.stop, 0);
            fo_simulation_destroy(sim);
        }
    }
    end(&w);
}

TEST_MAIN(TEST_ENTRY(samples_are_counted),
          TEST_ENTRY(relations_of_time_at_the_stop_are_what_they_say), TEST_ENTRY(rows_are_counted))
