// Distributions of a real number: mean, variance and shape (Kolmogorov and Smirnov, level 1e-3).
#include <foliot/random.h>
#include <math.h>

#include "shape.h"

enum { DRAWS = 60000 };

static const double pi = 3.14159265358979323846;

typedef struct distribution {
    const char *name;
    double (*draw)(fo_random *r, const double *p);
    double (*cdf)(double x, const double *p);
    double p[3];
    double mean, variance; ///< NaN: it has none
} distribution;

static double draw_uniform(fo_random *r, const double *p)
{
    return fo_random_uniform(r, p[0], p[1]);
}

static double uniform_cdf(double x, const double *p)
{
    return (x - p[0]) / (p[1] - p[0]);
}

static double draw_normal(fo_random *r, const double *p)
{
    return fo_random_normal(r, p[0], p[1]);
}

static double normal_cdf(double x, const double *p)
{
    return 0.5 * erfc(-(x - p[0]) / (p[1] * sqrt(2)));
}

static double draw_negexp(fo_random *r, const double *p)
{
    return fo_random_negexp(r, p[0]);
}

static double negexp_cdf(double x, const double *p)
{
    return -expm1(-x * p[0]);
}

static double draw_exponential(fo_random *r, const double *p)
{
    return fo_random_exponential(r, 1 / p[0]);
}

static double draw_gamma(fo_random *r, const double *p)
{
    return fo_random_gamma(r, p[0], p[1]);
}

static double gamma_cdf(double x, const double *p)
{
    return gamma_p(p[0], x / p[1]);
}

static double draw_erlang(fo_random *r, const double *p)
{
    return fo_random_erlang(r, p[0], (uint32_t)p[1]);
}

static double erlang_cdf(double x, const double *p)
{
    return gamma_p(p[1], x * p[0] * p[1]);
}

static double draw_beta(fo_random *r, const double *p)
{
    return fo_random_beta(r, p[0], p[1]);
}

static double beta_cdf(double x, const double *p)
{
    return beta_i(p[0], p[1], x);
}

static double draw_cauchy(fo_random *r, const double *p)
{
    return fo_random_cauchy(r, p[0], p[1]);
}

static double cauchy_cdf(double x, const double *p)
{
    return 0.5 + atan((x - p[0]) / p[1]) / pi;
}

static double draw_chi_square(fo_random *r, const double *p)
{
    return fo_random_chi_square(r, p[0]);
}

static double chi_square_cdf(double x, const double *p)
{
    return gamma_p(p[0] / 2, x / 2);
}

static double draw_f(fo_random *r, const double *p)
{
    return fo_random_f(r, p[0], p[1]);
}

static double f_cdf(double x, const double *p)
{
    return beta_i(p[0] / 2, p[1] / 2, p[0] * x / (p[0] * x + p[1]));
}

static double draw_student(fo_random *r, const double *p)
{
    return fo_random_student(r, p[0]);
}

static double student_cdf(double x, const double *p)
{
    double tail = 0.5 * beta_i(p[0] / 2, 0.5, p[0] / (p[0] + x * x));
    return x > 0 ? 1 - tail : tail;
}

static double draw_hyperexponential(fo_random *r, const double *p)
{
    return fo_random_hyperexponential(r, p[0], p[1]);
}

static double hyperexponential_cdf(double x, const double *p)
{
    double c = p[1] * p[1] / (p[0] * p[0]), q = 0.5 * (1 - sqrt((c - 1) / (c + 1)));
    return -q * expm1(-2 * q * x / p[0]) - (1 - q) * expm1(-2 * (1 - q) * x / p[0]);
}

static double draw_lognormal(fo_random *r, const double *p)
{
    return fo_random_lognormal(r, p[0], p[1]);
}

static double lognormal_cdf(double x, const double *p)
{
    return normal_cdf(log(x), p);
}

static double draw_triangular(fo_random *r, const double *p)
{
    return fo_random_triangular(r, p[0], p[1], p[2]);
}

static double triangular_cdf(double x, const double *p)
{
    double range = p[2] - p[0];
    return x < p[1] ? (x - p[0]) * (x - p[0]) / (range * (p[1] - p[0]))
                    : 1 - (p[2] - x) * (p[2] - x) / (range * (p[2] - p[1]));
}

static double draw_weibull(fo_random *r, const double *p)
{
    return fo_random_weibull(r, p[0], p[1]);
}

static double weibull_cdf(double x, const double *p)
{
    return -expm1(-pow(x / p[0], p[1]));
}

static const double rise[] = {0, 0.2, 0.2, 0.7, 1}, place[] = {-1, 0, 2, 3, 7};

static double draw_linear(fo_random *r, const double *p)
{
    (void)p;
    return fo_random_linear(r, rise, place, 5);
}

static double linear_cdf(double x, const double *p)
{
    (void)p;
    int i = 0;
    while (i < 3 && x > place[i + 1]) i++;
    return rise[i] + (rise[i + 1] - rise[i]) * (x - place[i]) / (place[i + 1] - place[i]);
}

static const double sample[] = {-1, 0, 0.5, 3};

static double draw_empirical(fo_random *r, const double *p)
{
    (void)p;
    return fo_random_empirical(r, sample, 4);
}

static double empirical_cdf(double x, const double *p)
{
    (void)p;
    int i = 0;
    while (i < 2 && x > sample[i + 1]) i++;
    return (i + (x - sample[i]) / (sample[i + 1] - sample[i])) / 3;
}

#define F(n) draw_##n, n##_cdf
static const distribution all[] = {
    {"uniform", F(uniform), {-2, 5}, 1.5, 49 / 12.0},
    {"normal", F(normal), {3, 2}, 3, 4},
    {"negexp", F(negexp), {0.25}, 4, 16},
    {"exponential", draw_exponential, negexp_cdf, {0.25}, 4, 16},
    {"gamma small", F(gamma), {0.3, 2}, 0.6, 1.2},
    {"gamma 1", F(gamma), {1, 1}, 1, 1},
    {"gamma middle", F(gamma), {2.5, 3}, 7.5, 22.5},
    {"gamma large", F(gamma), {200, 0.1}, 20, 2},
    {"erlang 1", F(erlang), {0.5, 1}, 2, 4},
    {"erlang 3", F(erlang), {0.5, 3}, 2, 4 / 3.0},
    {"erlang 12", F(erlang), {0.5, 12}, 2, 4 / 12.0},
    {"beta small", F(beta), {0.5, 0.7}, 0.5 / 1.2, 0.35 / (1.44 * 2.2)},
    {"beta mixed", F(beta), {0.5, 3}, 0.5 / 3.5, 1.5 / (12.25 * 4.5)},
    {"beta", F(beta), {2, 5}, 2 / 7.0, 10 / (49.0 * 8)},
    {"cauchy", F(cauchy), {1, 2}, NAN, NAN},
    {"chi-square 1", F(chi_square), {1}, 1, 2},
    {"chi-square 7", F(chi_square), {7}, 7, 14},
    {"F", F(f), {5, 12}, 1.2, 2.0 * 144 * 15 / (5.0 * 100 * 8)},
    {"student 3", F(student), {3}, NAN, NAN},
    {"student 9", F(student), {9}, 0, 9 / 7.0},
    {"hyperexponential", F(hyperexponential), {2, 5}, 2, 25},
    {"hyperexponential, equal", F(hyperexponential), {2, 2}, 2, 4},
    {"lognormal", F(lognormal), {0.5, 0.5}, 1.8682459574322223, 0.991346112876223},
    {"triangular", F(triangular), {1, 2, 5}, 8 / 3.0, (1 + 4 + 25 - 2 - 5 - 10) / 18.0},
    {"triangular, right", F(triangular), {0, 1, 1}, 2 / 3.0, 1 / 18.0},
    {"weibull", F(weibull), {2, 1.5}, 1.8054905859018674, 1.50276113925573},
    {"weibull steep", F(weibull), {1, 4}, 0.9064024770554771, 0.0646614750404535},
    {"linear", F(linear), {0}, 2.65, 4.110833333333333},
    {"empirical", F(empirical), {0}, 0.5, 1.083333333333333},
};

static void check_all(fo_random start, double *drawn)
{
    const int draws = test_is_slow() ? DRAWS / 10 : DRAWS;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        const distribution *d = &all[i];
        fo_random r = start;
        r.stream += r.generator == FO_PHILOX ? i : 0;
        for (int k = 0; k < draws; k++) drawn[k] = d->draw(&r, d->p);
        if (!isnan(d->mean)) check_moments(d->name, drawn, draws, d->mean, d->variance);
        double distance = kolmogorov(drawn, draws, d->cdf, d->p);
        if (!(distance < KOLMOGOROV_LIMIT))
            test_fail(__FILE__, __LINE__, "%s: distance %.3f", d->name, distance);
    }
}

TEST(every_distribution_has_its_mean_variance_and_shape)
{
    static double drawn[DRAWS];
    check_all(fo_random_stream(20240607, 100), drawn);
}

TEST(they_have_them_with_java_too)
{
    static double drawn[DRAWS];
    check_all(fo_random_java(4711), drawn);
}

// The tails, which a distance of distribution functions hardly sees: how many pass 3.7
// and 4.2 deviations (the ziggurat ends at 3.65), and 8 and 10 means (it ends at 7.7).
TEST(tails_have_their_weight)
{
    enum { MANY = 2000000 };
    fo_random r = fo_random_stream(8, 8);
    int beyond = 0, further = 0, late = 0, later = 0;
    for (int i = 0; i < MANY; i++) {
        double x = fabs(fo_random_normal(&r, 0, 1)), t = fo_random_negexp(&r, 1);
        beyond += x > 3.7, further += x > 4.2;
        late += t > 8, later += t > 10;
    }
    double expected[] = {MANY * erfc(3.7 / sqrt(2)), MANY * erfc(4.2 / sqrt(2)), MANY * exp(-8),
                         MANY * exp(-10)};
    CHECK_NEAR(beyond, expected[0], 4 * sqrt(expected[0]));
    CHECK_NEAR(further, expected[1], 4 * sqrt(expected[1]));
    CHECK_NEAR(late, expected[2], 4 * sqrt(expected[2]));
    CHECK_NEAR(later, expected[3], 4 * sqrt(expected[3]));
}

TEST(senseless_parameters_give_nan_and_draw_nothing)
{
    fo_random r = fo_random_stream(1, 1);
    const double one[] = {0.5, 1}, two[] = {0, 1};
    double wrong[] = {fo_random_uniform(&r, 2, 1),
                      fo_random_uniform(&r, NAN, 1),
                      fo_random_uniform(&r, 0, INFINITY),
                      fo_random_normal(&r, 0, -1),
                      fo_random_normal(&r, NAN, 1),
                      fo_random_negexp(&r, 0),
                      fo_random_negexp(&r, NAN),
                      fo_random_exponential(&r, -1),
                      fo_random_erlang(&r, 1, 0),
                      fo_random_erlang(&r, 0, 1),
                      fo_random_gamma(&r, 0, 1),
                      fo_random_gamma(&r, 1, -1),
                      fo_random_beta(&r, 0, 1),
                      fo_random_beta(&r, 1, NAN),
                      fo_random_cauchy(&r, 0, 0),
                      fo_random_chi_square(&r, 0),
                      fo_random_f(&r, 1, 0),
                      fo_random_student(&r, -1),
                      fo_random_hyperexponential(&r, 2, 1),
                      fo_random_lognormal(&r, 0, -1),
                      fo_random_triangular(&r, 0, 2, 1),
                      fo_random_weibull(&r, 0, 1),
                      fo_random_weibull(&r, 1, 0),
                      fo_random_linear(&r, one, two, 2),
                      fo_random_linear(&r, two, two, 1),
                      fo_random_empirical(&r, two, 0)};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) CHECK(isnan(wrong[i]));
    CHECK(fo_random_tell(&r) == 0);
}

TEST(degenerate_parameters_are_allowed)
{
    fo_random r = fo_random_stream(1, 1);
    CHECK(fo_random_uniform(&r, 3, 3) == 3);
    CHECK(fo_random_normal(&r, 3, 0) == 3);
    CHECK(fo_random_exponential(&r, 0) == 0);
    CHECK(fo_random_triangular(&r, 2, 2, 2) == 2);
    CHECK(fo_random_empirical(&r, (double[]){7}, 1) == 7);
    for (int i = 0; i < 1000; i++) {
        double x = fo_random_beta(&r, 1e-3, 2e-3); // nearly all at the ends
        CHECK(x >= 0 && x <= 1);
        double end = 1 + 0x1p-52,
               u = fo_random_uniform(&r, 1, end); // half of these round to the end
        CHECK(u == 1);
    }
}

TEST_MAIN(TEST_ENTRY(every_distribution_has_its_mean_variance_and_shape),
          TEST_ENTRY(they_have_them_with_java_too), TEST_ENTRY(tails_have_their_weight),
          TEST_ENTRY(senseless_parameters_give_nan_and_draw_nothing),
          TEST_ENTRY(degenerate_parameters_are_allowed))
