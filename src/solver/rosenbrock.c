/// rodas4: the Rosenbrock method RODAS of Hairer and Wanner, order 4(3), 6 stages, stiffly
/// accurate.
///
/// Hairer, Wanner: Solving Ordinary Differential Equations II, 2nd ed., sections IV.7 and VI.4. In
/// the variables u_i that save products with J, for M x' = f(t, x), with J and f_t = df/dt at the
/// start of the step:
///
///     (M / (h gamma) - J) u_i = f(t + alpha_i h, x + sum_{j<i} a_ij u_j)
///                               + M sum_{j<i} (c_ij / h) u_j + h gamma_i f_t
///
/// The last two stages are the embedded solution of order 3 and the solution of order 4:
/// x5 = x + sum a_5j u_j, x6 = x5 + u5, x1 = x6 + u6; the error is u6. One factorisation per trial,
/// one Jacobian per step, no iteration. The dense output is of order 3:
///
///     x(theta) = (1 - theta) x0 + theta (x1 + (1 - theta) (d2 + theta d3)), d_k = sum d_kj u_j
#include <float.h>
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "solver/defect.h"
#include "solver/matrix.h"
#include "solver/trial.h"

enum { STAGES = 6 };

static const double gamma0 = 0.25;
static const double alpha[STAGES] = {0, 0.386, 0.21, 0.63, 1, 1};
static const double gamma_sum[STAGES] = {0.25, -0.1043, 0.1035, -0.0362, 0, 0};
static const double a[STAGES][STAGES - 1] = {
    {0},
    {1.544},
    {0.9466785280815826, 0.2557011698983284},
    {3.314825187068521, 2.896124015972201, 0.9986419139977817},
    {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950},
    {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950, 1},
};
static const double c[STAGES][STAGES - 1] = {
    {0},
    {-5.6688},
    {-2.430093356833875, -0.2063599157091915},
    {-0.1073529058151375, -9.594562251023355, -20.47028614809616},
    {7.496443313967647, -10.24680431464352, -33.99990352819905, 11.70890893206160},
    {8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136,
     -6.058818238834054},
};
static const double d2[STAGES - 1] = {10.12623508344586, -7.487995877610167, -34.80091861555747,
                                      -7.992771707568823, 1.025137723295662};
static const double d3[STAGES - 1] = {-0.6762803392801253, 6.087714651680015, 16.43084320892478,
                                      24.76722511418386, -6.594389125716872};

/// Where the dense output is looked at.
static const double between[FOI_DEFECT_POINTS] = {0.35, 0.75};

/// In the block, after the matrix.
typedef struct rodas {
    foi_controller controller;
    foi_defect_trials defects;
    double radius; ///< of J, where it is looked at
} rodas;

enum { RODAS_SIZE = (sizeof(rodas) + sizeof(double) - 1) / sizeof(double), ROWS = STAGES + 7 };

static rodas *rodas_of(const foi_solver *o)
{
    return (rodas *)(void *)foi_matrix_rest(o);
}

/// Rows 0..5 are u_i; then f_t, the stage's state, its rates, work, and the powers 1, 2, 3 of the
/// dense output.
static double *row(const foi_solver *o, int i)
{
    return foi_matrix_rest(o) + RODAS_SIZE + (size_t)i * o->n;
}

enum { FT = STAGES, STATE, RATES, WORK, P };

static size_t size(const foi_solver *o)
{
    return foi_matrix_size(o, 1) + RODAS_SIZE + ROWS * (size_t)o->n;
}

static fo_status prepare(foi_solver *o)
{
    return foi_matrix_prepare(o, 1);
}

static fo_status begin(foi_solver *o, foi_begin how)
{
    if (how == FOI_COLD) o->h_next = 0;
    *rodas_of(o) = (rodas){0};
    return foi_matrix_begin(o);
}

// df/dt by a forward difference that does not look beyond the goal.
static fo_status time_derivative(foi_solver *o, double goal)
{
    double *ft = row(o, FT);
    double step = sqrt(DBL_EPSILON) * fabs(o->t0);
    step = foi_fmin(foi_fmax(step, sqrt(DBL_EPSILON) * o->h_next), goal - o->t0);
    volatile double moved = o->t0 + step; // the step that is really taken
    double taken = moved - o->t0;
    fo_status status = taken > 0 ? foi_rates(o, moved, o->x0, ft) : FO_RETRY;
    if (status != FO_OK && status != FO_RETRY) return status;
    // where there is no time to look into, as if the rates did not depend on it
    bool known = status == FO_OK && foi_all_finite(ft, o->n);
    for (uint32_t i = 0; i < o->n; i++) ft[i] = known ? (ft[i] - o->f0[i]) / taken : 0;
    return FO_OK;
}

/// u_i into its row. FO_RETRY: no such stage, and *outcome says why.
static fo_status stage(foi_solver *o, int i, double t, double h, foi_outcome *outcome)
{
    double *x = row(o, STATE), *f = row(o, RATES), *work = row(o, WORK), *u = row(o, i);
    const double *ft = row(o, FT), *rates = i == 0 ? o->f0 : f;
    uint32_t n = o->n;
    fo_status status = FO_OK;
    memcpy(x, o->x0, n * sizeof(double));
    memset(work, 0, n * sizeof(double));
    for (int j = 0; j < i; j++) {
        const double *v = row(o, j);
        double aij = a[i][j], cij = c[i][j] / h;
        for (uint32_t k = 0; k < n; k++) x[k] += aij * v[k], work[k] += cij * v[k];
    }
    *outcome = FOI_REFUSED;
    if (i > 0 && (status = foi_rates(o, t, x, f)) != FO_OK) return status;
    *outcome = FOI_NOT_FINITE;
    if (i > 0 && !foi_all_finite(f, n)) return FO_RETRY;
    foi_mass_times(o, work, u);
    double hg = h * gamma_sum[i];
    for (uint32_t k = 0; k < n; k++) u[k] += rates[k] + hg * ft[k];
    foi_matrix_solve(o, FOI_REAL, u);
    return FO_OK;
}

/// The powers 1, 2, 3 of the dense output.
static void curve(foi_solver *o)
{
    double *p1 = row(o, P), *p2 = row(o, P + 1), *p3 = row(o, P + 2);
    for (uint32_t i = 0; i < o->n; i++) {
        double v2 = 0, v3 = 0;
        for (int j = 0; j < STAGES - 1; j++) v2 += d2[j] * row(o, j)[i], v3 += d3[j] * row(o, j)[i];
        p1[i] = o->x1[i] - o->x0[i] + v2;
        p2[i] = v3 - v2;
        p3[i] = -v3;
    }
}

/// Raises o->error where the dense output is worse inside the step than x1 is.
static fo_status look_between(foi_solver *o, double h, foi_outcome *outcome, uint32_t *worst)
{
    curve(o);
    foi_curve cubic = {
        {row(o, P), row(o, P + 1), row(o, P + 2)}, row(o, STATE), row(o, RATES), row(o, WORK)};
    return foi_defect(o, h, &cubic, between, &rodas_of(o)->defects, worst, outcome);
}

/// Tries a step to t1 = t0 + h; x1 and o->error are its result.
static fo_status attempt(foi_solver *o, double h, double t1, foi_outcome *outcome, uint32_t *worst)
{
    foi_complex fac = {1 / (h * gamma0), 0};
    fo_status status = FO_OK;
    *outcome = FOI_SINGULAR;
    if (!foi_matrix_factored(o, FOI_REAL, fac)) status = foi_matrix_factor(o, FOI_REAL, fac);
    if (status != FO_OK) return status == FO_RETRY ? FO_OK : status;
    for (int i = 0; i < STAGES; i++) {
        double t = alpha[i] == 1 ? t1 : o->t0 + alpha[i] * h;
        status = stage(o, i, t, h, outcome);
        if (status != FO_OK) return status == FO_RETRY ? FO_OK : status;
    }
    const double *x6 = row(o, STATE), *u6 = row(o, STAGES - 1);
    for (uint32_t k = 0; k < o->n; k++) o->x1[k] = x6[k] + u6[k];
    o->error = foi_error_norm(o, u6, o->x0, o->x1, worst);
    *outcome = isfinite(o->error) ? FOI_GOOD : FOI_NOT_FINITE;
    if (o->error < 1) status = look_between(o, h, outcome, worst);
    if (status == FO_OK && !isfinite(o->error)) *outcome = FOI_NOT_FINITE;
    return status == FO_RETRY ? FO_OK : status;
}

/// Tries until a step is accepted: then x1, t1 and h_next are set.
static fo_status try_steps(foi_solver *o, double goal)
{
    rodas *r = rodas_of(o);
    double wanted = o->h_next;
    bool rejected = false;
    r->defects = (foi_defect_trials){0};
    for (int singular = 0;;) {
        double t1, h = foi_trial_length(o, wanted, goal, &t1), next = h * 0.25;
        foi_outcome outcome;
        uint32_t worst = 0;
        fo_status status = attempt(o, h, t1, &outcome, &worst);
        if (status != FO_OK) return status;
        bool accepted = outcome == FOI_GOOD && o->error < 1;
        if (outcome == FOI_GOOD)
            next = foi_controller_step(&r->controller, h, o->error, 0.9, 1.0 / 6, 5, accepted);
        if (accepted) {
            if (rejected) next = foi_fmin(next, h);
            // a step that was cut to reach the goal says little about the next one
            o->h_next = !rejected && h < next ? foi_fmax(next, wanted) : next;
            o->t1 = t1;
            return FO_OK;
        }
        singular = outcome == FOI_SINGULAR ? singular + 1 : 0;
        double tried = singular > FOI_SINGULAR_MAX ? 0 : h;
        status = foi_trial_shorter(o, outcome, tried, &next, worst, row(o, STATE), row(o, RATES));
        if (status != FO_OK) return status;
        rejected = true, wanted = next;
    }
}

static fo_status step(foi_solver *o, double goal)
{
    fo_status status = foi_trial_start(o, 4, goal);
    if (status != FO_OK) return status;
    foi_solver_turn(o);
    status = foi_matrix_jacobian(o, o->t0, o->x0, o->f0);
    if (status == FO_OK && o->look_from)
        rodas_of(o)->radius = foi_matrix_radius(o, row(o, WORK)); // and the next row
    if (status == FO_OK) status = time_derivative(o, goal);
    if (status == FO_OK) status = try_steps(o, goal);
    if (status != FO_OK) {
        foi_solver_unturn(o);
        return status;
    }
    o->counts.steps++;
    foi_trial_calm(o, o->t1 - o->t0, rodas_of(o)->radius);
    return FO_OK;
}

static fo_status march(foi_solver *o, double attention, double goal)
{
    if (!o->n) return foi_trial_empty(o, goal);
    fo_status status = foi_matrix_resume(o);
    for (uint64_t k = 0; status == FO_OK; k++) {
        if (k > 0 && (k >= o->budget || o->t1 >= attention || o->t1 >= goal || o->calm)) break;
        status = step(o, goal);
    }
    return status;
}

// The nested form in powers of theta: x0, x1 - x0 + d2, d3 - d2, -d3.
static fo_status dense(foi_solver *o)
{
    size_t n = o->n;
    o->degree = 3;
    memcpy(o->coefficients, o->x0, n * sizeof(double));
    memcpy(o->coefficients + n, row(o, P), 3 * n * sizeof(double));
    return FO_OK;
}

static const foi_method rodas4 = {
    .info = {"rodas4", "Rosenbrock method of order 4(3) for stiff systems and mass matrices", 4, 3,
             FO_ADAPTIVE | FO_STIFF | FO_MASS},
    .size = size,
    .prepare = prepare,
    .begin = begin,
    .march = march,
    .dense = dense,
    .sound = foi_matrix_sound,
    .destroy = foi_matrix_destroy,
};

FOI_FAMILY(foi_family_rosenbrock, &rodas4);
