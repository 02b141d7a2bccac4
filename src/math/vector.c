/// The cores in loops, compiled for each set of instructions.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif
#include "math/vector.h"

#include "math/math.h"
#include "math/pow.h"
#include "math/trig.h"

enum { BLOCK = 64 };

/// What a core gives: a value, and whether it is not to be used.
typedef struct lane {
    double y;
    int bad;
} lane;

FOI_CORE lane exp_lane(double x)
{
    return (lane){foi_exp_core(x, x, 0), (foi_magnitude(x) > FOI_EXP_OK) | (x != x)};
}

FOI_CORE lane log_lane(double x)
{
    return (lane){foi_log_core(x), !foi_is_normal(x)};
}

FOI_CORE lane sin_lane(double x)
{
    foi_trig_parts p = foi_trig_split(x);
    return (lane){foi_sin_core(x, p), p.bad};
}

FOI_CORE lane cos_lane(double x)
{
    foi_trig_parts p = foi_trig_split(x);
    return (lane){foi_cos_core(p), p.bad};
}

FOI_CORE lane pow_lane(double x, double y)
{
    foi_pow_parts e = foi_pow_exponent(y, foi_log_split(x));
    int far = (foi_magnitude(e.hi) > FOI_EXP_OK) | (e.hi != e.hi);
    return (lane){foi_exp_core(e.about, e.hi, e.lo), far | (foi_is_normal(x) == 0)};
}

#define ONE(name, way, target)                                                  \
    target static void name##_##way(const double *x, double *to, size_t count)  \
    {                                                                           \
        for (size_t at = 0; at < count; at += BLOCK, x += BLOCK, to += BLOCK) { \
            size_t n = count - at < BLOCK ? count - at : BLOCK;                 \
            double y[BLOCK];                                                    \
            int bad = 0;                                                        \
            for (size_t i = 0; i < n; i++) {                                    \
                lane l = name##_lane(x[i]);                                     \
                y[i] = l.y, bad |= l.bad;                                       \
            }                                                                   \
            if (bad)                                                            \
                for (size_t i = 0; i < n; i++) y[i] = foi_##name(x[i]);         \
            memcpy(to, y, n * sizeof *y);                                       \
        }                                                                       \
    }

#define TWO(name, way, target)                                                                  \
    target static void name##_##way(const double *x, const double *y, double *to, size_t count) \
    {                                                                                           \
        for (size_t at = 0; at < count; at += BLOCK, x += BLOCK, y += BLOCK, to += BLOCK) {     \
            size_t n = count - at < BLOCK ? count - at : BLOCK;                                 \
            double z[BLOCK];                                                                    \
            int bad = 0;                                                                        \
            for (size_t i = 0; i < n; i++) {                                                    \
                lane l = name##_lane(x[i], y[i]);                                               \
                z[i] = l.y, bad |= l.bad;                                                       \
            }                                                                                   \
            if (bad)                                                                            \
                for (size_t i = 0; i < n; i++) z[i] = foi_##name(x[i], y[i]);                   \
            memcpy(to, z, n * sizeof *z);                                                       \
        }                                                                                       \
    }

#define WAY(way, title, target)                                                     \
    ONE(exp, way, target)                                                           \
    ONE(log, way, target)                                                           \
    ONE(sin, way, target)                                                           \
    ONE(cos, way, target)                                                           \
    TWO(pow, way, target)                                                           \
    static const foi_math_vectors vectors_##way = {title,     exp_##way, log_##way, \
                                                   sin_##way, cos_##way, pow_##way};

#define NO_TARGET
WAY(plain, "plain", NO_TARGET)

#if defined(__x86_64__) && defined(__GNUC__)
#ifdef __clang__
#define WIDEST "avx512f,avx512dq,avx512vl,avx512bw"
#else
#define WIDEST "avx512f,avx512dq,avx512vl,avx512bw,prefer-vector-width=512"
#endif
WAY(avx2, "AVX2", __attribute__((target("avx2"))))
WAY(avx512, "AVX-512", __attribute__((target(WIDEST))))

static const foi_math_vectors *best(void)
{
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw"))
        return &vectors_avx512;
    return __builtin_cpu_supports("avx2") ? &vectors_avx2 : &vectors_plain;
}

static const foi_math_vectors *below(const foi_math_vectors *v)
{
    return v == &vectors_avx512 ? &vectors_avx2 : v == &vectors_avx2 ? &vectors_plain : NULL;
}
#else
static const foi_math_vectors *best(void)
{
    return &vectors_plain;
}

static const foi_math_vectors *below(const foi_math_vectors *v)
{
    (void)v;
    return NULL;
}
#endif

const foi_math_vectors *foi_math_ways(size_t index)
{
    const foi_math_vectors *v = best();
    while (v && index--) v = below(v);
    return v;
}

const char *foi_math_way(void)
{
    return best()->name;
}

void foi_exp_many(const double *x, double *to, size_t count)
{
    best()->exp(x, to, count);
}

void foi_log_many(const double *x, double *to, size_t count)
{
    best()->log(x, to, count);
}

void foi_sin_many(const double *x, double *to, size_t count)
{
    best()->sin(x, to, count);
}

void foi_cos_many(const double *x, double *to, size_t count)
{
    best()->cos(x, to, count);
}

void foi_pow_many(const double *x, const double *y, double *to, size_t count)
{
    best()->pow(x, y, to, count);
}
