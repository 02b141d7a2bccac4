// What shows between inputs and outputs, over time and frequency, against systems whose modes are
// planted and responses that have a formula; in all units.
#include <foliot/analysis.h>
#include <foliot/random.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

enum { MOST = 8, ROWS = 401 };

/// c (s - A)^-1 b with modes of which some are hidden.
typedef struct planted {
    size_t n, seen;
    long double a[MOST * MOST], b[MOST], c[MOST];
    double pole[MOST], residue[MOST]; ///< where all are real
    bool reached, observed;
} planted;

static double pick(fo_random *r, double low, double high)
{
    return fo_random_uniform(r, low, high);
}

static double few_digits(fo_random *r, double low, double high)
{
    return floor(pick(r, low, high) * 64) / 64;
}

static planted plant(fo_random *r, size_t n, bool hide)
{
    planted p = {.n = n, .reached = true, .observed = true};
    for (size_t i = 0; i < n; i++) {
        bool unreached = hide && i > 0 && pick(r, 0, 1) < 0.3;
        bool unseen = hide && i > 0 && pick(r, 0, 1) < 0.3;
        p.pole[i] = -(1 + 2 * (double)i + few_digits(r, 0, 1));
        p.a[i * n + i] = p.pole[i];
        p.b[i] = unreached ? 0 : few_digits(r, 0.5, 2);
        p.c[i] = unseen ? 0 : few_digits(r, 0.5, 2);
        p.residue[i] = (double)(p.b[i] * p.c[i]);
        p.seen += p.residue[i] != 0;
        p.reached &= !unreached, p.observed &= !unseen;
    }
    return p;
}

// Other states, by shears, with few digits: what is zero stays so to the last.
static void mix(fo_random *r, planted *p)
{
    size_t n = p->n;
    for (size_t t = 0; t < 3 * n; t++) {
        size_t i = (size_t)pick(r, 0, (double)n), k = (size_t)pick(r, 0, (double)n);
        long double by = pick(r, 0, 1) < 0.5 ? -0.5L : 0.5L;
        if (i == k) continue;
        for (size_t q = 0; q < n; q++) p->a[i * n + q] += by * p->a[k * n + q];
        for (size_t q = 0; q < n; q++) p->a[q * n + k] -= by * p->a[q * n + i];
        p->b[i] += by * p->b[k], p->c[k] -= by * p->c[i];
    }
}

// In other units: of the states by 10^+-decades, of the input and the output, and of time.
static fo_linear *make(fo_random *r, const planted *p, double decades, double time)
{
    double a[MOST * MOST], b[MOST], c[MOST], by[MOST], d = 0;
    for (size_t i = 0; i < p->n; i++) by[i] = pow(10, pick(r, -decades, decades));
    for (size_t i = 0; i < p->n; i++) {
        for (size_t k = 0; k < p->n; k++)
            a[i * p->n + k] = (double)(p->a[i * p->n + k] * time) * (by[i] / by[k]);
        b[i] = (double)(p->b[i] * time) * by[i], c[i] = (double)p->c[i] / by[i];
    }
    return fo_linear_of(p->n, 1, 1, a, b, c, &d, NULL);
}

// The residues' sum is zero there, but for rounding.
static void check_zero(const planted *p, double re, double im)
{
    double sum_re = 0, sum_im = 0, size = 0;
    for (size_t i = 0; i < p->n; i++) {
        double x = re - p->pole[i], square = x * x + im * im;
        sum_re += p->residue[i] * x / square, sum_im -= p->residue[i] * im / square;
        size += fabs(p->residue[i]) / sqrt(square);
    }
    CHECK_NEAR(hypot(sum_re, sum_im), 0, 1e-7 * size);
}

TEST(hidden_in_all_units)
{
    fo_random r = fo_random_stream(11, 5);
    for (size_t n = 1; n <= MOST; n++)
        for (int trial = 0; trial < 60; trial++) {
            planted p = plant(&r, n, trial % 2), as_it_was = p;
            if (trial % 3) mix(&r, &p);
            double time = trial % 5 ? 1 : pow(10, pick(&r, -9, 9));
            fo_linear *s = make(&r, &p, trial % 4 == 0 ? 0 : 12, time);
            REQUIRE(s != NULL);
            CHECK_INT(s->controllable, p.reached);
            CHECK_INT(s->observable, p.observed);
            CHECK_INT((long long)s->zeros, (long long)p.seen - 1);
            for (size_t k = 0; k < s->zeros; k++)
                check_zero(&as_it_was, s->zero_re[k] / time, s->zero_im[k] / time);
            fo_linear_destroy(s);
        }
}

// u -> a -> b with rates of 1e6 and 1e-3 and couplings of any size.
TEST(chains_in_all_units)
{
    for (double by = 1e-12; by < 1e13; by *= 1e4)
        for (double other = 1e-12; other < 1e13; other *= 1e4) {
            const double a[] = {-1e6, 0, other, -1e-3}, b[] = {by, 0}, c[] = {0, 1e9}, d = 0;
            fo_linear *s = fo_linear_of(2, 1, 1, a, b, c, &d, NULL);
            REQUIRE(s != NULL);
            CHECK(s->controllable && s->observable);
            fo_linear_destroy(s);
        }
}

// One of two equal modes shows: its pole counts, and no zero does.
TEST(equal_modes)
{
    const double a[] = {-1, 0, 0, -1}, b[] = {1, 1}, d = 0;
    fo_linear *s = fo_linear_of(2, 1, 1, a, b, b, &d, NULL);
    REQUIRE(s != NULL);
    CHECK(!s->controllable && !s->observable);
    CHECK_INT((long long)s->zeros, 0);
    double t[ROWS], y[ROWS];
    CHECK_INT(fo_linear_step_response(s, 0, 0, ROWS, t, y), FO_OK);
    CHECK(t[ROWS - 1] > 5 && t[ROWS - 1] < 10);
    CHECK_NEAR(y[ROWS - 1], -2 * expm1(-t[ROWS - 1]), 1e-13);
    fo_linear_destroy(s);
}

static double closed(const planted *p, double time, double t)
{
    double y = 0;
    for (size_t i = 0; i < p->n; i++)
        y += p->residue[i] / p->pole[i] * expm1(p->pole[i] * time * t);
    return y;
}

TEST(steps_of_planted_modes)
{
    fo_random r = fo_random_stream(12, 5);
    double t[ROWS], y[ROWS];
    for (size_t n = 1; n <= MOST; n++)
        for (int trial = 0; trial < 20; trial++) {
            planted p = plant(&r, n, trial % 2), as_it_was = p;
            double time = pow(10, pick(&r, -9, 9));
            mix(&r, &p);
            fo_linear *s = make(&r, &p, 6, time);
            REQUIRE(s != NULL);
            CHECK_INT(fo_linear_step_response(s, 0, 0, ROWS, t, y), FO_OK);
            for (int i = 0; i < ROWS; i++) CHECK_NEAR(y[i], closed(&as_it_was, time, t[i]), 1e-9);
            CHECK(t[0] == 0);
            for (int i = 1; i < ROWS; i++) CHECK(t[i] > t[i - 1]);
            double all = closed(&as_it_was, time, 1e3 / time);
            CHECK_NEAR(y[ROWS - 1], all, 3e-3 * all);
            fo_linear_destroy(s);
        }
}

// Fast and slow in one response: both are seen, with their digits.
TEST(fast_and_slow)
{
    static const double rates[][2] = {{1e6, 1e-3}, {1e9, 1e-9}, {30, 1}, {1e3, 1e3 + 1}};
    double t[ROWS], y[ROWS];
    for (size_t k = 0; k < FO_COUNT(rates); k++) {
        double f = rates[k][0], g = rates[k][1], slow = fmin(f, g), fast = fmax(f, g);
        const double a[] = {-f, 0, g, -g}, b[] = {f, 0}, c[] = {0, 1}, d = 0;
        fo_linear *s = fo_linear_of(2, 1, 1, a, b, c, &d, NULL);
        REQUIRE(s != NULL);
        CHECK_INT(fo_linear_step_response(s, 0, 0, ROWS, t, y), FO_OK);
        CHECK(t[ROWS - 1] > 6 / slow && t[ROWS - 1] < 20 / slow);
        CHECK(t[1] < 0.5 / fast);
        for (int i = 0; i < ROWS; i++) {
            double exact = 1 + (g * exp(-f * t[i]) - f * exp(-g * t[i])) / (f - g);
            CHECK_NEAR(y[i], exact, k == 3 ? 1e-11 : 1e-13);
        }
        fo_linear_destroy(s);
    }
}

// Integrators, growth, turns without an end, a slow mode that nothing is seen of, and nothing at
// all.
TEST(spans)
{
    static const struct {
        double a[4], b[2], c[2], low, high;
    } list[] = {{{0, 0, 0, -1}, {1, 1}, {1, 1}, 6, 8},          // 1/s + 1/(s + 1)
                {{1e-4, 0, 0, -1e4}, {1, 1}, {1, 1}, 6e4, 8e4}, // it grows
                {{0, 5, -5, 0}, {0, 1}, {1, 0}, 12, 51},        // it turns
                {{-1, 0, 0, -1e-9}, {1, 1}, {1, 0}, 6, 8},      // the slow one is not seen
                {{-1, 0, 0, -1e-9}, {1, 1}, {1, 1e-16}, 4, 20}, // it is hardly seen
                {{0, 1, 0, 0}, {0, 1}, {1, 0}, 1, 100},         // 1/s^2: no time of its own
                {{0, 1, -1, -0.02}, {0, 1}, {1, 0}, 60, 400}};
    double t[ROWS], y[ROWS];
    for (size_t k = 0; k < FO_COUNT(list); k++) {
        const double d = 0;
        fo_linear *s = fo_linear_of(2, 1, 1, list[k].a, list[k].b, list[k].c, &d, NULL);
        REQUIRE(s != NULL);
        CHECK_INT(fo_linear_step_response(s, 0, 0, ROWS, t, y), FO_OK);
        CHECK(t[ROWS - 1] > list[k].low && t[ROWS - 1] < list[k].high);
        for (int i = 0; i < ROWS; i++) CHECK(isfinite(y[i]));
        fo_linear_destroy(s);
    }
    const double d = 3;
    fo_linear *s = fo_linear_of(0, 1, 1, &d, &d, &d, &d, NULL);
    REQUIRE(s != NULL);
    CHECK_INT(fo_linear_step_response(s, 0, 0, 2, t, y), FO_OK);
    CHECK_NEAR(y[1], 3, 0);
    CHECK_INT(fo_linear_step_response(s, 0, 0, 1, t, y), FO_ERROR_ARGUMENT);
    fo_linear_destroy(s);
}

// K (s - z) / prod (s - p) as a chain of derivatives, whose entries are powers of the unit of time.
TEST(frequency_in_all_units)
{
    static const double poles[] = {-1.288, -2.999, -1.423, -2.220, -1.499};
    for (double unit = 1e-9; unit < 1e10; unit *= 8.5) {
        double a[25] = {0}, den[6] = {1}, b[5] = {0, 0, 0, 0, 1}, c[5] = {0}, d = 0;
        for (size_t i = 0; i < 5; i++)
            for (size_t k = i + 1; k > 0; k--) den[k] -= poles[i] * unit * den[k - 1];
        for (size_t i = 0; i < 4; i++) a[i * 5 + i + 1] = 1;
        for (size_t i = 0; i < 5; i++) a[20 + i] = -den[5 - i];
        double gain = pow(unit, 4);
        c[0] = -2.81 * unit * gain, c[1] = gain;
        fo_linear *s = fo_linear_of(5, 1, 1, a, b, c, &d, NULL);
        REQUIRE(s != NULL);
        for (double w = 0.01; w < 100; w *= 1.3) {
            double re, im, g_re = -2.81, g_im = w;
            for (size_t i = 0; i < 5; i++) {
                double p = -poles[i], q = w, square = p * p + q * q, keep = g_re;
                g_re = (g_re * p + g_im * q) / square, g_im = (g_im * p - keep * q) / square;
            }
            CHECK(fo_linear_response(s, 0, 0, w * unit, &re, &im));
            CHECK_NEAR(hypot(re - g_re, im - g_im), 0, 1e-11 * hypot(g_re, g_im));
        }
        fo_linear_destroy(s);
    }
}

/// K / (s + p)^n, and a direct way through.
static fo_linear *lag(size_t n, double p, double gain, double through)
{
    double a[9] = {0}, b[3] = {0}, c[3] = {0};
    for (size_t i = 0; i < n; i++) a[i * n + i] = -p;
    for (size_t i = 0; i + 1 < n; i++) a[i * n + i + 1] = 1;
    b[n - 1] = gain, c[0] = 1;
    return fo_linear_of(n, 1, 1, a, b, c, &through, NULL);
}

TEST(margins_at_all_frequencies)
{
    static const struct {
        int n;
        double p, gain, through;
        double margin, at, phase, phase_at; ///< NaN: there is none
    } list[] = {{1, -1, 2, 0, 0.5, 0, 60, 1.7320508075688772},
                {3, 1, 2, 0, 4, 1.7320508075688772, 67.59806636719088, 0.7664209365408798},
                {1, 1, 1e6, 0, NAN, NAN, 90.0000572957795, 999999.9999995},
                {1, 1, 1e-3, -0.5, 2, INFINITY, NAN, NAN},
                {1, 1, -0.25, 0, 4, 0, NAN, NAN},
                {2, 1, 1e8, 0, NAN, NAN, 0.0114591559, 9999.99995}};
    for (size_t k = 0; k < FO_COUNT(list); k++)
        for (double time = 1e-9; time < 1e10; time *= 1e9) {
            double n = list[k].n;
            fo_linear *s =
                lag((size_t)n, list[k].p * time, list[k].gain * pow(time, n), list[k].through);
            REQUIRE(s != NULL);
            fo_margins m = fo_linear_margins(s, 0, 0, 0, 0);
            if (isnan(list[k].margin)) CHECK(isnan(m.gain));
            if (!isnan(list[k].margin)) CHECK_NEAR(m.gain, list[k].margin, 1e-9 * m.gain);
            if (isfinite(list[k].at)) CHECK_NEAR(m.gain_omega / time, list[k].at, 1e-9);
            if (isinf(list[k].at)) CHECK(isinf(m.gain_omega));
            if (isnan(list[k].phase)) CHECK(isnan(m.phase));
            if (!isnan(list[k].phase)) {
                CHECK_NEAR(m.phase, list[k].phase, 1e-8);
                CHECK_NEAR(m.phase_omega / time, list[k].phase_at, 1e-9 * list[k].phase_at);
            }
            fo_linear_destroy(s);
        }
}

TEST_MAIN(TEST_ENTRY(hidden_in_all_units), TEST_ENTRY(chains_in_all_units), TEST_ENTRY(equal_modes),
          TEST_ENTRY(steps_of_planted_modes), TEST_ENTRY(fast_and_slow), TEST_ENTRY(spans),
          TEST_ENTRY(frequency_in_all_units), TEST_ENTRY(margins_at_all_frequencies))
