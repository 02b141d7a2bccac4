/// What is shown is a number: the first instant at which a signal is not one, or is infinite, ends
/// the run, with the name and what computes it.
///
/// Outputs and discretes are looked at wherever they are shown; where the description says that
/// outputs can be undefined (`outputs_fail`), at the end of every step and after every jump too. A
/// value that is found bad on a step began to be so somewhere on it: bisection on the dense output
/// finds the first double at which it is. A pole that lies between two looks, with finite values on
/// either side, is passed and noted (pole.c).
///
/// But what is undefined for a while only, between two looks, would be passed over. Where a system
/// can tell from bounds (may_fail) that something may be so on a stretch, that is cut in two, from
/// left to right, until it is not, or a value is bad, or the parts are very short.
///
/// At a moment the state lies just past a crossing while relations still have their old truth:
/// `if x > 1 then sqrt(x - 1) else 0` has no value there. What counts is the value before, some
/// ulps of time earlier, and the one after the jump, perhaps some ulps later.
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "simulation/internal.h"

enum { MOST_BACK = 10 }; // 2^10 ulps of time: guards are located to a few

// 0 * v is 0 for every finite v, and for nothing else.
static bool all_finite(const double *v, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += 0 * v[i];
    return sum == 0;
}

static size_t output_count(const fo_simulation *sim)
{
    return sim->system.type->observe ? sim->state.s.shape.outputs : 0;
}

// A discrete may be infinite: a time that never comes. Texts do not allow that either.
static bool are_fine(const fo_simulation *sim)
{
    const fo_state *s = &sim->state.s;
    bool fine = all_finite(sim->outputs, output_count(sim));
    for (uint32_t i = 0; i < s->shape.discretes; i++) fine &= !isnan(s->d[i]);
    return fine;
}

// The system can say what there is at (t, x), and all of it is good.
static bool is_fine(fo_simulation *sim, double t, const double *x)
{
    return foi_rows_observe(sim, t, x) == FO_OK && are_fine(sim);
}

// ---------------------------------------------------------------------------------- the message

static fo_status refuse(fo_simulation *sim, fo_reference which, double value, double t,
                        const char *more)
{
    const fo_system_type *type = sim->system.type;
    char name[96], text[300] = "";
    const char *how = isnan(value) ? "not a number" : value < 0 ? "minus infinity" : "infinite";
    if (type->expression && type->expression(sim->system.model, which, text, sizeof text))
        return fo_fail(&sim->message, FO_ERROR_NUMBER, "%s is %s at t = %.15g%s", text, how, t,
                       more);
    fo_system_name(sim->system, which, name, sizeof name);
    return fo_fail(&sim->message, FO_ERROR_NUMBER, "the %s '%s' is %s at t = %.15g%s",
                   which.quantity == FO_OUTPUT ? "output" : "discrete", name, how, t, more);
}

// What is wrong at (t, x), where something is.
static fo_status say(fo_simulation *sim, double t, const double *x, const char *more)
{
    const fo_state *s = &sim->state.s;
    fo_status status = foi_rows_observe(sim, t, x);
    if (status != FO_OK) return status; // the system has said it
    for (uint32_t i = 0; i < output_count(sim); i++)
        if (!isfinite(sim->outputs[i]))
            return refuse(sim, (fo_reference){FO_OUTPUT, i}, sim->outputs[i], t, more);
    for (uint32_t i = 0; i < s->shape.discretes; i++)
        if (isnan(s->d[i])) return refuse(sim, (fo_reference){FO_DISCRETE, i}, s->d[i], t, more);
    return FO_OK;
}

// ----------------------------------------------------------------------------------- the instant

static const double *probe(fo_simulation *sim, double t)
{
    foi_solver *o = &sim->solver;
    double h = o->t1 - o->t0;
    if (t >= o->t1 && o->n)
        memcpy(sim->probe, o->x1, o->n * sizeof(double));
    else
        foi_dense_at(o, h > 0 ? foi_fmax(0, (t - o->t0) / h) : 1, sim->probe);
    if (foi_is_held(sim)) (void)foi_hold_project(sim->hold, t, sim->probe);
    return sim->probe;
}

static void stand_at(fo_simulation *sim, double t)
{
    fo_state *s = &sim->state.s;
    if (t == s->t) return;
    probe(sim, t);
    if (s->shape.states) memcpy(s->x, sim->probe, s->shape.states * sizeof(double));
    s->t = t, s->k = 0;
}

// Something is wrong at `bad`, on the last step: where it began, after `from`.
static fo_status locate(fo_simulation *sim, double from, double bad)
{
    fo_status status = foi_solver_dense(&sim->solver);
    if (status != FO_OK) return status;
    if (!is_fine(sim, from, probe(sim, from))) // nobody has looked at the steps before
        return say(sim, from, probe(sim, from), " or before");
    double good = from;
    for (;;) {
        double middle = good + (bad - good) / 2;
        if (!(middle > good && middle < bad)) break;
        if (is_fine(sim, middle, probe(sim, middle)))
            good = middle;
        else
            bad = middle;
    }
    stand_at(sim, good);
    return say(sim, bad, probe(sim, bad), "");
}

// --------------------------------------------------------------------------------------- looking

// On the last step after `from`.
static fo_status look(fo_simulation *sim, double from, double t, const double *x)
{
    const foi_solver *o = &sim->solver;
    if (is_fine(sim, t, x)) return FO_OK;
    from = foi_fmax(o->t0, from);
    return t > from && t <= o->t1 ? locate(sim, from, t) : say(sim, t, x, "");
}

fo_status foi_finite_row(fo_simulation *sim, double t, const double *x)
{
    return look(sim, sim->state.s.t, t, x);
}

fo_status foi_finite_before(fo_simulation *sim, double t, const double *x)
{
    if (is_fine(sim, t, x)) return FO_OK;
    const foi_solver *o = &sim->solver;
    double from = o->t0, ulp = nextafter(t, INFINITY) - t, at = t;
    if (!(t > from && t <= o->t1)) return say(sim, t, x, "");
    fo_status status = foi_solver_dense(&sim->solver);
    for (int k = 0; k <= MOST_BACK && status == FO_OK && at > from; k++) {
        at = foi_fmax(from, t - ldexp(ulp, k));
        if (is_fine(sim, at, probe(sim, at))) return FO_OK;
    }
    return status == FO_OK ? locate(sim, from, at) : status;
}

fo_status foi_finite_step(fo_simulation *sim, double from)
{
    const fo_state *s = &sim->state.s;
    return look(sim, from, s->t, s->x);
}

// A moment may find a relation true by the way it goes, and the state still at the border: log(x)
// where x > 0 has just become true. Some ulps later, along the rates, it has its value.
static bool is_fine_soon(fo_simulation *sim, double t, const double *x)
{
    const fo_system_type *type = sim->system.type;
    const fo_state *s = &sim->state.s;
    uint32_t n = s->shape.states;
    double ulp = nextafter(t, INFINITY) - t, *dx = sim->sample;
    if (n && (!type->rates || type->rates(sim->system.model, s, t, x, dx) != FO_OK)) return false;
    for (int k = 0; k <= MOST_BACK; k++) {
        double h = ldexp(ulp, k);
        for (uint32_t i = 0; i < n; i++) sim->probe[i] = x[i] + h * dx[i];
        if (is_fine(sim, t + h, sim->probe)) return true;
    }
    return false;
}

fo_status foi_finite_after(fo_simulation *sim, double t, const double *x)
{
    if (is_fine(sim, t, x) || is_fine_soon(sim, t, x)) return FO_OK;
    return say(sim, t, x, "");
}

fo_status foi_finite_jump(fo_simulation *sim)
{
    const fo_state *s = &sim->state.s;
    return foi_finite_after(sim, s->t, s->x);
}

fo_status foi_finite_moment(fo_simulation *sim)
{
    const fo_state *s = &sim->state.s;
    return foi_finite_before(sim, s->t, s->x);
}

// ------------------------------------------------------------------------ between the ends of
// steps

enum { LEAST_LOOKS = 32 }; ///< on a step that are always granted

static bool may_fail(fo_simulation *sim, double from, double to)
{
    foi_solver *o = &sim->solver;
    uint32_t n = o->n;
    double *row = sim->stretch;
    fo_stretch on = {.x = {row, row + n},
                     .dx = {row + 2 * (size_t)n, row + 3 * (size_t)n},
                     .x_mid = {row + 4 * (size_t)n, row + 5 * (size_t)n}};
    foi_dense_stretch(o, from, to, &on);
    if (foi_is_held(sim)) return foi_hold_may_fail(sim->hold, &on);
    return sim->system.type->may_fail(sim->system.model, &sim->state.s, &on);
}

// Outputs and rates.
static bool is_good(fo_simulation *sim, double t)
{
    const fo_system *flow = &sim->solver.system; // the model, or what is held
    const double *x = probe(sim, t);
    uint32_t n = sim->state.s.shape.states;
    if (!is_fine(sim, t, x)) return false;
    if (!n || !flow->type->rates) return true;
    if (flow->type->rates(flow->model, &sim->state.s, t, x, sim->sample) != FO_OK) return false;
    return all_finite(sim->sample, n);
}

// Something is bad at `bad`, and was not at `good`: all rows before that, and what it is.
static fo_status end_at(fo_simulation *sim, double good, double bad)
{
    for (;;) {
        double middle = good + (bad - good) / 2;
        if (!(middle > good && middle < bad)) break;
        *(is_good(sim, middle) ? &good : &bad) = middle;
    }
    fo_status status = foi_rows_upto(sim, good);
    if (status != FO_OK) return status;
    stand_at(sim, good);
    status = say(sim, bad, probe(sim, bad), "");
    if (status != FO_OK) return status;
    const fo_system *flow = &sim->solver.system;
    const double *x = probe(sim, bad);
    status = flow->type->rates(flow->model, &sim->state.s, bad, x, sim->sample);
    return status == FO_OK ? foi_not_finite(&sim->solver, bad, x, sim->sample) : status;
}

// The part of the step from a to b: *bad is where a value was found to be bad, INFINITY: nowhere.
// True when that is settled.
static bool look_between(fo_simulation *sim, double a, double b, double *bad)
{
    const foi_solver *o = &sim->solver;
    *bad = INFINITY;
    if (!may_fail(sim, a, b)) return true;
    const double at[] = {a + (b - a) / 2, b};
    for (int i = 0; i < 2; i++) {
        double t = at[i] == 1 ? o->t1 : o->t0 + at[i] * (o->t1 - o->t0);
        if (is_good(sim, t)) continue;
        *bad = t;
        return true;
    }
    return false;
}

fo_status foi_finite_between(fo_simulation *sim, double from, double to)
{
    const double finest = 0x1p-24; // of the step: what is shorter may be passed over
    foi_solver *o = &sim->solver;
    double length = o->t1 - o->t0, bad;
    // at moments what counts are the values some ulps before and after: others look at those
    from += ldexp(nextafter(fabs(from), INFINITY) - fabs(from), MOST_BACK);
    to -= ldexp(nextafter(fabs(to), INFINITY) - fabs(to), MOST_BACK);
    if (!(to > from) || !(length > 0) || !sim->system.type->may_fail) return FO_OK;
    fo_status status = foi_solver_dense(o);
    double a = foi_fmax(0, (from - o->t0) / length), end = foi_fmin(1, (to - o->t0) / length);
    double width = end - a;
    long looks = 0;
    for (; looks < sim->watch.looks && a < end && status == FO_OK; looks++) {
        double b = foi_fmin(end, a + width);
        bool settled = look_between(sim, a, b, &bad);
        if (bad < INFINITY) return end_at(sim, foi_fmax(from, o->t0 + a * length), bad);
        if (settled || width <= finest)
            a = b, width *= 2;
        else
            width = (b - a) / 2;
    }
    // what is not understood now will hardly be on the next steps
    if (looks == sim->watch.looks && looks / 4 >= LEAST_LOOKS) sim->watch.looks = looks / 4;
    return status;
}
