/// A method of the user's own (fo_method): its step, and around it what every method has here.
#include "solver/custom.h"

#include <float.h>
#include <math.h>

#include "math/math.h"
#include "solver/trial.h"

/// In the block: the working vectors of the step, its error, and where half steps go.
enum { ERROR, HALF, MIDDLE, RATES, ROWS };

/// What fo_rates stands for.
struct fo_rates {
    foi_solver *o;
    fo_status status; ///< the first that was not FO_OK
};

fo_status fo_rates_at(fo_rates *f, double t, const double *x, double *dx)
{
    // t + h may lie beyond the end of the step by a rounding error, and nothing is asked beyond
    // stop
    double stop = f->o->stop;
    if (t > stop && t - stop <= 4 * DBL_EPSILON * fabs(stop)) t = stop;
    fo_status status = foi_rates(f->o, t, x, dx);
    if (f->status == FO_OK) f->status = status;
    return status;
}

static const fo_method *method_of(const foi_solver *o)
{
    return o->method->data;
}

static double *row(const foi_solver *o, size_t i)
{
    return o->own + i * o->n;
}

static bool is_adaptive(const foi_solver *o)
{
    return method_of(o)->info.traits & FO_ADAPTIVE;
}

size_t foi_custom_size(const foi_solver *o)
{
    return (ROWS + method_of(o)->work) * (size_t)o->n;
}

fo_status foi_custom_prepare(foi_solver *o)
{
    if (is_adaptive(o) || (o->step > 0 && isfinite(o->step))) return FO_OK;
    return fo_fail(o->message, FO_ERROR_ARGUMENT,
                   "solver '%s' has fixed steps: the step must be positive, not %.15g",
                   o->method->info.name, o->step);
}

fo_status foi_custom_begin(foi_solver *o, foi_begin how)
{
    if (how == FOI_COLD) o->h_next = o->first_step;
    o->base = o->t1, o->count = 0;
    return FO_OK;
}

/// One call of the method, from (t, x) with the rates f there.
static fo_status call(foi_solver *o, double t, double h, const double *x, const double *f,
                      double *x1)
{
    const fo_method *m = method_of(o);
    fo_rates rates = {o, FO_OK};
    fo_status status = m->step(m->self, &rates, t, h, o->n, x, f, x1, row(o, ERROR), row(o, ROWS));
    return status == FO_OK ? rates.status : status;
}

/// Two steps of half the length: their result differs from that of one by 2^p - 1 times its error.
/// The more exact one is carried on.
static fo_status call_twice(foi_solver *o, double h)
{
    double t = o->t0 + h / 2, weight = 1 / (ldexp(1, method_of(o)->info.order) - 1);
    double *whole = row(o, HALF), *middle = row(o, MIDDLE), *error = row(o, ERROR);
    fo_status status = call(o, o->t0, h, o->x0, o->f0, whole);
    if (status == FO_OK) status = call(o, o->t0, h / 2, o->x0, o->f0, middle);
    if (status == FO_OK) status = foi_rates(o, t, middle, row(o, RATES));
    if (status == FO_OK) status = call(o, t, h / 2, middle, row(o, RATES), o->x1);
    if (status != FO_OK) return status;
    for (uint32_t i = 0; i < o->n; i++) error[i] = (o->x1[i] - whole[i]) * weight;
    return FO_OK;
}

static fo_status attempt(foi_solver *o, double h, foi_outcome *outcome, uint32_t *worst)
{
    fo_status status =
        method_of(o)->halves ? call_twice(o, h) : call(o, o->t0, h, o->x0, o->f0, o->x1);
    *outcome = status == FO_RETRY ? FOI_REFUSED : FOI_GOOD;
    if (status != FO_OK) return status == FO_RETRY ? FO_OK : status;
    o->error = foi_error_norm(o, row(o, ERROR), o->x0, o->x1, worst);
    if (!isfinite(o->error) || !foi_all_finite(o->x1, o->n)) *outcome = FOI_NOT_FINITE;
    return FO_OK;
}

/// h (safety / error^(1/q)), the error being O(h^q), within a fifth and five times.
static double proposed(const foi_solver *o, double h)
{
    const fo_method *m = method_of(o);
    double q = m->error_order > 0 ? m->error_order : m->info.order + 1;
    double factor = o->error > 0 ? 0.9 * foi_pow(o->error, -1 / q) : 5;
    return h * foi_fmin(5, foi_fmax(0.2, factor));
}

static fo_status try_steps(foi_solver *o, double goal)
{
    double wanted = o->h_next;
    for (bool rejected = false;; rejected = true) {
        double t1, h = foi_trial_length(o, wanted, goal, &t1), next = h * 0.25;
        foi_outcome outcome;
        uint32_t worst = 0;
        fo_status status = attempt(o, h, &outcome, &worst);
        if (status != FO_OK) return status;
        if (outcome == FOI_GOOD) next = proposed(o, h);
        if (outcome == FOI_GOOD && o->error < 1) {
            if (rejected) next = foi_fmin(next, h);
            // a step that was cut to reach the goal says little about the next one
            o->h_next = !rejected && h < next ? foi_fmax(next, wanted) : next;
            o->t1 = t1;
            return FO_OK;
        }
        status = foi_trial_shorter(o, outcome, h, &next, worst, o->x1, row(o, ERROR));
        if (status != FO_OK) return status;
        wanted = next;
    }
}

static fo_status fixed_step(foi_solver *o, double goal)
{
    bool lands;
    double t1 = foi_fixed_target(o, goal, &lands);
    fo_status status = call(o, o->t0, t1 - o->t0, o->x0, o->f0, o->x1);
    if (status == FO_RETRY)
        return foi_fail_because(o, FO_ERROR_MODEL,
                                "%s has fixed steps and cannot step back at t = %.15g",
                                o->method->info.name, o->t0);
    if (status != FO_OK) return status;
    if (!foi_all_finite(o->x1, o->n)) return foi_not_finite(o, t1, o->x1, NULL);
    o->t1 = t1;
    foi_fixed_accept(o, lands);
    return FO_OK;
}

static fo_status step(foi_solver *o, double goal)
{
    fo_status status = foi_trial_start(o, method_of(o)->info.order, goal);
    if (status != FO_OK) return status;
    foi_solver_turn(o);
    status = is_adaptive(o) ? try_steps(o, goal) : fixed_step(o, goal);
    if (status != FO_OK) {
        foi_solver_unturn(o);
        return status;
    }
    if (is_adaptive(o)) o->counts.steps++;
    return FO_OK;
}

fo_status foi_custom_march(foi_solver *o, double attention, double goal)
{
    fo_status status = FO_OK;
    for (uint64_t k = 0; status == FO_OK; k++) {
        if (k > 0 && (k >= o->budget || o->t1 >= attention || o->t1 >= goal)) break;
        status = step(o, goal);
    }
    return status;
}

fo_status foi_custom_make(foi_method *to, const fo_method *m, fo_message *why)
{
    if (!m->info.name || !*m->info.name || !m->step)
        return fo_fail(why, FO_ERROR_ARGUMENT, "a method of your own needs a name and a step");
    if (foi_method_find(m->info.name, NULL))
        return fo_fail(why, FO_ERROR_ARGUMENT, "there is a solver '%s' already", m->info.name);
    if (m->info.order < 1 || m->info.order > 100)
        return fo_fail(why, FO_ERROR_ARGUMENT, "%s: the order is from 1 to 100, not %d",
                       m->info.name, m->info.order);
    if (m->work > 10000)
        return fo_fail(why, FO_ERROR_ARGUMENT, "%s: %zu working vectors are too many", m->info.name,
                       m->work);
    *to = (foi_method){.info = m->info,
                       .data = m,
                       .size = foi_custom_size,
                       .prepare = foi_custom_prepare,
                       .begin = foi_custom_begin,
                       .march = foi_custom_march,
                       .dense = foi_dense_cubic};
    to->info.dense_order = m->info.order < 3 ? m->info.order : 3;
    to->info.traits &= FO_ADAPTIVE | FO_FIXED_WORK;
    if (!m->info.about) to->info.about = "a method of your own";
    return FO_OK;
}
