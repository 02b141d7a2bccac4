/// fmod: exact, on integers.
#include "math/bits.h"
#include "math/math.h"

/// m 2^e, m an integer.
typedef struct parts {
    uint64_t m;
    int e;
} parts;

static parts split(double size)
{
    uint64_t bits = foi_bits(size), m = bits & UINT64_C(0xFFFFFFFFFFFFF);
    int e = (int)(bits >> 52);
    return e ? (parts){m | UINT64_C(1) << 52, e - 1075} : (parts){m, -1074};
}

// m 2^e below 2^53 2^e, exactly representable.
static double join(uint64_t m, int e)
{
    double x = (double)m; // exact
    while (e > 900) x *= 0x1p900, e -= 900;
    while (e < -900) x *= 0x1p-900, e += 900; // exact: the result is a multiple of 2^-1074
    return x * foi_power_of_two(e);
}

double foi_fmod(double x, double y)
{
    double a = foi_magnitude(x), b = foi_magnitude(y);
    if (x != x) return foi_no_number(x);
    if (y != y) return foi_no_number(y);
    if (a == foi_infinity() || b == 0) return foi_nan();
    if (a < b) return x;
    parts p = split(a), q = split(b);
    uint64_t m = p.m % q.m;
    // m 2^(p.e - q.e) modulo q.m, 11 bits at a time: m stays below 2^64
    for (int left = p.e - q.e; left > 0 && m;) {
        int shift = left < 11 ? left : 11;
        m = (m << shift) % q.m;
        left -= shift;
    }
    return foi_with_sign(join(m, q.e), x);
}

// 3/0.1 is 30 to rounding, though 0.1 as a double goes into 3 only 29 times: nothing is left then.
static double rest_of(double rest, double quotient, double b)
{
    int whole = quotient == foi_trunc(quotient) && foi_magnitude(quotient) < FOI_FAR;
    return whole && foi_magnitude(rest) > 0.5 * foi_magnitude(b) ? 0 : rest;
}

double foi_remain(double a, double b)
{
    return rest_of(foi_fmod(a, b), a / b, b);
}

double foi_modulo(double a, double b)
{
    double rest = foi_fmod(a, b);
    return rest_of(rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest, a / b, b);
}

// Halves of 26 bits: Veltkamp, Dekker 1971.
static foi_pair halves_of(double a)
{
    double c = a * (0x1p27 + 1), high = c - (c - a);
    return (foi_pair){high, a - high};
}

double foi_lost(double a, double b)
{
    double size = foi_magnitude(a * b);
    if (!(size < foi_infinity()) || foi_magnitude(a) > FOI_FAR) return 0;
    // nothing overflows, nor is lost below the least doubles
    double by = foi_magnitude(b) > 0x1p900 ? 0x1p-200 : size < 0x1p-900 ? 0x1p200 : 1;
    foi_pair x = halves_of(a), y = halves_of(b * by);
    double off = x.hi * y.hi - a * (b * by);
    off += x.hi * y.lo;
    off += x.lo * y.hi;
    off += x.lo * y.lo;
    return off / by;
}
