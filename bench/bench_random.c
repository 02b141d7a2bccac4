// Nanoseconds per draw of the distributions, in processor time of this thread.
//
//   bench_random <folder for random.csv>
#include <foliot/random.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { DRAWS = 4000000, ROUNDS = 3 };

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// The best of some rounds of an expression that draws from `r`.
#define MEASURE(name, expression)                                                         \
    do {                                                                                  \
        double best = 1e9, sum = 0;                                                       \
        for (int round = 0; round < ROUNDS; round++) {                                    \
            double start = seconds();                                                     \
            for (int i = 0; i < DRAWS; i++) sum += (double)(expression);                  \
            double taken = (seconds() - start) / DRAWS * 1e9;                             \
            if (taken < best) best = taken;                                               \
        }                                                                                 \
        printf("%-28s %8.2f ns   mean %g\n", name, best, sum / ((double)DRAWS * ROUNDS)); \
        fprintf(csv, "%s,%.3f\n", name, best);                                            \
    } while (0)

int main(int argc, char **argv)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/random.csv", argc > 1 ? argv[1] : ".");
    FILE *csv = fopen(path, "w");
    if (!csv) {
        fprintf(stderr, "bench_random: cannot write %s\n", path);
        return 1;
    }
    fprintf(csv, "distribution,ns\n");
    fo_random r = fo_random_stream(1, 1);
    srand48(1);
    MEASURE("drand48 (C library)", drand48());
    MEASURE("unit", fo_random_unit(&r));
    MEASURE("uniform", fo_random_uniform(&r, 2, 3));
    MEASURE("integer 1..6", fo_random_integer(&r, 1, 6));
    MEASURE("draw", fo_random_draw(&r, 0.3));
    MEASURE("negexp", fo_random_negexp(&r, 2));
    MEASURE("normal", fo_random_normal(&r, 0, 1));
    MEASURE("erlang 3", fo_random_erlang(&r, 1, 3));
    MEASURE("gamma 2.5", fo_random_gamma(&r, 2.5, 1));
    MEASURE("gamma 0.5", fo_random_gamma(&r, 0.5, 1));
    MEASURE("beta 2, 5", fo_random_beta(&r, 2, 5));
    MEASURE("student 9", fo_random_student(&r, 9));
    MEASURE("lognormal", fo_random_lognormal(&r, 0, 1));
    MEASURE("weibull 1.5", fo_random_weibull(&r, 1, 1.5));
    MEASURE("triangular", fo_random_triangular(&r, 0, 1, 2));
    MEASURE("hyperexponential", fo_random_hyperexponential(&r, 1, 2));
    MEASURE("cauchy", fo_random_cauchy(&r, 0, 1) > 0);
    MEASURE("poisson 2", fo_random_poisson(&r, 2));
    MEASURE("poisson 50", fo_random_poisson(&r, 50));
    MEASURE("poisson 1e6", fo_random_poisson(&r, 1e6));
    MEASURE("binomial 10, 0.3", fo_random_binomial(&r, 10, 0.3));
    MEASURE("binomial 1000, 0.3", fo_random_binomial(&r, 1000, 0.3));
    MEASURE("geometric 0.2", fo_random_geometric(&r, 0.2));
    MEASURE("hypergeometric 300, 120, 50", fo_random_hypergeometric(&r, 300, 120, 50));
    r = fo_random_java(1);
    MEASURE("unit (java)", fo_random_unit(&r));
    MEASURE("negexp (java)", fo_random_negexp(&r, 2));
    MEASURE("normal (java)", fo_random_normal(&r, 0, 1));
    fclose(csv);
    return 0;
}
