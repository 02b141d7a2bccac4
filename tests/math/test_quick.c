// The quick ways to a sine and a cosine give the bits of the long way, or say that they do not
// know; and they do know nearly always.
#include <math.h>

#include "math/trig.h"
#include "points.h"
#include "test.h"

enum { POINTS = 400000 };

#define QUICK quick
#define QUICK_FOR
#define QUICK_ADD(a, b, c) ((a) * (b) + (c))
#define QUICK_HEAD(a, t)   foi_trig_rounded(a)
#include "math/trig_quick.h"

static int plainly(double x, uint64_t turn, double *y)
{
    return turn ? quick(x, 32, y) : quick(x, 0, y);
}

#if defined(__x86_64__)
#define QUICK              quick_fused
#define QUICK_FOR          __attribute__((target("fma")))
#define QUICK_ADD(a, b, c) __builtin_fma(a, b, c)
#define QUICK_HEAD(a, t)   (t)
#include "math/trig_quick.h"

__attribute__((target("fma"))) static int fused(double x, uint64_t turn, double *y)
{
    return turn ? quick_fused(x, 32, y) : quick_fused(x, 0, y);
}
#endif

typedef int quick_way(double x, uint64_t turn, double *y);

// As foi_sin and foi_cos without a quick way.
static double slowly(double x, uint64_t turn)
{
    foi_trig_parts p = foi_trig_split(x);
    if (p.bad) p = foi_trig_far(x);
    return turn ? foi_cos_core(p) : foi_sin_core(x, p);
}

// How many of the points of a range are not known.
static int check_range(quick_way *way, range r, uint64_t turn)
{
    uint64_t state = 7;
    int unknown = 0, points = test_count(POINTS / 20, POINTS);
    for (int i = 0; i < points; i++) {
        double x = draw(&state, r), y, want = slowly(x, turn);
        if (!way(x, turn, &y))
            unknown++;
        else if (foi_bits(y) != foi_bits(want) ||
                 foi_bits(y) != foi_bits(turn ? foi_cos(x) : foi_sin(x)))
            test_fail(__FILE__, __LINE__, "%a turned by %d: %a, not %a", x, (int)turn, y, want);
    }
    return (int)((double)unknown / points * 1000);
}

static void check_way(quick_way *way)
{
    static const range ranges[] = {{EVEN, -3.2, 3.2},   {EVEN, -256, 256},    {SIGNED, -12, 3},
                                   {SIGNED, -600, 8.5}, {EVEN, -0.03, 0.03},  {EVEN, 3.1, 3.2},
                                   {EVEN, 1.57, 1.58},  {EVEN, 100.5, 100.6}, {TURNS, 0, 9}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        for (uint64_t turn = 0; turn <= 32; turn += 32) {
            int unknown = check_range(way, ranges[i], turn);
            CHECK(i > 2 || unknown <= 20);
        }
    double y;
    CHECK(!way(0, 0, &y) && !way(-0.0, 0, &y) && !way(1e300, 0, &y) && !way(INFINITY, 32, &y));
    CHECK(!way(NAN, 0, &y) && !way(NAN, 32, &y) && !way(300, 0, &y) && !way(0x1p-600, 0, &y));
}

TEST(quick_sines_have_the_bits_of_slow_ones)
{
    check_way(plainly);
#if defined(__x86_64__)
    if (__builtin_cpu_supports("fma")) check_way(fused);
#endif
}

TEST_MAIN(TEST_ENTRY(quick_sines_have_the_bits_of_slow_ones))
