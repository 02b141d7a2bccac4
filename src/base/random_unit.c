#include "base/random_unit.h"

#include <math.h>
#include <string.h>

#include "math/math.h"

// The place (x, y) is uniform in layer i, between f[i] and f[i+1]: keep x when it is under f(x).
// Otherwise nothing is known, and a new word decides. The layer 0 has the tail from r = x[1] on:
// G. Marsaglia, "Generating a variable from the tail of the normal distribution" (1964).
double foi_normal_edge(fo_random *r, uint64_t bits)
{
    for (;; bits = fo_random_bits(r)) {
        unsigned i = bits & 255;
        double sign = bits & 256 ? -1 : 1;
        double x = (double)(bits >> 11) * 0x1p-53 * foi_normal_x[i];
        if (x < foi_normal_x[i + 1]) return sign * x;
        if (i == 0) {
            double y;
            do {
                x = -foi_log(foi_random_open(r)) / foi_normal_x[1];
                y = -foi_log(foi_random_open(r));
            } while (y + y < x * x);
            return sign * (foi_normal_x[1] + x);
        }
        double y = foi_normal_f[i] + fo_random_unit(r) * (foi_normal_f[i + 1] - foi_normal_f[i]);
        if (y < foi_exp(-0.5 * x * x)) return sign * x;
    }
}

// As above; the tail of an exponential distribution is an exponential distribution.
double foi_exponential_edge(fo_random *r, uint64_t bits)
{
    double start = 0;
    for (;; bits = fo_random_bits(r)) {
        unsigned i = bits & 255;
        double x = (double)(bits >> 11) * 0x1p-53 * foi_exponential_x[i];
        if (x < foi_exponential_x[i + 1]) return start + x;
        if (i == 0) {
            start += foi_exponential_x[1];
            continue;
        }
        double y = foi_exponential_f[i] +
                   fo_random_unit(r) * (foi_exponential_f[i + 1] - foi_exponential_f[i]);
        if (y < foi_exp(-x)) return start + x;
    }
}

double foi_exponential_java(fo_random *r)
{
    return -foi_log(foi_random_open(r));
}

// The polar method of Marsaglia and Bray as nextGaussian() has it: from a point (v1, v2) in the
// unit disc two numbers, of which word 0 keeps the second; word 1 says whether it does.
double foi_normal_java(fo_random *r)
{
    if (r->word[1]) {
        double second;
        memcpy(&second, &r->word[0], sizeof second);
        r->word[1] = 0;
        return second;
    }
    double v1, v2, s;
    do {
        v1 = 2 * fo_random_unit(r) - 1;
        v2 = 2 * fo_random_unit(r) - 1;
        s = v1 * v1 + v2 * v2;
    } while (s >= 1 || s == 0);
    double scale = sqrt(-2 * foi_log(s) / s), second = v2 * scale;
    memcpy(&r->word[0], &second, sizeof second);
    r->word[1] = 1;
    return v1 * scale;
}
