// Our elementary functions against those of the C library, one by one and in vectors, and SLEEF's
// functions of equal bits (cinz: without fused multiply-adds) where it is installed.
#include <math.h>
#include <stdlib.h>

#include "bench.h"
#include "math/math.h"
#include "math/vector.h"
#ifdef BENCH_WITH_SLEEF
#include <sleef.h>
#endif

enum { COUNT = 1024, ROUNDS = 200, REPEATS = 21 };

/// Arguments of one race, and where the results go.
typedef struct arguments {
    double x[COUNT], y[COUNT], to[COUNT];
    double lo, hi;
} arguments;

static void fill(arguments *a, double lo, double hi)
{
    uint64_t s = 1;
    for (int i = 0; i < 2 * COUNT; i++) {
        s = s * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        double unit = (double)(s >> 11) * 0x1p-53;
        *(i < COUNT ? &a->x[i] : &a->y[i - COUNT]) = lo + (hi - lo) * unit;
    }
}

static double finish(const arguments *a, double seconds)
{
    double sum = 0;
    for (int i = 0; i < COUNT; i++) sum += a->to[i];
    return isfinite(sum) ? seconds / ((double)ROUNDS * COUNT) * 1e9 : NAN;
}

// Runs `statement` for all arguments and returns ns for each.
#define MEASURED(name, statement)                   \
    static double name(void *self)                  \
    {                                               \
        arguments *a = self;                        \
        double before = bench_seconds();            \
        for (int n = 0; n < ROUNDS; n++) {          \
            statement;                              \
            __asm__ volatile("" ::: "memory");      \
        }                                           \
        return finish(a, bench_seconds() - before); \
    }
#define EACH(call) \
    for (int i = 0; i < COUNT; i++) a->to[i] = call

#define ONE(name)                                   \
    MEASURED(our_##name, EACH(foi_##name(a->x[i]))) \
    MEASURED(libm_##name, EACH(name(a->x[i])))
#define TWO(name)                                            \
    MEASURED(our_##name, EACH(foi_##name(a->x[i], a->y[i]))) \
    MEASURED(libm_##name, EACH(name(a->x[i], a->y[i])))

ONE(exp)
ONE(exp2)
ONE(expm1)
ONE(log)
ONE(log2)
ONE(log10)
ONE(log1p)
TWO(pow)
ONE(cbrt)
TWO(hypot)
ONE(sin)
ONE(cos)
ONE(tan)
ONE(asin)
ONE(acos)
ONE(atan)
TWO(atan2)
ONE(sinh)
ONE(cosh)
ONE(tanh)
ONE(asinh)
ONE(acosh)
ONE(atanh)
ONE(erf)
ONE(erfc)
ONE(tgamma)
ONE(lgamma)
TWO(fmod)

MEASURED(vector_exp, foi_exp_many(a->x, a->to, COUNT))
MEASURED(vector_log, foi_log_many(a->x, a->to, COUNT))
MEASURED(vector_sin, foi_sin_many(a->x, a->to, COUNT))
MEASURED(vector_cos, foi_cos_many(a->x, a->to, COUNT))
MEASURED(vector_pow, foi_pow_many(a->x, a->y, a->to, COUNT))

#ifdef BENCH_WITH_SLEEF
MEASURED(sleef_exp, EACH(Sleef_cinz_expd1_u10purec(a->x[i])))
MEASURED(sleef_log, EACH(Sleef_cinz_logd1_u10purec(a->x[i])))
MEASURED(sleef_sin, EACH(Sleef_cinz_sind1_u10purec(a->x[i])))
MEASURED(sleef_cos, EACH(Sleef_cinz_cosd1_u10purec(a->x[i])))
MEASURED(sleef_pow, EACH(Sleef_cinz_powd1_u10purec(a->x[i], a->y[i])))
#define SLEEF(name) sleef_##name
#else
#define SLEEF(name) NULL
#endif

typedef double runner(void *self);

static const struct {
    const char *name;
    double lo, hi;
    runner *ours, *theirs, *vector, *sleef;
    double faster; ///< than the C library the vectors should be
} races[] = {
#define RACE(name, lo, hi)                                    \
    {                                                         \
#name, lo, hi, our_##name, libm_##name, NULL, NULL, 0 \
    }
#define WIDE(name, lo, hi, faster)                                                 \
    {                                                                              \
#name, lo, hi, our_##name, libm_##name, vector_##name, SLEEF(name), faster \
    }
    WIDE(exp, -20, 20, 3), RACE(exp2, -20, 20),    RACE(expm1, -2, 2),    WIDE(log, 0.01, 100, 2.3),
    RACE(log2, 0.01, 100), RACE(log10, 0.01, 100), RACE(log1p, 0, 10),    WIDE(pow, 0.1, 10, 2.3),
    RACE(cbrt, 0.1, 100),  RACE(hypot, -10, 10),   WIDE(sin, -10, 10, 3), WIDE(cos, -10, 10, 3),
    RACE(tan, -10, 10),    RACE(asin, -1, 1),      RACE(acos, -1, 1),     RACE(atan, -5, 5),
    RACE(atan2, -5, 5),    RACE(sinh, -3, 3),      RACE(cosh, -3, 3),     RACE(tanh, -3, 3),
    RACE(asinh, -5, 5),    RACE(acosh, 1, 10),     RACE(atanh, -1, 1),    RACE(erf, -3, 3),
    RACE(erfc, -3, 6),     RACE(tgamma, 0.1, 20),  RACE(lgamma, 0.1, 20), RACE(fmod, 1, 100),
};

int main(int argc, char **argv)
{
    static arguments a;
    bench_table table;
    if (!bench_open(&table, "math", argc, argv)) return 1;
    bench_title("Elementary functions: one value");
    for (size_t i = 0; i < sizeof races / sizeof races[0]; i++) {
        fill(&a, races[i].lo, races[i].hi);
        bench_runner runners[] = {{.run = races[i].ours, .self = &a},
                                  {.run = races[i].theirs, .self = &a},
                                  {.run = races[i].vector, .self = &a},
                                  {.run = races[i].sleef, .self = &a}};
        if (!bench_race(runners, 4, REPEATS)) bench_break(&table, "%s broke", races[i].name);
        bench_add(&table, (bench_line){races[i].name, "C library", "ns", runners[0].best,
                                       runners[1].best, 1.5, NULL});
        if (!races[i].vector) continue;
        bench_add(&table, (bench_line){races[i].name, "C library", "ns", runners[2].best,
                                       runners[1].best, 1 / races[i].faster, foi_math_way()});
        bench_add(&table, (bench_line){races[i].name, "SLEEF, one by one", "ns", runners[0].best,
                                       runners[3].best, 0, NULL});
    }
    return bench_close(&table);
}
