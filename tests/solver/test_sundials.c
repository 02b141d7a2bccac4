// The solvers through SUNDIALS: accuracy, dense output, stiffness, forms of the matrix.
#include <math.h>
#include <string.h>

#include "sundials_rig.h"

#ifndef FOI_WITH_SUNDIALS

TEST(missing_package_is_named)
{
    static const char *const names[] = {"cvode-bdf", "ark-imex", "ida"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        fo_message why = {0};
        CHECK(!foi_method_find(names[i], &why));
        CHECK_INT(why.status, FO_ERROR_UNFIT);
        CHECK_CONTAINS(why.text, "libsundials-dev");
    }
}

TEST_MAIN(TEST_ENTRY(missing_package_is_named))

#else

static fo_status make(rig *r, const char *method, const fo_system_type *type, uint32_t n,
                      double tolerance)
{
    rig_set(r, method, type, NULL, n, tolerance);
    return foi_solver_prepare(&r->o);
}

static fo_status run(rig *r, const char *method, const fo_system_type *type, uint32_t n,
                     const double *x, double goal, double tolerance)
{
    rig_set(r, method, type, NULL, n, tolerance);
    fo_status status = rig_begin(r, x);
    return status == FO_OK ? rig_go(r, goal) : status;
}

static double swing_error(const char *method, double tolerance)
{
    rig r;
    fo_status status = run(&r, method, &swing_type, 2, swing_start, 10, tolerance);
    CHECK_STATUS(status, FO_OK, &r.message);
    CHECK(r.o.t1 == 10);
    CHECK(r.o.counts.steps > 10 && r.o.counts.rates > r.o.counts.steps);
    double error = hypot(r.o.x1[0] - cos(10), r.o.x1[1] + sin(10));
    foi_solver_destroy(&r.o);
    return error;
}

TEST(error_follows_tolerance)
{
    for (int m = 0; m < ALL; m++) {
        double loose = swing_error(all[m], 1e-4), tight = swing_error(all[m], 1e-8);
        CHECK(loose < 2e-2 && loose > 0);
        CHECK(tight < 1e-5);
        CHECK(tight < loose / 50);
    }
}

// With max_step = first_step = h and a loose tolerance a Runge-Kutta method takes equal steps.
static double equal_step_error(const char *method, double h)
{
    rig r;
    rig_set(&r, method, &swing_type, NULL, 2, 1e-2);
    r.o.first_step = r.o.max_step = h;
    CHECK_STATUS(rig_begin(&r, swing_start), FO_OK, &r.message);
    CHECK_STATUS(rig_go(&r, 4), FO_OK, &r.message);
    CHECK_NEAR((double)r.o.counts.steps, 4 / h, 1.5);
    double error = hypot(r.o.x1[0] - cos(4), r.o.x1[1] + sin(4));
    foi_solver_destroy(&r.o);
    return error;
}

TEST(runge_kutta_orders)
{
    static const char *const names[] = {"ark-explicit", "ark-implicit", "ark-imex"};
    for (int m = 0; m < 3; m++) {
        const foi_method *method = foi_method_find(names[m], NULL);
        double order = log2(equal_step_error(names[m], 0.1) / equal_step_error(names[m], 0.05));
        CHECK_NEAR(order, method->info.order, 0.3);
    }
}

// ---------------------------------------------------------------------------------- dense output

static double dense_error(const char *method, double tolerance)
{
    rig r;
    CHECK_STATUS(make(&r, method, &swing_type, 2, tolerance), FO_OK, &r.message);
    CHECK_STATUS(foi_solver_begin(&r.o, 0, swing_start, FOI_COLD), FO_OK, &r.message);
    double worst = 0;
    while (r.o.t1 < 6) {
        fo_status status = r.o.method->march(&r.o, r.o.t1, 6);
        if (status == FO_OK) status = foi_solver_dense(&r.o);
        CHECK_STATUS(status, FO_OK, &r.message);
        if (status != FO_OK) break;
        for (double theta = 0; theta <= 1; theta += 0.125) {
            double x[2], dx[2], h = r.o.t1 - r.o.t0, t = r.o.t0 + theta * h;
            foi_dense_at(&r.o, theta, x);
            foi_dense_slope(&r.o, theta, dx);
            worst = fmax(worst, fmax(fabs(x[0] - cos(t)), fabs(x[1] + sin(t))));
            worst = fmax(worst, 0.1 * fabs(dx[0] + h * sin(t)));
        }
        // the polynomial meets both ends
        const double *c = r.o.coefficients;
        double sum = 0;
        for (int j = 0; j <= r.o.degree; j++) sum += c[2 * j];
        CHECK_NEAR(c[0], r.o.x0[0], 1e-13);
        CHECK_NEAR(sum, r.o.x1[0], 1e-13);
    }
    foi_solver_destroy(&r.o);
    return worst;
}

TEST(dense_output_is_as_good_as_the_steps)
{
    for (int m = 0; m < ALL; m++) {
        double loose = dense_error(all[m], 1e-5), tight = dense_error(all[m], 1e-9);
        CHECK(loose < 3e-3);
        CHECK(tight < 3e-7);
        CHECK(tight < loose / 100);
    }
}

// ------------------------------------------------------------------------------------- stiffness

static fo_status robertson(const void *model, const fo_state *s, double t, const double *x,
                           double *dx)
{
    (void)model, (void)s, (void)t;
    double a = 0.04 * x[0], b = 1e4 * x[1] * x[2], c = 3e7 * x[1] * x[1];
    dx[0] = b - a, dx[1] = a - b - c, dx[2] = c;
    return FO_OK;
}

static fo_status robertson_residual(const void *model, const fo_state *s, double t, const double *x,
                                    const double *dx, double *r)
{
    double f[3];
    robertson(model, s, t, x, f);
    r[0] = dx[0] - f[0], r[1] = dx[1] - f[1], r[2] = x[0] + x[1] + x[2] - 1;
    return FO_OK;
}

// M = diag(1, 1, 0): the third row of the rates becomes the sum.
static fo_status robertson_sum(const void *model, const fo_state *s, double t, const double *x,
                               double *dx)
{
    robertson(model, s, t, x, dx);
    dx[2] = x[0] + x[1] + x[2] - 1;
    return FO_OK;
}

static fo_status robertson_mass(const void *model, const fo_state *s, double *values)
{
    (void)model, (void)s;
    memset(values, 0, 9 * sizeof(double));
    values[0] = values[4] = 1;
    return FO_OK;
}

// Without (2, 2), which is zero.
static const fo_pattern *robertson_pattern(const void *model, const fo_state *s)
{
    (void)model, (void)s;
    static const uint32_t start[] = {0, 2, 5, 7}, row[] = {0, 1, 0, 1, 2, 0, 1};
    static const fo_pattern pattern = {3, start, row};
    return &pattern;
}

static const fo_system_type robertson_type = {.rates = robertson};
static const fo_system_type robertson_sparse = {.rates = robertson, .pattern = robertson_pattern};
static const fo_system_type robertson_dae = {.residual = robertson_residual};
static const fo_system_type robertson_mass_type = {.rates = robertson_sum, .mass = robertson_mass};

// Hairer, Wanner II, IV.10, and the documentation of CVODE, at t = 40.
static const double robertson_40[] = {0.7158270688, 9.185534765e-6, 0.2841637457};

static void check_robertson(const char *method, const fo_system_type *type, const double *start)
{
    rig r;
    CHECK_STATUS(make(&r, method, type, 3, 1e-8), FO_OK, &r.message);
    r.o.atol = 1e-12;
    CHECK_STATUS(foi_solver_begin(&r.o, 0, start, FOI_COLD), FO_OK, &r.message);
    CHECK_STATUS(rig_go(&r, 40), FO_OK, &r.message);
    for (int i = 0; i < 3; i++) CHECK_NEAR(r.o.x1[i], robertson_40[i], 1e-5 * robertson_40[i]);
    CHECK_NEAR(r.o.x1[0] + r.o.x1[1] + r.o.x1[2], 1, 1e-9);
    CHECK(r.o.counts.steps < 2000);
    CHECK(r.o.counts.jacobians > 0 && r.o.counts.factorisations >= r.o.counts.jacobians);
    CHECK(r.o.counts.iterations >= r.o.counts.steps);
    foi_solver_destroy(&r.o);
}

TEST(robertson_table)
{
    static const double start[] = {1, 0, 0};
    check_robertson("cvode-bdf", &robertson_type, start);
    check_robertson("cvode-bdf", &robertson_sparse, start);
    check_robertson("ark-implicit", &robertson_type, start);
    check_robertson("ida", &robertson_sparse, start);
    check_robertson("ida", &robertson_type, start);
    check_robertson("ida", &robertson_dae, start);
    check_robertson("ida", &robertson_mass_type, start);
}

// The algebraic state starts far off; IDA finds it, and x1 shows it before the first step.
TEST(inconsistent_start_is_corrected)
{
    static const double start[] = {1, 0, 0.5};
    const fo_system_type *types[] = {&robertson_dae, &robertson_mass_type};
    for (int i = 0; i < 2; i++) {
        rig r;
        CHECK_STATUS(make(&r, "ida", types[i], 3, 1e-8), FO_OK, &r.message);
        CHECK_STATUS(foi_solver_begin(&r.o, 0, start, FOI_COLD), FO_OK, &r.message);
        CHECK(r.o.x1[0] == 1 && r.o.x1[1] == 0);
        CHECK_NEAR(r.o.x1[2], 0, 1e-8);
        foi_solver_destroy(&r.o);
    }
    check_robertson("ida", &robertson_dae, start);
}

static fo_status impossible(const void *model, const fo_state *s, double t, const double *x,
                            const double *dx, double *r)
{
    (void)model, (void)s, (void)t;
    r[0] = dx[0] - x[1], r[1] = x[1] * x[1] + 1;
    return FO_OK;
}

TEST(no_consistent_start_is_said)
{
    static const fo_system_type type = {.residual = impossible};
    rig r;
    CHECK_STATUS(run(&r, "ida", &type, 2, swing_start, 1, 1e-6), FO_ERROR_CONVERGE, &r.message);
    CHECK_CONTAINS(r.message.text, "no consistent start at t = 0");
    foi_solver_destroy(&r.o);
}

// Prothero and Robinson: x' = lambda (x - cos t) - sin t has the solution cos t.
static const double lambda = -1e6;

static fo_status prothero_stiff(const void *model, const fo_state *s, double t, const double *x,
                                double *dx)
{
    (void)model, (void)s;
    dx[0] = lambda * (x[0] - cos(t));
    return FO_OK;
}

static fo_status prothero(const void *model, const fo_state *s, double t, const double *x,
                          double *dx)
{
    prothero_stiff(model, s, t, x, dx);
    dx[0] -= sin(t);
    return FO_OK;
}

TEST(stiff_split)
{
    static const fo_system_type type = {.rates = prothero, .stiff_rates = prothero_stiff};
    static const char *const names[] = {"ark-imex", "ark-implicit", "cvode-bdf", "ida"};
    for (int m = 0; m < 4; m++) {
        rig r;
        double worst = 0, one = 1;
        CHECK_STATUS(make(&r, names[m], &type, 1, 1e-6), FO_OK, &r.message);
        CHECK_STATUS(foi_solver_begin(&r.o, 0, &one, FOI_COLD), FO_OK, &r.message);
        while (r.o.t1 < 10 && r.message.status == FO_OK) {
            CHECK_STATUS(r.o.method->march(&r.o, r.o.t1, 10), FO_OK, &r.message);
            CHECK_STATUS(foi_solver_dense(&r.o), FO_OK, &r.message);
            for (double theta = 0; theta <= 1; theta += 0.25) {
                double x;
                foi_dense_at(&r.o, theta, &x);
                worst = fmax(worst, fabs(x - cos(r.o.t0 + theta * (r.o.t1 - r.o.t0))));
            }
        }
        CHECK_NEAR(worst, 0, 5e-5);
        CHECK(r.o.counts.steps < 3000); // an explicit method would need some 3e6
        foi_solver_destroy(&r.o);
    }
}

// ------------------------------------------------------------- heat: dense, band, sparse, colours

enum { SIDE = 15 };

static fo_status rod_residual(const void *model, const fo_state *s, double t, const double *x,
                              const double *dx, double *r)
{
    rod(model, s, t, x, r);
    for (int i = 0; i < ROD; i++) r[i] = dx[i] - r[i];
    return FO_OK;
}

static fo_status rod_jacobian(const void *model, const fo_state *s, double t, const double *x,
                              double *values)
{
    (void)s, (void)t, (void)x;
    const fo_pattern *p = model;
    double k = (ROD + 1.0) * (ROD + 1.0);
    for (uint32_t c = 0; c < ROD; c++)
        for (uint32_t e = p->start[c]; e < p->start[c + 1]; e++)
            values[e] = p->row[e] == c ? -2 * k : p->row[e] == ROD - 1 && c == 0 ? 0 : k;
    return FO_OK;
}

static uint64_t run_rod(const char *method, const fo_system_type *type, const fo_pattern *p,
                        double *end)
{
    rig r;
    double x[ROD];
    for (int i = 0; i < ROD; i++) x[i] = sin(M_PI * (i + 1) / (ROD + 1));
    rig_set(&r, method, type, p, ROD, 1e-6);
    r.o.atol = 1e-8;
    CHECK_STATUS(foi_solver_prepare(&r.o), FO_OK, &r.message);
    CHECK_STATUS(foi_solver_begin(&r.o, 0, x, FOI_COLD), FO_OK, &r.message);
    CHECK_STATUS(rig_go(&r, 0.1), FO_OK, &r.message);
    memcpy(end, r.o.x1, sizeof x);
    // the discrete solution: decay with the eigenvalue of the second difference
    double k = 4 * (ROD + 1.0) * (ROD + 1.0) * pow(sin(M_PI / (2 * (ROD + 1))), 2);
    for (int i = 0; i < ROD; i++) CHECK_NEAR(end[i], x[i] * exp(-0.1 * k), 2e-5);
    uint64_t rates = r.o.counts.rates;
    foi_solver_destroy(&r.o);
    return rates;
}

TEST(matrix_forms_agree)
{
    static const fo_system_type by_differences = {.rates = rod, .pattern = model_is_pattern};
    static const fo_system_type by_model = {
        .rates = rod, .pattern = model_is_pattern, .jacobian = rod_jacobian};
    static const fo_system_type by_residual = {.residual = rod_residual,
                                               .pattern = model_is_pattern};
    rod_pattern narrow, wide;
    make_rod_pattern(&narrow, false), make_rod_pattern(&wide, true);
    double dense[ROD], band[ROD], sparse[ROD], other[ROD];
    run_rod("cvode-bdf", &by_differences, NULL, dense);
    uint64_t coloured = run_rod("cvode-bdf", &by_differences, &narrow.pattern, band);
    CHECK(coloured < 2000); // dense differences cost 200 evaluations each
    run_rod("cvode-bdf", &by_differences, &wide.pattern, sparse);
    for (int i = 0; i < ROD; i++) {
        CHECK_NEAR(band[i], dense[i], 1e-7);
        CHECK_NEAR(sparse[i], band[i], 1e-9);
    }
    run_rod("cvode-bdf", &by_model, &narrow.pattern, band);
    run_rod("cvode-bdf", &by_model, &wide.pattern, sparse);
    for (int i = 0; i < ROD; i++) CHECK_NEAR(sparse[i], band[i], 1e-9);
    run_rod("ark-implicit", &by_model, &wide.pattern, other);
    run_rod("ida", &by_model, &narrow.pattern, other);
    run_rod("ida", &by_model, &wide.pattern, other);
    run_rod("ida", &by_residual, &narrow.pattern, band);
    run_rod("ida", &by_residual, &wide.pattern, sparse);
    for (int i = 0; i < ROD; i++) CHECK_NEAR(sparse[i], band[i], 1e-8);
}

// PAIRS swings side by side, positions first: a pattern with nothing on the diagonal.
enum { PAIRS = 20 };

static fo_status swings(const void *model, const fo_state *s, double t, const double *x, double *dx)
{
    (void)model, (void)s, (void)t;
    for (int i = 0; i < PAIRS; i++) dx[i] = x[PAIRS + i], dx[PAIRS + i] = -x[i];
    return FO_OK;
}

TEST(pattern_without_diagonal)
{
    static const fo_system_type type = {.rates = swings, .pattern = model_is_pattern};
    static const char *const names[] = {"cvode-bdf", "ark-implicit", "ida"};
    uint32_t start[2 * PAIRS + 1], row[2 * PAIRS];
    double x[2 * PAIRS];
    for (uint32_t c = 0; c < 2 * PAIRS; c++)
        start[c] = c, row[c] = (c + PAIRS) % (2 * PAIRS), x[c] = c < PAIRS;
    start[2 * PAIRS] = 2 * PAIRS;
    fo_pattern pattern = {2 * PAIRS, start, row};
    for (int m = 0; m < 3; m++) {
        rig r;
        rig_set(&r, names[m], &type, &pattern, 2 * PAIRS, 1e-7);
        CHECK_STATUS(rig_begin(&r, x), FO_OK, &r.message);
        CHECK_STATUS(rig_go(&r, 3), FO_OK, &r.message);
        for (int i = 0; i < PAIRS; i++) CHECK_NEAR(r.o.x1[i], cos(3), 2e-5);
        foi_solver_destroy(&r.o);
    }
}

// A plate of SIDE x SIDE points, u' = laplace u, with a five-point pattern.
static fo_status plate(const void *model, const fo_state *s, double t, const double *x, double *dx)
{
    (void)model, (void)s, (void)t;
    double k = (SIDE + 1.0) * (SIDE + 1.0);
    for (int j = 0; j < SIDE; j++)
        for (int i = 0; i < SIDE; i++) {
            const double *u = x + j * SIDE + i;
            double sum = (i ? u[-1] : 0) + (i < SIDE - 1 ? u[1] : 0) + (j ? u[-SIDE] : 0) +
                         (j < SIDE - 1 ? u[SIDE] : 0);
            dx[j * SIDE + i] = k * (sum - 4 * *u);
        }
    return FO_OK;
}

TEST(plate_with_coloured_differences)
{
    enum { COUNT = SIDE * SIDE };
    static const fo_system_type type = {.rates = plate, .pattern = model_is_pattern};
    uint32_t start[COUNT + 1], row[5 * COUNT], at = 0;
    double x[COUNT];
    for (uint32_t c = 0; c < COUNT; c++) {
        uint32_t i = c % SIDE, j = c / SIDE;
        start[c] = at;
        if (j) row[at++] = c - SIDE;
        if (i) row[at++] = c - 1;
        row[at++] = c;
        if (i < SIDE - 1) row[at++] = c + 1;
        if (j < SIDE - 1) row[at++] = c + SIDE;
        x[c] = sin(M_PI * (i + 1) / (SIDE + 1)) * sin(M_PI * (j + 1) / (SIDE + 1));
    }
    start[COUNT] = at;
    fo_pattern pattern = {COUNT, start, row};
    rig r;
    rig_set(&r, "cvode-bdf", &type, &pattern, COUNT, 1e-7);
    r.o.atol = 1e-9;
    CHECK_STATUS(foi_solver_prepare(&r.o), FO_OK, &r.message);
    CHECK_STATUS(foi_solver_begin(&r.o, 0, x, FOI_COLD), FO_OK, &r.message);
    CHECK_STATUS(rig_go(&r, 0.05), FO_OK, &r.message);
    double k = 8 * (SIDE + 1.0) * (SIDE + 1.0) * pow(sin(M_PI / (2 * (SIDE + 1))), 2);
    for (int i = 0; i < COUNT; i++) CHECK_NEAR(r.o.x1[i], x[i] * exp(-0.05 * k), 2e-6);
    CHECK(r.o.counts.rates < r.o.counts.iterations + 12 * r.o.counts.jacobians + 20);
    foi_solver_destroy(&r.o);
}

TEST_MAIN(TEST_ENTRY(error_follows_tolerance), TEST_ENTRY(runge_kutta_orders),
          TEST_ENTRY(dense_output_is_as_good_as_the_steps), TEST_ENTRY(robertson_table),
          TEST_ENTRY(inconsistent_start_is_corrected), TEST_ENTRY(no_consistent_start_is_said),
          TEST_ENTRY(stiff_split), TEST_ENTRY(matrix_forms_agree),
          TEST_ENTRY(pattern_without_diagonal), TEST_ENTRY(plate_with_coloured_differences))

#endif
