/// The search for the first crossing on a step's dense output: no event is missed.
///
/// Along a step every guard is a function phi(theta) = g(t0 + theta h, x(theta)). The step is cut
/// into segments until each of them is understood, from left to right:
///
/// - A guard with bounds (guard_bounds): its enclosure over the segment excludes zero, or the
///   enclosure of its derivative does, and then the signs at the ends say all. This is a proof.
/// - An opaque guard: values and slopes at both ends and the value in the middle give a quartic;
///   a sixth value, where the next error term s^2 (1-s)^2 (s-1/2) is largest, measures how far phi
///   is from it. In Bernstein form b0..b4 the quartic has at most as many roots as its coefficients
///   have changes of sign (Descartes): all on one side by more than four times that error, and
///   there is no crossing; one change, or all descending through zero, and there is exactly one.
///   Otherwise the segment is halved: the error falls by 32 each time, so that a dip to zero and
///   back is cornered at its minimum however narrow it is.
///
/// A segment of the resolution (some ulps of time) is decided by its signs. The crossing is then
/// located by Chandrupatla's method (Adv. Eng. Software 28 (1997) 145) to that resolution.
#include "simulation/search.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    MOST_SPLITS = 1000,   ///< in one search, for opaque guards
    MOST_PROVEN = 100000, ///< in one search, when bounds are asked
    ROWS = 5 + 2 * FOI_SEARCH_DEPTH + 4,
};

typedef enum verdict { NONE, CROSS, SPLIT } verdict;

size_t foi_search_work(size_t states, size_t guards)
{
    return ROWS * guards + 4 * states;
}

fo_status foi_search_finite(const foi_watch *w, const foi_solver *o, double t, const double *g)
{
    for (uint32_t i = 0; i < w->guards; i++)
        if (isnan(g[i]))
            return fo_fail(o->message, FO_ERROR_NUMBER, "guard '%s' is not a number at t = %.15g",
                           w->about[i]->name, t);
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

/// How a slope is taken: by one difference, by two around the point, or by two to its right.
typedef enum kind_of_slope { COARSE, CENTRAL, RIGHT } kind_of_slope;

// Guards at the point `by` along the tangent from p.
static fo_status beside(foi_search *f, const foi_point *p, double by, double *g)
{
    double *x = f->w->x, *tangent = f->x.lo, *moved = f->x.hi;
    for (uint32_t i = 0; i < f->w->states; i++) moved[i] = x[i] + by * tangent[i];
    return foi_search_values(f, p->theta + by, moved, g);
}

// d = dg/dtheta at p along the tangent (h, x'(theta)): exact where g is linear in (t, x), and
// with two differences also where it is quadratic, however small the slope. To the right it is
// (4 g(delta) - g(2 delta) - 3 g(0)) / (2 delta).
static fo_status slopes(foi_search *f, foi_point *p, kind_of_slope kind)
{
    foi_watch *w = f->w;
    if (!w->guards) return FO_OK;
    double delta = kind == COARSE ? 0x1p-24 : 0x1p-17;
    foi_dense_at(f->o, p->theta, w->x);
    foi_dense_slope(f->o, p->theta, f->x.lo);
    f->last = NAN;
    fo_status status = beside(f, p, delta, p->d);
    if (status == FO_OK && kind != COARSE)
        status = beside(f, p, kind == RIGHT ? 2 * delta : -delta, f->probe);
    for (uint32_t i = 0; i < w->guards; i++) {
        if (kind == COARSE) p->d[i] = (p->d[i] - p->g[i]) / delta;
        if (kind == CENTRAL) p->d[i] = (p->d[i] - f->probe[i]) / (2 * delta);
        if (kind == RIGHT) p->d[i] = (4 * p->d[i] - f->probe[i] - 3 * p->g[i]) / (2 * delta);
    }
    p->fine = kind != COARSE;
    return status;
}

// Values inside the segment, at its middle and near its quarter.
static fo_status look_inside(foi_search *f)
{
    if (f->probed || !f->w->guards) return FO_OK;
    double a = f->a.theta, width = f->stack[f->top].theta - a;
    f->probed = true;
    fo_status status = foi_search_probe(f, a + 0.5 * width, f->middle);
    return status == FO_OK ? foi_search_probe(f, a + FOI_QUARTER * width, f->quarter) : status;
}

// Which side of zero the guard is on just right of the segment's left end.
static int side_from(const foi_search *f, uint32_t i, double width)
{
    const foi_guard_side *guard = &f->w->ahead_guard[i];
    if (guard->side) return guard->side;
    double ways[] = {f->a.d[i] * width, f->quarter[i], f->middle[i], f->stack[f->top].g[i]};
    for (int k = 0; k < 4; k++)
        if (fabs(ways[k]) > guard->slack) return ways[k] > 0 ? 1 : -1;
    return 0;
}

/// How the Bernstein coefficients lie around zero, each off it by more than the margin.
typedef enum signs { UNCLEAR, ALL_ON_SIDE, ONE_CHANGE } signs;

static signs signs_of(const double *v, double margin)
{
    int changes = 0;
    bool positive = true; // v[0] is, or leaves zero that way
    for (int j = 1; j < 5; j++) {
        if (!(fabs(v[j]) > margin)) return UNCLEAR;
        changes += (v[j] > 0) != positive;
        positive = v[j] > 0;
    }
    return changes == 0 ? ALL_ON_SIDE : changes == 1 ? ONE_CHANGE : UNCLEAR;
}

static bool falls(const double *v, double margin)
{
    return v[0] - v[1] > margin && v[1] - v[2] > margin && v[2] - v[3] > margin &&
           v[3] - v[4] > margin;
}

static verdict ask_quartic(const foi_search *f, uint32_t i, int side, double width)
{
    double v[5];
    foi_search_quartic(f, i, side, width, v);
    const double s = FOI_QUARTER, r = 1 - s;
    double there = r * r * r * (r * v[0] + 4 * s * v[1]) +
                   s * s * (6 * r * r * v[2] + s * (4 * r * v[3] + s * v[4]));
    double error = fabs(side * f->quarter[i] - there);
    if (!(error < INFINITY)) return SPLIT;
    signs lie = signs_of(v, 4 * error);
    if (lie == ALL_ON_SIDE) return NONE;
    // one change of sign is one root (Descartes), and so is a descent through zero
    double turned[5] = {v[4], v[3], v[2], v[1], v[0]};
    bool descends = falls(v, 2 * error);
    if (lie == ONE_CHANGE || (descends && v[4] <= 0))
        return foi_search_wanted(f->w, i, -side) ? CROSS : NONE;
    if (v[4] > 0 && (descends || falls(turned, 2 * error))) return NONE;
    return SPLIT;
}

static verdict ask_bounds(const foi_search *f, uint32_t i, int side, bool *known)
{
    double lo = f->g.lo[i], hi = f->g.hi[i], dlo = f->dg.lo[i], dhi = f->dg.hi[i];
    *known = lo > -INFINITY && hi < INFINITY;
    if (!*known) return SPLIT;
    if (lo > 0 || hi < 0) return NONE;
    if (!(dlo > 0 || dhi < 0)) return SPLIT;
    bool crosses = side * f->stack[f->top].g[i] <= 0;
    return crosses && foi_search_wanted(f->w, i, -side) ? CROSS : NONE;
}

static bool has_bounds(const foi_search *f, uint32_t i)
{
    return f->w->about[i]->bounded && f->o->system.type->guard_bounds;
}

// At the resolution, or when the search has been halved too often, signs decide.
static verdict ask_signs(const foi_search *f, uint32_t i, int side)
{
    bool crosses = side * f->stack[f->top].g[i] <= 0;
    return crosses && foi_search_wanted(f->w, i, -side) ? CROSS : NONE;
}

static fo_status enclose(foi_search *f, double a, double b)
{
    const foi_solver *o = f->o;
    foi_dense_bounds(o, a, b, &f->x, &f->dx);
    for (uint32_t i = 0; i < o->n; i++) f->dx.lo[i] /= f->h, f->dx.hi[i] /= f->h;
    for (uint32_t i = 0; i < f->w->guards; i++) {
        f->g.lo[i] = f->dg.lo[i] = -INFINITY;
        f->g.hi[i] = f->dg.hi[i] = INFINITY;
        f->w->nature[i] = 0;
    }
    fo_stretch on = {foi_search_time(f, a), foi_search_time(f, b), f->x, f->dx, 0, {NULL, NULL}};
    fo_enclosure e = {f->g, f->dg, f->w->nature};
    return o->system.type->guard_bounds(o->system.model, o->s, &on, &e);
}

// The worst verdict of all guards on the segment from a to the top of the stack.
static fo_status ask(foi_search *f, bool last, verdict *worst)
{
    foi_watch *w = f->w;
    double a = f->a.theta, width = f->stack[f->top].theta - a;
    *worst = NONE;
    fo_status status = FO_OK;
    if (w->bounded && !last) status = enclose(f, a, a + width);
    for (uint32_t i = 0; status == FO_OK && i < w->guards; i++) {
        int side = side_from(f, i, width);
        w->way[i] = (int8_t)-side; // kept for locate and settle_root
        if (!side) continue;
        bool known = false;
        verdict v = SPLIT;
        if (last) v = ask_signs(f, i, side), known = true;
        if (!known && has_bounds(f, i)) v = ask_bounds(f, i, side, &known);
        if (!known && (status = look_inside(f)) != FO_OK) return status;
        if (!known) v = ask_quartic(f, i, side, width);
        if (v > *worst) *worst = v;
    }
    return status;
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
            double hi = fmin(at[k], *found);
            if ((status = close_in_condition(f, i, last, &hi)) != FO_OK) return status;
            *found = fmin(*found, hi);
            stale = true;
        }
        if (*found < INFINITY) return FO_OK;
        last = at[k];
    }
    return FO_OK;
}

// Found: who fires at theta, and what the guards and conditions are there.
static fo_status settle_root(foi_search *f, double theta, double *root)
{
    foi_watch *w = f->w;
    fo_status status = foi_search_probe(f, theta, f->probe);
    if (status != FO_OK) return status;
    for (uint32_t i = 0; i < w->guards; i++) {
        foi_guard_side *guard = &w->ahead_guard[i];
        int side = -w->way[i];
        double g = f->probe[i];
        w->crossed[i] = side && side * g <= 0 && foi_search_wanted(w, i, -side);
        guard->g = g;
        if (w->crossed[i]) {
            guard->slack = 4 * fabs(g);
        } else if (!(guard->fired && guard->side == 0 && fabs(g) <= guard->slack)) {
            guard->side = (int8_t)((g > 0) - (g < 0));
            guard->fired = g == 0;
        }
    }
    if (w->conditions && (status = probe_conditions(f, theta)) != FO_OK) return status;
    for (uint32_t i = 0; i < w->conditions; i++) {
        fo_direction direction = w->about[w->guards + i]->direction;
        w->changed[i] = w->seen[i] != w->ahead_condition[i] &&
                        (direction == FO_EITHER || (direction == FO_RISING) == w->seen[i]);
        w->ahead_condition[i] = w->seen[i];
    }
    *root = foi_search_time(f, theta);
    return FO_OK;
}

// The segment holds nothing: its right end becomes the next one's left end.
static void go_on(foi_search *f)
{
    foi_point *b = &f->stack[f->top];
    for (uint32_t i = 0; i < f->w->guards; i++) {
        foi_guard_side *guard = &f->w->ahead_guard[i];
        double g = b->g[i];
        bool rests = guard->side == 0 && fabs(g) <= guard->slack;
        guard->g = f->a.g[i] = g;
        f->a.d[i] = b->d[i];
        if (rests) continue;
        // zero reached against its direction: leaving it again is no moment
        guard->fired = g == 0;
        guard->side = (int8_t)((g > 0) - (g < 0));
        guard->slack = 0;
    }
    f->a.theta = b->theta;
    f->a.fine = b->fine;
    f->top--;
}

/// Puts a right end on the stack.
static foi_point *push(foi_search *f, double theta)
{
    foi_point *p = &f->stack[++f->top];
    p->theta = theta;
    p->fine = false;
    p->g = f->rows + (size_t)(2 * f->top) * f->w->guards;
    p->d = p->g + f->w->guards;
    return p;
}

static fo_status split(foi_search *f)
{
    foi_watch *w = f->w;
    foi_point *b = &f->stack[f->top];
    foi_point *m = push(f, f->a.theta + 0.5 * (b->theta - f->a.theta));
    fo_status status = FO_OK;
    if (f->probed)
        memcpy(m->g, f->middle, w->guards * sizeof(double));
    else
        status = foi_search_probe(f, m->theta, m->g);
    bool fine = m->theta - f->a.theta < 1e-3;
    if (status == FO_OK) status = slopes(f, m, fine ? CENTRAL : COARSE);
    if (status == FO_OK && fine && !f->a.fine) status = slopes(f, &f->a, CENTRAL);
    if (status == FO_OK && fine && !b->fine) status = slopes(f, b, CENTRAL);
    f->splits++;
    return status;
}

static void lay_out(foi_search *f)
{
    size_t g = f->w->guards, n = f->w->states;
    double *row = f->w->work;
    f->probe = row, f->middle = row + g, f->quarter = row + 2 * g;
    f->a.g = row + 3 * g, f->a.d = row + 4 * g;
    f->g = (fo_bounds){row + 5 * g, row + 6 * g};
    f->dg = (fo_bounds){row + 7 * g, row + 8 * g};
    row += 9 * g;
    f->x = (fo_bounds){row, row + n}, f->dx = (fo_bounds){row + 2 * n, row + 3 * n};
    f->rows = row + 4 * n;
}

static bool stands_at_zero(const foi_watch *w, bool fired_too)
{
    for (uint32_t i = 0; i < w->guards; i++)
        if (w->guard[i].side == 0 && (fired_too || !w->guard[i].fired)) return true;
    return false;
}

// Where a guard with bounds leaves zero, its bounds over the first instants know better than any
// difference which way.
static fo_status leave_by_bounds(foi_search *f)
{
    foi_watch *w = f->w;
    double a = f->a.theta;
    fo_status status = enclose(f, a, fmin(1, a + 16 * f->resolution));
    for (uint32_t i = 0; status == FO_OK && i < w->guards; i++) {
        double lo = f->dg.lo[i], hi = f->dg.hi[i];
        if (!has_bounds(f, i) || w->guard[i].side != 0 || !(lo > 0 || hi < 0)) continue;
        f->a.d[i] = f->h * (lo > 0 ? fmin(hi, fmax(lo, 1)) : fmax(lo, fmin(hi, -1)));
    }
    return status;
}

// Values and slopes at both ends of what is left of the step.
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
    fo_status status = FO_OK;
    for (uint32_t i = 0; i < w->guards; i++) {
        w->ahead_guard[i] = w->guard[i];
        w->crossed[i] = false;
        f->a.g[i] = w->guard[i].g;
        f->a.d[i] = w->slope[i] * f->h;
    }
    // a guard that leaves zero may do so with any slope, so that sign must be right
    if (!w->slope_valid) status = slopes(f, &f->a, stands_at_zero(w, true) ? RIGHT : COARSE);
    if (status == FO_OK && w->bounded && stands_at_zero(w, true)) status = leave_by_bounds(f);
    if (status == FO_OK) status = foi_search_probe(f, 1, b->g);
    if (status == FO_OK) status = foi_search_finite(w, o, o->t1, b->g);
    return status == FO_OK ? slopes(f, b, COARSE) : status;
}

// A guard that stands at zero unfired and leaves it in its direction fires where it stands.
static bool leaves(foi_search *f)
{
    foi_watch *w = f->w;
    bool any = false;
    for (uint32_t i = 0; i < w->guards; i++) {
        foi_guard_side *guard = &w->ahead_guard[i];
        if (guard->side != 0 || guard->fired) continue;
        int way = side_from(f, i, f->stack[f->top].theta - f->a.theta);
        w->crossed[i] = way && foi_search_wanted(w, i, way);
        w->way[i] = (int8_t)way;
        any |= w->crossed[i];
    }
    return any;
}

// Understands the segment on top of the stack: splits it, passes it, or finds *theta in it.
static fo_status segment(foi_search *f, double *theta)
{
    foi_watch *w = f->w;
    foi_point *b = &f->stack[f->top];

    bool narrow = b->theta - f->a.theta <= 2 * f->resolution || f->top + 1 >= FOI_SEARCH_DEPTH;
    bool spent = f->splits >= (w->opaque ? MOST_SPLITS : MOST_PROVEN);
    f->probed = narrow;
    if (narrow || !w->opaque) {
        memcpy(f->middle, b->g, w->guards * sizeof(double));
        memcpy(f->quarter, b->g, w->guards * sizeof(double));
    }
    fo_status status = w->opaque ? look_inside(f) : FO_OK;
    verdict worst = NONE;
    if (status == FO_OK) status = ask(f, narrow || spent, &worst);
    if (status != FO_OK) return status;
    if (worst == SPLIT) return split(f);
    if (spent && !narrow) w->given_up++;
    *theta = INFINITY;
    if (worst == CROSS && (status = foi_search_locate(f, narrow, theta)) != FO_OK) return status;
    if (w->conditions) {
        double found;
        status = ask_conditions(f, fmin(*theta, b->theta), &found);
        if (found < *theta) *theta = found;
    }
    if (status == FO_OK && *theta == INFINITY) go_on(f);
    return status;
}

fo_status foi_watch_search(foi_watch *w, foi_solver *o, double from, double *root)
{
    foi_search f; // its stack is large: only what is used is set
    f.w = w, f.o = o, f.last = NAN, f.top = -1, f.splits = 0, f.probed = false, f.a.fine = false;
    *root = INFINITY;
    fo_status status = foi_solver_dense(o);
    if (status == FO_OK) status = begin(&f, from);
    if (status == FO_OK && stands_at_zero(w, false)) {
        status = look_inside(&f);
        if (status == FO_OK && leaves(&f)) {
            *root = from;
            foi_dense_at(o, f.a.theta, w->x);
            return FO_OK;
        }
    }
    double theta = INFINITY;
    while (status == FO_OK && f.top >= 0) {
        status = segment(&f, &theta);
        if (status == FO_OK && theta < INFINITY) return settle_root(&f, theta, root);
    }
    for (uint32_t i = 0; i < w->guards; i++) w->slope[i] = f.a.d[i] / f.h;
    w->slope_valid = true;
    return status;
}
