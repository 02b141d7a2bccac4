#include <stdlib.h>

#include "classic.h"

/// A step that is taken exactly, so that only the dense output errs. It borrows a method for its
/// name only.
static bool exact_step(bench *b, const problem *p, double t, double h)
{
    if (!bench_make(b, "nystrom", p, h, 1e-6)) return false;
    foi_solver *o = &b->o;
    p->solution(t, o->x0);
    p->solution(t + h, o->x1);
    o->t0 = t, o->t1 = t + h;
    foi_rates(o, t, o->x0, o->f0);
    o->f1_valid = false;
    return true;
}

typedef fo_status (*dense_maker)(foi_solver *o);

static double dense_error(dense_maker make, const problem *p, double h)
{
    bench b;
    if (!exact_step(&b, p, 0.4, h)) return NAN;
    CHECK_STATUS(make(&b.o), FO_OK, &b.message);
    b.o.dense_ready = true;
    double error = bench_dense_error(&b, p);
    bench_free(&b);
    return error;
}

// smooth in a system of two, declared in pairs so that the borrowed method takes it
static const problem curved = {{&smooth_type, &smooth_about, NULL}, 2, 1, smooth_solution};

TEST(orders_are_as_stated)
{
    static const struct {
        dense_maker make;
        int order;
    } outputs[] = {
        {foi_dense_line, 1}, {foi_dense_cubic, 3}, {foi_dense_quartic, 4}, {foi_dense_quintic, 5}};
    for (size_t i = 0; i < sizeof outputs / sizeof outputs[0]; i++) {
        const problem *const problems[] = {&curved, &swing};
        for (int j = 0; j < 2; j++) {
            double h = outputs[i].order > 3 ? 0.1 : 0.05;
            double coarse = dense_error(outputs[i].make, problems[j], h);
            double fine = dense_error(outputs[i].make, problems[j], h / 2);
            CHECK_NEAR(log2(coarse / fine), outputs[i].order + 1, 0.3);
        }
    }
}

// More evaluations have to pay.
TEST(higher_orders_are_better)
{
    double cubic = dense_error(foi_dense_cubic, &curved, 0.1);
    double quartic = dense_error(foi_dense_quartic, &curved, 0.1);
    double quintic = dense_error(foi_dense_quintic, &curved, 0.1);
    CHECK(quartic < cubic / 2);
    CHECK(quintic < quartic / 2);
}

TEST(evaluations_are_as_stated)
{
    static const struct {
        dense_maker make;
        int evaluations;
    } outputs[] = {
        {foi_dense_line, 0}, {foi_dense_cubic, 1}, {foi_dense_quartic, 2}, {foi_dense_quintic, 4}};
    for (size_t i = 0; i < sizeof outputs / sizeof outputs[0]; i++) {
        bench b;
        REQUIRE(exact_step(&b, &swing, 0, 0.1));
        uint64_t before = b.o.counts.rates;
        CHECK_STATUS(outputs[i].make(&b.o), FO_OK, &b.message);
        CHECK_INT((long long)(b.o.counts.rates - before), outputs[i].evaluations); // f1 among them
        bench_free(&b);
    }
}

TEST(values_and_slopes_meet_the_ends)
{
    static const dense_maker makers[] = {foi_dense_cubic, foi_dense_quartic, foi_dense_quintic};
    for (int i = 0; i < 3; i++) {
        bench b;
        REQUIRE(exact_step(&b, &curved, 0.4, 0.5));
        foi_solver *o = &b.o;
        CHECK_STATUS(makers[i](o), FO_OK, &b.message);
        double x[2], dx[2];
        foi_dense_at(o, 0, x);
        CHECK(memcmp(x, o->x0, sizeof x) == 0);
        foi_dense_at(o, 1, x);
        CHECK(memcmp(x, o->x1, sizeof x) == 0);
        for (int j = 0; j < 2; j++) {
            double sum = 0;
            for (int k = 0; k <= o->degree; k++) sum += o->coefficients[k * 2 + j];
            CHECK_NEAR(sum, o->x1[j], 1e-14);
            foi_dense_slope(o, 0, dx);
            CHECK_NEAR(dx[j], 0.5 * o->f0[j], 1e-14);
            foi_dense_slope(o, 1, dx);
            CHECK_NEAR(dx[j], 0.5 * o->f1[j], 1e-14);
        }
        bench_free(&b);
    }
}

TEST(slope_is_the_derivative_of_the_value)
{
    bench b;
    REQUIRE(exact_step(&b, &curved, 0.4, 0.5));
    CHECK_STATUS(foi_dense_quintic(&b.o), FO_OK, &b.message);
    for (double theta = 0.05; theta < 1; theta += 0.09) {
        double lo[2], hi[2], dx[2], d = 1e-5;
        foi_dense_at(&b.o, theta - d, lo);
        foi_dense_at(&b.o, theta + d, hi);
        foi_dense_slope(&b.o, theta, dx);
        for (int j = 0; j < 2; j++) CHECK_NEAR(dx[j], (hi[j] - lo[j]) / (2 * d), 1e-8);
    }
    bench_free(&b);
}

static double random_between(double lo, double hi)
{
    return lo + (hi - lo) * (rand() / (double)RAND_MAX);
}

/// Fills the last step with a random polynomial of a degree, of wild or tame coefficients.
static void random_polynomial(foi_solver *o, int degree, double size)
{
    o->degree = degree;
    for (uint32_t i = 0; i < o->n; i++) {
        double sum = 0;
        for (int j = 0; j <= degree; j++) {
            double c = random_between(-1, 1) * pow(size, random_between(-1, 1));
            o->coefficients[(size_t)j * o->n + i] = c;
            sum += c;
        }
        o->x0[i] = o->coefficients[i], o->x1[i] = sum;
    }
}

static int outside(const double *x, const fo_bounds *b, uint32_t n)
{
    int count = 0;
    for (uint32_t i = 0; i < n; i++) count += !(b->lo[i] <= x[i] && x[i] <= b->hi[i]);
    return count;
}

TEST(bounds_enclose_value_and_slope)
{
    bench b;
    REQUIRE(bench_make(&b, "nystrom", &kepler, 0.1, 1e-6));
    srand(1);
    int escaped = 0;
    for (int round = 0; round < 4000; round++) {
        random_polynomial(&b.o, 1 + rand() % FOI_DEGREE_MAX, round % 3 ? 1 : 1e4);
        double from = random_between(0, 1), to = random_between(from, 1);
        if (round % 5 == 0) to = nextafter(from, 2); // the narrowest
        if (round % 7 == 0) from = 0;
        if (round % 11 == 0) to = 1;
        if (round % 13 == 0) to = from;
        double xlo[4], xhi[4], dlo[4], dhi[4], x[4];
        fo_bounds bx = {xlo, xhi}, bd = {dlo, dhi};
        foi_dense_bounds(&b.o, from, to, &bx, &bd);
        for (int k = 0; k <= 30; k++) {
            double theta = fmin(to, from + (to - from) * k / 30);
            if (k == 30) theta = to;
            foi_dense_at(&b.o, theta, x);
            escaped += outside(x, &bx, 4);
            foi_dense_slope(&b.o, theta, x);
            escaped += outside(x, &bd, 4);
        }
    }
    CHECK_INT(escaped, 0);
    bench_free(&b);
}

// Bounds of halves are nearer to the truth: their excess over the range is of second order.
TEST(bounds_tighten_quadratically)
{
    bench b;
    REQUIRE(bench_make(&b, "nystrom", &kepler, 0.1, 1e-6));
    srand(2);
    for (int round = 0; round < 50; round++) {
        random_polynomial(&b.o, 5, 1);
        double excess[2];
        for (int k = 0; k < 2; k++) {
            double r = k ? 1e-3 : 2e-3, lo[4], hi[4], x[4], least = INFINITY, most = -INFINITY;
            fo_bounds bounds = {lo, hi};
            foi_dense_bounds(&b.o, 0.6 - r, 0.6 + r, &bounds, NULL);
            for (int j = 0; j <= 100; j++) {
                foi_dense_at(&b.o, 0.6 - r + 2 * r * j / 100, x);
                least = fmin(least, x[0]), most = fmax(most, x[0]);
            }
            excess[k] = (hi[0] - lo[0]) - (most - least);
        }
        CHECK(excess[1] > 0 && excess[1] < excess[0] / 3);
    }
    bench_free(&b);
}

TEST(a_line_is_bounded_by_its_ends)
{
    bench b;
    REQUIRE(exact_step(&b, &swing, 0, 1));
    CHECK_STATUS(foi_dense_line(&b.o), FO_OK, &b.message);
    double lo[2], hi[2], dlo[2], dhi[2];
    fo_bounds x = {lo, hi}, dx = {dlo, dhi};
    foi_dense_bounds(&b.o, 0, 1, &x, &dx);
    for (int i = 0; i < 2; i++) {
        CHECK_NEAR(lo[i], fmin(b.o.x0[i], b.o.x1[i]), 1e-14);
        CHECK_NEAR(hi[i], fmax(b.o.x0[i], b.o.x1[i]), 1e-14);
        CHECK_NEAR(dlo[i], b.o.x1[i] - b.o.x0[i], 1e-14);
        CHECK_NEAR(dhi[i], b.o.x1[i] - b.o.x0[i], 1e-14);
    }
    bench_free(&b);
}

TEST(a_refusal_inside_the_step_is_passed_on)
{
    static const dense_maker makers[] = {foi_dense_cubic, foi_dense_quartic, foi_dense_quintic};
    static const double starts[] = {0.45, 0.49,
                                    0.49}; // the end, or a point inside, lies in t >= 0.5
    for (int i = 0; i < 3; i++) {
        bench b;
        REQUIRE(exact_step(&b, &refusing, starts[i], 0.1));
        if (i > 0) foi_rates(&b.o, 0.1, b.o.x1, b.o.f1), b.o.f1_valid = true;
        CHECK_STATUS(makers[i](&b.o), FO_ERROR_MODEL, &b.message);
        bench_free(&b);
    }
}

// A step that ends where the model does not go (t >= 1) can still be read: a parabola.
TEST(a_step_beyond_the_models_edge_can_be_read)
{
    static const dense_maker makers[] = {foi_dense_cubic, foi_dense_quartic, foi_dense_quintic};
    for (int i = 0; i < 3; i++) {
        bench b;
        REQUIRE(bench_make(&b, "nystrom", &edge, 0.1, 1e-6));
        foi_solver *o = &b.o;
        o->t0 = 0.95, o->t1 = 1.05;
        edge_solution(0.95, o->x0);
        o->x1[0] = o->x0[0] + 3, o->x1[1] = o->x0[1];
        CHECK_STATUS(foi_rates(o, o->t0, o->x0, o->f0), FO_OK, &b.message);
        CHECK_STATUS(makers[i](o), FO_OK, &b.message);
        double x[2], dx[2];
        foi_dense_slope(o, 0, dx);
        CHECK_NEAR(dx[0], 0.1 * o->f0[0], 1e-12);
        foi_dense_at(o, 0.5, x); // h f0 = 2, D = 3: x0 + 2 theta + theta^2
        if (i == 0) CHECK_NEAR(x[0], o->x0[0] + 1.25, 1e-12); // the others use the rate at 1/4 too
        foi_dense_at(o, 1 - 1e-9, x);
        CHECK_NEAR(x[0], o->x1[0], 1e-7);
        bench_free(&b);
    }
}

TEST_MAIN(TEST_ENTRY(orders_are_as_stated), TEST_ENTRY(higher_orders_are_better),
          TEST_ENTRY(evaluations_are_as_stated), TEST_ENTRY(values_and_slopes_meet_the_ends),
          TEST_ENTRY(slope_is_the_derivative_of_the_value),
          TEST_ENTRY(bounds_enclose_value_and_slope), TEST_ENTRY(bounds_tighten_quadratically),
          TEST_ENTRY(a_line_is_bounded_by_its_ends),
          TEST_ENTRY(a_refusal_inside_the_step_is_passed_on),
          TEST_ENTRY(a_step_beyond_the_models_edge_can_be_read))
