/// Unit normal and exponential numbers, from which the other distributions are made.
#ifndef FOI_RANDOM_UNIT_H
#define FOI_RANDOM_UNIT_H

#include <foliot/random.h>
#include <string.h>

/// Edges of the ziggurats' layers, and the density there (random_tables.c).
extern const double foi_normal_x[257], foi_normal_f[257];
extern const double foi_exponential_x[257], foi_exponential_f[257];

/// What the first try of a ziggurat could not decide.
double foi_normal_edge(fo_random *r, uint64_t bits);
double foi_exponential_edge(fo_random *r, uint64_t bits);
/// As java.util.Random and jDisco make them.
double foi_normal_java(fo_random *r);
double foi_exponential_java(fo_random *r);

// The ziggurat of G. Marsaglia and W. W. Tsang, "The ziggurat method for generating random
// variables", J. Statistical Software 5 (2000), with the bits of layer, sign and place kept apart
// as J. A. Doornik asks ("An improved ziggurat method to generate normal random samples", 2005):
// of a word the lowest 8 bits choose a layer, bit 8 is the sign, and the upper 53 are u. A place
// x = u x[layer] left of the next layer's edge is under the curve: 98.5 of 100.

static inline double foi_random_normal(fo_random *r)
{
    if (r->generator == FO_JAVA) return foi_normal_java(r);
    uint64_t bits = fo_random_bits(r);
    unsigned layer = bits & 255;
    double x = (double)(bits >> 11) * 0x1p-53 * foi_normal_x[layer];
    if (__builtin_expect(x >= foi_normal_x[layer + 1], 0)) return foi_normal_edge(r, bits);
    // bit 8 becomes the sign by hand: a branch on it would be guessed wrong every other time
    uint64_t signed_x;
    memcpy(&signed_x, &x, sizeof x);
    signed_x |= (bits & 256) << 55;
    memcpy(&x, &signed_x, sizeof x);
    return x;
}

static inline double foi_random_exponential(fo_random *r)
{
    if (r->generator == FO_JAVA) return foi_exponential_java(r);
    uint64_t bits = fo_random_bits(r);
    unsigned layer = bits & 255;
    double x = (double)(bits >> 11) * 0x1p-53 * foi_exponential_x[layer];
    if (__builtin_expect(x >= foi_exponential_x[layer + 1], 0))
        return foi_exponential_edge(r, bits);
    return x;
}

/// From (0, 1), so that its logarithm is finite.
static inline double foi_random_open(fo_random *r)
{
    double u;
    do u = fo_random_unit(r);
    while (u == 0);
    return u;
}

#endif
