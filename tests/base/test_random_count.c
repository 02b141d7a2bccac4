// Distributions of a count: mean, variance and shape (Pearson's chi-square, level 1e-3).
#include <foliot/random.h>
#include <math.h>
#include <string.h>

#include "base/random_likelihood.h"
#include "shape.h"

enum { DRAWS = 60000, CELLS = 4000 };

typedef struct distribution {
    const char *name;
    int64_t (*draw)(fo_random *r, const double *p);
    double (*chance)(double k, const double *p);
    double p[3];
    double mean, variance;
} distribution;

static double choose(double n, double k)
{
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

static int64_t draw_integer(fo_random *r, const double *p)
{
    return fo_random_integer(r, (int64_t)p[0], (int64_t)p[1]);
}

static double integer_chance(double k, const double *p)
{
    return k >= p[0] && k <= p[1] ? 1 / (p[1] - p[0] + 1) : 0;
}

static int64_t draw_draw(fo_random *r, const double *p)
{
    return fo_random_draw(r, p[0]);
}

static double draw_chance(double k, const double *p)
{
    return k == 0 ? 1 - p[0] : k == 1 ? p[0] : 0;
}

static int64_t draw_poisson(fo_random *r, const double *p)
{
    return fo_random_poisson(r, p[0]);
}

static double poisson_chance(double k, const double *p)
{
    return exp(k * log(p[0]) - p[0] - lgamma(k + 1));
}

static int64_t draw_binomial(fo_random *r, const double *p)
{
    return fo_random_binomial(r, (int64_t)p[0], p[1]);
}

static double binomial_chance(double k, const double *p)
{
    return k > p[0] ? 0 : exp(choose(p[0], k) + k * log(p[1]) + (p[0] - k) * log1p(-p[1]));
}

static int64_t draw_geometric(fo_random *r, const double *p)
{
    return fo_random_geometric(r, p[0]);
}

static double geometric_chance(double k, const double *p)
{
    return p[0] * pow(1 - p[0], k);
}

static int64_t draw_negative(fo_random *r, const double *p)
{
    return fo_random_negative_binomial(r, p[0], p[1]);
}

static double negative_chance(double k, const double *p)
{
    return exp(lgamma(p[0] + k) - lgamma(p[0]) - lgamma(k + 1) + p[0] * log(p[1]) +
               k * log1p(-p[1]));
}

static int64_t draw_hyper(fo_random *r, const double *p)
{
    return fo_random_hypergeometric(r, (int64_t)p[0], (int64_t)p[1], (int64_t)p[2]);
}

static double hyper_chance(double k, const double *p)
{
    if (k > p[1] || k > p[2] || p[2] - k > p[0] - p[1]) return 0;
    return exp(choose(p[1], k) + choose(p[0] - p[1], p[2] - k) - choose(p[0], p[2]));
}

static const double steps[] = {0.1, 0.1, 0.5, 0.9}, weights[] = {0, 2, 0, 5, 3, 0};

static int64_t draw_discrete(fo_random *r, const double *p)
{
    (void)p;
    return fo_random_discrete(r, steps, 4);
}

static double discrete_chance(double k, const double *p)
{
    (void)p;
    static const double chances[] = {0.1, 0, 0.4, 0.4, 0.1};
    return k < 5 ? chances[(int)k] : 0;
}

static int64_t draw_histogram(fo_random *r, const double *p)
{
    (void)p;
    return fo_random_histogram(r, weights, 6);
}

static double histogram_chance(double k, const double *p)
{
    (void)p;
    return k < 6 ? weights[(int)k] / 10 : 0;
}

#define F(n) draw_##n, n##_chance
#define HYPER(N, K, n)                  \
    {N, K, n}, (n) * (double)(K) / (N), \
        (n) * (double)(K) / (N) * ((N) - (K)) / (N) * ((N) - (n)) / ((N)-1.0)
static const distribution all[] = {
    {"integer", F(integer), {3, 12}, 7.5, 99 / 12.0},
    {"draw", F(draw), {0.3}, 0.3, 0.21},
    {"poisson 0.5", F(poisson), {0.5}, 0.5, 0.5},
    {"poisson 9.9", F(poisson), {9.9}, 9.9, 9.9},
    {"poisson 10", F(poisson), {10}, 10, 10},
    {"poisson 35.5", F(poisson), {35.5}, 35.5, 35.5},
    {"poisson 1500", F(poisson), {1500}, 1500, 1500},
    {"binomial few", F(binomial), {12, 0.3}, 3.6, 2.52},
    {"binomial rare", F(binomial), {1e6, 4e-6}, 4, 4 * (1 - 4e-6)},
    {"binomial 20", F(binomial), {20, 0.5}, 10, 5},
    {"binomial 100", F(binomial), {100, 0.35}, 35, 22.75},
    {"binomial often", F(binomial), {300, 0.9}, 270, 27},
    {"binomial many", F(binomial), {100000, 0.001}, 100, 99.9},
    {"geometric", F(geometric), {0.2}, 4, 20},
    {"geometric often", F(geometric), {0.9}, 0.1 / 0.9, 0.1 / 0.81},
    {"negative binomial 3", F(negative), {3, 0.25}, 9, 36},
    {"negative binomial 0.5", F(negative), {0.5, 0.1}, 4.5, 45},
    {"negative binomial 60", F(negative), {60, 0.5}, 60, 120},
    {"hypergeometric few", F(hyper), HYPER(50, 20, 6)},
    {"hypergeometric", F(hyper), HYPER(300, 120, 50)},
    {"hypergeometric most", F(hyper), HYPER(300, 120, 270)},
    {"hypergeometric good", F(hyper), HYPER(300, 200, 40)},
    {"hypergeometric many", F(hyper), HYPER(100000, 30000, 2000)},
    {"hypergeometric few left", F(hyper), HYPER(40, 30, 35)},
    {"discrete", F(discrete), {0}, 2.4, 1.04},
    {"histogram", F(histogram), {0}, 2.9, 1.09},
};

// Transformed rejection accepts most draws by a shortcut, and inversion subtracts its way up; were
// one a little wrong, only many draws would show it.
TEST(many_draws_show_no_flaw)
{
    const int many = test_is_slow() ? 100000 : 1000000;
    static const char *const names[] = {"poisson 9.9",  "poisson 10",  "poisson 35.5",
                                        "binomial few", "binomial 20", "binomial 100"};
    static double chances[CELLS];
    static int64_t counts[CELLS];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const distribution *d = all;
        while (strcmp(d->name, names[i]) != 0) d++;
        memset(counts, 0, sizeof counts);
        fo_random r = fo_random_stream(31, i);
        for (int k = 0; k < CELLS; k++) chances[k] = d->chance(k, d->p);
        for (int k = 0; k < many; k++) counts[d->draw(&r, d->p)]++;
        double z = pearson(counts, chances, CELLS, many);
        if (!(z < PEARSON_LIMIT)) test_fail(__FILE__, __LINE__, "%s: deviate %.3f", d->name, z);
    }
}

static void check_all(fo_random start)
{
    static double drawn[DRAWS], chances[CELLS];
    static int64_t counts[CELLS];
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        const distribution *d = &all[i];
        fo_random r = start;
        r.stream += r.generator == FO_PHILOX ? i : 0;
        memset(counts, 0, sizeof counts);
        double total = 0;
        for (int k = 0; k < CELLS; k++) total += chances[k] = d->chance(k, d->p);
        CHECK_NEAR(total, 1, 1e-8);
        for (int k = 0; k < DRAWS; k++) {
            int64_t drawn_k = d->draw(&r, d->p);
            if (drawn_k < 0 || drawn_k >= CELLS || chances[drawn_k] == 0) {
                test_fail(__FILE__, __LINE__, "%s: drew %lld", d->name, (long long)drawn_k);
                return;
            }
            drawn[k] = (double)drawn_k;
            counts[drawn_k]++;
        }
        check_moments(d->name, drawn, DRAWS, d->mean, d->variance);
        double z = pearson(counts, chances, CELLS, DRAWS);
        if (!(z < PEARSON_LIMIT)) test_fail(__FILE__, __LINE__, "%s: deviate %.3f", d->name, z);
    }
}

TEST(every_distribution_has_its_mean_variance_and_shape)
{
    check_all(fo_random_stream(20240607, 100));
}

TEST(they_have_them_with_java_too)
{
    check_all(fo_random_java(4711));
}

// Where logarithms of factorials would have lost their digits: means of 1e12 and more.
TEST(huge_counts_have_their_mean_and_variance)
{
    fo_random r = fo_random_stream(3, 1);
    static double drawn[DRAWS];
    for (int i = 0; i < DRAWS; i++)
        drawn[i] = (double)(fo_random_poisson(&r, 1e15) - 1000000000000000);
    check_moments("poisson 1e15", drawn, DRAWS, 0, 1e15);
    for (int i = 0; i < DRAWS; i++)
        drawn[i] = (double)(fo_random_binomial(&r, 4000000000000, 0.25) - 1000000000000);
    check_moments("binomial 4e12", drawn, DRAWS, 0, 7.5e11);
    double n = 4e12, all_of_them = 1e13, good = 2.5e12;
    for (int i = 0; i < DRAWS; i++)
        drawn[i] =
            (double)(fo_random_hypergeometric(&r, 10000000000000, 2500000000000, 4000000000000) -
                     1000000000000);
    check_moments("hypergeometric 1e13", drawn, DRAWS, 0,
                  n * good / all_of_them * 0.75 * (all_of_them - n) / (all_of_them - 1));
}

// The probabilities sum to one, and follow their recursions.
TEST(likelihoods_are_probabilities)
{
    double sum = 0, p = 0.37, n = 40;
    for (int k = 0; k <= 40; k++) sum += exp(foi_log_binomial(k, n, p, 1 - p));
    CHECK_NEAR(sum, 1, 1e-14);
    sum = 0;
    for (int k = 0; k < 200; k++) {
        sum += exp(foi_log_poisson(k, 33.3));
        CHECK_NEAR(foi_log_poisson(k + 1, 33.3) - foi_log_poisson(k, 33.3), log(33.3 / (k + 1)),
                   1e-12);
    }
    CHECK_NEAR(sum, 1, 1e-14);
    for (int k = 1; k < 20; k++)
        CHECK_NEAR(foi_log_hypergeometric(k, 30, 50, 20) -
                       foi_log_hypergeometric(k - 1, 30, 50, 20),
                   log((30 - k + 1.0) * (20 - k + 1) / (k * (50.0 - 20 + k))), 1e-12);
    CHECK_NEAR(foi_log_poisson(1e15, 1e15), -0.5 * log(2 * 3.14159265358979323846 * 1e15), 1e-12);
}

TEST(an_alias_table_draws_by_weight)
{
    const double w[] = {1, 0, 3, 0.5, 2, 0, 3.5};
    fo_message why;
    for (int g = 0; g < 2; g++) {
        fo_random r = g ? fo_random_java(5) : fo_random_stream(5, 5);
        fo_alias *alias = fo_alias_create(w, 7, NULL, &why);
        REQUIRE(alias);
        int64_t counts[7] = {0};
        double chances[7];
        for (int i = 0; i < 7; i++) chances[i] = w[i] / 10;
        for (int i = 0; i < DRAWS; i++) counts[fo_alias_draw(alias, &r)]++;
        CHECK_INT(counts[1] + counts[5], 0);
        CHECK(pearson(counts, chances, 7, DRAWS) < PEARSON_LIMIT);
        fo_alias_destroy(alias);
    }
    fo_alias_destroy(NULL);
    CHECK(!fo_alias_create((double[]){0, 0}, 2, NULL, &why));
    CHECK_CONTAINS(why.text, "sum of 2 weights");
    CHECK(!fo_alias_create((double[]){1, -1}, 2, NULL, &why));
    CHECK_CONTAINS(why.text, "weight 1");
    CHECK(!fo_alias_create(w, 0, NULL, &why));
    for (long fail = 1; fail < 3; fail++) {
        test_memory memory;
        test_memory_init(&memory, fail);
        CHECK(!fo_alias_create(w, 7, &memory.allocator, &why));
        CHECK_INT(why.status, FO_ERROR_MEMORY);
        CHECK_INT(memory.live, 0);
    }
}

TEST(senseless_parameters_give_minus_one_and_draw_nothing)
{
    fo_random r = fo_random_stream(1, 1);
    const double negative[] = {1, -1, 2}, none[] = {0, 0};
    int64_t wrong[] = {fo_random_poisson(&r, -1),
                       fo_random_poisson(&r, NAN),
                       fo_random_poisson(&r, 1e19),
                       fo_random_binomial(&r, -1, 0.5),
                       fo_random_binomial(&r, 5, 1.5),
                       fo_random_binomial(&r, 5, NAN),
                       fo_random_geometric(&r, 0),
                       fo_random_geometric(&r, 1.01),
                       fo_random_negative_binomial(&r, 0, 0.5),
                       fo_random_negative_binomial(&r, 1, 0),
                       fo_random_hypergeometric(&r, 10, 11, 1),
                       fo_random_hypergeometric(&r, 10, 1, 11),
                       fo_random_hypergeometric(&r, 10, -1, 1),
                       fo_random_histogram(&r, negative, 3),
                       fo_random_histogram(&r, none, 2),
                       fo_random_histogram(&r, NULL, 0)};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) CHECK_INT(wrong[i], -1);
    CHECK_INT(fo_random_integer(&r, 1, 0), INT64_MIN);
    CHECK(fo_random_tell(&r) == 0);
    CHECK(!fo_random_draw(&r, NAN));
}

TEST(sure_things_are_sure)
{
    fo_random r = fo_random_stream(2, 2);
    for (int i = 0; i < 200; i++) {
        CHECK_INT(fo_random_poisson(&r, 0), 0);
        CHECK_INT(fo_random_binomial(&r, 50, 0), 0);
        CHECK_INT(fo_random_binomial(&r, 50, 1), 50);
        CHECK_INT(fo_random_binomial(&r, 0, 0.5), 0);
        CHECK_INT(fo_random_geometric(&r, 1), 0);
        CHECK_INT(fo_random_negative_binomial(&r, 4, 1), 0);
        CHECK_INT(fo_random_hypergeometric(&r, 30, 30, 20), 20);
        CHECK_INT(fo_random_hypergeometric(&r, 30, 0, 20), 0);
        CHECK_INT(fo_random_hypergeometric(&r, 30, 13, 30), 13);
        CHECK_INT(fo_random_integer(&r, -7, -7), -7);
        CHECK(fo_random_draw(&r, 1) && !fo_random_draw(&r, 0));
        CHECK_INT(fo_random_discrete(&r, NULL, 0), 0);
        int64_t any = fo_random_integer(&r, INT64_MIN, INT64_MAX);
        CHECK(any != fo_random_integer(&r, INT64_MIN, INT64_MAX));
    }
}

TEST_MAIN(TEST_ENTRY(every_distribution_has_its_mean_variance_and_shape),
          TEST_ENTRY(they_have_them_with_java_too), TEST_ENTRY(many_draws_show_no_flaw),
          TEST_ENTRY(huge_counts_have_their_mean_and_variance),
          TEST_ENTRY(likelihoods_are_probabilities), TEST_ENTRY(an_alias_table_draws_by_weight),
          TEST_ENTRY(senseless_parameters_give_minus_one_and_draw_nothing),
          TEST_ENTRY(sure_things_are_sure))
