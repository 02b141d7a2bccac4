/// Steps of solvers by emitted tries: when a step is good enough and how long the next one is, as
/// in solver/erk.h. A step that is not as usual is left to the solver, from its beginning.
#include "program/emit_march.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "solver/control.h"

static void turn(foi_marcher *s)
{
    double *x = s->x, *f = s->f;
    s->x = s->x1, s->f = s->f1;
    s->x1 = x, s->f1 = f;
}

static inline void attempt(foi_marcher *s)
{
    s->a.start = s->x, s->a.end = s->x1;
    if (s->attempt)
        s->attempt(&s->a);
    else
        s->call(s);
}

// ------------------------------------------------------------------------------------- fixed steps

// Steps that none of the bounds is near to, all at once. Where one of them is not finite they are
// taken again one by one.
static bool take_block(foi_marcher *s, double count, double near)
{
    double *next = s->a.nexts;
    for (int i = 0; i < FOI_TRY_BLOCK; i++) next[i] = s->m->base + (count + (i + 1)) * s->a.h;
    if (next[FOI_TRY_BLOCK - 1] > near || next[FOI_TRY_BLOCK - 2] >= s->m->stop) return false;
    turn(s);
    s->a.start = s->x, s->a.end = s->x1;
    s->block(&s->a);
    if (s->a.probe == 0) return true;
    turn(s);
    return false;
}

static bool take_one(foi_marcher *s)
{
    turn(s);
    attempt(s);
    if (s->a.probe == 0) return true;
    turn(s);
    return false;
}

static void march_fixed(foi_marcher *s)
{
    fo_march *m = s->m;
    const double h = m->step, base = m->base, near = m->goal - 1e-9 * h;
    double t0 = m->t0, t1 = m->t1, count = m->count;
    uint64_t steps = 0;
    s->a.h = h;
    do {
        s->a.t = t1;
        if (s->block && m->budget - steps >= FOI_TRY_BLOCK && take_block(s, count, near)) {
            t0 = s->a.nexts[FOI_TRY_BLOCK - 2], t1 = s->a.nexts[FOI_TRY_BLOCK - 1];
            count += FOI_TRY_BLOCK, steps += FOI_TRY_BLOCK;
            s->blocked = true;
            continue;
        }
        s->a.next = base + (count + 1) * h;
        if (s->a.next > near || !take_one(s)) break;
        t0 = t1, t1 = s->a.next, count += 1, steps++;
        s->blocked = false;
    } while (t1 < m->stop && steps < m->budget);
    m->t0 = t0, m->t1 = t1, m->count = count;
    m->taken = h, m->steps = m->tries = steps;
}

// ---------------------------------------------------------------------------------- adaptive steps

// As foi_log_roughly and foi_exp_roughly.
static double log_roughly(double v)
{
    int64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return (double)bits - 1023 * FOI_LOG_UNIT;
}

static double exp_roughly(double log)
{
    int64_t bits = (int64_t)(log + 1023 * FOI_LOG_UNIT);
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

// As foi_erk_shorten and foi_erk_least, for an error that is a number. False: it makes no sense.
static bool shorten(foi_marcher *s, const foi_tableau *T)
{
    double log = T->safety * FOI_LOG_UNIT - 0.5 / T->q * log_roughly(s->a.error2);
    double factor = exp_roughly(log > -2 * FOI_LOG_UNIT ? log : -2 * FOI_LOG_UNIT);
    if (factor > 0.95) factor = 0.95;
    s->a.h *= factor;
    double least = FOI_LEAST_STEP * DBL_EPSILON * fabs(s->a.t);
    if (least < DBL_MIN) least = DBL_MIN;
    if (least < s->m->shortest) least = s->m->shortest;
    return s->a.h >= least;
}

// As in foi_erk_step: the error of a try that has to be strict counts for more.
static void be_strict(foi_marcher *s)
{
    bool strict = s->a.t < s->m->wary && s->a.h > FOI_ERK_LEAST_STRICT * fabs(s->a.t);
    if (strict) s->a.error2 *= FOI_ERK_STRICT;
}

// As foi_erk_startle: what lies under a try that failed by far is gone through in strict steps.
static void startle(foi_marcher *s)
{
    if (s->a.error2 > FOI_ERK_STARTLED && s->a.next > s->m->wary) s->m->wary = s->a.next;
}

// Tries until a step is good. False: it is left to the solver, from its beginning.
static bool step(foi_marcher *s, const foi_tableau *T, bool *refused, uint64_t *tries)
{
    const fo_march *m = s->m;
    uint64_t tried = 0;
    double t = s->a.t;
    *refused = false;
    for (;;) {
        double h = s->a.h;
        s->a.next = t + h;
        if (h > m->longest || t + h * 1.0000001 >= m->goal || !(s->a.next > t)) return false;
        attempt(s);
        tried++;
        be_strict(s);
        if (s->a.error2 <= 1 && s->a.probe == 0) break;
        if (s->a.probe != 0 || !(s->a.error2 > 1 && s->a.error2 <= DBL_MAX)) return false;
        startle(s);
        if (!shorten(s, T)) return false;
        *refused = true;
    }
    *tries += tried;
    return true;
}

// As foi_erk_beyond.
static bool is_beyond(const foi_marcher *s, double h)
{
    double rates2 = 0, way2 = 0, limit = s->m->stability;
    const double *k = s->k + (FOI_TRY_ROWS - 1) * s->n;
    for (size_t i = 0; i < s->n; i++) {
        double r = s->f1[i] - k[i], x = s->x1[i] - s->w[i];
        rates2 += r * r, way2 += x * x;
    }
    return way2 > 0 && h * h * rates2 > limit * limit * way2;
}

static void march_adaptive(foi_marcher *s)
{
    static const foi_tableau *const T = &foi_tableau_dp45;
    fo_march *m = s->m;
    const double alpha = 0.5 * (1 / T->q - 0.75 * T->beta), most = T->growth * FOI_LOG_UNIT;
    double t0 = m->t0, t1 = m->t1, before = m->before, planned = m->h, taken = 0, used = 0;
    uint64_t steps = 0, tries = 0;
    s->a.h = m->h, m->heeds = true;
    do {
        bool refused;
        double wary = m->wary;
        turn(s);
        s->a.t = t1, planned = s->a.h;
        if (!step(s, T, &refused, &tries)) {
            turn(s);
            s->a.h = planned, m->wary = wary;
            break;
        }
        taken = s->a.h, used = s->a.error2;
        double error = log_roughly(used);
        double log = (T->safety * FOI_LOG_UNIT + 0.5 * T->beta * before) - alpha * error;
        double bound = refused ? 0 : most;
        s->a.h = taken * exp_roughly(log < bound ? log : bound);
        if (s->a.h < m->shortest) s->a.h = m->shortest;
        before = error < FOI_ERK_LOG_LEAST ? FOI_ERK_LOG_LEAST : error;
        t0 = t1, t1 = s->a.next, steps++;
        if (m->stability > 0 && is_beyond(s, taken)) break;
    } while (t1 < m->stop && steps < m->budget);
    m->t0 = t0, m->t1 = t1, m->h = s->a.h, m->taken = taken, m->error2 = used;
    m->before = before, m->steps = steps, m->tries = tries;
}

// ------------------------------------------------------------------------------------------------

static void march(foi_marcher *s, foi_marching method)
{
    if (method == FOI_MARCH_RK4)
        march_fixed(s);
    else
        march_adaptive(s);
}

// In vectors of its own, rates behind states.
static void march_by_tries(foi_marcher *s, foi_marching method)
{
    double ends[2][2 * FOI_TRY_STATES];
    size_t n = s->n, bytes = n * sizeof(double);
    fo_march *m = s->m;
    s->x = ends[0], s->f = s->x + n, s->x1 = ends[1], s->f1 = s->x1 + n;
    s->w = s->a.w, s->k = s->a.k;
    memcpy(s->x1, m->x1, bytes);
    memcpy(s->f1, m->f1, bytes);
    march(s, method);
    if (!m->steps) return;
    memcpy(m->x0, s->blocked ? s->a.k : s->x, bytes);
    memcpy(m->f0, s->blocked ? s->a.k + n : s->f, bytes);
    memcpy(m->x1, s->x1, bytes);
    memcpy(m->f1, s->f1, bytes);
    if (method != FOI_MARCH_DP45) return;
    memcpy(m->w, s->a.w, bytes);
    memcpy(m->k, s->a.k, FOI_TRY_ROWS * bytes);
}

// In those of the solver.
static void march_by_calls(foi_marcher *s, foi_marching method)
{
    fo_march *m = s->m;
    s->x = m->x0, s->f = m->f0, s->x1 = m->x1, s->f1 = m->f1;
    s->w = m->w, s->k = m->k;
    march(s, method);
    m->x0 = s->x, m->f0 = s->f, m->x1 = s->x1, m->f1 = s->f1;
}

void foi_march_emitted(const foi_emitted *e, const foi_program *g, foi_marching method, double *r,
                       fo_march *m)
{
    foi_marcher s;
    s.m = m, s.n = g->about.states.count, s.ahead = false;
    s.a.r = r, s.a.rtol = m->rtol, s.a.atol = m->atol;
    s.attempt = e->tries[method], s.block = e->block, s.blocked = false;
    if (!s.attempt) s.block = NULL;
    if (s.attempt) {
        march_by_tries(&s, method);
        return;
    }
    s.rates = e->exports.run[FOI_TASK_RATES], s.code = &g->codes[FOI_TASK_RATES];
    s.run = (foi_run){.r = r}, s.time = g->layout.at[FOI_LEAF_TIME];
    s.call = foi_march_calls(method);
    march_by_calls(&s, method);
}
