/// Adams-Bashforth-Moulton of variable order and step, after Shampine and Gordon.
///
/// L. F. Shampine, M. K. Gordon: Computer Solution of Ordinary Differential Equations (1975); the
/// form is also that of Hairer, Norsett, Wanner I, III.5. PECE: predictor of order k, corrector of
/// order k + 1, k = 1..12. What is kept of the past are modified divided differences. With steps
/// h_j = t_j - t_(j-1), and n the last point, n + 1 the new one:
///   psi_i(n+1) = h_(n+1) + h_n + ... + h_(n+2-i)
///   alpha_i    = h_(n+1) / psi_i(n+1)
///   beta_i     = product over j < i of psi_j(n+1) / psi_j(n)
///   phi_i(n)   = psi_1(n) ... psi_(i-1)(n) f[t_n, ..., t_(n+1-i)]
///   g_1q = 1/q, g_2q = 1/(q (q+1)), g_iq = g_(i-1)q - alpha_(i-1) g_(i-1)(q+1);  g_i = g_i1
/// Predictor: p = x_n + h sum over i <= k of g_i beta_i phi_i(n). Its polynomial through the rates,
/// read at n + 1, has the differences e_i = e_(i+1) + beta_i phi_i(n), e_(k+1) = 0. With
/// d = f(t_(n+1), p) - e_1 the corrector is x_(n+1) = p + h g_(k+1) d. After the last evaluation,
/// with D = f(t_(n+1), x_(n+1)) - e_1: phi_i(n+1) = e_i + D for i <= k, and phi_(k+1)(n+1) = D.
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "solver/stepping.h"

enum {
    K = 12, ///< highest order of the predictor
    DIFFERENCES = K + 2,
    STIFF_STEPS = 50 ///< so many low-order steps at the edge of stability look stiff
};

/// The private part of the block: these numbers, then the rows phi_1..phi_(K+2), e_1..e_(K+1),
/// and p last.
typedef struct adams {
    double fresh;      ///< 1: nothing is known of the past
    double after_jump; ///< 1: and h_next is a guess for a running method, not for order 1
    double starting;   ///< 1: order and step still go up with every step
    double t;          ///< phi belongs to this time
    double k;          ///< order of the next step
    double k_used;     ///< of the last one, whose phi_1..phi_(k_used+1) are there
    double same;       ///< last steps that were all h_last long
    double h_last;
    double psi[K]; ///< psi_1..psi_(k_used) of the last step
} adams;
enum { NUMBERS = sizeof(adams) / sizeof(double) };

/// What one try of a step computes of scalars; indices as in the formulas, from 1.
typedef struct trial {
    int k;
    double h;
    double same; ///< steps of this length, this one included
    double psi[K + 2], alpha[K + 2], beta[K + 2], g[K + 2], sigma[K + 2];
    double err;             ///< of the local error, 1 is the tolerance
    double e_k, e_k1, e_k2; ///< errors at orders k, k - 1, k - 2, as if steps were equal
    int k_new;              ///< k, or k - 1 when the errors say so
    uint32_t worst;
    const double *bad_x, *bad_f; ///< where rates were not finite numbers
} trial;

/// gamma*_i of the Adams-Moulton formulas for equal steps: the error constants.
static const double gamma_star[K + 2] = {1.0,
                                         1.0 / 2,
                                         1.0 / 12,
                                         1.0 / 24,
                                         19.0 / 720,
                                         3.0 / 160,
                                         863.0 / 60480,
                                         275.0 / 24192,
                                         33953.0 / 3628800,
                                         8183.0 / 1036800,
                                         3250433.0 / 479001600,
                                         4671.0 / 788480,
                                         13695779093.0 / 2615348736000.0,
                                         2224234463.0 / 475517952000.0};

static adams *adams_of(foi_solver *o)
{
    return (adams *)(void *)o->own;
}

static double *phi(foi_solver *o, int i)
{
    return o->own + NUMBERS + (size_t)(i - 1) * o->n;
}

static double *predicted(foi_solver *o, int i) // e_i
{
    return phi(o, DIFFERENCES + i);
}

static double *predictor(foi_solver *o)
{
    return phi(o, 2 * DIFFERENCES);
}

static size_t size(const foi_solver *o)
{
    return NUMBERS + (size_t)(2 * DIFFERENCES) * o->n;
}

static fo_status begin(foi_solver *o, foi_begin how)
{
    adams *a = adams_of(o);
    a->fresh = 1;
    a->after_jump = how == FOI_JUMP && o->h_next > 0;
    return FO_OK;
}

// Order 1, and a step that fits it. After a jump the step of the running method is its limit.
static fo_status start(foi_solver *o, double goal)
{
    adams *a = adams_of(o);
    double h, before = a->after_jump ? o->h_next : INFINITY;
    fo_status status = foi_first_step(o, 1, goal, &h);
    if (status == FO_OK) status = foi_solver_f1(o);
    if (status != FO_OK) return foi_refused(o, o->t1, status);
    if (!foi_finite(o->f1, o->n)) return foi_not_finite(o, o->t1, o->x1, o->f1);
    memcpy(phi(o, 1), o->f1, o->n * sizeof(double));
    memset(phi(o, 2), 0, o->n * sizeof(double));
    o->h_next = foi_fmin(h, before);
    a->fresh = 0, a->starting = 1, a->t = o->t1;
    a->k = a->k_used = 1, a->same = 0, a->h_last = 0;
    memset(a->psi, 0, sizeof a->psi);
    return FO_OK;
}

static void coefficients(const adams *a, trial *r)
{
    int k = r->k;
    double w[K + 2], sum = r->h;
    r->same = r->h == a->h_last ? a->same + 1 : 1;
    r->beta[1] = r->sigma[1] = 1;
    for (int i = 1; i <= k; i++) {
        r->psi[i] = sum;
        r->alpha[i] = r->h / sum;
        r->sigma[i + 1] = i * r->alpha[i] * r->sigma[i];
        if (i > 1) r->beta[i] = r->beta[i - 1] * r->psi[i - 1] / a->psi[i - 2];
        sum = r->h + a->psi[i - 1];
    }
    for (int q = 1; q <= k + 1; q++) w[q] = 1.0 / (q * (q + 1)); // g_2q
    r->g[1] = 1, r->g[2] = 0.5;
    for (int i = 3; i <= k + 1; i++) {
        for (int q = 1; q <= k + 2 - i; q++) w[q] -= r->alpha[i - 1] * w[q + 1];
        r->g[i] = w[1];
    }
}

static void predict(foi_solver *o, const trial *r)
{
    uint32_t n = o->n;
    double *restrict p = predictor(o);
    for (uint32_t i = 0; i < n; i++) p[i] = 0;
    for (int j = r->k; j >= 1; j--) {
        const double *restrict d = phi(o, j), *restrict next = predicted(o, j + 1);
        double *restrict e = predicted(o, j);
        double b = r->beta[j], gb = r->g[j] * b;
        if (j == r->k)
            for (uint32_t i = 0; i < n; i++) e[i] = b * d[i];
        else
            for (uint32_t i = 0; i < n; i++) e[i] = next[i] + b * d[i];
        for (uint32_t i = 0; i < n; i++) p[i] += gb * d[i];
    }
    for (uint32_t i = 0; i < n; i++) p[i] = o->x0[i] + r->h * p[i];
}

/// |e_j + d|, or |d| where e is NULL; d in f1.
static double norm(foi_solver *o, const double *e, uint32_t *worst)
{
    double *sum = o->coefficients; // free while a step is tried
    for (uint32_t i = 0; i < o->n; i++) sum[i] = (e ? e[i] : 0) + o->f1[i];
    return foi_error_norm(o, sum, o->x0, predictor(o), worst);
}

// Local error of the predictor-corrector pair: h |g_(k+1) - g_k| |d|. For the choice of order the
// errors that order k, k - 1 and k - 2 would have had with equal steps: h sigma gamma* |phi|.
static void errors(foi_solver *o, trial *r)
{
    int k = r->k;
    double d = norm(o, NULL, &r->worst);
    r->err = r->h * fabs(r->g[k] - r->g[k + 1]) * d;
    r->e_k = r->h * r->sigma[k + 1] * gamma_star[k] * d;
    r->k_new = k;
    if (k < 2) return;
    r->e_k1 = r->h * r->sigma[k] * gamma_star[k - 1] * norm(o, predicted(o, k), NULL);
    if (k == 2) {
        if (r->e_k1 <= 0.5 * r->e_k) r->k_new = 1;
        return;
    }
    r->e_k2 = r->h * r->sigma[k - 1] * gamma_star[k - 2] * norm(o, predicted(o, k - 1), NULL);
    if (foi_fmax(r->e_k1, r->e_k2) <= r->e_k) r->k_new = k - 1;
}

// An explicit method at the edge of its stability goes down in order; its h L is then about one,
// where L = |f(x1) - f(p)| / |x1 - p| estimates the Lipschitz constant and f1 holds d.
static void watch_stiffness(foi_solver *o, const trial *r, const double *f)
{
    if (r->k > 4) {
        o->stiff_count = 0, o->stiff = false;
        return;
    }
    const double *e = predicted(o, 1);
    double rise = 0, run = 0, hg = r->h * r->g[r->k + 1];
    for (uint32_t i = 0; i < o->n; i++) {
        double w = 1 / (o->atol + o->rtol * fabs(o->x0[i]));
        double df = w * (f[i] - e[i] - o->f1[i]), dx = w * hg * o->f1[i];
        rise += df * df, run += dx * dx;
    }
    bool edge = r->h * sqrt(rise) > 0.5 * sqrt(run) && run > 0;
    o->stiff_count = edge ? o->stiff_count + 1 : 0;
    o->stiff = o->stiff_count >= STIFF_STEPS;
}

// The differences at the new point. phi_(k+2) becomes phi_(k+1)(n+1) - phi_(k+1)(n): the next
// difference, where steps are equal; it says what order k + 1 would have done.
static void update(foi_solver *o, const trial *r, const double *f)
{
    int k = r->k;
    adams *a = adams_of(o);
    const double *e1 = predicted(o, 1);
    double *top = phi(o, k + 1), *above = phi(o, k + 2);
    for (uint32_t i = 0; i < o->n; i++) {
        double d = f[i] - e1[i];
        above[i] = d - top[i];
        top[i] = d;
    }
    for (int j = 1; j <= k; j++) {
        const double *e = predicted(o, j);
        double *p = phi(o, j);
        for (uint32_t i = 0; i < o->n; i++) p[i] = e[i] + top[i];
    }
    a->t = o->t1, a->k_used = k;
    a->same = r->same, a->h_last = r->h;
    memcpy(a->psi, r->psi + 1, (size_t)k * sizeof(double));
}

// Predicts, evaluates, corrects: x1 is the corrector's, f1 the difference d.
static fo_status attempt(foi_solver *o, trial *r)
{
    coefficients(adams_of(o), r);
    predict(o, r);
    r->bad_x = r->bad_f = NULL;
    const double *p = predictor(o), *e = predicted(o, 1);
    fo_status status = foi_rates(o, o->t1, p, o->f1);
    if (status != FO_OK) return status;
    for (uint32_t i = 0; i < o->n; i++) o->f1[i] -= e[i];
    errors(o, r);
    double hg = r->h * r->g[r->k + 1];
    for (uint32_t i = 0; i < o->n; i++) o->x1[i] = p[i] + hg * o->f1[i];
    if (isfinite(r->err)) return FO_OK;
    r->bad_x = p, r->bad_f = o->f1;
    return FO_RETRY;
}

// The last evaluation, at the corrector's point.
static fo_status accept(foi_solver *o, trial *r)
{
    double *f = predictor(o); // p is not needed any more
    fo_status status = foi_rates(o, o->t1, o->x1, f);
    if (status != FO_OK) return status;
    if (!foi_finite(f, o->n)) {
        r->bad_x = o->x1, r->bad_f = f;
        return FO_RETRY;
    }
    watch_stiffness(o, r, f);
    update(o, r, f);
    memcpy(o->f1, f, o->n * sizeof(double));
    o->f1_valid = true;
    return FO_OK;
}

// Order and step of the next step, by Shampine's and Gordon's rules. The error is to be half the
// tolerance; steps are doubled, kept or shortened, because the formulas like equal steps.
static void choose_next(foi_solver *o, const trial *r)
{
    adams *a = adams_of(o);
    int k = r->k;
    double e = r->e_k;
    if (r->k_new < k || k == K) a->starting = 0;
    if (a->starting) {
        a->k = k + 1;
        o->h_next = 2 * r->h;
        return;
    }
    if (r->k_new < k) {
        k--, e = r->e_k1;
    } else if (k < K && r->same > k) {
        double e_up =
            r->h * gamma_star[k + 1] * foi_error_norm(o, phi(o, k + 2), o->x0, o->x1, NULL);
        bool down = k > 1 && r->e_k1 <= foi_fmin(e, e_up);
        bool up = k > 1 ? e_up < e : e_up < 0.5 * e;
        if (down)
            k--, e = r->e_k1;
        else if (up)
            k++, e = e_up;
    }
    a->k = k;
    o->h_next = r->h;
    if (e * ldexp(1, k + 1) <= 0.5)
        o->h_next = 2 * r->h;
    else if (e > 0.5)
        o->h_next = r->h * foi_fmax(0.5, foi_fmin(0.9, foi_pow(0.5 / e, 1.0 / (k + 1))));
}

// The step within its limits, and the time it ends at; the last two steps before the goal are
// equal.
static double limited(const foi_solver *o, double h, double goal, double *end)
{
    double span = goal - o->t1;
    h = foi_fmax(h, foi_least_step(o, o->t1));
    if (o->max_step > 0) h = foi_fmin(h, o->max_step);
    if (h >= span * (1 - 1e-9)) {
        *end = goal;
        return span;
    }
    if (2 * h > span) h = span / 2;
    *end = o->t1 + h;
    return h;
}

// A shorter step, and after three failures order 1: the past does not help.
static void shorten(trial *r, fo_status status, int failures)
{
    double factor = status == FO_RETRY ? 0.25 : 0.5;
    if (status == FO_OK) {
        r->k = r->k_new;
        if (failures > 3) factor = foi_fmin(0.5, sqrt(0.5 / r->err));
    }
    if (failures >= 3) r->k = 1;
    r->h *= factor;
}

/// Says why no step could be taken from (t0, x0).
static fo_status give_up(foi_solver *o, const trial *r, fo_status status)
{
    if (r->bad_f) return foi_not_finite(o, o->t1, r->bad_x, r->bad_f);
    if (status == FO_RETRY) return foi_refused(o, o->t1, status);
    return foi_step_too_small(o, r->h, r->err, r->worst);
}

/// Takes one accepted step. On a failure the last good point stands again.
static fo_status advance(foi_solver *o, double goal)
{
    adams *a = adams_of(o);
    double wanted = o->h_next, end;
    trial r = {.k = (int)a->k, .h = limited(o, wanted, goal, &end)};
    foi_solver_turn(o);
    for (int failures = 0;;) {
        o->t1 = end;
        fo_status status = attempt(o, &r);
        o->error = r.err;
        if (status == FO_OK && r.err <= 1) {
            status = accept(o, &r);
            if (status == FO_OK) break;
        }
        if (status == FO_OK || status == FO_RETRY) {
            o->counts.rejected++;
            a->starting = 0, wanted = 0;
            double least = foi_least_step(o, o->t0), tried = r.h;
            shorten(&r, status, ++failures);
            r.h = foi_fmax(r.h, least);
            end = o->t0 + r.h;
            if (r.h < tried) continue;
            status = give_up(o, &r, status);
        }
        foi_solver_unturn(o);
        return status;
    }
    o->counts.steps++;
    choose_next(o, &r);
    // a step that was shortened to land says nothing against the step that was wanted
    if (o->h_next >= r.h) o->h_next = foi_fmax(o->h_next, wanted);
    return FO_OK;
}

static fo_status march(foi_solver *o, double attention, double goal)
{
    adams *a = adams_of(o);
    uint64_t done = 0;
    if (o->n == 0) {
        foi_solver_turn(o);
        o->t1 = goal;
        o->counts.steps++;
        return FO_OK;
    }
    if (a->fresh || a->t != o->t1) {
        fo_status status = start(o, goal);
        if (status != FO_OK) return status;
    }
    do {
        fo_status status = advance(o, goal);
        if (status != FO_OK) return status;
    } while (++done < o->budget && o->t1 < attention && o->t1 < goal);
    return FO_OK;
}

// The polynomial R of degree k through the last k + 1 rates, f1 included, integrated from x0:
//   R(t1 + (theta - 1) h) = sum over i <= k+1 of c_i(theta) phi_i(n+1),
//   c_1 = 1, c_(i+1) = c_i (theta - 1 + psi_(i-1)/h) / (psi_i/h), psi_0 = 0
// all exact algebra in the coefficients. The corrector used f(p) and not f1 at the end, so the
// integral misses x1 by O(h^(k+2)), which is the local error's order; that is laid over the step
// with 3 theta^2 - 2 theta^3. The result goes through x0, f0, x1, f1.
static fo_status dense(foi_solver *o)
{
    const adams *a = adams_of(o);
    if (o->n == 0) return foi_dense_line(o);
    int k = (int)a->k_used;
    uint32_t n = o->n;
    double h = a->h_last, c[K + 2] = {1};
    double *row = o->coefficients;
    memcpy(row, o->x0, n * sizeof(double));
    o->degree = k + 1 < 3 ? 3 : k + 1;
    memset(row + n, 0, (size_t)o->degree * n * sizeof(double));
    for (int i = 1; i <= k + 1; i++) {
        const double *d = phi(o, i);
        for (int j = 0; j < i; j++) {
            double w = h * c[j] / (j + 1), *to = row + (size_t)(j + 1) * n;
            for (uint32_t m = 0; m < n; m++) to[m] += w * d[m];
        }
        if (i > k) break;
        double shift = (i > 1 ? a->psi[i - 2] / h : 0) - 1, scale = h / a->psi[i - 1];
        for (int j = i; j >= 0; j--)
            c[j] = scale * ((j > 0 ? c[j - 1] : 0) + (j < i ? shift * c[j] : 0));
    }
    for (uint32_t m = 0; m < n; m++) {
        double end = 0;
        for (int j = 0; j <= o->degree; j++) end += row[(size_t)j * n + m];
        double miss = o->x1[m] - end;
        row[2 * (size_t)n + m] += 3 * miss;
        row[3 * (size_t)n + m] -= 2 * miss;
    }
    return FO_OK;
}

static bool whole_upto(double value, double most)
{
    return value >= 0 && value <= most && value == floor(value);
}

static bool sound(const foi_solver *o)
{
    const adams *a = (const adams *)(const void *)o->own;
    return whole_upto(a->k, K) && whole_upto(a->k_used, K) && whole_upto(a->same, 0x1p53) &&
           isfinite(a->h_last);
}

static const foi_method adams_method = {
    .info = {"adams", "Adams of variable order (1 to 12) and step: Shampine and Gordon", 12, 12,
             FO_ADAPTIVE | FO_BEGINS_LOW},
    .size = size,
    .begin = begin,
    .march = march,
    .dense = dense,
    .sound = sound,
};

FOI_FAMILY(foi_family_adams, &adams_method);
