/// Functions that are one operation of the run (equations/outside.h): C of ours that stands for C
/// of the library, or for what the language cannot say. They keep nothing from one call to the
/// next, so that the same run gives the same bits, whichever thread makes it.
#include <string.h>

#include "base/memory.h"
#include "language/session.h"
#include "math/math.h"

enum { LARGEST_WRITTEN_OUT = 128 }; ///< points of a transform that becomes a formula

// ----------------------------------------------------------------------------------- the transform

/// The sum of x[j] exp(-2 pi i j k/n) over j, for k = 0 ... n - 1, by the parts that every p-th one
/// makes (Cooley, Tukey 1965). `x` has `stride`; S + i T is room for as many numbers as X + i Y.
static void transform(size_t n, size_t stride, const double *x, double *X, double *Y, double *S,
                      double *T)
{
    static const double turn = 6.28318530717958647693;
    size_t p = n % 2 == 0 ? 2 : n % 3 == 0 ? 3 : n % 5 == 0 ? 5 : n, m = n / p;
    for (size_t r = 0; r < p; r++) {
        if (m == 1)
            S[r] = x[r * stride], T[r] = 0;
        else
            transform(m, stride * p, x + r * stride, S + r * m, T + r * m, X + r * m, Y + r * m);
    }
    for (size_t k = 0; k < n; k++) {
        X[k] = Y[k] = 0;
        for (size_t r = 0; r < p; r++) {
            double angle = turn * (double)(r * k % n) / (double)n;
            double c = foi_cos(angle), s = foi_sin(angle), a = S[r * m + k % m],
                   b = T[r * m + k % m];
            X[k] += c * a + s * b;
            Y[k] += c * b - s * a;
        }
    }
}

// u -> info, amplitudes, phases, as ModelicaFFT.c has them.
static bool real_transform(const foi_outside_function *f, const double *in, double *out,
                           const char **said)
{
    size_t n = f->inputs, points = n / 2 + 1;
    double *room = foi_new(NULL, 4 * n, sizeof *room);
    if (!room) return *said = "there is no memory", false;
    double *X = room, *Y = room + n;
    transform(n, 1, in, X, Y, room + 2 * n, room + 3 * n);
    out[0] = n % 2 == 0 ? 0 : 1;
    for (size_t k = 0; k < points; k++) {
        out[1 + k] = foi_sqrt(X[k] * X[k] + Y[k] * Y[k]) / (double)points;
        out[1 + points + k] = foi_atan2(Y[k], X[k]);
    }
    foi_free(NULL, room);
    return true;
}

// ------------------------------------------------------------------------------------- a generator

enum { WORDS = 16, STATE = 2 * WORDS + 1 }; ///< of xorshift1024*, as Integers of 32 bits

// xorshift64* (Vigna 2014), as ModelicaRandom.c has it.
static uint64_t next_seed(uint64_t x)
{
    x ^= x >> 12, x ^= x << 25, x ^= x >> 27;
    return x * UINT64_C(2685821657736338717);
}

// What initialStateWithXorshift64star of the library gives for two seeds.
static void begin(uint32_t local, uint32_t global, uint64_t *words, uint32_t *at)
{
    uint64_t x = (uint64_t)global << 32 | (local || global ? local : 126247697);
    for (int i = 0; i < 10; i++) x = next_seed(x);
    for (int i = 0; i < WORDS; i++, x = next_seed(x)) words[i] = x;
    *at = (uint32_t)x % WORDS;
}

static uint32_t low_bits(double whole)
{
    return (uint32_t)(int64_t)whole;
}

static double as_integer(uint64_t word)
{
    return (double)(int32_t)(uint32_t)word;
}

// state, seed, stream -> number, state. The first stream of a seed is the library's.
static bool draw(const foi_outside_function *f, const double *in, double *out, const char **said)
{
    enum { LIBRARY_SEED = 715827883 };
    uint64_t words[WORDS];
    uint32_t at;
    (void)f, (void)said;
    for (int i = 0; i < WORDS; i++)
        words[i] = (uint64_t)low_bits(in[2 * i + 1]) << 32 | low_bits(in[2 * i]);
    at = low_bits(in[STATE - 1]) % WORDS;
    if (in[STATE - 1] < 0)
        begin(LIBRARY_SEED + low_bits(in[STATE + 1]), low_bits(in[STATE]), words, &at);
    uint64_t a = words[at];
    at = (at + 1) % WORDS;
    uint64_t b = words[at];
    b ^= b << 31, b ^= b >> 11, a ^= a >> 30;
    words[at] = a ^ b;
    uint64_t y = words[at] * UINT64_C(1181783497276652981);
    double high = (double)(int32_t)(uint32_t)(y >> 32), low = (double)(uint32_t)y;
    out[0] = (high * 4294967296.0 + low) * 5.42101086242752217004e-20 + 0.5;
    for (int i = 0; i < WORDS; i++)
        out[1 + 2 * i] = as_integer(words[i]), out[2 + 2 * i] = as_integer(words[i] >> 32);
    out[STATE] = at;
    return true;
}

// ------------------------------------------------------------------------------------- their names

static const struct {
    const char *name;
    foi_own_function *call;
    uint32_t beyond; ///< so many numbers in the first argument
} functions[] = {{"ModelicaFFT_kiss_fftr", real_transform, LARGEST_WRITTEN_OUT},
                 {"foliot_draw", draw, 0}};

foi_own_function *foi_own_of(const char *name)
{
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (strcmp(functions[i].name, name) == 0) return functions[i].call;
    return NULL;
}

bool foi_is_own_call(const char *name, const foi_value *values, uint32_t count)
{
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (strcmp(functions[i].name, name) == 0)
            return count && values[0].count > functions[i].beyond;
    return false;
}
