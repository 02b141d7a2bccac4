// Many at once give the bits of one by one, on every set of instructions that the processor has.
#include <math.h>
#include <string.h>
#include <time.h>

#include "math/vector.h"
#include "points.h"
#include "test.h"

enum { MOST = 200, TIMES = 3000 };

static const double odd[] = {0.0,
                             -0.0,
                             1,
                             INFINITY,
                             -INFINITY,
                             NAN,
                             0x1p-1074,
                             -0x1p-1030,
                             1e300,
                             -1e300,
                             700.5,
                             -709,
                             2.5e5,
                             0x1.921fb54442d18p+1,
                             0x1p-30,
                             0x1p-100,
                             0x1p-1022,
                             0x1.fffffffffffffp-1023,
                             700,
                             0x1.5e00000000001p+9,
                             2e5,
                             -NAN,
                             709.79,
                             -745.14,
                             0x1.fffffffffffffp+1023};

static double any(uint64_t *state, bool hostile)
{
    static const range ranges[] = {{EVEN, -10, 10},    {EVEN, 0, 2},      {SIGNED, -60, 20},
                                   {EVEN, -750, 750},  {TURNS, 0, 20},    {BESIDE, -54, -2},
                                   {SIGNED, -1074, 0}, {SIGNED, 0, 1023}, {SIGNED, -1074, -1020}};
    if (hostile && draw_bits(state) % 50 == 0) return odd[draw_bits(state) % (sizeof odd / 8)];
    return draw(state, ranges[draw_bits(state) % (hostile ? 9 : 6)]);
}

static bool equal(const double *a, const double *b, size_t n)
{
    return memcmp(a, b, n * sizeof *a) == 0;
}

static void check_one(const char *name, const char *way, foi_many *many, function_of_one *one,
                      const double *x, size_t n, bool over)
{
    double want[MOST], got[MOST] = {0};
    for (size_t i = 0; i < n; i++) want[i] = one(x[i]);
    memcpy(got, x, n * sizeof *x);
    many(over ? got : x, got, n);
    if (!equal(want, got, n)) test_fail(__FILE__, __LINE__, "%s: other bits by %s", name, way);
}

static void check_two(const char *way, foi_many_of_two *many, const double *x, const double *y,
                      size_t n, bool over)
{
    double want[MOST], got[MOST] = {0};
    for (size_t i = 0; i < n; i++) want[i] = foi_pow(x[i], y[i]);
    memcpy(got, x, n * sizeof *x);
    many(over ? got : x, y, got, n);
    if (!equal(want, got, n)) test_fail(__FILE__, __LINE__, "pow: other bits by %s", way);
}

static void check_way(const foi_math_vectors *v)
{
    uint64_t state = 99;
    int times = test_count(TIMES / 10, TIMES);
    for (int t = 0; t < times; t++) {
        double x[MOST], y[MOST], positive[MOST];
        size_t n = draw_bits(&state) % MOST;
        bool over = t % 3 == 0;
        for (size_t i = 0; i < n; i++) {
            x[i] = any(&state, t % 2), y[i] = any(&state, t % 2);
            positive[i] = t % 4 ? fabs(x[i]) : x[i];
        }
        check_one("exp", v->name, v->exp, foi_exp, x, n, over);
        check_one("log", v->name, v->log, foi_log, positive, n, over);
        check_one("sin", v->name, v->sin, foi_sin, x, n, over);
        check_one("cos", v->name, v->cos, foi_cos, x, n, over);
        check_two(v->name, v->pow, positive, y, n, over);
    }
}

TEST(vectors_are_scalars)
{
    size_t ways = 0;
    for (const foi_math_vectors *v; (v = foi_math_ways(ways)) != NULL; ways++) check_way(v);
    CHECK(ways >= 1);
    CHECK_TEXT(foi_math_ways(ways - 1)->name, "plain");
    CHECK_TEXT(foi_math_way(), foi_math_ways(0)->name);
}

TEST(the_chosen_ones)
{
    double x[5] = {0.5, 1, 2, 3, 700.5}, y[5];
    foi_exp_many(x, y, 5);
    for (int i = 0; i < 5; i++) CHECK(y[i] == foi_exp(x[i]));
    foi_log_many(x, y, 5);
    for (int i = 0; i < 5; i++) CHECK(y[i] == foi_log(x[i]));
    foi_sin_many(x, y, 5);
    for (int i = 0; i < 5; i++) CHECK(y[i] == foi_sin(x[i]));
    foi_cos_many(x, y, 5);
    for (int i = 0; i < 5; i++) CHECK(y[i] == foi_cos(x[i]));
    foi_pow_many(x, x, y, 5);
    for (int i = 0; i < 5; i++) CHECK(y[i] == foi_pow(x[i], x[i]));
    foi_exp_many(x, y, 0);
}

// ------------------------------------------------------------------------------------------ speed

enum { TRIES = 25, NUMBERS = 2048 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Which part of the time of one by one it takes, the best of many tries by turns.
#define SHARE(one, many)                                                                    \
    for (int t = 0; t < TRIES; t++) {                                                       \
        double begun = now();                                                               \
        for (int i = 0; i < NUMBERS; i++) to[i] = one;                                      \
        double middle = now();                                                              \
        many;                                                                               \
        double end = now();                                                                 \
        if (middle - begun < alone) alone = middle - begun;                                 \
        if (end - middle < together) together = end - middle;                               \
    }                                                                                       \
    if (!(together < 0.75 * alone))                                                         \
        test_fail(__FILE__, __LINE__, "%s: %g s, one by one %g s", #many, together, alone); \
    alone = together = INFINITY

// A compiler that no longer turns a core into vectors changes no bit: only this test sees it. Where
// a block takes a third to a half of the time of its numbers, three quarters are asked for.
TEST(vectors_are_faster)
{
    static double x[NUMBERS], y[NUMBERS], to[NUMBERS];
    double alone = INFINITY, together = INFINITY;
    uint64_t state = 5;
    if (test_is_sanitized() || strcmp(foi_math_way(), "plain") == 0) return;
    for (int i = 0; i < NUMBERS; i++) {
        x[i] = draw(&state, (range){EVEN, 0.1, 10});
        y[i] = draw(&state, (range){EVEN, -10, 10});
    }
    SHARE(foi_exp(y[i]), foi_exp_many(y, to, NUMBERS));
    SHARE(foi_log(x[i]), foi_log_many(x, to, NUMBERS));
    SHARE(foi_sin(y[i]), foi_sin_many(y, to, NUMBERS));
    SHARE(foi_cos(y[i]), foi_cos_many(y, to, NUMBERS));
    SHARE(foi_pow(x[i], y[i]), foi_pow_many(x, y, to, NUMBERS));
}

TEST_MAIN(TEST_ENTRY(vectors_are_faster), TEST_ENTRY(vectors_are_scalars),
          TEST_ENTRY(the_chosen_ones))
