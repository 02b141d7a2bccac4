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

#define FAR 0x1p50 ///< a whole part of this size

double foi_remain(double a, double b)
{
    double whole = foi_trunc(a / b);
    return foi_magnitude(whole) < FAR ? a - whole * b : foi_fmod(a, b);
}

double foi_modulo(double a, double b)
{
    double whole = foi_floor(a / b);
    if (foi_magnitude(whole) < FAR) return a - whole * b;
    double rest = foi_fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
