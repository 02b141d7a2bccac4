/// Random streams: a generator that is addressed by (seed, stream, index), and distributions.
///
///     fo_random service = fo_random_stream(seed, 2);
///     double t = fo_random_negexp(&service, 1 / 4.5);
///
/// A stream is a small value: copy it, keep it in a state, seek in it. Two streams share nothing,
/// so the numbers of a run do not depend on what other runs or threads draw.
///
/// A parameter that is not valid (a negative deviation, a probability above 1, NaN) draws nothing
/// from the stream: distributions of a real number then return NaN, those of a count return -1.
/// -1 stands also for a count that is too large for its type.
#ifndef FOLIOT_RANDOM_H
#define FOLIOT_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Where the bits come from.
typedef enum fo_generator {
    FO_PHILOX, ///< Philox4x64-10: counter-based, 2^64 seeds with 2^64 streams of 2^64 words each
    FO_JAVA,   ///< java.util.Random, to the bit: 48-bit linear congruential, one stream per seed
} fo_generator;

/// A position in a stream. Its members are the generator's; make one with fo_random_stream or
/// fo_random_java.
typedef struct fo_random {
    uint64_t word[4];      ///< a block, of which the words from `next` on are still to be used
    uint64_t seed, stream; ///< the key; Java: the seed scrambled, and where its sequence stands
    uint64_t block;        ///< number of the next block; Java: steps made so far
    uint32_t next;
    fo_generator generator;
} fo_random;

/// The start of a stream: index 0.
fo_random fo_random_stream(uint64_t seed, uint64_t stream);
/// As `new java.util.Random(seed)`. Uniform, integer, normal and exponential numbers are then made
/// as Java and jDisco make them, so that runs of jDisco that draw these can be repeated.
fo_random fo_random_java(int64_t seed);

/// How many words have been drawn: where the stream stands. For Java, how often its sequence was
/// stepped (twice for a real number).
uint64_t fo_random_tell(const fo_random *r);
/// Goes to any place of the stream, at once.
void fo_random_seek(fo_random *r, uint64_t index);

/// Makes the next block; only fo_random_bits needs it.
void fo_random_refill(fo_random *r);

/// 64 random bits. From Java the lower 11 are zero: the 53 of its nextDouble() and no more.
static inline uint64_t fo_random_bits(fo_random *r)
{
    if (r->next > 3) fo_random_refill(r);
    return r->word[r->next++];
}

/// A multiple of 2^-53 from [0, 1). Java: nextDouble().
static inline double fo_random_unit(fo_random *r)
{
    return (double)(fo_random_bits(r) >> 11) * 0x1p-53;
}

/// An integer from [0, bound); bound 0 stands for 2^64. Every one is equally likely, without bias.
uint64_t fo_random_below(fo_random *r, uint64_t bound);
/// Java's nextInt(), of a Java stream only.
int32_t fo_random_java_int(fo_random *r);
/// Java's nextInt(bound), of a Java stream only.
int32_t fo_random_java_int_below(fo_random *r, int32_t bound);
/// Java's nextLong(), of a Java stream only.
int64_t fo_random_java_long(fo_random *r);
/// Java's nextBoolean(), of a Java stream only.
bool fo_random_java_boolean(fo_random *r);

// Real numbers.

/// From [a, b), a <= b.
double fo_random_uniform(fo_random *r, double a, double b);
/// Normally distributed; deviation >= 0.
double fo_random_normal(fo_random *r, double mean, double deviation);
/// Negative exponential with mean 1/rate, as in SIMULA.
double fo_random_negexp(fo_random *r, double rate);
/// The same by its mean, which may be 0.
double fo_random_exponential(fo_random *r, double mean);
/// The sum of `stages` exponential times with mean 1/rate altogether, as in SIMULA: the deviation
/// is 1/(rate sqrt(stages)).
double fo_random_erlang(fo_random *r, double rate, uint32_t stages);
/// Mean shape*scale, variance shape*scale^2.
double fo_random_gamma(fo_random *r, double shape, double scale);
/// From [0, 1], mean a/(a+b).
double fo_random_beta(fo_random *r, double a, double b);
/// Has no mean: half of it is within `scale` of `median`.
double fo_random_cauchy(fo_random *r, double median, double scale);
/// With n > 0 degrees of freedom, not necessarily whole.
double fo_random_chi_square(fo_random *r, double n);
/// Of chi-squares with m (above) and n (below) degrees of freedom.
double fo_random_f(fo_random *r, double m, double n);
/// Student's t with n degrees of freedom.
double fo_random_student(fo_random *r, double n);
/// Two exponential distributions of which each brings half of the mean; deviation >= mean > 0.
double fo_random_hyperexponential(fo_random *r, double mean, double deviation);
/// The logarithm is normal with this mean and deviation.
double fo_random_lognormal(fo_random *r, double log_mean, double log_deviation);
/// min <= mode <= max.
double fo_random_triangular(fo_random *r, double min, double mode, double max);
/// Weibull's: scale > 0, shape > 0.
double fo_random_weibull(fo_random *r, double scale, double shape);
/// A distribution function through the points (x[i], p[i]), linear between them: p[0] is 0,
/// p[count-1] is 1, both are in rising order. As `linear` of SIMULA.
double fo_random_linear(fo_random *r, const double *p, const double *x, size_t count);
/// As a sample in rising order is distributed, linear between its values (Law, Simulation Modeling
/// and Analysis, section 6.2.4): from [sample[0], sample[count-1]].
double fo_random_empirical(fo_random *r, const double *sample, size_t count);

// Counts and choices.

/// One of a, a+1, ..., b; a > b gives INT64_MIN.
int64_t fo_random_integer(fo_random *r, int64_t a, int64_t b);
/// True with probability p: never for p <= 0, always for p >= 1.
bool fo_random_draw(fo_random *r, double p);
/// How many events come where `mean` are expected.
int64_t fo_random_poisson(fo_random *r, double mean);
/// Successes in n trials.
int64_t fo_random_binomial(fo_random *r, int64_t n, double p);
/// Failures before the first success, 0 < p <= 1.
int64_t fo_random_geometric(fo_random *r, double p);
/// Failures before n successes, n > 0 (not necessarily whole), 0 < p <= 1.
int64_t fo_random_negative_binomial(fo_random *r, double n, double p);
/// Good ones among `draws` drawn without putting back from `population`, of which `good` are good.
int64_t fo_random_hypergeometric(fo_random *r, int64_t population, int64_t good, int64_t draws);
/// The smallest i with cumulative[i] > u, u uniform; `count` when there is none. As in SIMULA.
int64_t fo_random_discrete(fo_random *r, const double *cumulative, size_t count);
/// An index, each as likely as its weight says (SIMULA's histd). Adds the weights up every time;
/// for many draws from many weights make an fo_alias.
int64_t fo_random_histogram(fo_random *r, const double *weights, size_t count);

/// Weights prepared so that a draw takes the same short time for any number of them.
typedef struct fo_alias fo_alias;
/// Weights are finite, none is negative, their sum is positive. NULL on failure; `why` says it.
fo_alias *fo_alias_create(const double *weights, size_t count, const fo_allocator *allocator,
                          fo_message *why);
/// The index of a weight, with the probability of that weight.
size_t fo_alias_draw(const fo_alias *alias, fo_random *r);
/// Takes NULL.
void fo_alias_destroy(fo_alias *alias);

#ifdef __cplusplus
}
#endif
#endif
