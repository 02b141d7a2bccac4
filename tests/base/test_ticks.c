/// Ticks against whole numbers: start, interval and stop are fractions of which the doubles are the
/// nearest, and which tick is meant to be where is known exactly.
#include <stdint.h>

#include "base/ticks.h"
#include "test.h"

static uint64_t seed = 12345;

static uint64_t draw(uint64_t below)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return seed % below;
}

// The double next to a / b, by one division of exact numbers.
static double fraction(int64_t a, int64_t b)
{
    return (double)a / (double)b;
}

// start = a/q, interval = b/q, stop = (a + k b)/q: tick k is the stop, no other one is.
TEST(tick_meant_for_the_stop_is_the_stop)
{
    static const int64_t parts[] = {1, 3, 7, 10, 60, 100, 1000, 44100, 1000000};
    int wrong = 0;
    for (int i = 0; i < 200000; i++) {
        int64_t q = parts[draw(sizeof parts / sizeof parts[0])];
        int64_t a = (int64_t)draw(2000001) - 1000000, b = 1 + (int64_t)draw(100000);
        int64_t k = (int64_t)draw(1000000);
        double start = fraction(a, q), interval = fraction(b, q), stop = fraction(a + k * b, q);
        wrong += foi_tick(start, interval, (double)k, stop) != stop;
        wrong += !foi_tick_due(start, interval, (double)k, stop);
        wrong += foi_tick_due(start, interval, (double)k + 1, stop);
        wrong += foi_tick_from(start, interval, stop) != (double)k;
        // half way to the next one nothing is meant
        double half = fraction(2 * a + (2 * k + 1) * b, 2 * q);
        wrong += foi_tick(start, interval, (double)k, half) == half;
        wrong += foi_tick(start, interval, (double)k + 1, half) == half;
        wrong += foi_tick_from(start, interval, half) != (double)(k + 1);
    }
    CHECK_INT(wrong, 0);
}

// Two clocks: a tick of one is due at a tick of the other exactly where they are one instant.
TEST(ticks_of_two_clocks_are_one_instant_where_they_are_meant_to_be)
{
    int wrong = 0, same = 0;
    for (int i = 0; i < 200000; i++) {
        int64_t q = 10 * (1 + (int64_t)draw(1000)), b = 1 + (int64_t)draw(50);
        int64_t c = 1 + (int64_t)draw(50), k = (int64_t)draw(100000);
        int64_t j = k * b / c; // the last tick of the second clock that is not after tick k
        double first = fraction(b, q), second = fraction(c, q), now = (double)k * first;
        wrong += !foi_tick_due(0, second, (double)j, now);
        wrong += foi_tick_due(0, second, (double)j + 1, now);
        bool one = j * c == k * b;
        same += one;
        double apart = fabs((double)j * second - now);
        wrong += one != (apart <= foi_tick_slack(0, second, (double)j));
    }
    CHECK_INT(wrong, 0);
    CHECK(same > 1000);
}

// Times of any scale: nothing is compared with a number of its own.
TEST(ticks_scale)
{
    for (int e = -300; e <= 300; e += 25) {
        double unit = ldexp(1, e), interval = 0.2 * unit, stop = 0.6 * unit;
        CHECK(foi_tick(0, interval, 3, stop) == stop);
        CHECK(foi_tick(0, interval, 2, stop) == 2 * interval);
    }
}

TEST_MAIN(TEST_ENTRY(tick_meant_for_the_stop_is_the_stop),
          TEST_ENTRY(ticks_of_two_clocks_are_one_instant_where_they_are_meant_to_be),
          TEST_ENTRY(ticks_scale))
