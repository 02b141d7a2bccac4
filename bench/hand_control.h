/// The step control of the loops by hand: the same rule as the solvers', with logarithms to some
/// per cent.
#ifndef BENCH_HAND_CONTROL_H
#define BENCH_HAND_CONTROL_H

#include <stdint.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

// 2^52 log2 v to some per cent: the bits of a double, which grow almost like its logarithm.
#define UNIT 4503599627370496.0
INLINE double rough_log(double v)
{
    int64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return (double)bits - 1023 * UNIT;
}

INLINE double rough_exp(double log)
{
    int64_t bits = (int64_t)(log + 1023 * UNIT);
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

// 0.9 err^-0.17 before^0.04, from squared errors; at most 8.
INLINE double growth(double error, double before)
{
    double log = (-0.152 * UNIT + 0.02 * before) - 0.085 * error;
    return rough_exp(log < 3 * UNIT ? log : 3 * UNIT);
}

// After a refused try: 0.9 err^-0.2, between 1/4 and 0.95.
INLINE double shrink(double error)
{
    double log = -0.152 * UNIT - 0.1 * error;
    double factor = rough_exp(log > -2 * UNIT ? log : -2 * UNIT);
    return factor < 0.95 ? factor : 0.95;
}

#endif
