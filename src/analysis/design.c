#include "analysis/design.h"

#include <foliot/random.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/memory.h"
#include "math/math.h"

// ---------------------------------------------------------------------------------------- reading

enum { MOST_LINES = 100000000 };

typedef struct shape {
    const char *name;
    foi_range_kind kind;
    int least, most; ///< numbers in its brackets
} shape;

static const shape shapes[] = {
    {"uniform", FOI_RANGE_UNIFORM, 2, 2},       {"log", FOI_RANGE_LOGARITHMIC, 2, 3},
    {"normal", FOI_RANGE_NORMAL, 2, 2},         {"lognormal", FOI_RANGE_LOGNORMAL, 2, 2},
    {"triangular", FOI_RANGE_TRIANGULAR, 3, 3}, {"exponential", FOI_RANGE_EXPONENTIAL, 1, 1},
    {"weibull", FOI_RANGE_WEIBULL, 2, 2},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

// "true" and "false", as --set takes them.
static bool read_truth(const char **at, double *value)
{
    static const char *const words[] = {"false", "true"};
    for (int i = 0; i < 2; i++) {
        size_t length = strlen(words[i]);
        if (strncmp(*at, words[i], length) != 0 || !strchr(", ", (*at)[length])) continue;
        *value = i, *at += length;
        foi_skip_spaces(at);
        return true;
    }
    return false;
}

static bool read_number(const char **at, double *value)
{
    char *end;
    foi_skip_spaces(at);
    if (read_truth(at, value)) return true;
    *value = strtod(*at, &end);
    bool good = end != *at && isfinite(*value);
    // "0.1..2": the second dot belongs to the dots
    if (good && end > *at && end[-1] == '.' && *end == '.') end--;
    *at = end;
    foi_skip_spaces(at);
    return good;
}

static fo_status wrong(const foi_range *r, const char *text, fo_message *why)
{
    return fo_fail(why, FO_ERROR_ARGUMENT,
                   "%s is varied as %s=FIRST:LAST:COUNT, %s=A,B,C, %s=LOW..HIGH or by a "
                   "distribution such as %s=normal(MEAN, DEVIATION), not as '%s'",
                   r->name, r->name, r->name, r->name, r->name, text);
}

static fo_status set_lines(foi_range *r, double count, fo_message *why)
{
    if (!(count >= 1 && count <= MOST_LINES && count == floor(count)))
        return fo_fail(why, FO_ERROR_ARGUMENT,
                       "%s needs a whole number of values from 1 to %d, not %g", r->name,
                       (int)MOST_LINES, count);
    r->count = (uint64_t)count;
    return FO_OK;
}

static fo_status check(const foi_range *r, fo_message *why)
{
    bool good = true;
    switch (r->kind) {
    case FOI_RANGE_LIST: break;
    case FOI_RANGE_UNIFORM: good = r->a <= r->b || r->count; break;
    case FOI_RANGE_LOGARITHMIC:
        good = r->a != 0 && r->b != 0 && (r->a > 0) == (r->b > 0) && (r->a <= r->b || r->count);
        break;
    case FOI_RANGE_NORMAL:
    case FOI_RANGE_LOGNORMAL: good = r->b >= 0; break;
    case FOI_RANGE_TRIANGULAR: good = r->a <= r->b && r->b <= r->c; break;
    case FOI_RANGE_EXPONENTIAL: good = r->a > 0; break;
    case FOI_RANGE_WEIBULL: good = r->a > 0 && r->b > 0; break;
    }
    if (good) return FO_OK;
    return fo_fail(
        why, FO_ERROR_ARGUMENT,
        "the range of %s is not valid: expected LOW <= HIGH, of a logarithmic one both of one "
        "sign, deviations not negative, scales and shapes positive",
        r->name);
}

// "log(0.1:10:5)", "normal(1, 0.1)"
static fo_status read_shape(foi_range *r, const char *text, fo_message *why)
{
    double numbers[3] = {0};
    int count = 0;
    size_t length = strcspn(text, "(");
    const shape *s = NULL;
    const char *at = text + length + 1;
    for (size_t i = 0; i < SHAPES; i++)
        if (strlen(shapes[i].name) == length && strncmp(text, shapes[i].name, length) == 0)
            s = &shapes[i];
    if (!s || text[length] != '(') return wrong(r, text, why);
    while (count < 3 && read_number(&at, &numbers[count])) {
        count++;
        if (*at != ',' && *at != ':' && strncmp(at, "..", 2) != 0) break;
        at += *at == '.' ? 2 : 1;
    }
    if (*at++ != ')' || *at || count < s->least || count > s->most) return wrong(r, text, why);
    r->kind = s->kind, r->a = numbers[0], r->b = numbers[1], r->c = numbers[2];
    fo_status status = FO_OK;
    if (s->kind == FOI_RANGE_LOGARITHMIC && count == 3) status = set_lines(r, r->c, why);
    return status == FO_OK ? check(r, why) : status;
}

static fo_status read_list(foi_range *r, const char *at, double first, const char *text,
                           fo_message *why)
{
    r->kind = FOI_RANGE_LIST;
    for (double value = first;;) {
        double *values = foi_grow(r->allocator, r->values, r->count, r->count + 1, sizeof *values);
        if (!values)
            return fo_fail(why, FO_ERROR_MEMORY, "no memory for the values of %s", r->name);
        r->values = values;
        r->values[r->count++] = value;
        if (!*at) return FO_OK;
        if (*at++ != ',' || !read_number(&at, &value)) return wrong(r, text, why);
    }
}

static fo_status read_numbers(foi_range *r, const char *text, fo_message *why)
{
    const char *at = text;
    double count;
    if (!read_number(&at, &r->a)) return wrong(r, text, why);
    r->kind = FOI_RANGE_UNIFORM;
    if (strncmp(at, "..", 2) == 0) {
        at += 2;
        if (!read_number(&at, &r->b) || *at) return wrong(r, text, why);
        return check(r, why);
    }
    if (*at != ':') return read_list(r, at, r->a, text, why);
    at++;
    if (!read_number(&at, &r->b) || *at++ != ':') return wrong(r, text, why);
    if (!read_number(&at, &count) || *at) return wrong(r, text, why);
    return set_lines(r, count, why);
}

fo_status foi_range_read(foi_range *r, const char *text, const fo_allocator *allocator,
                         fo_message *why)
{
    *r = (foi_range){.allocator = allocator};
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || (size_t)(equals - text) >= sizeof r->name)
        return fo_fail(why, FO_ERROR_ARGUMENT, "expected NAME=RANGE, found '%s'", text);
    memcpy(r->name, text, (size_t)(equals - text));
    const char *at = equals + 1, *first = at;
    double truth;
    foi_skip_spaces(&at);
    bool word =
        !read_truth(&first, &truth) && ((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z'));
    fo_status status = word ? read_shape(r, at, why) : read_numbers(r, at, why);
    if (status != FO_OK) foi_range_destroy(r);
    return status;
}

void foi_range_destroy(foi_range *r)
{
    foi_free(r->allocator, r->values);
    r->values = NULL, r->count = 0;
}

// ----------------------------------------------------------------------------------------- values

// Also where the difference of both ends, or their ratio, is no double.
static double between(const foi_range *r, double part)
{
    double apart = r->b - r->a, ratio = r->b / r->a;
    if (r->kind != FOI_RANGE_LOGARITHMIC)
        return isfinite(apart) ? r->a + apart * part : r->a * (1 - part) + r->b * part;
    if (isfinite(ratio) && ratio > 0) return r->a * foi_pow(ratio, part);
    double size = foi_pow(fabs(r->a), 1 - part) * foi_pow(fabs(r->b), part);
    return r->a < 0 ? -size : size;
}

double foi_range_line(const foi_range *r, uint64_t i)
{
    if (r->kind == FOI_RANGE_LIST) return r->values[i];
    if (i == 0) return r->a;
    if (i + 1 == r->count) return r->b; // both ends to the bit
    return between(r, (double)i / (double)(r->count - 1));
}

// Phi(z) = u by Newton's iteration with Halley's correction on erfc, from the expansion of the
// tail z ~ sqrt(-2 log u): quadratic convergence, the sign by symmetry, so that small u keep all
// their digits.
double foi_normal_quantile(double u)
{
    if (u > 0.5) return -foi_normal_quantile(1 - u);
    if (!(u > 0)) return -INFINITY;
    double r = sqrt(-2 * foi_log(u));
    // Abramowitz and Stegun 26.2.23, to 4.5e-4
    double z = -(r - (2.515517 + r * (0.802853 + r * 0.010328)) /
                         (1 + r * (1.432788 + r * (0.189269 + r * 0.001308))));
    for (int i = 0; i < 3; i++) {
        double error = foi_erfc(-z / sqrt(2)) / 2 - u;
        double step = error * sqrt(2 * 3.14159265358979323846) * foi_exp(z * z / 2);
        z -= step / (1 + z * step / 2);
    }
    return z;
}

double foi_range_quantile(const foi_range *r, double u)
{
    double span, mode;
    switch (r->kind) {
    case FOI_RANGE_LIST: return r->values[(uint64_t)(u * (double)r->count)];
    case FOI_RANGE_UNIFORM:
    case FOI_RANGE_LOGARITHMIC: return between(r, u);
    case FOI_RANGE_NORMAL: return r->a + r->b * foi_normal_quantile(u);
    case FOI_RANGE_LOGNORMAL: return foi_exp(r->a + r->b * foi_normal_quantile(u));
    case FOI_RANGE_EXPONENTIAL: return -r->a * foi_log1p(-u);
    case FOI_RANGE_WEIBULL: return r->a * foi_pow(-foi_log1p(-u), 1 / r->b);
    case FOI_RANGE_TRIANGULAR: break;
    }
    span = r->c - r->a, mode = span > 0 ? (r->b - r->a) / span : 0;
    if (u < mode) return r->a + span * sqrt(u * mode);
    return r->c - span * sqrt((1 - u) * (1 - mode));
}

// ------------------------------------------------------------------------------------- unit cubes

// S. Joe and F. Y. Kuo, Constructing Sobol sequences with better two-dimensional projections, 2008:
// degree and coefficients of the primitive polynomial, and the first direction numbers.
static const struct sobol {
    uint8_t degree, coefficients, m[7];
} sobol[FOI_SOBOL_DIMENSIONS - 1] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
};

static uint32_t direction(uint32_t k, uint32_t bit, uint32_t *v)
{
    if (k == 0) return v[bit] = UINT32_C(1) << (31 - bit);
    const struct sobol *s = &sobol[k - 1];
    if (bit < s->degree) return v[bit] = (uint32_t)s->m[bit] << (31 - bit);
    uint32_t value = v[bit - s->degree] ^ (v[bit - s->degree] >> s->degree);
    for (uint32_t j = 1; j < s->degree; j++)
        if (s->coefficients >> (s->degree - 1 - j) & 1) value ^= v[bit - j];
    return v[bit] = value;
}

static uint32_t sobol_bits(uint64_t i, uint32_t k)
{
    uint32_t v[32], x = 0;
    for (uint32_t bit = 0; bit < 32; bit++) {
        uint32_t d = direction(k, bit, v);
        if (i >> bit & 1) x ^= d;
    }
    return x;
}

static uint32_t reverse(uint32_t x)
{
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    x = (x >> 8 & 0x00ff00ffu) | (x & 0x00ff00ffu) << 8;
    return x >> 16 | x << 16;
}

// Owen's nested scrambling by a hash in which a bit depends on the lower ones only (Laine and
// Karras; constants of Burley, Practical Hash-based Owen Scrambling, 2020).
static uint32_t scramble(uint32_t x, uint32_t seed)
{
    x = reverse(x);
    x += seed;
    x ^= x * 0x6c50b47cu;
    x ^= x * 0xb82f1e52u;
    x ^= x * 0xc7afe638u;
    x ^= x * 0x8d22f6e6u;
    return reverse(x);
}

// The middle of a cell, so that neither 0 nor 1 comes out.
static double unit_of(uint64_t bits, int count)
{
    return ((double)bits + 0.5) * ldexp(1, -count);
}

// A permutation of 0 .. count-1 that needs no table: four rounds of a Feistel network over the next
// power of four, walked until the value lies inside.
static uint64_t permute(uint64_t i, uint64_t count, uint64_t seed, uint32_t k)
{
    int half = 1;
    while (half < 32 && (UINT64_C(1) << (2 * half)) < count) half++;
    uint64_t mask = (UINT64_C(1) << half) - 1;
    do {
        uint64_t left = i >> half & mask, right = i & mask;
        for (uint32_t round = 0; round < 4; round++) {
            fo_random r = fo_random_stream(seed, (uint64_t)k * 8 + round + 1);
            fo_random_seek(&r, right);
            uint64_t next = left ^ (fo_random_bits(&r) & mask);
            left = right, right = next;
        }
        i = left << half | right;
    } while (i >= count);
    return i;
}

double foi_design_unit(fo_design design, uint64_t seed, uint64_t i, uint64_t count, uint32_t k)
{
    fo_random r = fo_random_stream(seed, UINT64_C(1) << 40 | k);
    if (design == FO_DESIGN_SOBOL)
        return unit_of(scramble(sobol_bits(i, k), (uint32_t)(fo_random_bits(&r) >> 32)), 32);
    fo_random_seek(&r, i);
    double u = unit_of(fo_random_bits(&r) >> 12, 52);
    if (design != FO_DESIGN_LATIN) return u;
    u = ((double)permute(i, count, seed, k) + u) / (double)count;
    return u < 1 ? u : nextafter(1, 0);
}
