// What a draw costs: our distributions against those of GSL with its Mersenne twister.
#include <foliot/random.h>
#include <math.h>
#include <stdlib.h>

#include "bench.h"
#ifdef BENCH_WITH_GSL
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#endif

enum { DRAWS = 1000000, REPEATS = 5 };

/// Both generators, and a sum that keeps the draws alive.
typedef struct source {
    fo_random r;
#ifdef BENCH_WITH_GSL
    gsl_rng *gsl;
#endif
    double sum;
} source;

// A function that draws `expression` many times and returns ns per draw.
#define DRAWER(name, expression)                                     \
    static double name(void *self)                                   \
    {                                                                \
        source *s = self;                                            \
        double sum = 0, before = bench_seconds();                    \
        for (int i = 0; i < DRAWS; i++) sum += (double)(expression); \
        double seconds = bench_seconds() - before;                   \
        s->sum += sum;                                               \
        return isfinite(sum) ? seconds / DRAWS * 1e9 : NAN;          \
    }
#ifdef BENCH_WITH_GSL
#define PAIR(name, ours, theirs) \
    DRAWER(our_##name, ours)     \
    DRAWER(gsl_##name##_draw, theirs)
#define RUNNERS(name) our_##name, gsl_##name##_draw
#else
#define PAIR(name, ours, theirs) DRAWER(our_##name, ours)
#define RUNNERS(name)            our_##name, NULL
#endif

PAIR(unit, fo_random_unit(&s->r), gsl_rng_uniform(s->gsl))
PAIR(uniform, fo_random_uniform(&s->r, 2, 3), gsl_ran_flat(s->gsl, 2, 3))
PAIR(integer, fo_random_integer(&s->r, 1, 6), 1 + gsl_rng_uniform_int(s->gsl, 6))
PAIR(negexp, fo_random_negexp(&s->r, 2), gsl_ran_exponential(s->gsl, 0.5))
PAIR(normal, fo_random_normal(&s->r, 0, 1), gsl_ran_gaussian_ziggurat(s->gsl, 1))
PAIR(erlang, fo_random_erlang(&s->r, 1, 3), gsl_ran_erlang(s->gsl, 1.0 / 3, 3))
PAIR(gamma, fo_random_gamma(&s->r, 2.5, 1), gsl_ran_gamma(s->gsl, 2.5, 1))
PAIR(small_gamma, fo_random_gamma(&s->r, 0.5, 1), gsl_ran_gamma(s->gsl, 0.5, 1))
PAIR(beta, fo_random_beta(&s->r, 2, 5), gsl_ran_beta(s->gsl, 2, 5))
PAIR(student, fo_random_student(&s->r, 9), gsl_ran_tdist(s->gsl, 9))
PAIR(lognormal, fo_random_lognormal(&s->r, 0, 1), gsl_ran_lognormal(s->gsl, 0, 1))
PAIR(weibull, fo_random_weibull(&s->r, 1, 1.5), gsl_ran_weibull(s->gsl, 1, 1.5))
PAIR(few, fo_random_poisson(&s->r, 2), gsl_ran_poisson(s->gsl, 2))
PAIR(many, fo_random_poisson(&s->r, 50), gsl_ran_poisson(s->gsl, 50))
PAIR(small_binomial, fo_random_binomial(&s->r, 10, 0.3), gsl_ran_binomial(s->gsl, 0.3, 10))
PAIR(binomial, fo_random_binomial(&s->r, 1000, 0.3), gsl_ran_binomial(s->gsl, 0.3, 1000))
PAIR(geometric, fo_random_geometric(&s->r, 0.2), gsl_ran_geometric(s->gsl, 0.2))
PAIR(urn, fo_random_hypergeometric(&s->r, 300, 120, 50),
     gsl_ran_hypergeometric(s->gsl, 120, 180, 50))

static const struct {
    const char *name;
    double (*ours)(void *self), (*theirs)(void *self);
} races[] = {
    {"a word as a real number", RUNNERS(unit)},
    {"uniform", RUNNERS(uniform)},
    {"integer 1 to 6", RUNNERS(integer)},
    {"negative exponential", RUNNERS(negexp)},
    {"normal", RUNNERS(normal)},
    {"Erlang, 3 stages", RUNNERS(erlang)},
    {"gamma 2.5", RUNNERS(gamma)},
    {"gamma 0.5", RUNNERS(small_gamma)},
    {"beta 2, 5", RUNNERS(beta)},
    {"Student 9", RUNNERS(student)},
    {"log-normal", RUNNERS(lognormal)},
    {"Weibull 1.5", RUNNERS(weibull)},
    {"Poisson 2", RUNNERS(few)},
    {"Poisson 50", RUNNERS(many)},
    {"binomial 10, 0.3", RUNNERS(small_binomial)},
    {"binomial 1000, 0.3", RUNNERS(binomial)},
    {"geometric 0.2", RUNNERS(geometric)},
    {"hypergeometric 300, 120, 50", RUNNERS(urn)},
};

int main(int argc, char **argv)
{
    bench_table table;
    if (!bench_open(&table, "random", argc, argv)) return 1;
    source s = {.r = fo_random_stream(1, 1)};
#ifdef BENCH_WITH_GSL
    s.gsl = gsl_rng_alloc(gsl_rng_mt19937);
    if (!s.gsl) {
        bench_break(&table, "no memory for GSL's generator");
        return bench_close(&table);
    }
#endif
    bench_title("Random numbers: one draw");
    for (size_t i = 0; i < sizeof races / sizeof races[0]; i++) {
        bench_runner runners[] = {{.run = races[i].ours, .self = &s},
                                  {.run = races[i].theirs, .self = &s}};
        if (!bench_race(runners, 2, REPEATS)) bench_break(&table, "%s broke", races[i].name);
        bench_add(&table, (bench_line){races[i].name, "GSL, mt19937", "ns", runners[0].best,
                                       runners[1].best, 0, NULL});
    }
#ifdef BENCH_WITH_GSL
    gsl_rng_free(s.gsl);
#endif
    return bench_close(&table);
}
