/// Adaptive explicit Runge-Kutta methods: the template of erk.h for rates behind a pointer, and
/// what happens rarely: starting, failing, dense output.
#define FOI_ERK_CALLED // rates are behind a pointer
#include "solver/erk.h"

enum { DOP853_EXTRA = 3 }; ///< stages that only the dense output of dop853 needs

// ------------------------------------------------------------------------- start of a march

static fo_status no_rates(const void *model, const fo_state *s, double t, const double *x,
                          double *dx)
{
    (void)model, (void)s, (void)t, (void)x, (void)dx;
    return FO_OK;
}

foi_rates_function *foi_erk_rates(const foi_solver *o)
{
    return o->n ? o->system.type->rates : no_rates;
}

static bool all_finite(const double *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(v[i])) return false;
    return true;
}

// FO_RETRY asks for a shorter step; where there is no step yet it is an error of the model.
static fo_status refused_at(foi_solver *o, double t)
{
    return foi_fail_because(o, FO_ERROR_MODEL,
                            "the model has no rates at t = %.15g, where a step has to begin", t);
}

fo_status foi_erk_start(foi_solver *o, const foi_tableau *T, double goal)
{
    if (!o->f1_valid && o->n) {
        fo_status status = foi_solver_f1(o);
        if (status == FO_RETRY) return refused_at(o, o->t1);
        if (status != FO_OK) return status;
        if (!all_finite(o->f1, o->n)) {
            o->f1_valid = false;
            return foi_not_finite(o, o->t1, o->x1, o->f1);
        }
    }
    o->f1_valid = true;
    if (!T->embedded) {
        o->h_next = o->step;
        return FO_OK;
    }
    if (o->h_next > 0) return FO_OK;
    o->h_next = goal - o->t1;
    return o->n ? foi_first_step(o, T->order, goal, &o->h_next) : FO_OK;
}

fo_status foi_erk_begin(foi_solver *o, foi_begin how)
{
    if (how == FOI_COLD) o->h_next = 0;
    o->own[FOI_ERK_LOG_ERROR] = FOI_ERK_LOG_FRESH; // the history is void
    o->own[FOI_ERK_WARY] = -DBL_MAX;
    return FO_OK;
}

// --------------------------------------------------------------------------- end of a march

// Where the rates stop being finite in the step from x0 of length h: stage by stage again.
static fo_status explain_not_finite(foi_solver *o, const foi_tableau *T, double h)
{
    double *w = foi_erk_w(o);
    for (int j = 1; j <= T->stages; j++) {
        const double *a = j < T->stages ? T->a[j] : T->b;
        double t = o->t0 + (j < T->stages ? T->c[j] : 1) * h;
        for (uint32_t i = 0; i < o->n; i++) {
            double sum = a[0] * o->f0[i];
            for (int l = 1; l < j; l++) sum += a[l] * foi_erk_stage(o, l)[i];
            w[i] = o->x0[i] + h * sum;
        }
        double *k = j < T->stages ? foi_erk_stage(o, j) : o->f1;
        fo_status status = foi_rates(o, t, w, k);
        if (status != FO_OK && status != FO_RETRY) return status;
        if (!all_finite(k, o->n) || !all_finite(w, o->n)) return foi_not_finite(o, t, w, k);
    }
    return foi_not_finite(o, o->t0 + h, w, o->f1);
}

// The state whose error was the largest in the last try.
static uint32_t worst_state(foi_solver *o, const foi_tableau *T)
{
    uint32_t worst = 0;
    double *e = foi_erk_w(o);
    for (uint32_t i = 0; i < o->n; i++) {
        e[i] = T->e[0] * o->f0[i];
        for (int j = 1; j < T->stages; j++) {
            const double *k = T->fsal && j == T->stages - 1 ? o->f1 : foi_erk_stage(o, j);
            e[i] += T->e[j] * k[i];
        }
    }
    foi_error_norm(o, e, o->x0, o->x0, &worst);
    return worst;
}

static fo_status why(foi_solver *o, const foi_tableau *T, const foi_erk_run *run)
{
    fo_status status = run->status;
    if (status != FO_OK && status != FO_RETRY) return status;
    if (status == FO_OK && !isfinite(run->error2)) return explain_not_finite(o, T, run->taken);
    if (!T->embedded)
        return foi_fail_because(
            o, FO_ERROR_STEP,
            "the model asked for a step shorter than %.15g at t = %.15g, but '%s' has "
            "fixed steps",
            run->taken, o->t0, o->method->info.name);
    if (status == FO_RETRY)
        return foi_fail_because(
            o, FO_ERROR_STEP,
            "step became too small at t = %.15g: the model refuses every step down to "
            "h = %.3g",
            o->t0, run->taken);
    if (!run->tries) // there are no stages of which the error could be
        return foi_fail_because(o, FO_ERROR_STEP, "step became too small at t = %.15g: h = %.3g",
                                o->t0, run->h);
    return foi_step_too_small(o, run->h, sqrt(run->error2), worst_state(o, T));
}

fo_status foi_erk_fail(foi_solver *o, const foi_tableau *T, const foi_erk_run *run)
{
    fo_status status = why(o, T, run);
    foi_solver_unturn(o);
    return status;
}

// ------------------------------------------------------------------------------ dense output

// Hairer, Norsett, Wanner I, II.6: x0 + theta (D + (1 - theta) (p + theta (q + (1 - theta) r))),
// D = x1 - x0, p = h f0 - D, q = D - h f1 - p, r = h sum of d_j k_j; here in powers of theta.
FOI_INLINE void dense_dp45_of(foi_solver *o, size_t n)
{
    const double *d = foi_dense_dp45, *x0 = o->x0, *x1 = o->x1, *f0 = o->f0, *f1 = o->f1;
    const double *k = foi_erk_stage(o, 2);
    double h = o->t1 - o->t0;
    double *restrict c = o->coefficients;
    for (size_t i = 0; i < n; i++) {
        double D = x1[i] - x0[i], p = h * f0[i] - D, q = D - h * f1[i] - p;
        double r = d[0] * f0[i] + d[6] * f1[i];
        FOI_UNROLL_STATES
        for (size_t j = 0; j < 4; j++) r += d[j + 2] * k[j * n + i];
        r *= h;
        c[i] = x0[i];
        c[n + i] = D + p;
        c[2 * n + i] = q + r - p;
        c[3 * n + i] = -q - 2 * r;
        c[4 * n + i] = r;
    }
}

static fo_status dense_dp45(foi_solver *o)
{
    if (o->t1 != o->own[FOI_ERK_END]) return foi_dense_cubic(o);
    fo_status status = foi_solver_f1(o);
    if (status != FO_OK) return status;
    o->degree = 4;
    if (o->n == 2)
        dense_dp45_of(o, 2);
    else
        dense_dp45_of(o, o->n);
    return FO_OK;
}

// As Hairer's program: x0 + theta (F0 + (1-theta) (F1 + theta (F2 + (1-theta) (F3 + theta (F4 +
// (1-theta) (F5 + theta F6)))))) with F0 = x1 - x0, F1 = h f0 - F0, F2 = 2 F0 - h (f0 + f1) and
// F3..F6 = h sum of d_j k_j over 16 stages, three of which are evaluated only here.
static fo_status dop853_stages(foi_solver *o, double h, const double **k)
{
    const foi_dop853_dense *T = &foi_dense_dop853;
    double *w = foi_erk_w(o);
    k[0] = o->f0, k[12] = o->f1;
    for (int j = 1; j < 12; j++) k[j] = foi_erk_stage(o, j);
    for (int m = 0; m < DOP853_EXTRA; m++) {
        double *extra = foi_erk_stage(o, 12 + m);
        for (uint32_t i = 0; i < o->n; i++) {
            double sum = 0;
            for (int j = 0; j < 13 + m; j++) sum += T->a[m][j] * k[j][i];
            w[i] = o->x0[i] + h * sum;
        }
        fo_status status = foi_rates(o, o->t0 + T->c[m] * h, w, extra);
        if (status != FO_OK) return status;
        k[13 + m] = extra;
    }
    return FO_OK;
}

static fo_status dense_dop853(foi_solver *o)
{
    const double *k[16];
    double h = o->t1 - o->t0;
    size_t n = o->n;
    fo_status status;
    if (n == 0 || o->t1 != o->own[FOI_ERK_END]) return foi_dense_cubic(o);
    if ((status = foi_solver_f1(o)) != FO_OK) return status;
    if ((status = dop853_stages(o, h, k)) != FO_OK) return status;
    o->degree = 7;
    for (size_t i = 0; i < n; i++) {
        double F[7], c[8] = {0};
        F[0] = o->x1[i] - o->x0[i];
        F[1] = h * o->f0[i] - F[0];
        F[2] = 2 * F[0] - h * (o->f0[i] + o->f1[i]);
        for (int m = 0; m < 4; m++) {
            double sum = 0;
            for (int j = 0; j < 16; j++) sum += foi_dense_dop853.d[m][j] * k[j][i];
            F[3 + m] = h * sum;
        }
        // from inside out: c = F6; then theta c + F or (1 - theta) c + F; the degree grows by one
        for (int m = 6; m >= 0; m--) {
            c[0] += F[m];
            for (int j = 7 - m; j > 0; j--) c[j] = m % 2 ? c[j] - c[j - 1] : c[j - 1];
            if (m % 2 == 0) c[0] = 0;
        }
        c[0] += o->x0[i];
        for (size_t j = 0; j < 8; j++) o->coefficients[j * n + i] = c[j];
    }
    return FO_OK;
}

// ------------------------------------------------------------------------------- the methods

#ifdef FOI_SMALL

static fo_status ordinary_any(foi_solver *o, double attention, double goal)
{
    return foi_erk_march(o, attention, goal, o->method->data, 0, foi_erk_rates(o));
}

fo_status foi_erk_march_any(foi_solver *o, double attention, double goal)
{
    if (FOI_RARELY(o->system.type->march))
        return foi_erk_march_inlined(o, o->method->data, attention, goal, ordinary_any);
    return ordinary_any(o, attention, goal);
}

#endif

FOI_ERK_DEFINE_MARCH(bs23)
FOI_ERK_DEFINE_MARCH(rkf45)
FOI_ERK_DEFINE_MARCH(rke)
FOI_ERK_DEFINE_MARCH(rkn34)
FOI_ERK_DEFINE_MARCH(dp45)
FOI_ERK_DEFINE_MARCH(rkv56)
FOI_ERK_DEFINE_MARCH(dop853)

static size_t size(const foi_solver *o)
{
    const foi_tableau *T = o->method->data;
    return foi_erk_size(T, o->n, T->two_errors ? DOP853_EXTRA : 0);
}

static bool sound(const foi_solver *o)
{
    double error = o->own[FOI_ERK_LOG_ERROR];
    return error >= FOI_ERK_LOG_LEAST && error <= 0 && !isnan(o->own[FOI_ERK_WARY]);
}

#define ERK_METHOD(name_, order_, dense_order_, dense_, about_)      \
    static const foi_method method_##name_ = {                       \
        .info = {#name_, about_, order_, dense_order_, FO_ADAPTIVE}, \
        .data = &foi_tableau_##name_,                                \
        .size = size,                                                \
        .begin = foi_erk_begin,                                      \
        .march = march_##name_,                                      \
        .dense = dense_,                                             \
        .sound = sound,                                              \
    }

ERK_METHOD(bs23, 3, 3, foi_dense_cubic, "Bogacki-Shampine 3(2), 3 evaluations a step");
ERK_METHOD(rkf45, 5, 4, foi_dense_quartic, "Runge-Kutta-Fehlberg 4(5), the fifth order carried on");
ERK_METHOD(rke, 4, 4, foi_dense_quartic, "Runge-Kutta-England 4(5), the fourth order carried on");
ERK_METHOD(rkn34, 4, 4, foi_dense_quartic, "Runge-Kutta-Norsett 3(4), the fourth order carried on");
ERK_METHOD(dp45, 5, 4, dense_dp45, "Dormand-Prince 5(4), 6 evaluations a step");
ERK_METHOD(rkv56, 6, 5, foi_dense_quintic, "Verner 6(5) of DVERK, 8 evaluations a step");
ERK_METHOD(dop853, 8, 7, dense_dop853, "Dormand-Prince 8(5,3), 12 evaluations a step");

FOI_FAMILY(foi_family_erk, &method_bs23, &method_rkf45, &method_rke, &method_rkn34, &method_dp45,
           &method_rkv56, &method_dop853);
