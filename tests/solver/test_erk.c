/// Explicit Runge-Kutta methods: orders, dense output, published values, equal bits.
#include <float.h>
#include <math.h>
#include <string.h>

#include "erk_rig.h"

RATES(table)
{
    UNUSED;
    dx[0] = t + x[0];
    return FO_OK;
}

// ----------------------------------------------------------------------------------- orders

static double global_error(const char *method, double h)
{
    rig r;
    double x[4], exact[4], error = 0;
    make(&r, method, 4, woven);
    force_step(&r, h);
    woven_exact(0.5, x);
    begin(&r, 0.5, x);
    CHECK_STATUS(march(&r, 1.5, 1.5), FO_OK, &r.message);
    CHECK_INT((long long)r.o.counts.steps, llround(1 / h));
    woven_exact(1.5, exact);
    for (int i = 0; i < 4; i++) error = fmax(error, fabs(r.o.x1[i] / exact[i] - 1));
    unmake(&r);
    return error;
}

static void check_order(const char *method)
{
    const fo_solver_info *info = fo_solver_find(method, NULL);
    REQUIRE(info);
    double h = info->order >= 8 ? 1.0 / 16 : info->order >= 5 ? 1.0 / 40 : 1.0 / 160;
    double order = log2(global_error(method, h) / global_error(method, h / 2));
    if (fabs(order - info->order) > 0.3)
        test_fail(__FILE__, __LINE__, "%s: measured order %.2f, stated %d", method, order,
                  info->order);
}

TEST(orders_are_as_stated)
{
    for (int m = 0; m < ADAPTIVE; m++) check_order(adaptive[m]);
    for (int m = 0; m < FIXED; m++) check_order(fixed[m]);
}

// One step from exact data; the largest error inside it.
static double dense_error(const char *method, double h)
{
    rig r;
    double x[4], exact[4], error = 0;
    make(&r, method, 4, woven);
    force_step(&r, h);
    woven_exact(0.7, x);
    begin(&r, 0.7, x);
    r.o.budget = 1;
    CHECK_STATUS(march(&r, 9, 9), FO_OK, &r.message);
    CHECK_STATUS(foi_solver_dense(&r.o), FO_OK, &r.message);
    for (int j = 1; j < 10; j++) {
        double theta = j / 10.0;
        foi_dense_at(&r.o, theta, x);
        woven_exact(0.7 + theta * h, exact);
        for (int i = 0; i < 4; i++) error = fmax(error, fabs(x[i] / exact[i] - 1));
    }
    unmake(&r);
    return error;
}

static void check_dense_order(const char *method)
{
    const fo_solver_info *info = fo_solver_find(method, NULL);
    REQUIRE(info);
    double h = info->dense_order >= 7 ? 1.0 / 16 : 1.0 / 64;
    double order = log2(dense_error(method, h) / dense_error(method, h / 2)) - 1;
    if (fabs(order - info->dense_order) > 0.3)
        test_fail(__FILE__, __LINE__, "%s: measured dense order %.2f, stated %d", method, order,
                  info->dense_order);
}

TEST(dense_orders_are_as_stated)
{
    for (int m = 0; m < ADAPTIVE; m++) check_dense_order(adaptive[m]);
    for (int m = 0; m < FIXED; m++) check_dense_order(fixed[m]);
}

TEST(dense_output_meets_the_ends)
{
    for (int m = 0; m < ADAPTIVE + FIXED; m++) {
        rig r;
        double x[4], at[4], slope[4];
        make(&r, method_name(m), 4, woven);
        woven_exact(0.5, x);
        begin(&r, 0.5, x);
        r.o.budget = 3;
        CHECK_STATUS(march(&r, 9, 9), FO_OK, &r.message);
        CHECK_STATUS(foi_solver_dense(&r.o), FO_OK, &r.message);
        double h = r.o.t1 - r.o.t0, near = 1 - 1e-15;
        foi_dense_at(&r.o, near, at);
        for (int i = 0; i < 4; i++) CHECK_NEAR(at[i], r.o.x1[i], 1e-12);
        for (int end = 0; end < 2; end++) {
            foi_dense_slope(&r.o, end, slope);
            const double *f = end ? r.o.f1 : r.o.f0;
            for (int i = 0; i < 4; i++) CHECK_NEAR(slope[i] / h, f[i], 1e-7);
        }
        unmake(&r);
    }
}

// The error follows the tolerance, and no method lies by more than a factor.
TEST(errors_follow_the_tolerance)
{
    for (int m = 0; m < ADAPTIVE; m++) {
        double before = INFINITY;
        for (double tolerance = 1e-4; tolerance > 1e-9; tolerance *= 0.01) {
            rig r;
            double x[4], exact[4], error = 0;
            make(&r, adaptive[m], 4, woven);
            r.o.rtol = r.o.atol = tolerance;
            woven_exact(0, x);
            begin(&r, 0, x);
            CHECK_STATUS(march(&r, 1.2, 1.2), FO_OK, &r.message);
            woven_exact(1.2, exact);
            for (int i = 0; i < 4; i++) error = fmax(error, fabs(r.o.x1[i] / exact[i] - 1));
            CHECK(error < 200 * tolerance);
            CHECK(error < 0.2 * before);
            before = error;
            unmake(&r);
        }
    }
}

TEST(published_table)
{
    static const double expected[][6] = {
        {0, 0, 0.04, 0.128, 0.2736, 0.48832},
        {0, 0.02, 0.0884, 0.215848, 0.41533456, 0.7027081632},
        {0, 0.0214, 0.09181796, 0.222106456344, 0.42552082577856165, 0.7182511366059352},
    };
    static const char *const method[] = {"euler", "midpoint", "rk4"};
    for (int m = 0; m < 3; m++) {
        rig r;
        double x = 0;
        make(&r, method[m], 1, table);
        r.o.step = 0.2, r.o.budget = 1;
        begin(&r, 0, &x);
        for (int k = 1; k <= 5; k++) {
            CHECK_STATUS(march(&r, 1, 1), FO_OK, &r.message);
            CHECK_NEAR(r.o.x1[0], expected[m][k], 1e-12);
        }
        CHECK(r.o.t1 == 1);
        unmake(&r);
    }
}

// ----------------------------------------------------------------------------------- equal bits

// A small march and the general one are the same arithmetic.
TEST(any_number_of_states_gives_the_same_bits)
{
    for (int m = 0; m < ADAPTIVE + FIXED; m++) {
        rig one, three;
        double x[6] = {2.5, 0, 2.5, 0, 2.5, 0};
        const char *method = method_name(m);
        make(&one, method, 2, pendulum);
        make(&three, method, 6, pendulums);
        force_step(&one, 0.01);
        force_step(&three, 0.01);
        begin(&one, 0, x);
        begin(&three, 0, x);
        CHECK_STATUS(march(&one, 5, 5), FO_OK, &one.message);
        CHECK_STATUS(march(&three, 5, 5), FO_OK, &three.message);
        for (int i = 0; i < 6; i++) CHECK(three.o.x1[i] == one.o.x1[i % 2]);
        unmake(&one);
        unmake(&three);
    }
}

static fo_status march_inlined(foi_solver *o, double attention, double goal)
{
    return foi_erk_march(o, attention, goal, &foi_tableau_dp45, 2, pendulum);
}

static fo_status march_general(foi_solver *o, double attention, double goal)
{
    return foi_erk_march(o, attention, goal, &foi_tableau_dp45, 0, o->system.type->rates);
}

// Inlined rates, rates behind a pointer, and any n: all steps and all states are the same.
TEST(every_instance_gives_the_same_bits)
{
    rig r[3];
    foi_method instance[3];
    for (int k = 0; k < 3; k++) {
        double x[2] = {2.5, 0};
        make(&r[k], "dp45", 2, pendulum);
        instance[k] = *r[k].o.method;
        if (k) instance[k].march = k == 1 ? march_inlined : march_general;
        r[k].o.method = &instance[k];
        begin(&r[k], 0, x);
        CHECK_STATUS(march(&r[k], 20, 20), FO_OK, &r[k].message);
        CHECK(r[k].o.x1[0] == r[0].o.x1[0] && r[k].o.x1[1] == r[0].o.x1[1]);
        CHECK(r[k].o.counts.steps == r[0].o.counts.steps);
        CHECK(r[k].o.counts.rates == r[0].o.counts.rates);
        CHECK(r[k].o.h_next == r[0].o.h_next);
    }
    CHECK_NEAR(r[0].o.x1[0], 0.07286378969072538568065, 1e-6);
    for (int k = 0; k < 3; k++) unmake(&r[k]);
}

TEST(a_march_in_pieces_gives_the_same_bits)
{
    for (int m = 0; m < ADAPTIVE + FIXED; m++) {
        rig whole, pieces;
        double x[2] = {2.5, 0};
        const char *method = method_name(m);
        make(&whole, method, 2, pendulum);
        make(&pieces, method, 2, pendulum);
        begin(&whole, 0, x);
        begin(&pieces, 0, x);
        pieces.o.budget = 1;
        CHECK_STATUS(march(&whole, 5, 5), FO_OK, &whole.message);
        while (pieces.o.t1 < 5) CHECK_STATUS(march(&pieces, 5, 5), FO_OK, &pieces.message);
        CHECK(whole.o.x1[0] == pieces.o.x1[0] && whole.o.x1[1] == pieces.o.x1[1]);
        CHECK(whole.o.counts.rates == pieces.o.counts.rates);
        unmake(&whole);
        unmake(&pieces);
    }
}

TEST(a_copy_goes_on_with_the_same_bits)
{
    for (int m = 0; m < ADAPTIVE + FIXED; m++) {
        rig r, copy;
        double x[4], other[4] = {9, 9, 9, 9};
        const char *method = method_name(m);
        make(&r, method, 4, woven);
        make(&copy, method, 4, woven);
        woven_exact(0.5, x);
        r.o.step = copy.o.step = 0.01;
        begin(&r, 0.5, x);
        begin(&copy, 3, other);
        r.o.budget = 7;
        CHECK_STATUS(march(&r, 9, 9), FO_OK, &r.message);
        r.o.budget = UINT64_MAX;
        foi_solver_copy(&copy.o, &r.o);
        CHECK_STATUS(march(&r, 1.5, 2), FO_OK, &r.message);
        CHECK_STATUS(foi_solver_dense(&r.o), FO_OK, &r.message);
        CHECK_STATUS(march(&copy, 1.5, 2), FO_OK, &copy.message);
        CHECK_STATUS(foi_solver_dense(&copy.o), FO_OK, &copy.message);
        CHECK(r.o.t1 == copy.o.t1 && r.o.h_next == copy.o.h_next);
        CHECK(memcmp(r.o.x1, copy.o.x1, sizeof x) == 0);
        size_t rows = (size_t)r.o.degree + 1;
        CHECK(memcmp(r.o.coefficients, copy.o.coefficients, rows * sizeof x) == 0);
        unmake(&r);
        unmake(&copy);
    }
}

TEST(a_march_allocates_nothing)
{
    for (int m = 0; m < ADAPTIVE + FIXED; m++) {
        rig r;
        double x[6] = {2.5, 0, 1, 0, 0.5, 0};
        make(&r, method_name(m), 6, pendulums);
        r.memory.fail_at = 1;
        CHECK_STATUS(foi_solver_prepare(&r.o), FO_ERROR_MEMORY, &r.message);
        CHECK_INT(r.memory.live, 0);
        begin(&r, 0, x);
        long allocations = r.memory.allocations;
        CHECK_STATUS(march(&r, 1, 1), FO_OK, &r.message);
        CHECK_STATUS(foi_solver_dense(&r.o), FO_OK, &r.message);
        CHECK_INT(r.memory.allocations, allocations);
        unmake(&r);
    }
}

TEST_MAIN(TEST_ENTRY(orders_are_as_stated), TEST_ENTRY(dense_orders_are_as_stated),
          TEST_ENTRY(dense_output_meets_the_ends), TEST_ENTRY(errors_follow_the_tolerance),
          TEST_ENTRY(published_table), TEST_ENTRY(any_number_of_states_gives_the_same_bits),
          TEST_ENTRY(every_instance_gives_the_same_bits),
          TEST_ENTRY(a_march_in_pieces_gives_the_same_bits),
          TEST_ENTRY(a_copy_goes_on_with_the_same_bits), TEST_ENTRY(a_march_allocates_nothing))
