/// sin, cos, tan.
#include "math/trig.h"

#include <stdbool.h>

#include "math/math.h"

enum { WORDS = 8 }; ///< of 32 bits, of a product with 2/pi

// Word i of 2/pi; before its first one there is nothing.
static uint64_t word_at(int i)
{
    return i < 0 ? 0 : foi_two_over_pi[i];
}

// x 64/pi modulo 128 has 7 bits before the point. x = m 2^e with an integer m of 53 bits. Word i of
// 2/pi weighs 2^(-32 (i + 1)): those with m 2^(e + 5) times this a multiple of 128 are left out,
// and of the rest 8 words are taken. The product modulo 2^256 then has 7 to 38 bits before the
// point; of the 218 or more behind it the last 53 are wrong, at most 62 cancel in any double, and
// more than 100 are good. Returns where the point stands: the number of bits behind it.
static int multiply(double x, uint32_t product[WORDS])
{
    uint64_t bits = foi_bits(x), m = (bits & UINT64_C(0xFFFFFFFFFFFFF)) | UINT64_C(1) << 52;
    int e = (int)(bits >> 52) - 1075, first = (e - 2 + 1024) / 32 - 32;
    uint64_t low = m & 0xFFFFFFFF, high = m >> 32, carry = 0;
    for (int i = WORDS - 1; i >= 0; i--) {
        uint64_t t = word_at(first + i) * low + carry;
        product[i] = (uint32_t)t;
        carry = t >> 32;
    }
    carry = 0;
    for (int i = WORDS - 2; i >= 0; i--) {
        uint64_t t = word_at(first + i + 1) * high + product[i] + carry;
        product[i] = (uint32_t)t;
        carry = t >> 32;
    }
    return 32 * (first + WORDS) - (e + 5);
}

// The 64 bits of the product from bit `last` up, where bit 0 is its last.
static uint64_t bits_from(const uint32_t *product, int last)
{
    int word = WORDS - 1 - last / 32, shift = last % 32;
    uint64_t low = product[word], mid = word > 0 ? product[word - 1] : 0;
    uint64_t high = word > 1 ? product[word - 2] : 0, both = mid << 32 | low;
    return shift ? both >> shift | high << (64 - shift) : both;
}

static int leading_zeros(uint64_t x)
{
    int n = 0;
    while (n < 64 && !(x >> 63)) x <<= 1, n++;
    return n;
}

// 128 bits behind the point, or what is missing to 1, as two doubles.
static foi_pair fraction(uint64_t f, uint64_t g)
{
    int zeros = leading_zeros(f);
    uint64_t top = zeros == 0 ? f : zeros == 64 ? g : f << zeros | g >> (64 - zeros);
    uint64_t next = zeros == 64 ? 0 : g << zeros;
    double scale = foi_power_of_two(-32 - zeros);
    double a = (double)(uint32_t)(top >> 32) * scale, b = (double)(uint32_t)top * (scale * 0x1p-32);
    double c = (double)(uint32_t)(next >> 32) * (scale * 0x1p-64);
    return foi_fast_sum(a, b + c);
}

foi_trig_parts foi_trig_far(double x)
{
    uint32_t product[WORDS];
    int point = multiply(foi_magnitude(x), product);
    uint64_t k = bits_from(product, point), f = bits_from(product, point - 64);
    uint64_t g = bits_from(product, point - 128);
    bool up = f >> 63; // nearer to the next multiple
    foi_pair q = up ? fraction(~f, ~g) : fraction(f, g);
    if (up) k++, q.hi = -q.hi, q.lo = -q.lo;
    // times pi/64, of which 26 bits are apart
    double h = foi_head(q.hi), lead = h * FOI_TRIG_STEP_HI;
    double rest =
        (q.hi - h) * FOI_TRIG_STEP_HI + (q.hi * FOI_TRIG_STEP_LO + q.lo * FOI_TRIG_STEP_HI);
    foi_pair r = foi_fast_sum(lead, rest);
    if (x < 0) k = (uint64_t)0 - k, r.hi = -r.hi, r.lo = -r.lo;
    return (foi_trig_parts){k, r.hi, r.lo, 0};
}

static int is_finite(double x)
{
    return foi_magnitude(x) <= DBL_MAX;
}

#define SLOWLY __attribute__((noinline))

SLOWLY static double sin_slowly(double x)
{
    foi_trig_parts p = foi_trig_split(x);
    if (!p.bad) return foi_sin_core(x, p);
    return is_finite(x) ? foi_sin_core(x, foi_trig_far(x)) : foi_no_number(x);
}

SLOWLY static double cos_slowly(double x)
{
    foi_trig_parts p = foi_trig_split(x);
    if (!p.bad) return foi_cos_core(p);
    return is_finite(x) ? foi_cos_core(foi_trig_far(x)) : foi_no_number(x);
}

#ifdef FOI_SMALL
double foi_sin(double x)
{
    return sin_slowly(x);
}

double foi_cos(double x)
{
    return cos_slowly(x);
}
#else
// With what every processor has.
#define QUICK quick
#define QUICK_FOR
#define QUICK_ADD(a, b, c) ((a) * (b) + (c))
#define QUICK_HEAD(a, t)   foi_trig_rounded(a)
#include "math/trig_quick.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__TINYC__)
#define FUSED __attribute__((target("fma")))

#define QUICK              quick_fused
#define QUICK_FOR          FUSED
#define QUICK_ADD(a, b, c) __builtin_fma(a, b, c)
#define QUICK_HEAD(a, t)   (t)
#include "math/trig_quick.h"

FUSED static double sin_fused(double x)
{
    double y;
    return quick_fused(x, 0, &y) ? y : sin_slowly(x);
}

FUSED static double cos_fused(double x)
{
    double y;
    return quick_fused(x, 32, &y) ? y : cos_slowly(x);
}

#define HAS_FUSED __builtin_cpu_supports("fma")
#else
#define HAS_FUSED    0
#define sin_fused(x) (x)
#define cos_fused(x) (x)
#endif

double foi_sin(double x)
{
    double y;
    if (HAS_FUSED) return sin_fused(x);
    return quick(x, 0, &y) ? y : sin_slowly(x);
}

double foi_cos(double x)
{
    double y;
    if (HAS_FUSED) return cos_fused(x);
    return quick(x, 32, &y) ? y : cos_slowly(x);
}
#endif

// S + C t of row k, t = t1 + t2 + the rest: C t1 is exact, and so is its sum with S.
FOI_CORE foi_pair row_and_tangent(uint64_t k, double t1, double t2, double t)
{
    const double *row = foi_trig_table + (k & 127) * 4;
    foi_pair lead = foi_fast_sum(row[0], row[2] * t1);
    return (foi_pair){lead.hi, lead.lo + (row[1] + (row[2] * t2 + row[3] * t))};
}

// tan x = (S + C t)/(C - S t), t = tan r: one series instead of two. t1 is the head of r, t2 all
// else.
double foi_tan(double x)
{
    if (foi_magnitude(x) < 0x1p-27) return x;
    foi_trig_parts p = foi_trig_cut(x);
    if (p.bad) {
        if (!is_finite(x)) return foi_no_number(x);
        p = foi_trig_far(x);
    }
    double r = p.r, u = r * r, t1 = foi_trig_head(r);
    double series = (FOI_TAN_3 + u * FOI_TAN_5) + u * u * (FOI_TAN_7 + u * FOI_TAN_9);
    double cubic = r * u * series, t2 = ((r - t1) + p.rl) + cubic;
    foi_pair s = row_and_tangent(p.k, t1, t2, r + cubic);
    foi_pair c = row_and_tangent(p.k + 32, t1, t2, r + cubic);
    c = foi_fast_sum(c.hi, c.lo);
    foi_pair q = foi_quotient(s.hi, s.lo, c.hi, c.lo);
    return q.hi + q.lo;
}
