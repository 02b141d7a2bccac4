/// implicit-euler and sliding-implicit on a mass with a spring and a damper.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <foliot/simulation.h>

#include "solver/solver.h"
#include "test.h"

typedef struct spring {
    double m, k, b;
    bool nonlinear; ///< k x^3 beside k x
} spring;

static fo_status spring_rates(const void *model, const fo_state *s, double t, const double *x,
                              double *dx)
{
    const spring *p = model;
    (void)s, (void)t;
    double cubic = p->nonlinear ? p->k * x[0] * x[0] * x[0] : 0;
    dx[0] = x[1];
    dx[1] = (-p->k * x[0] - cubic - p->b * x[1]) / p->m;
    return FO_OK;
}

static fo_status spring_jacobian(const void *model, const fo_state *s, double t, const double *x,
                                 double *values)
{
    const spring *p = model;
    (void)s, (void)t;
    double cubic = p->nonlinear ? 3 * p->k * x[0] * x[0] : 0;
    values[0] = 0, values[1] = -(p->k + cubic) / p->m;
    values[2] = 1, values[3] = -p->b / p->m;
    return FO_OK;
}

static const fo_system_type exact_type = {.rates = spring_rates, .jacobian = spring_jacobian};
static const fo_system_type difference_type = {.rates = spring_rates};

typedef struct bench {
    fo_state s;
    fo_message message;
    foi_solver o;
} bench;

static fo_status set(bench *b, const char *method, const spring *p, double h, double epsilon)
{
    static const fo_description about = {.name = "spring"};
    static const double x[] = {1, 0};
    *b = (bench){.s.shape.states = 2};
    b->o = (foi_solver){.method = foi_method_find(method, &b->message),
                        .system = {&exact_type, &about, p},
                        .s = &b->s,
                        .n = 2,
                        .rtol = 1e-6,
                        .atol = 1e-9,
                        .step = h,
                        .substeps = 10,
                        .epsilon = epsilon,
                        .stop = INFINITY,
                        .budget = UINT64_MAX,
                        .message = &b->message};
    if (!b->o.method) return FO_ERROR_ARGUMENT;
    fo_status status = foi_solver_prepare(&b->o);
    return status == FO_OK ? foi_solver_begin(&b->o, 0, x, FOI_COLD) : status;
}

/// Runs to t and gives the end in x.
static fo_status run(const char *method, const spring *p, double h, double epsilon, double t,
                     double *x)
{
    bench b;
    fo_status status = set(&b, method, p, h, epsilon);
    if (status == FO_OK) status = b.o.method->march(&b.o, t, t);
    if (status == FO_OK) memcpy(x, b.o.x1, 2 * sizeof *x);
    foi_solver_destroy(&b.o);
    return status;
}

static const spring stiff = {1e-3, 1, 0.1, false}, soft = {1, 1, 0.1, false};

#define CHECK_RELATIVE(a, b) CHECK_NEAR((a) / (b), 1, 1e-10)

TEST(explicit_euler_has_a_limit)
{
    // |1 + h lambda| = 1 for the fast eigenvalue (-b - sqrt(b^2 - 4 m k)) / 2m: h = 0.0225403
    for (int above = 0; above < 2; above++) {
        double h = above ? 0.02255 : 0.02253, x = 1, v = 0;
        for (int k = 0; k < 20000; k++) {
            double f = (-stiff.k * x - stiff.b * v) / stiff.m;
            x += h * v, v += h * f;
        }
        CHECK((fabs(x) < 1e-3) == !above);
    }
}

TEST(published_values)
{
    double x[2];
    CHECK(run("sliding-implicit", &stiff, 0.16, 0.016, 0.16, x) == FO_OK);
    CHECK_RELATIVE(x[0], 0.39906103286384975);
    CHECK_RELATIVE(x[1], -3.755868544600939);
    CHECK(run("sliding-implicit", &stiff, 0.16, 0.016, 20, x) == FO_OK);
    CHECK_RELATIVE(x[0], 1.2639137965712818e-56);
    CHECK_RELATIVE(x[1], -1.4244518976940458e-55);
    CHECK(run("sliding-implicit", &stiff, 0.16, 0.16 / 15, 20, x) == FO_OK);
    CHECK_RELATIVE(x[0], 1.574818377689488e-56);
    CHECK_RELATIVE(x[1], -1.7748465383546708e-55);
    CHECK(run("sliding-implicit", &soft, 0.16, 0.016, 20, x) == FO_OK);
    CHECK_RELATIVE(x[0], 0.057175478262312604);
    CHECK_RELATIVE(x[1], -0.056412314355145654);
    CHECK(run("sliding-implicit", &soft, 0.005, 0.0005, 20, x) == FO_OK);
    CHECK_RELATIVE(x[0], 0.16819375361175568);
    CHECK_RELATIVE(x[1], -0.31550171204963934);
    CHECK(run("sliding-implicit", &soft, 0.005, 0.005 / 15, 20, x) == FO_OK);
    CHECK_RELATIVE(x[0], 0.1743294324420119);
    CHECK_RELATIVE(x[1], -0.31277025509294754);
}

TEST(equal_to_implicit_euler_when_epsilon_is_the_substep)
{
    double a[2], b[2];
    // 19.93: the last step is shortened; its ratio is kept
    static const double ends[] = {20, 19.93};
    for (int k = 0; k < 2; k++) {
        CHECK(run("sliding-implicit", &stiff, 0.16, 0.016, ends[k], a) == FO_OK);
        CHECK(run("implicit-euler", &stiff, 0.16, 0, ends[k], b) == FO_OK);
        CHECK_RELATIVE(a[0], b[0]);
        CHECK_RELATIVE(a[1], b[1]);
        CHECK(run("sliding-implicit", &soft, 0.16, 0, ends[k], a) == FO_OK); // 0: the substep
        CHECK(run("implicit-euler", &soft, 0.16, 0, ends[k], b) == FO_OK);
        CHECK_RELATIVE(a[0], b[0]);
        CHECK_RELATIVE(a[1], b[1]);
    }
}

// Far below atol two iterations are all that is made; a J good to 1e-4 then leaves 1e-8 a step.
TEST(difference_jacobians_change_little_for_linear_rates)
{
    bench b;
    double x[2];
    CHECK(run("implicit-euler", &stiff, 0.16, 0, 20, x) == FO_OK);
    REQUIRE(set(&b, "implicit-euler", &stiff, 0.16, 0) == FO_OK);
    b.o.system.type = &difference_type;
    CHECK(b.o.method->march(&b.o, 20, 20) == FO_OK);
    CHECK_NEAR(b.o.x1[0] / x[0], 1, 1e-5);
    foi_solver_destroy(&b.o);
}

TEST(unstable_substeps_are_refused)
{
    static const double epsilons[] = {0.0001, 0.008};
    for (int k = 0; k < 2; k++) {
        bench b;
        CHECK_STATUS(set(&b, "sliding-implicit", &stiff, 0.16, epsilons[k]), FO_ERROR_ARGUMENT,
                     &b.message);
        CHECK_CONTAINS(b.message.text, "sliding-implicit: the substep h/substeps = 0.016 must be "
                                       "shorter than 2 eps");
        foi_solver_destroy(&b.o);
    }
}

TEST(residual_shrinks_as_it_should)
{
    // each substep leaves |1 - h_s / eps| of a linear residual: 0.5^10 of what the step began with
    bench b;
    REQUIRE(set(&b, "sliding-implicit", &stiff, 0.16, 0.032) == FO_OK);
    CHECK(b.o.method->march(&b.o, 0.16, 0.16) == FO_OK);
    CHECK_NEAR(b.o.counts.residual, 0.16 * 1000 * pow(0.5, 10), 1e-10); // h |f(x0)| at first
    CHECK_INT(b.o.counts.factorisations, 1);
    CHECK_INT(b.o.counts.rates, 11);
    CHECK(b.o.f1_valid);
    foi_solver_destroy(&b.o);
}

TEST(work_per_step_is_fixed)
{
    spring p = {1e-3, 1, 0.1, true};
    bench b;
    REQUIRE(set(&b, "sliding-implicit", &p, 0.01, 0.001) == FO_OK);
    uint64_t rates = 0;
    b.o.budget = 1;
    for (int k = 0; k < 50; k++) {
        CHECK(b.o.method->march(&b.o, 1, 1) == FO_OK);
        CHECK_INT(b.o.counts.rates - rates, 11);
        rates = b.o.counts.rates;
        CHECK_INT(b.o.counts.factorisations, k + 1);
    }
    CHECK_NEAR(b.o.t1, 0.5, 1e-15);
    CHECK(b.o.counts.residual < 1e-9);
    foi_solver_destroy(&b.o);
}

TEST(implicit_euler_reuses_its_jacobian)
{
    bench b;
    REQUIRE(set(&b, "implicit-euler", &stiff, 0.16, 0) == FO_OK);
    CHECK(b.o.method->march(&b.o, 20, 20) == FO_OK);
    CHECK_INT(b.o.counts.steps, 125);
    CHECK_INT(b.o.counts.jacobians, 1);
    CHECK_INT(b.o.counts.factorisations, 1);
    CHECK_INT(b.o.counts.iterations, 250);
    foi_solver_destroy(&b.o);
}

TEST(both_are_of_order_one)
{
    static const char *const methods[] = {"implicit-euler", "sliding-implicit"};
    spring p = {1, 1, 0.1, true};
    for (int k = 0; k < 2; k++) {
        double x[3][2];
        for (int i = 0; i < 3; i++)
            CHECK(run(methods[k], &p, 0.002 / (1 << i), 0, 2, x[i]) == FO_OK);
        double order = log2((x[0][0] - x[1][0]) / (x[1][0] - x[2][0]));
        CHECK_NEAR(order, 1, 0.1);
    }
}

static fo_status burst_rates(const void *model, const fo_state *s, double t, const double *x,
                             double *dx)
{
    (void)model, (void)s, (void)t;
    dx[0] = 1 + x[0] * x[0];
    dx[1] = 0;
    return FO_OK;
}

TEST(a_step_without_solution_is_an_error)
{
    // 1 + x^2 has no implicit Euler step of length 1 from x = 1: z^2 - z + 2 = 0
    static const fo_system_type type = {.rates = burst_rates};
    bench b;
    REQUIRE(set(&b, "implicit-euler", &soft, 1, 0) == FO_OK);
    b.o.system.type = &type;
    CHECK_STATUS(b.o.method->march(&b.o, 5, 5), FO_ERROR_CONVERGE, &b.message);
    CHECK_CONTAINS(b.message.text, "take a shorter step");
    CHECK(b.o.t1 == 0 && b.o.x1[0] == 1 && b.o.x1[1] == 0); // the last good point
    foi_solver_destroy(&b.o);
}

TEST(a_copy_goes_on_with_the_same_bits)
{
    static const char *const methods[] = {"implicit-euler", "implicit-midpoint",
                                          "sliding-implicit"};
    spring p = {1e-2, 1, 0.1, true};
    for (int k = 0; k < 3; k++) {
        bench a, b;
        REQUIRE(set(&a, methods[k], &p, 0.01, 0) == FO_OK);
        REQUIRE(set(&b, methods[k], &p, 0.01, 0) == FO_OK);
        CHECK(a.o.method->march(&a.o, 0.5, 0.5) == FO_OK);
        CHECK(b.o.method->march(&b.o, 0.2, 0.2) == FO_OK);
        foi_solver_copy(&b.o, &a.o);
        CHECK(a.o.method->march(&a.o, 1, 1) == FO_OK);
        CHECK(b.o.method->march(&b.o, 1, 1) == FO_OK);
        CHECK(memcmp(a.o.x1, b.o.x1, 2 * sizeof(double)) == 0);
        CHECK_INT(a.o.counts.iterations, b.o.counts.iterations);
        foi_solver_destroy(&a.o), foi_solver_destroy(&b.o);
    }
}

// ---------------------------------------------------------------- differential-algebraic equations

// x' = -x + z, 0 = c (z - w): the constraint is stiff or weak, and linear.
static fo_status dae_rates(const void *model, const fo_state *s, double t, const double *x,
                           double *dx)
{
    const double *c = model;
    (void)s, (void)t;
    dx[0] = -x[0] + x[1];
    dx[1] = c[0] * (c[1] - x[1] - c[2] * x[1] * x[1] * x[1]);
    return FO_OK;
}
static fo_status dae_mass(const void *model, const fo_state *s, double *m)
{
    (void)model, (void)s;
    m[0] = 1, m[1] = m[2] = m[3] = 0;
    return FO_OK;
}
static const fo_system_type dae_type = {.kind = "C", .rates = dae_rates, .mass = dae_mass};

static fo_simulation *dae(const double *c, const char *solver, double h, double epsilon)
{
    static const fo_variable states[] = {{.name = "x", .start = 1}, {.name = "z"}};
    static const fo_description about = {.name = "dae", .states = {states, 2}};
    fo_run_def def = fo_default_run_def();
    def.solver = solver, def.step = h, def.epsilon = epsilon, def.substeps = 10, def.stop = 5;
    fo_message why = {0};
    fo_simulation *sim = fo_simulation_create((fo_system){&dae_type, &about, c}, &def, &why);
    if (!sim) test_fail(__FILE__, __LINE__, "%s", why.text);
    return sim;
}

// From z = 0 the constraint's residual shrinks by 1 - h_s/eps in every substep, however stiff it
// is: after one step z = w (1 - (1/2)^10) with eps = 2 h_s, and x follows by implicit Euler along
// the way. With eps = h_s both are implicit Euler's.
TEST(constraints_slide_towards_their_solution)
{
    static const double weights[] = {1e-3, 1, 1e6};
    for (int i = 0; i < 3; i++) {
        const double c[] = {weights[i], 2, 0};
        fo_simulation *sim = dae(c, "sliding-implicit", 0.1, 0.02);
        REQUIRE(sim);
        CHECK_STATUS(fo_simulation_advance(sim, 0.1), FO_REACHED, fo_simulation_message(sim));
        // the Jacobian is made of differences
        CHECK_NEAR(fo_simulation_state(sim)->x[1], 2 * (1 - 0x1p-10), 1e-4);
        CHECK_STATUS(fo_simulation_advance(sim, 1), FO_REACHED, fo_simulation_message(sim));
        CHECK_NEAR(fo_simulation_state(sim)->x[1], 2, 1e-6);
        fo_simulation_destroy(sim);
    }
}

// With eps = h_s a substep is a step of Newton: a constraint that is not linear, z + z^3 = w, is
// solved as implicit-euler does, and the solution is that of x' = -x + z(w).
TEST(a_constraint_that_is_not_linear)
{
    const double c[] = {3, 2, 1}; // z + z^3 = 2: z = 1
    fo_simulation *sliding = dae(c, "sliding-implicit", 0.01, 0);
    fo_simulation *euler = dae(c, "implicit-euler", 0.01, 0);
    REQUIRE(sliding && euler);
    CHECK(fo_simulation_set(sliding, "z", 0.9) == FO_OK); // near the constraint
    CHECK(fo_simulation_set(euler, "z", 0.9) == FO_OK);
    for (double t = 0.5; t <= 5; t += 0.5) {
        CHECK_STATUS(fo_simulation_advance(sliding, t), FO_REACHED, fo_simulation_message(sliding));
        CHECK_STATUS(fo_simulation_advance(euler, t), FO_REACHED, fo_simulation_message(euler));
        const double *a = fo_simulation_state(sliding)->x, *b = fo_simulation_state(euler)->x;
        CHECK_NEAR(a[0], b[0], 1e-7);
        CHECK_NEAR(a[1], 1, 1e-7);
        CHECK_NEAR(b[1], 1, 1e-7);
    }
    CHECK_NEAR(fo_simulation_state(sliding)->x[0], 1, 1e-2); // x0 = 1 rests there
    fo_simulation_destroy(sliding);
    fo_simulation_destroy(euler);
}

TEST_MAIN(TEST_ENTRY(explicit_euler_has_a_limit), TEST_ENTRY(published_values),
          TEST_ENTRY(equal_to_implicit_euler_when_epsilon_is_the_substep),
          TEST_ENTRY(difference_jacobians_change_little_for_linear_rates),
          TEST_ENTRY(unstable_substeps_are_refused), TEST_ENTRY(residual_shrinks_as_it_should),
          TEST_ENTRY(work_per_step_is_fixed), TEST_ENTRY(implicit_euler_reuses_its_jacobian),
          TEST_ENTRY(both_are_of_order_one), TEST_ENTRY(a_step_without_solution_is_an_error),
          TEST_ENTRY(a_copy_goes_on_with_the_same_bits),
          TEST_ENTRY(constraints_slide_towards_their_solution),
          TEST_ENTRY(a_constraint_that_is_not_linear))
