#include <float.h>

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
// The exact curve in long double: t0 + theta (t1 - t0), the polynomial, and its slope by time.
static void exact_point(const foi_solver *o, uint32_t i, long double theta, long double *x,
                        long double *dx)
{
    *x = *dx = 0;
    for (int j = o->degree; j >= 0; j--) {
        *dx = *dx * theta + *x;
        *x = *x * theta + o->coefficients[(size_t)j * o->n + i];
    }
    *dx /= (long double)o->t1 - o->t0;
}

typedef struct stretch {
    double b[6][4];
    fo_stretch on;
} stretch;

static void make_stretch(const foi_solver *o, double from, double to, stretch *s)
{
    s->on = (fo_stretch){
        .x = {s->b[0], s->b[1]}, .dx = {s->b[2], s->b[3]}, .x_mid = {s->b[4], s->b[5]}};
    foi_dense_stretch(o, from, to, &s->on);
}

// Exact and computed points lie in the stretch; they are apart by no more than it says.
static int strays(const foi_solver *o, const stretch *s, double theta)
{
    const fo_stretch *on = &s->on;
    double computed[4], t = theta == 1 ? o->t1 : o->t0 + theta * (o->t1 - o->t0);
    long double exact_t = o->t0 + theta * ((long double)o->t1 - o->t0), x, dx;
    int count = !(t >= on->t_lo && t <= on->t_hi && exact_t >= on->t_lo && exact_t <= on->t_hi) +
                !(fabsl(exact_t - t) <= on->t_slack);
    foi_dense_at(o, theta, computed);
    for (uint32_t i = 0; i < o->n; i++) {
        exact_point(o, i, theta, &x, &dx);
        count += !(x >= on->x.lo[i] && x <= on->x.hi[i]);
        count += !(computed[i] >= on->x.lo[i] && computed[i] <= on->x.hi[i]);
        count += !(dx >= on->dx.lo[i] && dx <= on->dx.hi[i]);
        count += !(fabsl(computed[i] - x) <= on->x_mid.hi[i] - on->x_mid.lo[i]);
    }
    return count;
}

static int middle_strays(const foi_solver *o, const stretch *s, double theta)
{
    const fo_stretch *on = &s->on;
    long double exact_t = o->t0 + theta * ((long double)o->t1 - o->t0), x, dx;
    int count = !(fabsl(exact_t - on->t_mid) <= on->t_slack);
    for (uint32_t i = 0; i < o->n; i++) {
        exact_point(o, i, theta, &x, &dx);
        count += !(x >= on->x_mid.lo[i] && x <= on->x_mid.hi[i]);
    }
    return count;
}

TEST(stretches_hold_the_exact_curve_and_the_computed_one)
{
    bench b;
    stretch s;
    if (LDBL_MANT_DIG <= DBL_MANT_DIG) return;
    REQUIRE(bench_make(&b, "nystrom", &kepler, 0.1, 1e-6));
    srand(2);
    int strayed = 0;
    for (int round = 0; round < 20000; round++) {
        random_polynomial(&b.o, 1 + rand() % FOI_DEGREE_MAX, round % 3 ? 1 : 1e8);
        for (uint32_t i = 0; i < 4; i++)
            if (rand() % 3 == 0) b.o.x1[i] = nextafter(b.o.x1[i], rand() % 2 ? 1e9 : -1e9);
        b.o.t0 = random_between(-1, 1) * pow(10, random_between(-9, 9));
        b.o.t1 = b.o.t0 + fmax(random_between(0, 1), 4 * DBL_EPSILON * fabs(b.o.t0));
        double from = random_between(0, 1), to = random_between(from, 1);
        if (round % 3 == 0) to = fmin(1, from + pow(10, random_between(-15, 0)));
        if (round % 7 == 0) from = 0;
        if (round % 11 == 0) to = 1;
        make_stretch(&b.o, from, to, &s);
        for (int k = 0; k <= 8; k++)
            strayed += strays(&b.o, &s, k == 8 ? to : from + (to - from) * k / 8);
        strayed += middle_strays(&b.o, &s, 0.5 * (from + to));
    }
    CHECK_INT(strayed, 0);
    bench_free(&b);
}

// A state that rests is a point, and a short step's middle is known to a few ulps.
TEST(stretches_are_narrow)
{
    bench b;
    stretch s;
    REQUIRE(bench_make(&b, "nystrom", &kepler, 0.1, 1e-6));
    srand(3);
    random_polynomial(&b.o, 4, 1);
    for (int j = 1; j <= 4; j++) b.o.coefficients[j * 4] = 0, b.o.coefficients[j * 4 + 1] *= 1e-3;
    b.o.x1[0] = b.o.x0[0], b.o.x0[1] = b.o.coefficients[1] = 3, b.o.t0 = 5, b.o.t1 = 5.25;
    foi_dense_at(&b.o, 1 - DBL_EPSILON, b.o.x1);
    make_stretch(&b.o, 0, 1, &s);
    CHECK(s.on.x.lo[0] == b.o.x0[0] && s.on.x.hi[0] == b.o.x0[0]);
    CHECK(s.on.dx.lo[0] == 0 && s.on.dx.hi[0] == 0);
    CHECK(s.on.x_mid.lo[0] == s.on.x_mid.hi[0]);
    CHECK(s.on.x_mid.hi[1] - s.on.x_mid.lo[1] < 24 * DBL_EPSILON);
    CHECK(s.on.t_lo == 5 && s.on.t_hi == 5.25);
    bench_free(&b);
}

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
          TEST_ENTRY(stretches_hold_the_exact_curve_and_the_computed_one),
          TEST_ENTRY(stretches_are_narrow), TEST_ENTRY(a_line_is_bounded_by_its_ends),
          TEST_ENTRY(a_refusal_inside_the_step_is_passed_on),
          TEST_ENTRY(a_step_beyond_the_models_edge_can_be_read))
