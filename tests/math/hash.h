/// A hash over the results of every function: the same for every compiler and machine.
#ifndef TEST_MATH_HASH_H
#define TEST_MATH_HASH_H

#include "points.h"

enum { HASHED = 40000 }; ///< points per range

/// FNV-1a over the bytes, the lowest first; one bit pattern for all NaN.
static inline uint64_t hashed(uint64_t hash, double x)
{
    uint64_t bits;
    x = foi_plain(x);
    memcpy(&bits, &x, sizeof bits);
    if (x != x) bits = UINT64_C(0x7FF8000000000000);
    for (int i = 0; i < 8; i++) hash = (hash ^ (bits >> 8 * i & 255)) * UINT64_C(0x100000001B3);
    return hash;
}

/// All ranges of one function, `count` points each, then the hard ones.
static inline uint64_t hash_of(const subject *s, long count)
{
    uint64_t hash = UINT64_C(0xCBF29CE484222325), state = 12345;
    for (int k = 0; k < RANGES && has_width(s->first[k]); k++)
        for (long i = 0; i < count; i++) {
            double x = draw(&state, s->first[k]);
            hash = hashed(hash, s->one ? s->one(x) : s->two(x, draw(&state, s->second[k])));
        }
    for (int i = 0; i < HARD_POINTS; i++) {
        double x = hard_points[i], y = hard_points[(i + 7) % HARD_POINTS];
        hash = hashed(hash, s->one ? s->one(x) : s->two(x, y));
        hash = hashed(hash, s->one ? s->one(-x) : s->two(x, -y));
    }
    return hash;
}

#endif
