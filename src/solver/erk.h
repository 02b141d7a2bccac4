/// The explicit Runge-Kutta stepper as a template.
///
/// Everything here is inlined into its caller. Called with a constant tableau, a constant number
/// of states and a known rates function, a march becomes straight-line code: the stage loops
/// unroll, coefficients become immediates, and products with zero vanish. erk.c and fixed.c
/// instantiate it for rates behind a pointer; a compiled model can instantiate it with its own.
/// The arithmetic is the same for every instance, and so are the bits of the result.
#ifndef FOI_ERK_H
#define FOI_ERK_H

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/inline.h"
#include "solver/control.h"
#include "solver/erk_tableaux.h"
#include "solver/solver.h"

#define FOI_RARELY(condition) __builtin_expect(!!(condition), 0)
#if defined FOI_SMALL || defined FOI_SANITIZED
#define FOI_UNROLL_STAGES
#define FOI_UNROLL_STATES
#elif defined(__clang__)
#define FOI_UNROLL_STAGES _Pragma("clang loop unroll(full)")
#define FOI_UNROLL_STATES _Pragma("clang loop unroll_count(4)")
#else
#define FOI_UNROLL_STAGES _Pragma("GCC unroll 16")
#define FOI_UNROLL_STATES _Pragma("GCC unroll 4")
#endif

// Rates that are called, not inlined, write their results one by one. A vector load of what was
// just written so cannot be served from the store buffer and stalls. So a file that instantiates
// the template for such rates defines FOI_ERK_CALLED, and compilers are kept from making vectors
// of two states: GCC by an option, Clang by sending every result through a register of its own.
#define FOI_ONE_BY_ONE(v) ((void)0)
#ifdef FOI_ERK_CALLED
#ifndef __clang__
#pragma GCC optimize("no-tree-slp-vectorize")
#elif defined __x86_64__
#undef FOI_ONE_BY_ONE
#define FOI_ONE_BY_ONE(v) __asm__("" : "+x"(v))
#endif
#endif

enum {
    FOI_ERK_SMALL = 4,                 ///< up to so many states a march has its own code
    FOI_ERK_WIDE = 8,                  ///< from so many on, two states are taken at a time
    FOI_ERK_ROWS = FOI_STAGES_MAX + 6, ///< rows of n that a march works with
    FOI_ERK_NUMBERS = 4,               ///< at the start of the method's part of the block
    FOI_ERK_LOG_ERROR = 0,             ///< logarithm of the squared error before the last one
    FOI_ERK_WARY = 1,                  ///< before this time steps are strict (foi_erk_startle)
    FOI_ERK_END = 2,                   ///< t1 of the step that the stages belong to
    FOI_ERK_TROUBLES = 12,             ///< so often a step is shortened for what is not finite
};

typedef fo_status foi_rates_function(const void *model, const fo_state *s, double t,
                                     const double *x, double *dx);

typedef fo_status foi_erk_march_function(foi_solver *o, double attention, double goal);

/// Where a step's vectors are: start x, f; end x1, f1; stages after the first; the place at which
/// the stage before the end is evaluated.
typedef struct foi_erk_place {
    double *x, *f, *x1, *f1, *k, *w;
    bool small; ///< local vectors of constant length
} foi_erk_place;

/// Two neighbouring states; arithmetic on it is that of two doubles.
typedef double foi_two __attribute__((vector_size(16), aligned(8), may_alias));

/// What does not change while a march runs.
typedef struct foi_erk_problem {
    foi_rates_function *rates;
    const void *model;
    const fo_state *s;
    double rtol, atol;
} foi_erk_problem;

/// A march while it runs, and how it ended.
typedef struct foi_erk_run {
    double t0, t1; ///< the step
    double h;      ///< what to take next
    double taken;  ///< the last try
    double error2; ///< its squared error
    double before; ///< logarithm of the squared error before
    double wary;   ///< steps that begin before this time are strict
    uint64_t steps, tries;
    int troubles;       ///< tries of this step that were not finite
    double base, count; ///< fixed steps: the grid
    fo_status status;   ///< of the rates
    bool failed;
} foi_erk_run;

/// Doubles of the block that a method with this tableau needs, with `extra` rows for its dense
/// output: numbers, w, the stages after the first, the extra ones.
static inline size_t foi_erk_size(const foi_tableau *T, size_t n, size_t extra)
{
    return FOI_ERK_NUMBERS + (size_t)T->stages * n + extra * n;
}
static inline double *foi_erk_w(const foi_solver *o)
{
    return o->own + FOI_ERK_NUMBERS;
}
/// Stage j >= 1 of the last step (with fsal the last one is f1 instead).
static inline double *foi_erk_stage(const foi_solver *o, int j)
{
    return o->own + FOI_ERK_NUMBERS + (size_t)j * o->n;
}

/// The system's rates; something harmless where there are no states. In erk.c.
foi_rates_function *foi_erk_rates(const foi_solver *o);
/// A method's begin. In erk.c.
fo_status foi_erk_begin(foi_solver *o, foi_begin how);
/// Turns the failure of a march that was booked into a status with a message. In erk.c.
fo_status foi_erk_fail(foi_solver *o, const foi_tableau *T, const foi_erk_run *run);
/// A march of a system that takes steps by itself (fo_system_type.march); `ordinary` takes those
/// that it leaves. In march.c.
fo_status foi_erk_march_inlined(foi_solver *o, const foi_tableau *T, double attention, double goal,
                                foi_erk_march_function *ordinary);
/// f1 and h_next before the first step of a march, where they are missing. In erk.c.
fo_status foi_erk_start(foi_solver *o, const foi_tableau *T, double goal);

// --------------------------------------------------------------------------------- one step

/// Stage j of the tableau as it lies in the place.
FOI_INLINE double *foi_erk_row(const foi_tableau *T, const foi_erk_place *p, size_t n, int j)
{
    if (j == 0) return p->f;
    return T->fsal && j == T->stages - 1 ? p->f1 : p->k + (size_t)(j - 1) * n;
}

#ifdef FOI_SMALL

enum { FOI_ERK_BLOCK = 32 }; ///< states whose sums are made together, stage by stage

/// sum[l] = sum over j < count of a_j k_j[i + l], l < m. False: all weights are zero.
FOI_INLINE bool foi_erk_sums(const foi_tableau *T, const double *a, int count,
                             const foi_erk_place *p, size_t n, size_t i, size_t m, double *sum)
{
    bool any = false;
    for (int j = 0; j < count; j++) {
        if (a[j] == 0) continue;
        const double *k = foi_erk_row(T, p, n, j) + i;
        size_t l = 0;
        for (; l + 2 <= m; l += 2) {
            foi_two term = a[j] * *(const foi_two *)(k + l), *to = (foi_two *)(sum + l);
            if (any) term = *to + term;
            *to = term;
        }
        for (; l < m; l++) sum[l] = any ? sum[l] + a[j] * k[l] : a[j] * k[l];
        any = true;
    }
    return any;
}

/// to = x + h sum of a_j k_j, the newest stage last and alone.
FOI_INLINE void foi_erk_combine(const foi_tableau *T, const double *a, int count,
                                const foi_erk_place *p, size_t n, double h, double *to)
{
    double last = h * a[count - 1], sum[FOI_ERK_BLOCK];
    const double *newest = foi_erk_row(T, p, n, count - 1);
    for (size_t from = 0; from < n; from += FOI_ERK_BLOCK) {
        size_t m = n - from < FOI_ERK_BLOCK ? n - from : FOI_ERK_BLOCK;
        bool older = foi_erk_sums(T, a, count - 1, p, n, from, m, sum);
        for (size_t l = 0, i = from; l < m; l++, i++) {
            double value = p->x[i];
            if (older) value += h * sum[l];
            if (a[count - 1] != 0) value += last * newest[i];
            to[i] = value;
        }
    }
}

#else

/// sum over j < count of a_j k_j[i]; zero weights cost nothing.
FOI_INLINE double foi_erk_sum(const foi_tableau *T, const double *a, int count,
                              const foi_erk_place *p, size_t n, size_t i)
{
    double sum = 0;
    bool any = false;
    FOI_UNROLL_STAGES
    for (int j = 0; j < count; j++) {
        if (a[j] == 0) continue;
        double term = a[j] * foi_erk_row(T, p, n, j)[i];
        sum = any ? sum + term : term;
        any = true;
    }
    return sum;
}

/// The same for the states i and i + 1.
FOI_INLINE foi_two foi_erk_sum_two(const foi_tableau *T, const double *a, int count,
                                   const foi_erk_place *p, size_t n, size_t i)
{
    foi_two sum = {0, 0};
    bool any = false;
    FOI_UNROLL_STAGES
    for (int j = 0; j < count; j++) {
        if (a[j] == 0) continue;
        foi_two term = a[j] * *(const foi_two *)(foi_erk_row(T, p, n, j) + i);
        if (any)
            sum += term;
        else
            sum = term;
        any = true;
    }
    return sum;
}

/// How many of the first `count` weights are not zero.
FOI_INLINE int foi_erk_weights(const double *a, int count)
{
    int some = 0;
    FOI_UNROLL_STAGES
    for (int j = 0; j < count; j++) some += a[j] != 0;
    return some;
}

/// to = x + h sum of a_j k_j. The newest stage enters last and alone: it is the one that the sum
/// has to wait for.
FOI_INLINE void foi_erk_combine(const foi_tableau *T, const double *a, int count,
                                const foi_erk_place *p, size_t n, double h, double *to)
{
    double last = h * a[count - 1];
    const double *newest = foi_erk_row(T, p, n, count - 1);
    bool older = foi_erk_weights(a, count - 1) > 0;
    size_t start = 0;
    if (!p->small && n >= FOI_ERK_WIDE) {
        for (size_t i = 0; i + 2 <= n; i += 2) {
            foi_two value = *(const foi_two *)(p->x + i);
            if (older) value += h * foi_erk_sum_two(T, a, count - 1, p, n, i);
            if (a[count - 1] != 0) value += last * *(const foi_two *)(newest + i);
            *(foi_two *)(to + i) = value;
        }
        start = n & ~(size_t)1;
    }
    FOI_UNROLL_STATES
    for (size_t i = start; i < n; i++) {
        double value = p->x[i];
        if (older) value += h * foi_erk_sum(T, a, count - 1, p, n, i);
        if (a[count - 1] != 0) value += last * newest[i];
        FOI_ONE_BY_ONE(value);
        to[i] = value;
    }
}

#endif

/// All stages of the step [t, t1] and x1; with fsal f1 as well.
FOI_INLINE fo_status foi_erk_stages(const foi_tableau *T, const foi_erk_problem *problem,
                                    const foi_erk_place *p, size_t n, double t, double t1, double h)
{
    FOI_UNROLL_STAGES
    for (int j = 1; j < T->stages; j++) {
        double *at = T->fsal && j == T->stages - 1 ? p->x1 : p->w;
        foi_erk_combine(T, T->a[j], j, p, n, h, at);
        double time = T->c[j] == 1 ? t1 : t + T->c[j] * h;
        fo_status status =
            problem->rates(problem->model, problem->s, time, at, foi_erk_row(T, p, n, j));
        if (FOI_RARELY(status != FO_OK)) return status;
    }
    if (!T->fsal) foi_erk_combine(T, T->b, T->stages, p, n, h, p->x1);
    return FO_OK;
}

/// h over the tolerance of a state that goes from x to x1.
FOI_INLINE double foi_erk_scale(const foi_erk_problem *problem, double x, double x1, double h)
{
    double a = fabs(x), b = fabs(x1);
    return h / (problem->atol + problem->rtol * (a > b ? a : b));
}

/// Adds to *sum the squared errors of all states, in units of the tolerance, for the weights e.
#ifdef FOI_SMALL

FOI_INLINE void foi_erk_add_errors(const foi_tableau *T, const double *e,
                                   const foi_erk_problem *problem, const foi_erk_place *p, size_t n,
                                   double h, double *sum)
{
    int last = T->stages - 1;
    double older[FOI_ERK_BLOCK];
    const double *newest = foi_erk_row(T, p, n, last);
    for (size_t from = 0; from < n; from += FOI_ERK_BLOCK) {
        size_t m = n - from < FOI_ERK_BLOCK ? n - from : FOI_ERK_BLOCK;
        foi_erk_sums(T, e, last, p, n, from, m, older);
        for (size_t l = 0, i = from; l < m; l++, i++) {
            double r = foi_erk_scale(problem, p->x[i], p->x1[i], h);
            double error = r * older[l] + (r * e[last]) * newest[i];
            *sum += error * error;
        }
    }
}

#else

FOI_INLINE void foi_erk_add_errors(const foi_tableau *T, const double *e,
                                   const foi_erk_problem *problem, const foi_erk_place *p, size_t n,
                                   double h, double *sum)
{
    size_t start = 0;
    int last = T->stages - 1;
    if (!p->small && n >= FOI_ERK_WIDE) {
        const double *newest = foi_erk_row(T, p, n, last);
        for (size_t i = 0; i + 2 <= n; i += 2) {
            foi_two r = {foi_erk_scale(problem, p->x[i], p->x1[i], h),
                         foi_erk_scale(problem, p->x[i + 1], p->x1[i + 1], h)};
            foi_two error = r * foi_erk_sum_two(T, e, last, p, n, i) +
                            (r * e[last]) * *(const foi_two *)(newest + i);
            error *= error;
            *sum += error[0];
            *sum += error[1];
        }
        start = n & ~(size_t)1;
    }
    FOI_UNROLL_STATES
    for (size_t i = start; i < n; i++) {
        double r = foi_erk_scale(problem, p->x[i], p->x1[i], h);
        double error =
            r * foi_erk_sum(T, e, last, p, n, i) + (r * e[last]) * foi_erk_row(T, p, n, last)[i];
        FOI_ONE_BY_ONE(error);
        *sum = i ? *sum + error * error : error * error;
    }
}

#endif

/// The squared error of the step in units of the tolerance, mean over the states; not a number
/// when one of the rates is not. *probe is zero when x1 is finite.
FOI_INLINE double foi_erk_error2(const foi_tableau *T, const foi_erk_problem *problem,
                                 const foi_erk_place *p, size_t n, double h, double *probe)
{
    double sum = 0, sum3 = 0, sum6 = 0;
    foi_erk_add_errors(T, T->e, problem, p, n, h, &sum);
    if (T->two_errors) {
        foi_erk_add_errors(T, T->e3, problem, p, n, h, &sum3);
        foi_erk_add_errors(T, T->e6, problem, p, n, h, &sum6);
        if (FOI_RARELY(sum6 > 16 * sum)) sum = sum6; // not for rounding errors
        if (sum != 0) sum = sum * sum / (sum + 0.01 * sum3);
    }
    *probe = 0;
    FOI_UNROLL_STATES
    for (size_t i = 0; i < n; i++) *probe += p->x1[i] - p->x1[i]; // 0, or not a number
    return n ? sum * (1.0 / (double)n) : 0;
}

/// Makes the end of a step the start of the next: swaps pointers, or copies where the vectors are
/// local and small.
FOI_INLINE void foi_erk_turn(foi_erk_place *p, size_t n)
{
    if (p->small) {
        FOI_UNROLL_STATES
        for (size_t i = 0; i < n; i++) {
            double x = p->x1[i], f = p->f1[i];
            FOI_ONE_BY_ONE(x);
            FOI_ONE_BY_ONE(f);
            p->x[i] = x, p->f[i] = f;
        }
    } else {
        double *before = p->x, *rates = p->f;
        p->x = p->x1, p->f = p->f1;
        p->x1 = before, p->f1 = rates;
    }
}

// ------------------------------------------------------------------------------- step control

/// About 2^52 log2 v, for v >= 0.
FOI_INLINE double foi_log_roughly(double v)
{
    int64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return (double)bits - 1023 * FOI_LOG_UNIT;
}

/// The inverse; |log| must stay below 1000 units.
FOI_INLINE double foi_exp_roughly(double log)
{
    int64_t bits = (int64_t)(log + 1023 * FOI_LOG_UNIT);
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/// The PI controller of Gustafsson in the form of Hairer's DOPRI5: by which factor the next step is
/// longer, safety err^-(1/q - 0.75 beta) err_before^beta, at most `growth`, and not longer after a
/// rejected try. `error` and `before` are logarithms of squared errors.
FOI_INLINE double foi_erk_factor(const foi_tableau *T, double error, double before, bool refused)
{
    double alpha = 0.5 * (1 / T->q - 0.75 * T->beta);
    double log = (T->safety * FOI_LOG_UNIT + 0.5 * T->beta * before) - alpha * error;
    double most = refused ? 0 : T->growth * FOI_LOG_UNIT;
    return foi_exp_roughly(log < most ? log : most);
}

/// After a try that failed: makes run->h shorter. False when that makes no sense any more.
FOI_INLINE bool foi_erk_shorten(foi_erk_run *run, const foi_tableau *T, double least)
{
    double factor = 0.25;
    if (run->status == FO_OK && run->error2 > 1 && run->error2 <= DBL_MAX) {
        double log = T->safety * FOI_LOG_UNIT - 0.5 / T->q * foi_log_roughly(run->error2);
        factor = foi_exp_roughly(log > -2 * FOI_LOG_UNIT ? log : -2 * FOI_LOG_UNIT);
        if (factor > 0.95) factor = 0.95;
    } else {
        if (run->status != FO_OK && run->status != FO_RETRY) return false;
        if (run->status == FO_OK && ++run->troubles > FOI_ERK_TROUBLES) return false;
    }
    run->h = run->taken * factor;
    return run->h >= least;
}

/// A kink or a jump of the rates inside a step makes its error of the order h^2 or h, whatever the
/// method's. The estimate notices (smooth rates seldom miss the tolerance by so much), but it is
/// made for smooth rates: of the error that a kink makes it sees a twelfth (dp45) to a
/// twenty-seventh (rkv56) at best. So what lies under a try that failed by far is gone through in
/// strict steps.
FOI_INLINE void foi_erk_startle(foi_erk_run *run)
{
    if (run->status == FO_OK && run->error2 > FOI_ERK_STARTLED && run->t1 > run->wary)
        run->wary = run->t1;
}

/// The shortest step that makes sense at t.
FOI_INLINE double foi_erk_least(double t, double shortest)
{
    double least = FOI_LEAST_STEP * DBL_EPSILON * fabs(t);
    if (least < DBL_MIN) least = DBL_MIN;
    return least < shortest ? shortest : least;
}

/// Tries the step run->h from the start in the place, cut at the goal, until it is good enough.
/// Sets t1, h for the next step, and the status: FO_OK, or why there is none.
FOI_INLINE bool foi_erk_step(const foi_tableau *T, const foi_erk_problem *problem,
                             const foi_erk_place *p, size_t n, foi_erk_run *run, double goal,
                             double longest, double shortest)
{
    bool refused = false;
    run->troubles = 0;
    for (;;) {
        double t = run->t0, h = run->h, kept = h, probe = 0;
        run->t1 = t + h;
        if (FOI_RARELY(h > longest)) kept = h = longest, run->t1 = t + h;
        if (FOI_RARELY(t + h * 1.0000001 >= goal))
            h = goal - t, run->t1 = goal;
        else if (FOI_RARELY(!(run->t1 > t)))
            return false;
        run->taken = h;
        run->tries++;
        run->status = foi_erk_stages(T, problem, p, n, t, run->t1, h);
        if (run->status == FO_OK) {
            run->error2 = foi_erk_error2(T, problem, p, n, h, &probe);
            if (FOI_RARELY(t < run->wary) && h > FOI_ERK_LEAST_STRICT * fabs(t))
                run->error2 *= FOI_ERK_STRICT;
            if (!T->fsal && run->error2 <= 1) {
                run->status = problem->rates(problem->model, problem->s, run->t1, p->x1, p->f1);
                FOI_UNROLL_STATES
                for (size_t i = 0; i < n; i++) probe += p->f1[i] - p->f1[i];
            }
        }
        if (run->status == FO_OK && run->error2 <= 1 && probe == 0) {
            double error = foi_log_roughly(run->error2);
            run->h = h * foi_erk_factor(T, error, run->before, refused);
            if (FOI_RARELY(run->h < shortest)) run->h = shortest;
            // A step that only had to land says nothing against the one that was planned.
            if (FOI_RARELY(h < kept)) {
                if (run->h < kept) run->h = kept;
            } else {
                run->before = error < FOI_ERK_LOG_LEAST ? FOI_ERK_LOG_LEAST : error;
            }
            return true;
        }
        if (probe != 0) run->error2 = NAN;
        foi_erk_startle(run);
        if (!foi_erk_shorten(run, T, foi_erk_least(t, shortest))) return false;
        refused = true;
    }
}

// ----------------------------------------------------------------------------- adaptive steps

/// Whether the step of length h was beyond the limit of the method's stability. Hairer, Wanner II,
/// IV.2: the last two stages at t + h measure the dominant eigenvalue, |lambda| ~ |f1 - k| /
/// |x1 - w|.
FOI_INLINE bool foi_erk_beyond(const foi_tableau *T, const foi_erk_place *p, size_t n, double h,
                               double limit)
{
    double rates2 = 0, way2 = 0;
    const double *k = foi_erk_row(T, p, n, T->stages - (T->fsal ? 2 : 1));
    for (size_t i = 0; i < n; i++) {
        double r = p->f1[i] - k[i], x = p->x1[i] - p->w[i];
        rates2 += r * r, way2 += x * x;
    }
    return way2 > 0 && h * h * rates2 > limit * limit * way2;
}

/// What h |lambda| is compared with: the limit of stability, or in doubt a twentieth of it.
FOI_INLINE double foi_erk_limit(const foi_tableau *T, bool doubt)
{
    return doubt ? T->stability / 20 : T->stability;
}

/// How many steps of a march go by before the first that is looked at (with `doubt`: in doubt).
FOI_INLINE uint64_t foi_erk_unseen(const foi_solver *o, const foi_tableau *T, bool doubt)
{
    uint64_t from = doubt ? o->doubt_from : o->look_from;
    if (T->stability == 0 || from == 0) return UINT64_MAX;
    return from > o->counts.steps ? from - o->counts.steps : 0;
}

/// Steps until `stop`, the goal or the end of the budget.
FOI_INLINE void foi_erk_adaptive_loop(foi_solver *o, const foi_tableau *T,
                                      const foi_erk_problem *problem, foi_erk_place *p, size_t n,
                                      foi_erk_run *run, double attention, double goal)
{
    double stop = attention < goal ? attention : goal;
    double longest = o->max_step > 0 ? o->max_step : INFINITY, shortest = o->min_step;
    uint64_t budget = o->budget, unseen = foi_erk_unseen(o, T, false);
    uint64_t sure = foi_erk_unseen(o, T, true);
    do {
        foi_erk_turn(p, n);
        run->t0 = run->t1;
        if (FOI_RARELY(!foi_erk_step(T, problem, p, n, run, goal, longest, shortest))) {
            run->failed = true;
            return;
        }
        run->steps++;
        if (run->steps > unseen &&
            FOI_RARELY(foi_erk_beyond(T, p, n, run->taken, foi_erk_limit(T, run->steps > sure)))) {
            o->stiff = true;
            return;
        }
    } while (run->t1 < stop && run->steps < budget);
}

// ------------------------------------------------------------------------------- fixed steps

/// One step [t, run->t1] of the length h. False when the rates fail or something is not finite.
FOI_INLINE bool foi_erk_fixed_step(const foi_tableau *T, const foi_erk_problem *problem,
                                   const foi_erk_place *p, size_t n, foi_erk_run *run, double t,
                                   double h)
{
    double probe = 0;
    run->error2 = NAN;
    run->status = foi_erk_stages(T, problem, p, n, t, run->t1, h);
    if (FOI_RARELY(run->status != FO_OK)) return false;
    run->status = problem->rates(problem->model, problem->s, run->t1, p->x1, p->f1);
    FOI_UNROLL_STATES
    for (size_t i = 0; i < n; i++) probe += (p->x1[i] - p->x1[i]) + (p->f1[i] - p->f1[i]);
    return run->status == FO_OK && probe == 0;
}

/// Steps of one length on the grid base + count * step; see foi_fixed_target.
FOI_INLINE void foi_erk_fixed_loop(foi_solver *o, const foi_tableau *T,
                                   const foi_erk_problem *problem, foi_erk_place *p, size_t n,
                                   foi_erk_run *run, double attention, double goal)
{
    double stop = attention < goal ? attention : goal;
    double step = o->step, base = run->base, count = run->count;
    double near = goal - 1e-9 * step;
    uint64_t budget = o->budget;
    do {
        foi_erk_turn(p, n);
        double t = run->t0 = run->t1, h = step, t1 = base + (count + 1) * step;
        count += 1;
        if (FOI_RARELY(t1 > near)) {
            if (t1 > goal + 1e-9 * step) h = goal - t, base = goal, count = 0;
            t1 = goal;
        }
        run->t1 = t1, run->taken = h;
        run->tries++;
        run->failed = !foi_erk_fixed_step(T, problem, p, n, run, t, h);
        if (FOI_RARELY(run->failed)) return;
        run->base = base, run->count = count;
        run->steps++;
    } while (run->t1 < stop && run->steps < budget);
}

// -------------------------------------------------------------------------------------- march

/// Books a march that ended.
FOI_INLINE void foi_erk_book(foi_solver *o, const foi_tableau *T, const foi_erk_run *run)
{
    o->t0 = run->t0, o->t1 = run->t1;
    if (T->embedded)
        o->h_next = run->h;
    else
        o->base = run->base, o->count = (uint64_t)run->count;
    o->own[FOI_ERK_LOG_ERROR] = run->before;
    o->own[FOI_ERK_WARY] = run->wary;
    o->counts.steps += run->steps;
    o->counts.rejected += run->tries - run->steps;
    o->counts.rates += run->tries * (uint64_t)(T->stages - 1) + (T->fsal ? 0 : run->steps);
    o->own[FOI_ERK_END] = run->t1;
    o->dense_ready = false;
    o->f1_valid = true;
    o->error = T->embedded ? sqrt(run->error2) : 0;
}

FOI_INLINE void foi_erk_loop(foi_solver *o, const foi_tableau *T, const foi_erk_problem *problem,
                             foi_erk_place *p, size_t n, foi_erk_run *run, double attention,
                             double goal)
{
    if (T->embedded)
        foi_erk_adaptive_loop(o, T, problem, p, n, run, attention, goal);
    else
        foi_erk_fixed_loop(o, T, problem, p, n, run, attention, goal);
}

/// March for n states; n == 0: as many as there are. With n constant up to FOI_ERK_SMALL the
/// vectors are local. Methods without an embedded formula go in fixed steps.
FOI_INLINE fo_status foi_erk_march(foi_solver *o, double attention, double goal,
                                   const foi_tableau *T, size_t n, foi_rates_function *rates)
{
    if (FOI_RARELY(!o->f1_valid || !(o->h_next > 0))) {
        fo_status status = foi_erk_start(o, T, goal);
        if (status != FO_OK) return status;
    }
    foi_erk_problem problem = {rates, o->system.model, o->s, o->rtol, o->atol};
    if (T->embedded > T->order) {
        double strict = foi_strictness(o->rtol, T->q);
        problem.rtol *= strict, problem.atol *= strict;
    }
    foi_erk_run run = {.t1 = o->t1,
                       .h = o->h_next,
                       .before = o->own[FOI_ERK_LOG_ERROR],
                       .wary = o->own[FOI_ERK_WARY],
                       .base = o->base,
                       .count = (double)o->count};
    if (n) {
        double local[FOI_ERK_ROWS * FOI_ERK_SMALL];
        foi_erk_place p = {local,         local + n,     local + 2 * n, local + 3 * n,
                           local + 5 * n, local + 4 * n, true};
        memcpy(p.x1, o->x1, n * sizeof(double));
        memcpy(p.f1, o->f1, n * sizeof(double));
        foi_erk_loop(o, T, &problem, &p, n, &run, attention, goal);
        memcpy(o->x0, p.x, n * sizeof(double));
        memcpy(o->f0, p.f, n * sizeof(double));
        memcpy(o->x1, p.x1, n * sizeof(double));
        memcpy(o->f1, p.f1, n * sizeof(double));
        memcpy(foi_erk_w(o), p.w, (size_t)T->stages * n * sizeof(double));
    } else {
        foi_erk_place p = {o->x0, o->f0, o->x1, o->f1, foi_erk_stage(o, 1), foi_erk_w(o), false};
        foi_erk_loop(o, T, &problem, &p, o->n, &run, attention, goal);
        o->x0 = p.x, o->f0 = p.f, o->x1 = p.x1, o->f1 = p.f1;
    }
    foi_erk_book(o, T, &run);
    if (!FOI_RARELY(run.failed)) return FO_OK;
    foi_erk_run ended = run; // so that the running one has no address and can stay in registers
    return foi_erk_fail(o, T, &ended);
}

#ifdef FOI_SMALL

/// Defines march_<name>, a method's march with the tableau foi_tableau_<name>: the code for any. In
/// erk.c.
fo_status foi_erk_march_any(foi_solver *o, double attention, double goal);
#define FOI_ERK_DEFINE_MARCH(name)                                              \
    static fo_status march_##name(foi_solver *o, double attention, double goal) \
    {                                                                           \
        return foi_erk_march_any(o, attention, goal);                           \
    }

#else

/// Defines march_<name>, a method's march with the tableau foi_tableau_<name>: own code for 1 to 4
/// states, and one for any number.
#define FOI_ERK_DEFINE_MARCH(name)                                                               \
    FOI_ERK_DEFINE_SMALL(name, 1)                                                                \
    FOI_ERK_DEFINE_SMALL(name, 2)                                                                \
    FOI_ERK_DEFINE_SMALL(name, 3)                                                                \
    FOI_ERK_DEFINE_SMALL(name, 4)                                                                \
    static FOI_SELDOM fo_status march_##name##_any(foi_solver *o, double attention, double goal) \
    {                                                                                            \
        return foi_erk_march(o, attention, goal, &foi_tableau_##name, 0, foi_erk_rates(o));      \
    }                                                                                            \
    static fo_status ordinary_##name(foi_solver *o, double attention, double goal)               \
    {                                                                                            \
        switch (o->n) {                                                                          \
        case 1: return march_##name##_1(o, attention, goal);                                     \
        case 2: return march_##name##_2(o, attention, goal);                                     \
        case 3: return march_##name##_3(o, attention, goal);                                     \
        case 4: return march_##name##_4(o, attention, goal);                                     \
        }                                                                                        \
        return march_##name##_any(o, attention, goal);                                           \
    }                                                                                            \
    static fo_status march_##name(foi_solver *o, double attention, double goal)                  \
    {                                                                                            \
        if (FOI_RARELY(o->system.type->march))                                                   \
            return foi_erk_march_inlined(o, &foi_tableau_##name, attention, goal,                \
                                         ordinary_##name);                                       \
        return ordinary_##name(o, attention, goal);                                              \
    }
#define FOI_ERK_DEFINE_SMALL(name, n)                                                            \
    static __attribute__((noinline))                                                             \
    fo_status march_##name##_##n(foi_solver *o, double attention, double goal)                   \
    {                                                                                            \
        return foi_erk_march(o, attention, goal, &foi_tableau_##name, n, o->system.type->rates); \
    }

#endif

#endif
