// The shortest decimal between a double's neighbours.
//
// Method: R. Giulietti, "The Schubfach way to render doubles" (2020). A double is v = c * 2^q. All
// reals nearer to v than to its neighbours read back as v; they are the interval
//
//     [ (c - 1/2) 2^q, (c + 1/2) 2^q ]      (c - 1/4 on the left where v is a power of two),
//
// its ends included when c is even. With k = floor(log10(length of the interval)) it holds at most
// one multiple of 10^(k+1), and at least one of 10^k. So the answer is the multiple of 10^(k+1) if
// there is one (its trailing zeros are dropped), otherwise the multiple of 10^k nearest to v.
//
// The ends and v are compared in units of 10^k / 4: vl, v and vr are 4 c 2^q 10^-k and its two
// sides, rounded to odd, which keeps every comparison with an integer exact. 126 bits of 10^-k are
// enough for that.
#include "base/decimal.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/decimal_powers.h"

// --------------------------------------------------------------------------------- the digits

/// f * 10^e
typedef struct decimal {
    uint64_t f;
    int e;
} decimal;

static uint64_t product_high(uint64_t a, uint64_t b)
{
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)((wide)a * b >> 64);
}

// (high * 2^63 + low) * m / 2^127, rounded to odd.
static uint64_t scale(uint64_t high, uint64_t low, uint64_t m)
{
    const uint64_t mask63 = UINT64_MAX >> 1;
    uint64_t z = (high * m >> 1) + product_high(low, m);
    uint64_t w = product_high(high, m) + (z >> 63);
    return w | ((z & mask63) + mask63) >> 63;
}

// Floors of logarithms as products with rounded constants, exact for every exponent of a double:
// floor(q log10 2), floor(q log10 2 + log10 3/4), floor(e log2 10).
static int floor_log10_pow2(int q)
{
    return (int)(q * INT64_C(661971961083) >> 41);
}

static int floor_log10_three_quarters_pow2(int q)
{
    return (int)((q * INT64_C(661971961083) - INT64_C(274743187321)) >> 41);
}

static int floor_log2_pow10(int e)
{
    return (int)(e * INT64_C(913124641741) >> 38);
}

static decimal shortest(uint64_t c, int q, bool edge)
{
    int k = edge ? floor_log10_three_quarters_pow2(q) : floor_log10_pow2(q);
    int h = q + floor_log2_pow10(-k) + 2;
    uint64_t high = foi_powers[-k - FOI_POWER_MIN].high, low = foi_powers[-k - FOI_POWER_MIN].low;
    uint64_t v = scale(high, low, 4 * c << h);
    uint64_t vl = scale(high, low, (4 * c - (edge ? 1 : 2)) << h);
    uint64_t vr = scale(high, low, (4 * c + 2) << h);
    uint64_t open = c & 1, s = v / 4;
    if (s >= 10) {
        uint64_t below = s / 10 * 10, above = below + 10;
        bool below_in = vl + open <= 4 * below, above_in = 4 * above + open <= vr;
        if (below_in != above_in) return (decimal){below_in ? below : above, k};
    }
    uint64_t t = s + 1;
    bool s_in = vl + open <= 4 * s, t_in = 4 * t + open <= vr;
    if (s_in != t_in) return (decimal){s_in ? s : t, k};
    uint64_t middle = 2 * (s + t);
    return (decimal){v < middle || (v == middle && s % 2 == 0) ? s : t, k};
}

static decimal decimal_of(uint64_t image)
{
    const uint64_t hidden = (uint64_t)1 << 52;
    uint64_t fraction = image & (hidden - 1);
    int biased = (int)(image >> 52 & 0x7ff);
    uint64_t c = biased ? fraction | hidden : fraction;
    int q = (biased ? biased : 1) - 1075;
    if (q <= 0 && q > -53 && (c & (((uint64_t)1 << -q) - 1)) == 0)
        return (decimal){c >> -q, 0}; // a whole number
    return shortest(c, q, fraction == 0 && biased > 1);
}

// ----------------------------------------------------------------------------------- the text

// Writes f's digits to `end` backwards; returns where they start.
static char *put_digits(uint64_t f, char *end)
{
    do *--end = (char)('0' + f % 10);
    while (f /= 10);
    return end;
}

static char *put_exponent(int e, char *at)
{
    *at++ = 'e';
    if (e < 0) *at++ = '-';
    char digits[8], *end = digits + sizeof digits;
    char *first = put_digits((uint64_t)(e < 0 ? -e : e), end);
    memcpy(at, first, (size_t)(end - first));
    return at + (end - first);
}

// 0.digits * 10^point
static char *put_number(const char *digits, int count, int point, char *at)
{
    if (point < -3 || point > 17) {
        *at++ = digits[0];
        if (count > 1) *at++ = '.';
        memcpy(at, digits + 1, (size_t)count - 1);
        return put_exponent(point - 1, at + count - 1);
    }
    if (point <= 0) {
        memcpy(at, "0.000", (size_t)(2 - point));
        memcpy(at + 2 - point, digits, (size_t)count);
        return at + 2 - point + count;
    }
    int whole = count < point ? count : point;
    memcpy(at, digits, (size_t)whole);
    memset(at + whole, '0', (size_t)(point - whole));
    at += point;
    if (count == whole) return at;
    *at++ = '.';
    memcpy(at, digits + whole, (size_t)(count - whole));
    return at + count - whole;
}

static int put_word(const char *word, char *text)
{
    strcpy(text, word);
    return (int)strlen(word);
}

int foi_number_text(double value, char *text)
{
    uint64_t image;
    memcpy(&image, &value, sizeof image);
    if (isnan(value)) return put_word("nan", text);
    if (isinf(value)) return put_word(value > 0 ? "inf" : "-inf", text);
    char *at = text;
    if (image >> 63) *at++ = '-';
    image &= UINT64_MAX >> 1;
    if (image == 0) {
        *at++ = '0';
    } else {
        decimal number = decimal_of(image);
        char digits[24], *end = digits + sizeof digits;
        const char *first = put_digits(number.f, end);
        int count = (int)(end - first), point = count + number.e;
        while (count > 1 && first[count - 1] == '0') count--;
        at = put_number(first, count, point, at);
    }
    *at = 0;
    return (int)(at - text);
}
