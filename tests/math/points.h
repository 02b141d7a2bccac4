/// Where the functions are looked at: ranges, and the points that are hard.
#ifndef TEST_MATH_POINTS_H
#define TEST_MATH_POINTS_H

#include <stddef.h>
#include <stdint.h>

#include "math/math.h"

typedef double function_of_one(double x);
typedef double function_of_two(double x, double y);

/// How numbers are drawn: evenly from lo to hi; with even binary exponents from lo to hi and a sign
/// (positive, or any); beside 1, as far from it as SIGNED says; the doubles nearest to multiples of
/// pi/2, as many as OCTAVES says.
typedef enum drawing { EVEN, OCTAVES, SIGNED, BESIDE, TURNS } drawing;

typedef struct range {
    drawing how;
    double lo, hi;
} range;

enum { RANGES = 7 }; ///< of a function, at most

/// A function and where it is looked at; ranges of no width end the list. Functions of two numbers
/// have `second` beside each range.
typedef struct subject {
    const char *name;
    function_of_one *one;
    function_of_two *two;
    double most; ///< error in units of the last place
    range first[RANGES], second[RANGES];
} subject;

static const subject subjects[] = {
#define ONE(name, most, ...)                           \
    {                                                  \
#name, foi_##name, NULL, most, {__VA_ARGS__ }, \
        {                                              \
            {                                          \
                EVEN, 0, 0                             \
            }                                          \
        }                                              \
    }
    // clang-format off
    ONE(exp, 0.52, {EVEN, -745.2, 709.8}, {EVEN, -1, 1}, {SIGNED, -60, 3}, {EVEN, -746, -699}),
    ONE(exp2, 0.52, {EVEN, -1075, 1024}, {EVEN, -1, 1}, {SIGNED, -60, 3}),
    ONE(expm1, 1, {EVEN, -1, 1}, {EVEN, -0.03, 0.03}, {EVEN, -41, 709.7}, {SIGNED, -1074, 3}),
    ONE(log, 0.52, {OCTAVES, -1074, 1023}, {EVEN, 0.5, 2}, {EVEN, 0.99, 1.01}, {BESIDE, -54, -2}),
    ONE(log2, 1, {OCTAVES, -1074, 1023}, {EVEN, 0.5, 2}, {EVEN, 0.99, 1.01}, {BESIDE, -54, -2}),
    ONE(log10, 1, {OCTAVES, -1074, 1023}, {EVEN, 0.5, 2}, {EVEN, 0.99, 1.01}, {BESIDE, -54, -2}),
    ONE(log1p, 1, {OCTAVES, -1074, 1023}, {EVEN, -0.999, 2}, {EVEN, -0.03, 0.03}, {SIGNED, -60, -1}),
    ONE(cbrt, 1, {SIGNED, -1074, 1023}, {EVEN, 1, 8}),
    ONE(sin, 0.52, {EVEN, -3.2, 3.2}, {EVEN, -2.1e5, 2.1e5}, {SIGNED, -1074, 17}, {SIGNED, 17, 1023},
        {EVEN, 3.14159265, 3.14159266}, {TURNS, 0, 50}),
    ONE(cos, 0.52, {EVEN, -3.2, 3.2}, {EVEN, -2.1e5, 2.1e5}, {SIGNED, -60, 17}, {SIGNED, 17, 1023},
        {EVEN, 1.57079632, 1.57079633}, {TURNS, 0, 50}),
    ONE(tan, 0.52, {EVEN, -1.6, 1.6}, {EVEN, -2.1e5, 2.1e5}, {SIGNED, -1074, 17}, {SIGNED, 17, 1023},
        {EVEN, 1.57079632, 1.57079633}, {TURNS, 0, 50}),
    ONE(asin, 1, {EVEN, -1, 1}, {SIGNED, -1074, -1}, {EVEN, 0.99999, 1}, {BESIDE, -54, -2}),
    ONE(acos, 1, {EVEN, -1, 1}, {SIGNED, -60, -1}, {EVEN, 0.99999, 1}, {EVEN, -1, -0.99999}, {BESIDE, -54, -2}),
    ONE(atan, 0.52, {EVEN, -1, 1}, {EVEN, -40, 40}, {SIGNED, -1074, 70}),
    ONE(sinh, 1, {EVEN, -2, 2}, {EVEN, -710.5, 710.5}, {SIGNED, -1074, 5}, {EVEN, -0.03, 0.03}),
    ONE(cosh, 1, {EVEN, -2, 2}, {EVEN, -710.5, 710.5}, {SIGNED, -60, 5}),
    ONE(tanh, 1, {EVEN, -2, 2}, {EVEN, -23, 23}, {SIGNED, -1074, 5}, {EVEN, -0.03, 0.03}),
    ONE(asinh, 1, {EVEN, -2, 2}, {SIGNED, -1074, 1023}, {EVEN, -5, 5}),
    ONE(acosh, 1, {EVEN, 1, 3}, {OCTAVES, 0, 1023}, {EVEN, 1, 1.001}, {BESIDE, -54, 0}),
    ONE(atanh, 1, {EVEN, -1, 1}, {SIGNED, -1074, -1}, {EVEN, 0.9999, 1}, {BESIDE, -54, -2}),
    ONE(erf, 1, {EVEN, -6.1, 6.1}, {EVEN, -1, 1}, {SIGNED, -1074, 2}),
    ONE(erfc, 1, {EVEN, -6.1, 2}, {EVEN, 0.4, 27.3}, {EVEN, 26, 27.3}, {SIGNED, -60, 2}),
    ONE(tgamma, 1, {EVEN, 0, 3}, {EVEN, 1, 20}, {EVEN, 8, 171.7}, {EVEN, -185, 0}, {EVEN, -10, 0},
        {SIGNED, -1020, 3}),
    ONE(lgamma, 1, {EVEN, 0, 3}, {EVEN, 0.9, 1.1}, {EVEN, 1.9, 2.1}, {EVEN, 1, 20},
        {OCTAVES, -1074, 1000}),
#define TWO(name, most, ...) {#name, NULL, foi_##name, most, __VA_ARGS__}
    TWO(pow, 0.52,
        {{EVEN, 0.01, 100}, {OCTAVES, -1074, 1023}, {EVEN, 0.9, 1.1}, {OCTAVES, -20, 20},
         {EVEN, 0.999, 1.001}, {BESIDE, -54, -2}, {EVEN, 1.0037, 1.0039}},
        {{EVEN, -150, 150}, {EVEN, -1, 1}, {EVEN, -6000, 6000}, {SIGNED, -20, 8},
         {EVEN, -700000, 700000}, {SIGNED, -2, 60}, {EVEN, -191000, 182000}}),
    TWO(hypot, 1, {{EVEN, 0, 1}, {SIGNED, -1074, 1023}, {SIGNED, -30, 30}},
        {{EVEN, -1, 1}, {SIGNED, -1074, 1023}, {SIGNED, -30, 30}}),
    TWO(atan2, 1, {{EVEN, -1, 1}, {SIGNED, -1074, 1023}, {SIGNED, -30, 30}},
        {{EVEN, -1, 1}, {SIGNED, -1074, 1023}, {SIGNED, -30, 30}}),
    // clang-format on
};

enum { SUBJECTS = sizeof subjects / sizeof subjects[0] };

/// A generator for points: xorshift, 64 bits (Marsaglia 2003).
static inline uint64_t draw_bits(uint64_t *state)
{
    uint64_t s = *state;
    s ^= s << 13, s ^= s >> 7, s ^= s << 17;
    return *state = s;
}

static inline double draw_unit(uint64_t *state)
{
    return (double)(draw_bits(state) >> 11) * 0x1p-53;
}

// 2^e x for subnormal results, too: by products that are exact or round once.
static inline double lifted(double x, int e)
{
    while (e < -1000) x *= 0x1p-500, e += 500;
    while (e > 1000) x *= 0x1p500, e -= 500;
    uint64_t bits = (uint64_t)(1023 + e) << 52;
    double scale;
    memcpy(&scale, &bits, sizeof scale);
    return x * scale;
}

static inline double draw(uint64_t *state, range r)
{
    double unit = draw_unit(state);
    if (r.how == EVEN) return r.lo + (r.hi - r.lo) * unit;
    int octave = (int)r.lo + (int)(draw_bits(state) >> 33) % ((int)(r.hi - r.lo) + 1);
    double x = lifted(1 + unit, octave);
    if (r.how == OCTAVES) return x;
    if (r.how == TURNS) return (double)(int64_t)x * 0x1.921fb54442d18p+0;
    if (draw_bits(state) & 1) x = -x;
    return r.how == BESIDE ? 1 + x : x;
}

static inline int has_width(range r)
{
    return r.lo < r.hi;
}

/// What is hard: edges of tables and of ranges, results at 2^-1022, zeros of sine and cosine that
/// doubles come nearest to, and published worst cases of correct rounding (Lefevre, Muller).
static const double hard_points[] = {
    0x1.91f4ebcc7cbd3p+9,
    -0x1.62e42fefa39efp+9,
    -0x1.6232bdd7abcd2p+9,
    -0x1.6232bdd7abcd3p+9,
    0x1.62e42fefa39efp+9,
    -0x1.74910d52d3052p+9,
    0x1.6ac5b262ca1ffp+849,
    0x1.921fb54442d18p+0,
    0x1.921fb54442d18p+1,
    0x1.921fb54442d18p-1,
    0x1.6ac5b262ca1ffp+842,
    6381956970095103.0 * 0x1p797,
    0x1.e4b5b5b5b5b5bp+3,
    0x1.0000000000001p+0,
    0x1.fffffffffffffp-1,
    0x1p-1022,
    0x1.fffffffffffffp+1023,
    0x1p-1074,
    0x1.62e42fefa39efp-2,
    0x1.62e42fefa39efp-8,
    0x1.62e42fefa39efp-9,
    0x1.921fb54442d18p-7,
    0x1.921fb54442d18p-6,
    0x1.2a05ff4e8p-5,
    0.6875,
    1.375,
    0x1.5ffffffffffffp-1,
    0x1.5ffffffffffffp+0,
    0x1.00fffffffffffp+0,
    0x1.01p+0,
    0x1.ffp-1,
    0x1.feffffffffffep-1,
    0x1.9p-28,
    0x1.fffffffffffffp-28,
    0x1p-27,
    0x1p-28,
    2e5,
    0x1.869ffffffffffp+17,
    0.5,
    0.25,
    0x1.fffffffffffffp-2,
    0x1.fffffffffffffp-3,
    0x1p-5,
    32,
    0x1.fffffffffffffp+4,
    0x1.fffffffffffffp-6,
    22,
    40,
    6,
    0x1.7ffffffffffffp+2,
    27,
    8,
    0x1.fffffffffffffp+2,
    0.9375,
    2.5625,
    1.75,
    4,
    1.125,
    171.62437695630271,
    0x1.bb67ae8584caap+0,
    0x1.d6336a88077aap+0,
    0x1.42e8c5b8a3f5ep-6,
    0x1.a8f7bfbd15495p-4,
    0x1.30a0165d8cc1ep+1,
    -0x1.9e9716a2dfb0ep-31,
    0x1.accfbe46b4ef0p-1,
    0x1.c7206c1b753e4p+8,
    0x1.1f0da93354198p-7,
};

enum { HARD_POINTS = sizeof hard_points / sizeof hard_points[0] };

#endif
