// Enclosures hold the values inside, and no more than they must.
#include "math/bounds.h"

#include <math.h>

#include "points.h"
#include "test.h"

enum { TIMES = 20000, INSIDE = 20 };

typedef foi_bounds over(double lo, double hi);

static void check(const char *name, over *b, function_of_one *f, double lo, double hi,
                  uint64_t *state)
{
    foi_bounds r = b(lo, hi);
    for (int i = 0; i < INSIDE; i++) {
        double x = lo + (hi - lo) * draw_unit(state), y = f(x < lo ? lo : x > hi ? hi : x);
        if (!(r.hi >= y && r.lo <= y))
            test_fail(__FILE__, __LINE__, "%s over [%a, %a] misses %a at %a", name, lo, hi, y, x);
    }
}

TEST(values_are_inside)
{
    uint64_t state = 3;
    for (int i = 0; i < TIMES; i++) {
        double lo = draw(&state, (range){SIGNED, -10, i % 2 ? 4 : 30});
        double hi = lo + draw(&state, (range){OCTAVES, -30, 2});
        check("sin", foi_sin_bounds, foi_sin, lo, hi, &state);
        check("cos", foi_cos_bounds, foi_cos, lo, hi, &state);
        if (hi < 700) check("exp", foi_exp_bounds, foi_exp, lo, hi, &state);
        if (lo > 0) check("log", foi_log_bounds, foi_log, lo, hi, &state);
    }
}

// Between two extrema the bounds are those of the ends; over one they are it.
TEST(extrema)
{
    foi_bounds a = foi_sin_bounds(1.5, 1.6), b = foi_sin_bounds(1.5, 1.57),
               c = foi_sin_bounds(4, 5);
    CHECK(a.hi == 1 && a.lo > 0.997 && b.hi < 1 && c.lo == -1 && c.hi < -0.7);
    foi_bounds d = foi_cos_bounds(-0.1, 0.1), e = foi_cos_bounds(3, 3.2),
               f = foi_cos_bounds(0.1, 3);
    CHECK(d.hi == 1 && d.lo > 0.99 && e.lo == -1 && f.hi < 1 && f.lo > -1);
    foi_bounds g = foi_sin_bounds(0, 7), h = foi_sin_bounds(-INFINITY, 1), p = foi_sin_bounds(1, 1);
    CHECK(g.lo == -1 && g.hi == 1 && h.lo == -1 && h.hi == 1 && p.hi - p.lo < 1e-15);
    // the doubles on both sides of pi/2: the maximum is between them, and not beside
    double before = 0x1.921fb54442d18p+0, after = 0x1.921fb54442d19p+0;
    CHECK(foi_sin_bounds(before, after).hi == 1);
    CHECK(foi_cos_bounds(before, after).lo < 0 && foi_cos_bounds(before, after).hi > 0);
}

TEST(steps)
{
    CHECK(foi_below(1, 1) == nextafter(1, 0) && foi_above(1, 1) == nextafter(1, 2));
    CHECK(foi_below(0.0, 1) == -0x1p-1074 && foi_above(-0.0, 1) == 0x1p-1074);
    CHECK(foi_below(0x1p-1074, 1) == 0 && foi_below(0x1p-1074, 2) == -0x1p-1074);
    CHECK(foi_below(-INFINITY, 2) == -INFINITY && foi_above(INFINITY, 2) == INFINITY);
    CHECK(foi_above(0x1.fffffffffffffp1023, 1) == INFINITY && isnan(foi_below(NAN, 1)));
    CHECK(foi_exp_bounds(-INFINITY, -800).lo == 0 && foi_exp_bounds(0, 0).lo < 1);
}

TEST_MAIN(TEST_ENTRY(values_are_inside), TEST_ENTRY(extrema), TEST_ENTRY(steps))
