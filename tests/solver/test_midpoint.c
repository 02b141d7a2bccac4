/// implicit-midpoint: its order, what it keeps, and what it stands.
#include <math.h>
#include <string.h>

#include "solver/solver.h"
#include "test.h"

// A heavy pendulum phi'' = -sin(phi), whose energy is v^2/2 - cos(phi).
static fo_status pendulum_rates(const void *model, const fo_state *s, double t, const double *x,
                                double *dx)
{
    (void)model, (void)s, (void)t;
    dx[0] = x[1];
    dx[1] = -sin(x[0]);
    return FO_OK;
}

// A chain of three masses and springs of very different stiffness: rates are linear.
enum { MASSES = 3 };
static const double stiffness[MASSES] = {1, 1e4, 1e8};

static fo_status chain_rates(const void *model, const fo_state *s, double t, const double *x,
                             double *dx)
{
    (void)model, (void)s, (void)t;
    for (int i = 0; i < MASSES; i++) {
        double left = i ? x[i - 1] : 0, force = -stiffness[i] * (x[i] - left);
        if (i + 1 < MASSES) force += stiffness[i + 1] * (x[i + 1] - x[i]);
        dx[i] = x[MASSES + i];
        dx[MASSES + i] = force;
    }
    return FO_OK;
}

static double chain_energy(const double *x)
{
    double sum = 0;
    for (int i = 0; i < MASSES; i++) {
        double stretch = x[i] - (i ? x[i - 1] : 0), v = x[MASSES + i];
        sum += stiffness[i] * stretch * stretch / 2 + v * v / 2;
    }
    return sum;
}

// Where each rate depends on which state.
static const fo_pattern *chain_pattern(const void *model, const fo_state *s)
{
    static const uint32_t start[] = {0, 2, 5, 7, 8, 9, 10};
    static const uint32_t row[] = {3, 4, 3, 4, 5, 4, 5, 0, 1, 2};
    static const fo_pattern pattern = {6, start, row};
    (void)model, (void)s;
    return &pattern;
}

static fo_status unit_mass(const void *model, const fo_state *s, double *values)
{
    (void)model, (void)s;
    values[0] = values[3] = 1, values[1] = values[2] = 0;
    return FO_OK;
}

static const fo_system_type pendulum = {.rates = pendulum_rates};
static const fo_system_type chain = {.rates = chain_rates, .pattern = chain_pattern};

typedef struct bench {
    fo_state s;
    fo_message message;
    foi_solver o;
} bench;

static fo_status set(bench *b, const char *method, const fo_system_type *type, double h,
                     const double *x, uint32_t n)
{
    static const fo_description about = {.name = "test"};
    *b = (bench){.s.shape.states = n};
    b->o = (foi_solver){.method = foi_method_find(method, &b->message),
                        .system = {type, &about, NULL},
                        .s = &b->s,
                        .n = n,
                        .rtol = 1e-6,
                        .atol = 1e-9,
                        .step = h,
                        .stop = INFINITY,
                        .budget = UINT64_MAX,
                        .message = &b->message};
    if (!b->o.method) return FO_ERROR_ARGUMENT;
    fo_status status = foi_solver_prepare(&b->o);
    return status == FO_OK ? foi_solver_begin(&b->o, 0, x, FOI_COLD) : status;
}

static const double swing[] = {2, 0};

TEST(it_is_of_order_two)
{
    double x[3];
    for (int i = 0; i < 3; i++) {
        bench b;
        REQUIRE(set(&b, "implicit-midpoint", &pendulum, 0.05 / (1 << i), swing, 2) == FO_OK);
        CHECK(b.o.method->march(&b.o, 3, 3) == FO_OK);
        x[i] = b.o.x1[0];
        foi_solver_destroy(&b.o);
    }
    CHECK_NEAR(log2((x[0] - x[1]) / (x[1] - x[2])), 2, 0.1);
}

// The dense output of a step is the line through its ends, which errs by h^2.
TEST(its_dense_output_meets_both_ends)
{
    bench b;
    REQUIRE(set(&b, "implicit-midpoint", &pendulum, 0.1, swing, 2) == FO_OK);
    CHECK(b.o.method->march(&b.o, 0.1, 1) == FO_OK);
    CHECK(foi_solver_dense(&b.o) == FO_OK);
    CHECK_INT(b.o.degree, 1);
    for (int i = 0; i < 2; i++) {
        CHECK_NEAR(b.o.coefficients[i], b.o.x0[i], 0);
        CHECK_NEAR(b.o.coefficients[i] + b.o.coefficients[2 + i], b.o.x1[i], 1e-15);
    }
    foi_solver_destroy(&b.o);
}

// Quadratic energies are kept to rounding, also where a step is a thousand of the fastest periods,
// and with a Jacobian from differences on its pattern.
TEST(a_quadratic_energy_is_kept_to_rounding)
{
    static const double x[2 * MASSES] = {1, 1.01, 1.0100001, 0, 0.5, -0.5};
    bench b;
    REQUIRE(set(&b, "implicit-midpoint", &chain, 0.1, x, 2 * MASSES) == FO_OK);
    double before = chain_energy(x), worst = 0;
    for (int k = 1; k <= 5000; k++) {
        CHECK(b.o.method->march(&b.o, b.o.t1 + 0.05, 1e9) == FO_OK);
        worst = fmax(worst, fabs(chain_energy(b.o.x1) / before - 1));
    }
    CHECK_INT(b.o.counts.steps, 5000);
    CHECK_INT(b.o.counts.factorisations, 1);
    CHECK(worst < 1e-10);
    foi_solver_destroy(&b.o);
}

// Other energies stay near: no drift over many periods, where implicit Euler loses nearly all.
TEST(energy_ranks_as_physics_demands)
{
    static const char *const methods[] = {"implicit-midpoint", "implicit-euler"};
    double first[2], last[2];
    for (int m = 0; m < 2; m++) {
        bench b;
        REQUIRE(set(&b, methods[m], &pendulum, 0.05, swing, 2) == FO_OK);
        double before = -cos(swing[0]), worst = 0;
        for (int k = 1; k <= 40000; k++) {
            CHECK(b.o.method->march(&b.o, b.o.t1 + 0.025, 1e9) == FO_OK);
            double error = fabs(b.o.x1[1] * b.o.x1[1] / 2 - cos(b.o.x1[0]) - before);
            worst = fmax(worst, error);
            if (k == 400) first[m] = worst;
        }
        last[m] = worst;
        foi_solver_destroy(&b.o);
    }
    CHECK(first[0] < 1e-3 && last[0] < 1.05 * first[0]);
    CHECK(last[1] > 1);
}

// It is its own inverse: the same steps backwards lead to the start.
TEST(it_is_symmetric)
{
    double there[2];
    bench b;
    REQUIRE(set(&b, "implicit-midpoint", &pendulum, 0.1, swing, 2) == FO_OK);
    CHECK(b.o.method->march(&b.o, 10, 10) == FO_OK);
    there[0] = b.o.x1[0], there[1] = -b.o.x1[1];
    foi_solver_destroy(&b.o);
    REQUIRE(set(&b, "implicit-midpoint", &pendulum, 0.1, there, 2) == FO_OK);
    CHECK(b.o.method->march(&b.o, 10, 10) == FO_OK);
    CHECK_NEAR(b.o.x1[0], swing[0], 1e-8);
    CHECK_NEAR(b.o.x1[1], swing[1], 1e-8);
    foi_solver_destroy(&b.o);
}

TEST(a_mass_matrix_is_refused)
{
    static const fo_system_type type = {.rates = pendulum_rates, .mass = unit_mass};
    bench b;
    CHECK_STATUS(set(&b, "implicit-midpoint", &type, 0.1, swing, 2), FO_ERROR_UNFIT, &b.message);
    CHECK_CONTAINS(b.message.text, "implicit-midpoint takes no mass matrix");
    foi_solver_destroy(&b.o);
}

// M x' = f must not be taken for x' = f by a method that does not know M.
TEST(every_method_without_mass_refuses_it)
{
    static const fo_system_type type = {.rates = pendulum_rates, .mass = unit_mass};
    for (size_t i = 0; i < fo_solver_count(); i++) {
        const fo_solver_info *info = fo_solver_get(i);
        bench b;
        if (info->traits & FO_MASS) continue;
        CHECK_STATUS(set(&b, info->name, &type, 0.1, swing, 2), FO_ERROR_UNFIT, &b.message);
        CHECK_CONTAINS(b.message.text, "takes no mass matrix");
        foi_solver_destroy(&b.o);
    }
}

static fo_status decay_residual(const void *model, const fo_state *s, double t, const double *x,
                                const double *dx, double *r)
{
    (void)model, (void)s, (void)t;
    for (int i = 0; i < 2; i++) r[i] = dx[i] + x[i];
    return FO_OK;
}

TEST(every_method_that_needs_rates_says_so)
{
    static const fo_system_type type = {.residual = decay_residual};
    for (size_t i = 0; i < fo_solver_count(); i++) {
        const fo_solver_info *info = fo_solver_get(i);
        bench b;
        if (info->traits & FO_RESIDUAL) continue;
        CHECK_STATUS(set(&b, info->name, &type, 0.1, swing, 2), FO_ERROR_UNFIT, &b.message);
        CHECK_CONTAINS(b.message.text, "needs rates, and the system gives a residual only");
        foi_solver_destroy(&b.o);
    }
}

TEST_MAIN(TEST_ENTRY(it_is_of_order_two), TEST_ENTRY(its_dense_output_meets_both_ends),
          TEST_ENTRY(a_quadratic_energy_is_kept_to_rounding),
          TEST_ENTRY(energy_ranks_as_physics_demands), TEST_ENTRY(it_is_symmetric),
          TEST_ENTRY(a_mass_matrix_is_refused), TEST_ENTRY(every_method_without_mass_refuses_it),
          TEST_ENTRY(every_method_that_needs_rates_says_so))
