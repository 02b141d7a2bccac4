/// The search for the first crossing on a step's dense output: no event is missed.
///
/// Along a step every guard is a function phi(theta) = g(t0 + theta h, x(theta)). The step is cut
/// into segments until each of them is understood, from left to right: by proof for guards with
/// enclosures (prove.c), by samples for others (sample.c). A segment of the resolution (some ulps
/// of time) is decided by the signs at its ends. The crossing is then located (locate.c) by
/// Chandrupatla's method (Adv. Eng. Software 28 (1997) 145) to that resolution.
#include "simulation/search.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "simulation/alone.h"

enum {
    LEAST_WORK = 1000, ///< segments in one search that are always granted
    ROWS = FOI_SEARCH_ROWS + 2 * FOI_SEARCH_DEPTH,
};

size_t foi_search_work(size_t states, size_t guards)
{
    return ROWS * guards + 6 * states;
}

double *foi_search_rows(const foi_watch *w)
{
    return foi_search_states(w) + 6 * (size_t)w->states;
}

fo_status foi_search_finite(const foi_watch *w, const foi_solver *o, double t, const double *g)
{
    for (uint32_t i = 0; i < w->guards; i++)
        if (isnan(g[i]))
            return fo_fail(o->message, FO_ERROR_NUMBER, "guard '%s' is not a number at t = %.15g",
                           w->about[i]->name, t);
    return FO_OK;
}

fo_status foi_search_refused(const foi_watch *w, const foi_solver *o, fo_status status, double *g)
{
    if (status != FO_ERROR_MODEL && status != FO_ERROR_NUMBER) return status;
    for (uint32_t i = 0; i < w->guards; i++) g[i] = NAN;
    o->message->status = FO_OK, o->message->text[0] = 0;
    return FO_OK;
}

static fo_status probe_conditions(foi_search *f, double theta)
{
    const foi_solver *o = f->o;
    foi_dense_at(o, theta, f->w->x);
    f->last = NAN;
    return o->system.type->conditions(o->system.model, o->s, foi_search_time(f, theta), f->w->x,
                                      f->w->seen);
}

// Halves the interval until the condition's change is at the resolution.
static fo_status close_in_condition(foi_search *f, uint32_t i, double lo, double *hi)
{
    while (*hi - lo > f->resolution) {
        double m = lo + 0.5 * (*hi - lo);
        if (m <= lo || m >= *hi) break;
        fo_status status = probe_conditions(f, m);
        if (status != FO_OK) return status;
        if (f->w->seen[i] != f->w->ahead_condition[i])
            *hi = m;
        else
            lo = m;
    }
    return FO_OK;
}

// Looks at the conditions at three points of the segment, up to `until`; *found is the first change
// that is wanted, INFINITY if there is none.
static fo_status ask_conditions(foi_search *f, double until, double *found)
{
    foi_watch *w = f->w;
    *found = INFINITY;
    double a = f->a.theta, width = until - a, last = a;
    double at[] = {a + FOI_QUARTER * width, a + 0.5 * width, until};
    for (int k = 0; k < 3; k++) {
        bool stale = true;
        for (uint32_t i = 0; i < w->conditions; i++) {
            fo_status status = stale ? probe_conditions(f, at[k]) : FO_OK;
            if (status != FO_OK) return status;
            stale = false;
            if (w->seen[i] == w->ahead_condition[i]) continue;
            fo_direction direction = w->about[w->guards + i]->direction;
            if (direction != FO_EITHER && (direction == FO_RISING) != w->seen[i]) {
                w->ahead_condition[i] = w->seen[i];
                continue;
            }
            double hi = foi_fmin(at[k], *found);
            if ((status = close_in_condition(f, i, last, &hi)) != FO_OK) return status;
            *found = foi_fmin(*found, hi);
            stale = true;
        }
        if (*found < INFINITY) return FO_OK;
        last = at[k];
    }
    return FO_OK;
}

// All that a search looks at once it is at its limit is left, one segment after the other.
void foi_search_limited(foi_search *f, uint32_t i)
{
    foi_tally *t = &f->w->tally[i];
    double from = foi_search_time(f, f->a.theta), to = foi_search_time(f, f->stack[f->top].theta);
    if (!t->limited) t->limited_from = from;
    if (!t->limited || from == t->limited_to) t->limited_to = to;
    t->limited++;
}

// Found: how far off zero a guard that fires may be because its time is known to some ulps only.
// Not for one that was cut down to neighbouring doubles: that may be a jump, as high as it likes.
static double uncertainty(const foi_search *f, uint32_t i)
{
    double width = foi_search_width(f), unsure = 4 * f->resolution + f->moved;
    bool proved = !f->w->finding[i].sampled && f->w->nature[i] == 0;
    double slope = INFINITY;
    if (proved) slope = foi_fmax(fabs(f->dg.lo[i]), fabs(f->dg.hi[i])) * f->h;
    if (!(slope < INFINITY)) {
        if (width < 64 * f->resolution) return 0;
        slope = fabs(f->stack[f->top].g[i] - f->a.g[i]) / width;
    }
    return foi_unsure_by(slope * unsure, f->probe[i]);
}

// A guard has passed zero against its direction at the instant of a moment, but for the rounding
// errors that states gather (foi_search_gather): it is at zero there, and should the jump turn it
// round, that it goes back is no moment. How wide that is; 0: it has not, or long before.
static double just_passed(const foi_search *f, uint32_t i, const foi_guard_side *before, int to)
{
    enum { ULPS = 64 };
    double width = foi_search_width(f), unsure = ULPS * f->resolution + f->moved;
    if (before->held || !before->side || to == before->side || !(width > 4 * unsure)) return 0;
    double slope = fabs(f->stack[f->top].g[i] - f->a.g[i]) / width;
    return slope < INFINITY && fabs(f->probe[i]) <= slope * unsure ? slope * unsure : 0;
}

// A guard that stands at zero was proved to stay or to leave it to the side that is held, on a
// segment with theta in it; its value there says otherwise. How wide is what rounding errors hide,
// if they can do that; 0: they cannot.
static double hidden_by(foi_search *f, uint32_t i, double theta)
{
    const foi_finding *found = &f->w->finding[i];
    if (found->sampled || found->verdict != FOI_NOTHING_HERE) return 0;
    if (f->w->ahead_guard[i].side != 0 || theta > f->stack[f->top].theta) return 0;
    return foi_search_hides(f, i, theta);
}

static void settle_guard(foi_search *f, uint32_t i, double theta)
{
    foi_watch *w = f->w;
    foi_guard_side *guard = &w->ahead_guard[i], before = foi_search_before(f, i);
    const foi_finding *found = &w->finding[i];
    bool here = found->verdict == FOI_CROSSES && f->where[i] == theta;
    int to = here ? found->to : foi_guard_sign(&before, f->probe[i]);
    w->crossed[i] = here || (to != before.side && foi_guard_fires(&before, w->about[i], to));
    w->way[i] = foi_guard_way(&before, to);
    double width = w->crossed[i] && !here ? hidden_by(f, i, theta) : 0;
    if (width > 0) {
        w->crossed[i] = false;
        guard->g = f->probe[i], guard->side = 0, guard->rests = true, guard->slack = width;
        return;
    }
    if (!w->crossed[i]) {
        width = just_passed(f, i, &before, to);
        foi_guard_moves_on(guard, f->probe[i], false);
        if (width > 0) guard->side = guard->told = 0, guard->rests = true, guard->slack = width;
        return;
    }
    guard->g = f->probe[i];
    guard->told = (int8_t)to;
    guard->slack = foi_fmax(uncertainty(f, i), here ? found->reach : 0);
}

// Found: who fires at theta, and what the guards and conditions are there.
static fo_status settle_root(foi_search *f, double theta, double *root)
{
    foi_watch *w = f->w;
    fo_status status = foi_search_probe(f, theta, f->probe);
    if (status != FO_OK) return status;
    for (uint32_t i = 0; i < w->guards; i++) settle_guard(f, i, theta);
    if (w->conditions && (status = probe_conditions(f, theta)) != FO_OK) return status;
    for (uint32_t i = 0; i < w->conditions; i++) {
        fo_direction direction = w->about[w->guards + i]->direction;
        w->changed[i] = w->seen[i] != w->ahead_condition[i] &&
                        (direction == FO_EITHER || (direction == FO_RISING) == w->seen[i]);
        w->ahead_condition[i] = w->seen[i];
    }
    *root = foi_search_time(f, theta);
    w->unsure = (4 * f->resolution + f->moved) * f->h, w->unsure_at = *root;
    return FO_OK;
}

// The segment holds nothing: its right end becomes the next one's left end.
static void go_on(foi_search *f)
{
    foi_point *b = &f->stack[f->top];
    for (uint32_t i = 0; i < f->w->guards; i++) {
        foi_guard_moves_on(&f->w->ahead_guard[i], b->g[i], f->w->finding[i].flat);
        f->a.g[i] = b->g[i];
        f->a.d[i] = b->d[i];
    }
    f->a.theta = b->theta;
    f->a.base = b->base;
    f->top--;
}

/// Puts a right end on the stack.
static foi_point *push(foi_search *f, double theta)
{
    foi_point *p = &f->stack[++f->top];
    p->theta = theta;
    p->base = INFINITY;
    p->g = f->rows + (size_t)(2 * f->top) * f->w->guards;
    p->d = p->g + f->w->guards;
    return p;
}

// ---------------------------------------------------------------------- where guards are undefined

static bool any_nan(const foi_watch *w, const double *g)
{
    for (uint32_t i = 0; i < w->guards; i++)
        if (isnan(g[i])) return true;
    return false;
}

// A guard is no number at theta `bad`. What comes before the first such place is searched like a
// step that ends there; only if there is no moment the run ends. (Guards are numbers at the left
// end of the segment: someone has looked.)
static fo_status end_before(foi_search *f, double bad)
{
    double good = f->a.theta;
    fo_status status = FO_OK;
    for (;;) {
        double m = good + 0.5 * (bad - good);
        if (!(m > good && m < bad) || status != FO_OK) break;
        status = foi_search_probe(f, m, f->probe);
        if (any_nan(f->w, f->probe))
            bad = m;
        else
            good = m;
    }
    f->undefined = bad, f->top = -1;
    if (status != FO_OK || !(good > f->a.theta)) return status;
    foi_point *b = push(f, good);
    status = foi_search_probe(f, good, b->g);
    return status == FO_OK && f->sampling ? foi_sample_slopes(f, b) : status;
}

// The middle of the segment may be undefined just there (0/0): then it is as if it had not been
// looked at. Some ulps beside it there must be numbers.
static fo_status look_beside(foi_search *f, foi_point *m, bool *undefined)
{
    foi_watch *w = f->w;
    *undefined = false;
    if (!any_nan(w, m->g)) return FO_OK;
    double apart = foi_fmin(8 * f->resolution, 0.25 * (m->theta - f->a.theta));
    fo_status status = foi_search_probe(f, m->theta - apart, f->probe);
    *undefined = any_nan(w, f->probe);
    if (status == FO_OK) status = foi_search_probe(f, m->theta + apart, f->probe);
    *undefined &= any_nan(w, f->probe);
    for (uint32_t i = 0; i < w->guards; i++)
        if (isnan(m->g[i])) m->g[i] = f->a.g[i];
    return status;
}

static fo_status split(foi_search *f)
{
    foi_watch *w = f->w;
    foi_point *b = &f->stack[f->top];
    foi_point *m = push(f, f->a.theta + 0.5 * (b->theta - f->a.theta));
    fo_status status = FO_OK;
    bool undefined = false;
    if (f->probed)
        memcpy(m->g, f->middle, w->guards * sizeof(double));
    else
        status = foi_search_probe(f, m->theta, m->g);
    if (status == FO_OK) status = look_beside(f, m, &undefined);
    f->splits++;
    if (undefined && status == FO_OK) return end_before(f, m->theta);
    return status == FO_OK && f->sampling ? foi_sample_split(f, m, b) : status;
}

static void lay_out(foi_search *f)
{
    size_t g = f->w->guards, n = f->w->states;
    double *row = f->w->work;
    f->probe = row, f->middle = row + g, f->quarter = row + 2 * g;
    f->a.g = row + 3 * g, f->a.d = row + 4 * g;
    f->where = row + 11 * g, f->later = row + 12 * g;
    double *x = foi_search_states(f->w);
    f->x = (fo_bounds){x, x + n}, f->rows = x + 6 * n;
    if (!f->w->bounded) return;
    f->g = (fo_bounds){row + 5 * g, row + 6 * g};
    f->dg = (fo_bounds){row + 7 * g, row + 8 * g};
    f->thin = (fo_bounds){row + 9 * g, row + 10 * g};
    f->dx = (fo_bounds){x + 2 * n, x + 3 * n}, f->x_mid = (fo_bounds){x + 4 * n, x + 5 * n};
}

// Values at both ends of what is left of the step, and slopes where guards are sampled.
static fo_status begin(foi_search *f, double from)
{
    foi_watch *w = f->w;
    const foi_solver *o = f->o;
    f->h = o->t1 - o->t0;
    f->resolution = DBL_EPSILON * (2 + fabs(o->t1) / f->h);
    f->last = NAN;
    lay_out(f);
    for (uint32_t i = 0; i < w->conditions; i++)
        w->ahead_condition[i] = w->condition[i], w->changed[i] = false;
    f->a.theta = from > o->t0 ? (from - o->t0) / f->h : 0;
    foi_point *b = push(f, 1);
    for (uint32_t i = 0; i < w->guards; i++) {
        w->ahead_guard[i] = w->guard[i];
        w->crossed[i] = false;
        w->finding[i] = (foi_finding){.sampled = !w->bounded || !w->about[i]->bounded};
        f->sampling |= w->finding[i].sampled;
        f->a.g[i] = w->guard[i].g;
        f->a.d[i] = w->slope[i] * f->h;
    }
    fo_status status = foi_search_probe(f, 1, b->g);
    if (status == FO_OK && f->sampling && !w->slope_valid) status = foi_sample_begin(f);
    if (status == FO_OK && any_nan(w, b->g)) return end_before(f, 1);
    return status == FO_OK && f->sampling ? foi_sample_slopes(f, b) : status;
}

// The worst verdict of all guards on the segment from a to the top of the stack.
static fo_status ask(foi_search *f, foi_verdict *worst)
{
    foi_watch *w = f->w;
    fo_status status = w->bounded ? foi_search_prove(f) : FO_OK;
    if (status == FO_OK && f->sampling && !f->narrow) status = foi_sample_inside(f);
    *worst = FOI_NOTHING_HERE;
    for (uint32_t i = 0; status == FO_OK && i < w->guards; i++) {
        foi_finding *found = &w->finding[i];
        if (found->sampled) found->verdict = (uint8_t)foi_search_sample(f, i);
        if (found->verdict > *worst) *worst = (foi_verdict)found->verdict;
    }
    return status;
}

// Understands the segment on top of the stack: splits it, passes it, or finds *theta in it.
static fo_status segment(foi_search *f, double *theta)
{
    foi_watch *w = f->w;
    const foi_point *b = &f->stack[f->top];
    f->narrow = foi_search_width(f) <= 2 * f->resolution || f->top + 1 >= FOI_SEARCH_DEPTH;
    f->spent = f->splits >= w->most;
    f->probed = f->probed_later = false;
    foi_verdict worst;
    fo_status status = ask(f, &worst);
    if (status != FO_OK) return status;
    if (worst == FOI_UNCLEAR) return split(f);
    *theta = INFINITY;
    if (worst == FOI_CROSSES && (status = foi_search_locate(f, theta)) != FO_OK) return status;
    if (w->conditions) {
        double found;
        status = ask_conditions(f, foi_fmin(*theta, b->theta), &found);
        if (found < *theta) *theta = found;
    }
    if (status == FO_OK && *theta == INFINITY) go_on(f);
    return status;
}

// A search that came to the limit of work is reported; the next ones are granted less, since a
// guard that is identically zero up to rounding errors would take all of it at every step.
static void book_work(foi_watch *w, const foi_search *f)
{
    if (f->splits < w->most) return;
    w->most = w->most / 4 > LEAST_WORK ? w->most / 4 : LEAST_WORK;
}

// Where the search of one guard alone has come to, and what was known there.
static fo_status take_over(foi_search *f, double from, const foi_lone *l, double *theta)
{
    if (!l || l->stage == FOI_LONE_NOT_BEGUN) return begin(f, from);
    const foi_samples *s = &l->s;
    f->h = l->h, f->resolution = l->resolution;
    f->sampling = true, f->narrow = f->spent = false;
    lay_out(f);
    bool leaves = !f->w->slope_valid && f->w->guard[0].side == 0;
    f->a.theta = s->a, f->a.g[0] = s->at_a, f->a.d[0] = s->slope_a;
    if (leaves) f->a.base = FOI_RIGHT_BASE; // as foi_sample_begin takes it
    foi_point *b = push(f, 1);
    b->g[0] = s->at_b;
    if (l->stage == FOI_LONE_UNDEFINED) return end_before(f, 1);
    b->d[0] = s->slope_b;
    f->probed = true, f->middle[0] = s->middle, f->quarter[0] = s->quarter;
    f->probed_later = s->has_later, f->later[0] = s->later;
    if (l->stage == FOI_LONE_UNCLEAR) return split(f);
    f->last = l->last, f->probe[0] = l->at_last;
    if (l->stage == FOI_LONE_CROSSES) return foi_search_locate(f, theta);
    double found = l->theta;
    fo_status status = FO_OK;
    if (l->stage == FOI_LONE_CLOSING) status = foi_search_close(f, &l->target, &l->k, &found);
    if (status != FO_OK) return status;
    *theta = f->where[0] = foi_closing_end(s->guard, s->found, found, s->a, f->resolution);
    return FO_OK;
}

static fo_status search(foi_watch *w, foi_solver *o, double from, const foi_lone *l, double *root)
{
    foi_search f; // its stack is large: only what is used is set
    f.w = w, f.o = o, f.last = NAN, f.top = -1, f.splits = 0, f.probed = false, f.a.base = INFINITY;
    f.sampling = false, f.undefined = INFINITY, f.moved = 0;
    double theta = INFINITY;
    fo_status status = take_over(&f, from, l, &theta);
    while (status == FO_OK && f.top >= 0) {
        if (!(theta < INFINITY)) status = segment(&f, &theta);
        if (status == FO_OK && theta < INFINITY) {
            book_work(w, &f);
            status = foi_search_gather(&f, &theta);
            return status == FO_OK ? settle_root(&f, theta, root) : status;
        }
    }
    book_work(w, &f);
    for (uint32_t i = 0; f.sampling && i < w->guards; i++) w->slope[i] = f.a.d[i] / f.h;
    w->slope_valid = f.sampling;
    if (status != FO_OK || !(f.undefined < INFINITY)) return status;
    *root = foi_search_time(&f, f.undefined);
    foi_dense_at(o, f.undefined, w->x);
    return FO_OK;
}

fo_status foi_watch_search(foi_watch *w, foi_solver *o, double from, double *root)
{
    *root = INFINITY;
    fo_status status = foi_solver_dense(o);
    // what is proved of a polynomial that is off by more than the tolerance says nothing
    for (uint32_t i = 0; (o->loose || o->method->loose) && i < w->guards; i++) w->tally[i].loose++;
    if (status == FO_OK && foi_is_lone(w, o)) {
        foi_lone l;
        status = foi_search_alone(w, o, from, root, &l);
        if (status == FO_OK && l.stage == FOI_LONE_DONE) return FO_OK;
        if (status == FO_OK) return search(w, o, from, &l, root);
    }
    if (status == FO_OK) return search(w, o, from, NULL, root);
    w->slope_valid = false;
    return status;
}

fo_status foi_watch_refuse(foi_watch *w, const foi_solver *o, double t)
{
    fo_status status = o->system.type->guards(o->system.model, o->s, t, w->x, w->work);
    if (status == FO_OK) status = foi_search_finite(w, o, t, w->work);
    if (status != FO_OK) return status;
    return fo_fail(o->message, FO_ERROR_NUMBER,
                   "the search for moments ended at t = %.15g, where no guard fires", t);
}
