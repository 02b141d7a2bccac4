/// delay(expression, lag, largest lag): the histories of what is delayed; and what lies in the
/// pipes of spatialDistribution() (profile.h), whose two ends are a delay each here, with the way
/// that was flown in the place of the lag.
///
/// After every step the expressions and their slopes are recorded (history.h), so that rates may
/// ask for what they were at t - lag: steps are no longer than an eighth of the lag, and what a
/// rejected step would have needed from the future is FO_RETRY. Where a history has a turning point
/// of order k (a jump of its k-th derivative; the start is one of order 1) the delayed value has
/// one lag later, which is a moment known in advance, and the solution after it one of order k + 1
/// [Bellen and Zennaro, Numerical Methods for Delay Differential Equations, 2003, ch. 2]. These are
/// followed up to the order that the interpolation can see.
///
/// Between the ends of a step as many points are recorded as it takes for the history to be within
/// a tenth of the tolerance of the expression there: nothing else limits a step over
/// delay(sin(time), T). Slopes are those of the step's dense output, not the rates: of a stiff
/// state these are noise.
///
///     scratch:  delayed values | lags | largest | expressions | slopes | rates of the states |
///               values and slopes of the next point | values inside of its interval, place by
///               place | states | their derivatives
///     due:      order of the turning point of this moment, or -1 | rtol | atol | the time that was
///               recorded with a step | that of the last moment | slopes by the rates there
#include <float.h>
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "program/history.h"
#include "program/program.h"

enum { DUE_ORDER, DUE_RTOL, DUE_ATOL, DUE_TIME, DUE_MOMENT, DUE_SLOPES };

static foi_history *history(const foi_program *g, const fo_state *s, uint32_t i)
{
    return (foi_history *)(foi_memory(s, g->history) + (size_t)i * FOI_HISTORY_SIZE);
}

// Of the two delays of a pipe the first has its contents.
static foi_profile *pipe_of(const foi_program *g, const fo_state *s, uint32_t i)
{
    return g->delay_contents[i] ? (foi_profile *)history(g, s, i) : NULL;
}

// Whether it is the end of a pipe.
static bool is_end(const foi_program *g, uint32_t i)
{
    return g->delay_contents[i] || (i && g->delay_contents[i - 1]);
}

size_t foi_delays_memory(const foi_program *g)
{
    return (size_t)g->delays * FOI_HISTORY_SIZE;
}

size_t foi_delays_scratch(const foi_program *g)
{
    return g->delays ? (7 + FOI_INSIDE) * (size_t)g->delays + 3 * (size_t)g->about.states.count : 0;
}

size_t foi_delays_due(const foi_program *g)
{
    return g->delays ? DUE_SLOPES + (size_t)g->delays : 0;
}

// With several delays the turning points multiply; those of high order are then left alone.
static int highest_order(const foi_program *g)
{
    return g->delays <= 2 ? 5 : g->delays <= 5 ? 3 : 1;
}

static foi_node usual_number(void *self, foi_graph *g, foi_node leaf)
{
    const foi_plan *p = self;
    if (!foi_is_leaf(g, leaf, FOI_LEAF_PARAMETER)) return leaf;
    uint32_t i = g->nodes[leaf].b;
    p->e->variables[p->parameters[i]].flat->asked = true;
    return foi_constant(g, p->parameter_start[i]);
}

static bool usual(foi_plan *p, foi_node n, double *value)
{
    n = foi_graph_replace(&p->e->g, n, usual_number, p);
    if (foi_is_constant(&p->e->g, n)) *value = foi_constant_value(&p->e->g, n);
    return foi_is_constant(&p->e->g, n) && *value > 0;
}

double foi_delays_longest_step(foi_plan *p)
{
    double least = INFINITY, value;
    for (uint32_t i = 0; i < p->e->delay_count; i++)
        if (p->delay_steps[i] || p->e->delays[i].contents)
            continue; // where it jumps is a moment, and between them it is what it was
        else if (usual(p, p->delay_lag[i], &value))
            least = foi_fmin(least, value / 8);
        else if (usual(p, p->delay_most[i], &value))
            least = foi_fmin(least, value / 16);
    return isinf(least) ? 0 : least;
}

// ------------------------------------------------------------------------------------------- lags

static fo_status lags_now(const foi_program *g, const fo_state *s, const foi_given *given,
                          const double **lags, const double **most)
{
    double *results = foi_program_lags(g, s) + g->delays;
    fo_status status = foi_program_run(g, s, FOI_TASK_LAGS, given, results);
    *lags = results, *most = results + g->delays;
    for (uint32_t i = 0; i < g->delays && status == FO_OK; i++) {
        double lag = (*lags)[i], largest = (*most)[i];
        if (is_end(g, i)) continue;
        if (!(lag > 0) && g->delay_stands[i])
            return fo_refuse(s, "the delay time of delay() in line %u must be positive, is %g",
                             g->delay_line[i], lag);
        if (!(lag >= 0) || lag > largest * (1 + 1e-12))
            return fo_refuse(s,
                             "at t = %.15g the delay time of delay() in line %u is %g; it must "
                             "stay between 0 and its largest value %g",
                             given->t, g->delay_line[i], lag, largest);
    }
    return status;
}

fo_status foi_delays_read(const foi_program *g, const fo_state *s, const foi_given *given,
                          const double **values)
{
    const double *lags, *most;
    double *out = foi_program_lags(g, s);
    fo_status status = lags_now(g, s, given, &lags, &most);
    *values = out;
    for (uint32_t i = 0; i < g->delays && status == FO_OK; i++)
        if (pipe_of(g, s, i)) {
            for (int side = 0; side < 2; side++)
                if (!foi_profile_at(pipe_of(g, s, i), side, lags[i], &out[i + (uint32_t)side]))
                    status = FO_RETRY;
            i++;
        } else if (!foi_history_at(history(g, s, i), given->t - lags[i], g->delay_stands[i],
                                   &out[i])) {
            if (g->delay_steps[i])
                out[i] = foi_history_last(history(g, s, i));
            else
                status = FO_RETRY;
        }
    return status;
}

// A lag that may move is not followed (it is computed at a corner of the box here, where it need
// not make sense); nor is a stretch at a turning point.
void foi_delays_enclose(const foi_program *g, const fo_state *s, const foi_given *given,
                        const fo_stretch *on, foi_enclosed *r)
{
    double *lags = foi_program_lags(g, s) + g->delays;
    bool known = foi_program_run(g, s, FOI_TASK_LAGS, given, lags) == FO_OK;
    for (uint32_t i = 0; i < g->delays; i++) {
        r[i] = foi_enclosed_anything(FO_NOT_ENCLOSED);
        if (!known || !g->delay_stands[i] || !(lags[i] > 0 && lags[i] < INFINITY)) continue;
        foi_interval lag = {lags[i], lags[i]}, t = {on->t_lo, on->t_hi};
        if (!foi_history_enclose(history(g, s, i), foi_i_subtract(t, lag), &r[i]))
            r[i] = foi_enclosed_anything(FO_NOT_ENCLOSED);
    }
}

// -------------------------------------------------------------------------------------- recording

static fo_status expressions_now(const foi_program *g, const fo_state *s, double t, const double *x,
                                 const double **values)
{
    foi_given given;
    foi_give(&given, g, s, t, x);
    double *results = foi_program_lags(g, s) + 3 * (size_t)g->delays;
    *values = results;
    return foi_program_run(g, s, FOI_TASK_DELAYS, &given, results);
}

// `rates`: of the states; NULL: those of the program.
static fo_status slopes_now(const foi_program *g, const fo_state *s, double t, const double *x,
                            const double *rates, const double **slopes)
{
    foi_given given;
    foi_give(&given, g, s, t, x);
    double *results = foi_program_lags(g, s) + 4 * (size_t)g->delays, *own = results + g->delays;
    fo_status status = rates ? FO_OK : foi_program_run(g, s, FOI_TASK_RATES, &given, own);
    given.from[FOI_LEAF_RATE] = rates ? rates : own;
    *slopes = results;
    if (status != FO_OK) return status;
    return foi_program_run(g, s, FOI_TASK_DELAY_RATES, &given, results);
}

// The pipes have their contents, whatever enters then.
static fo_status begin_pipes(const foi_program *g, fo_state *s)
{
    const double *lags, *most;
    foi_given given;
    foi_give(&given, g, s, s->t, s->x);
    fo_status status = lags_now(g, s, &given, &lags, &most);
    for (uint32_t i = 0; i < g->delays && status == FO_OK; i++)
        if (g->delay_contents[i])
            foi_profile_begin(pipe_of(g, s, i), g->delay_contents[i], s->t, lags[i]);
    return status;
}

// What is delayed may be delayed itself: such values find their place in as many turns.
fo_status foi_delays_begin(const foi_program *g, fo_state *s)
{
    const double *values;
    fo_status begun = FO_OK;
    bool pipes = false;
    for (uint32_t i = 0; i < g->delays; i++)
        if (is_end(g, i))
            pipes = true;
        else
            foi_history_begin(history(g, s, i), s->t, 0);
    if (pipes && (begun = begin_pipes(g, s)) != FO_OK) return begun;
    double *due = foi_memory(s, g->due);
    due[DUE_ORDER] = 1, due[DUE_RTOL] = 1e-6, due[DUE_ATOL] = 0;
    due[DUE_TIME] = due[DUE_MOMENT] = NAN;
    for (uint32_t i = 0; i < g->delays; i++) due[DUE_SLOPES + i] = NAN;
    for (uint32_t turn = 0; turn <= g->delays; turn++) {
        fo_status status = expressions_now(g, s, s->t, s->x, &values);
        if (status != FO_OK) return status;
        bool changed = false;
        for (uint32_t i = 0; i < g->delays; i++) {
            foi_history *h = history(g, s, i);
            if (is_end(g, i)) continue;
            changed |= h->points[0].value != values[i];
            foi_history_begin(h, s->t, values[i]);
        }
        if (!changed) break;
    }
    return FO_OK;
}

static fo_status add(const foi_program *g, fo_state *s, uint32_t i, double t, double value,
                     double slope, const foi_bend *bend, double most, int order)
{
    const double *due = foi_memory(s, g->due);
    foi_keeping as = {due[DUE_RTOL], due[DUE_ATOL], most};
    if (foi_history_add(history(g, s, i), t, value, slope, bend, as, order)) return FO_OK;
    return fo_refuse(
        s,
        "the history of delay() in line %u is full at t = %.15g: it moves too fast, or "
        "has too many moments, for %g s (at most some %d points)",
        g->delay_line[i], t, most, FOI_HISTORY_ROOM);
}

static fo_status enter(const foi_program *g, fo_state *s, uint32_t i, const foi_inflow *new,
                       const foi_bends *bends)
{
    const double *due = foi_memory(s, g->due);
    foi_keeping as = {due[DUE_RTOL], due[DUE_ATOL], INFINITY};
    if (foi_profile_add(pipe_of(g, s, i), new, bends, as)) return FO_OK;
    return fo_refuse(s,
                     "the contents of spatialDistribution() in line %u are full at t = "
                     "%.15g: too many moments (at most some %d in a pipe)",
                     g->delay_line[i], new->t, FOI_PROFILE_ROOM / 4);
}

fo_status foi_delays_record(const foi_program *g, fo_state *s, double t, const double *x)
{
    foi_given given;
    foi_give(&given, g, s, t, x);
    const double *values, *slopes, *lags, *most;
    double *due = foi_memory(s, g->due);
    bool told = due[DUE_TIME] == t; // by the step that ends here
    fo_status status = expressions_now(g, s, t, x, &values);
    if (status == FO_OK) status = slopes_now(g, s, t, x, NULL, &slopes);
    if (status == FO_OK) status = lags_now(g, s, &given, &lags, &most);
    for (uint32_t i = 0; i < g->delays && status == FO_OK; i++) {
        uint32_t k = g->delay_rate_of[i];
        if (is_end(g, i)) {
            foi_inflow end = {t, lags[i], {values[i], 0}};
            if (!g->delay_contents[i]) continue;
            end.entry[1] = values[i + 1];
            if ((status = enter(g, s, i, &end, NULL)) != FO_OK) return status;
            continue;
        }
        double slope = k == FOI_NOTHING ? NAN : slopes[k], *was = &due[DUE_SLOPES + i];
        bool stays = told || slope == *was;
        *was = slope;
        status = add(g, s, i, t, values[i],
                     stays ? foi_history_slope(history(g, s, i), t, slope) : slope, NULL, most[i],
                     (int)due[DUE_ORDER]);
    }
    due[DUE_ORDER] = -1, due[DUE_TIME] = NAN;
    if (!told) due[DUE_MOMENT] = t;
    return status;
}

// ------------------------------------------------------------------------------- inside of a step

enum {
    MOST_PARTS = 256,      ///< of a step
    MOST_TURNS = 64,       ///< looked for in a step
    COARSE = 10,           ///< times that, where a pipe has no room for more
    MOST_INSIDE = 1 << 12, ///< parts of a step of what enters a pipe
    NEAR = 64,             ///< ulps of time
    BESIDE = 4,            ///< and those that bisection may be off
    KINK = 64,             ///< times what a history may be off, which is eight times over part / 8
    ROUGH = 100,           ///< times that, which is ten tolerances
};

#define DEEPEST 0x1p-40 // part of a step

typedef struct recorder {
    const foi_program *g;
    fo_state *s;
    const fo_path *path;
    double *values, *slopes, *x, *dx; ///< of the next point
    double *inside;                   ///< values at places of the interval up to it
    const double *most;
    uint32_t wrong; ///< the history that does not foresee what is to come
    double behind;  ///< the first instant behind the turning point that was found
    double blur;    ///< what rounding of time does to the value there
    double least;   ///< part of the step
} recorder;

// What is constant between moments needs no points, and pipes keep their own.
static bool is_traced(const foi_program *g, uint32_t i)
{
    return !is_end(g, i) && !g->delay_steps[i];
}

// The next point is that at t; at the end of the path the state is the one that everybody sees.
static fo_status look_at(recorder *r, double t)
{
    const double *values, *slopes;
    const foi_program *g = r->g;
    r->path->at(r->path->self, t, r->x, r->dx);
    const double *x = t == r->path->to ? r->s->x : r->x;
    fo_status status = expressions_now(g, r->s, t, x, &values);
    if (status == FO_OK) memcpy(r->values, values, g->delays * sizeof(double));
    if (status == FO_OK) status = slopes_now(g, r->s, t, x, r->dx, &slopes);
    for (uint32_t i = 0; i < g->delays && status == FO_OK; i++) {
        uint32_t k = g->delay_rate_of[i];
        r->slopes[i] = k == FOI_NOTHING ? NAN : slopes[k];
    }
    return status;
}

// The next point of history i, which is at `end`.
static foi_point next_point(const recorder *r, uint32_t i, double end)
{
    return (foi_point){end, r->values[i], r->slopes[i], 0};
}

static foi_keeping keeping(const recorder *r, uint32_t i)
{
    const double *due = foi_memory(r->s, r->g->due);
    return (foi_keeping){due[DUE_RTOL], due[DUE_ATOL], r->most[i]};
}

// What the expressions are inside of the interval from the last point to `end`.
static fo_status look_inside(recorder *r, double from, double end)
{
    fo_status status = FO_OK;
    for (int k = 0; k < FOI_INSIDE && status == FO_OK; k++) {
        const double *values;
        double t = from + foi_inside[k] * (end - from);
        r->path->at(r->path->self, t, r->x, r->dx);
        status = expressions_now(r->g, r->s, t, r->x, &values);
        if (status != FO_OK) return status;
        memcpy(r->inside + (size_t)k * r->g->delays, values, r->g->delays * sizeof(double));
    }
    return status;
}

static foi_bend bend_of(const recorder *r, uint32_t i)
{
    double left = foi_history_last(history(r->g, r->s, i));
    return foi_bend_of(left, r->values[i], r->inside + i, r->g->delays);
}

// By how many times too much a history is off that goes on with the next point, at a part of the
// way from `from` to `end`.
static fo_status compare_at(recorder *r, double from, double end, double part, double *off)
{
    const double *values;
    double t = from + part * (end - from);
    r->path->at(r->path->self, t, r->x, r->dx);
    fo_status status = expressions_now(r->g, r->s, t, r->x, &values);
    for (uint32_t i = 0; i < r->g->delays && status == FO_OK; i++) {
        if (!is_traced(r->g, i)) continue;
        const foi_history *h = history(r->g, r->s, i);
        foi_point before = foi_history_point(h), next = next_point(r, i, end);
        foi_bend bend = bend_of(r, i);
        double is = foi_bend_at(&bend, before.value, next.value, part);
        double size = foi_fmax(fabs(values[i]), fabs(next.value));
        double most = foi_history_allows(h, size, keeping(r, i)) + foi_history_blur(&before, &next);
        if (is == values[i] || fabs(is - values[i]) <= *off * most) continue;
        *off = foi_fmax(fabs(is - values[i]) / most, 2), r->wrong = i;
        if (!(*off < INFINITY)) *off = INFINITY;
    }
    return status;
}

// The interval from `from` to `end`, which is looked at; and by how many times what it may be off
// it is: at three places that lie far from those that it is made from.
static fo_status look_between(recorder *r, double from, double end, double *off)
{
    static const double looks[] = {0.5, 0.22, 0.78};
    *off = 1;
    fo_status status = look_inside(r, from, end);
    if (status == FO_OK) status = look_at(r, end);
    for (int k = 0; k < 3 && status == FO_OK && *off <= 1; k++)
        status = compare_at(r, from, end, looks[k], off);
    return status;
}

// The point of the history that is wrong, at t.
static fo_status wrong_at(recorder *r, double t, foi_point *p)
{
    fo_status status = look_at(r, t);
    *p = next_point(r, r->wrong, t);
    return status;
}

// How far the line through one of two points, with its slope, misses the other: of a smooth
// expression that falls with the square of their distance, of one with a kink between them with the
// distance, and where it jumps not at all.
static double bend(const foi_point *a, const foi_point *b)
{
    double rise = b->value - a->value, by = b->t - a->t;
    return foi_fmax(fabs(rise - by * a->slope), fabs(rise - by * b->slope));
}

// The same where slopes are not known: how far two points between them are off their chord.
static fo_status bow(recorder *r, const foi_point *a, const foi_point *b, double *off)
{
    *off = 0;
    fo_status status = FO_OK;
    for (int k = 1; k <= 2 && status == FO_OK; k++) {
        foi_point m;
        double part = k / 3.0;
        status = wrong_at(r, a->t + part * (b->t - a->t), &m);
        double chord = a->value + (m.t - a->t) / (b->t - a->t) * (b->value - a->value);
        *off = foi_fmax(*off, fabs(m.value - chord));
    }
    return status;
}

// Makes a .. b narrower around where the expression bends most. *on is false where doubles end.
static fo_status narrow_by_slopes(recorder *r, foi_point *a, foi_point *b, bool *on)
{
    foi_point m;
    double middle = a->t + 0.5 * (b->t - a->t);
    *on = middle > a->t && middle < b->t;
    fo_status status = *on ? wrong_at(r, middle, &m) : FO_OK;
    if (status != FO_OK || !*on) return status;
    if (bend(a, &m) > bend(&m, b))
        *b = m;
    else
        *a = m;
    return FO_OK;
}

// By two parts that overlap, so that the place is well inside of one of them.
static fo_status narrow_by_values(recorder *r, foi_point *a, foi_point *b, bool *on)
{
    foi_point p, q;
    double by = (b->t - a->t) / 3, left, right;
    *on = a->t + by > a->t && a->t + by < b->t - by && b->t - by < b->t;
    if (!*on) return FO_OK;
    fo_status status = wrong_at(r, a->t + by, &p);
    if (status == FO_OK) status = wrong_at(r, b->t - by, &q);
    if (status == FO_OK) status = bow(r, a, &q, &left);
    if (status == FO_OK) status = bow(r, &p, b, &right);
    if (status != FO_OK) return status;
    if (left > right)
        *b = q;
    else
        *a = p;
    return FO_OK;
}

// By how much the slope changes at a .. b, over a distance on either side.
static fo_status slope_change(recorder *r, const foi_point *a, const foi_point *b, double by,
                              double *change)
{
    foi_point left, right;
    fo_status status = wrong_at(r, a->t - by, &left);
    if (status == FO_OK) status = wrong_at(r, b->t + by, &right);
    if (status != FO_OK) return status;
    *change = fabs((right.value - b->value) / (right.t - b->t) -
                   (a->value - left.value) / (a->t - left.t));
    return FO_OK;
}

static double off_of(const recorder *r, uint32_t i)
{
    return foi_history_allows(history(r->g, r->s, i), 0, keeping(r, i));
}

// Whether the expression has a kink at a .. b that is seen over `part`. A smooth one changes its
// slope by less the nearer one looks.
static fo_status is_kink(recorder *r, const foi_point *a, const foi_point *b, double part, bool *is)
{
    double near = 0, far = 0, off = off_of(r, r->wrong);
    *is = fabs(b->slope - a->slope) * part > off;
    if (!isnan(a->slope) && !isnan(b->slope)) return FO_OK;
    fo_status status = slope_change(r, a, b, part / 8, &far);
    if (status == FO_OK) status = slope_change(r, a, b, part / 64, &near);
    *is = near * part > off && near > 0.5 * far;
    return status;
}

// A step over a relation that makes no moment (in what is delayed none does), or over what comes
// out of a delay whose lag moves: the expression jumps there, or has a kink. Between two instants
// the place is closed in on to neighbouring doubles. *turn is the time before it, or INFINITY: it
// only moves fast.
static fo_status find_turn(recorder *r, double t, double end, double *turn)
{
    foi_point a, b;
    bool on = true, is = false;
    bool known = foi_history_begins(history(r->g, r->s, r->wrong));
    double near = NEAR * DBL_EPSILON * fabs(t);
    *turn = INFINITY;
    // it may be at t but for rounding
    fo_status status = wrong_at(r, known ? t + near : t - near, &a);
    if (status == FO_OK) status = wrong_at(r, end, &b);
    if (status == FO_OK) r->blur = foi_history_blur(&a, &b);
    while (on && status == FO_OK)
        status = isnan(a.slope) || isnan(b.slope) ? narrow_by_values(r, &a, &b, &on)
                                                  : narrow_by_slopes(r, &a, &b, &on);
    if (status != FO_OK) return status;
    bool jumps = fabs(b.value - a.value) > off_of(r, r->wrong) + r->blur;
    // how the last doubles lie is chance: the slopes some of them away
    double by = BESIDE * DBL_EPSILON * fabs(t);
    status = wrong_at(r, a.t - by, &a);
    if (status == FO_OK) status = wrong_at(r, b.t + by, &b);
    if (status == FO_OK) status = is_kink(r, &a, &b, end - t, &is);
    is = is || jumps;
    if (status == FO_OK && is) *turn = foi_fmax(a.t, t), r->behind = foi_fmax(b.t, t + near);
    return status;
}

static bool turns(const recorder *r, uint32_t i, const foi_point *a, const foi_point *b)
{
    return fabs(b->slope - a->slope) * r->least > off_of(r, i);
}

// A point that is next to the last one but for rounding, with another slope, begins a new piece.
static fo_status add_all(recorder *r, double t)
{
    fo_status status = FO_OK;
    for (uint32_t i = 0; i < r->g->delays && status == FO_OK; i++) {
        if (!is_traced(r->g, i)) continue;
        foi_point before = foi_history_point(history(r->g, r->s, i)), next = next_point(r, i, t);
        bool near = t - before.t <= NEAR * DBL_EPSILON * fabs(t);
        foi_bend bend = near ? (foi_bend){{0}} : bend_of(r, i);
        for (int k = 0; k <= (near && turns(r, i, &before, &next)) && status == FO_OK; k++)
            status = add(r->g, r->s, i, t, next.value, next.slope, &bend, r->most[i], k ? 1 : -1);
    }
    return status;
}

// The history that turns at the last point goes on with what comes behind it, and so do others that
// turn there.
static fo_status add_turns(recorder *r, double t)
{
    fo_status status = look_at(r, r->behind);
    for (uint32_t i = 0; i < r->g->delays && status == FO_OK; i++) {
        foi_point before = foi_history_point(history(r->g, r->s, i)), after = next_point(r, i, t);
        bool jumps = fabs(after.value - before.value) > off_of(r, i) + NEAR * r->blur;
        bool too = jumps || turns(r, i, &before, &after);
        if (!is_traced(r->g, i) || before.t != t || (i != r->wrong && !too)) continue;
        status = add(r->g, r->s, i, t, jumps ? after.value : before.value, after.slope, NULL,
                     r->most[i], 1);
    }
    return status;
}

// By how much the slope of history i changes at its last point, over a distance on either side.
static fo_status change_at_last(recorder *r, uint32_t i, double by, double *change)
{
    const foi_history *h = history(r->g, r->s, i);
    foi_point p = foi_history_point(h);
    double before, left = p.t - by, right = p.t + by;
    *change = 0;
    if (!foi_history_at(h, left, false, &before)) return FO_OK;
    fo_status status = look_at(r, right);
    double rise = (r->values[i] - p.value) / (right - p.t);
    if (status == FO_OK) *change = fabs(rise - (p.value - before) / (p.t - left));
    return status;
}

// Where slopes are not known nobody sees that a moment has changed them: a kink in what came out of
// another delay, a state whose rate jumps. Such a history begins a new piece. A smooth one changes
// its slope half as much over half the distance.
static fo_status turn_at_last(recorder *r, double from, double part)
{
    fo_status status = FO_OK;
    for (uint32_t i = 0; i < r->g->delays && status == FO_OK; i++) {
        const foi_history *h = history(r->g, r->s, i);
        double near = 0, far = 0, off = off_of(r, i);
        if (!is_traced(r->g, i) || r->g->delay_rate_of[i] != FOI_NOTHING) continue;
        foi_point p = foi_history_point(h);
        if (p.t != from || foi_history_begins(h)) continue;
        status = change_at_last(r, i, part / 8, &near);
        if (status == FO_OK) status = change_at_last(r, i, part / 4, &far);
        bool is = near * part > KINK * off && near > 0.75 * far;
        if (status == FO_OK && is)
            status = add(r->g, r->s, i, p.t, p.value, NAN, NULL, r->most[i], 1);
    }
    return status;
}

// What is at the end of an interval, behind all of it that is recorded: where it turns, what comes
// behind that.
static fo_status record_part(recorder *r, double t, double end, bool turns)
{
    fo_status status = end > t ? add_all(r, end) : FO_OK;
    return turns && status == FO_OK ? add_turns(r, end) : status;
}

// From the last point on, in parts that are halved until they are right. Where that does not end
// there is a turning point that nobody told, or something that moves without end at one instant
// (the root of what leaves zero), which is followed until it is right within ten tolerances.
static fo_status record_parts(recorder *r, double from)
{
    double to = r->path->to, part = to - from, turn = INFINITY, searched = NAN;
    double deepest = foi_fmax(part * DEEPEST, NEAR * DBL_EPSILON * fabs(to));
    uint32_t turns = 0, turning = 0;
    r->least = part / MOST_PARTS;
    for (double t = from; t < to;) {
        double stop = foi_fmin(to, turn), end = part >= stop - t ? stop : t + part, off = 1;
        if (!(end > t) && t != turn) return FO_OK;
        fo_status status = end > t ? look_between(r, t, end, &off) : FO_OK;
        // what comes out of a short lag may not be recorded yet
        bool right = status == FO_OK && off <= 1, far = status == FO_RETRY || off > ROUGH;
        if (status != FO_OK && status != FO_RETRY) return status;
        if (!right && part > (far && searched == t ? deepest : r->least)) {
            part = foi_fmin(part, end - t) / 2;
            continue;
        }
        if (status != FO_OK) {
            if (!(part > deepest)) return status;
            searched = t;
            continue;
        }
        if (!right && searched != t && turns++ < MOST_TURNS) {
            double found;
            uint32_t wrong = r->wrong;
            searched = t;
            if ((status = find_turn(r, t, end, &found)) != FO_OK) return status;
            if (found < stop) turn = found, turning = wrong;
            continue;
        }
        if (end == turn) r->wrong = turning;
        status = record_part(r, t, end, end == turn);
        if (status != FO_OK) return status;
        if (end == turn) searched = end, turn = INFINITY;
        t = end;
        if (right) part *= 2;
    }
    foi_memory(r->s, r->g->due)[DUE_TIME] = to;
    return FO_OK;
}

// What enters pipe i at a time of the step.
static fo_status enters_at(recorder *r, uint32_t i, double t, foi_inflow *e)
{
    const double *values, *lags, *most;
    foi_given given;
    r->path->at(r->path->self, t, r->x, r->dx);
    const double *x = t == r->path->to ? r->s->x : r->x;
    foi_give(&given, r->g, r->s, t, x);
    fo_status status = expressions_now(r->g, r->s, t, x, &values);
    if (status == FO_OK) *e = (foi_inflow){t, 0, {values[i], values[i + 1]}};
    if (status == FO_OK) status = lags_now(r->g, r->s, &given, &lags, &most);
    if (status == FO_OK) e->x = lags[i];
    return status;
}

// The interval up to what enters at t, how it bends, and by how many times it is off too much.
static fo_status enter_between(recorder *r, uint32_t i, double t, foi_inflow *end, foi_bends *bends,
                               double *off)
{
    static const double looks[] = {0.5, 0.22, 0.78, 0.96}; // the last one for kinks near the end
    const foi_profile *p = pipe_of(r->g, r->s, i);
    const double *due = foi_memory(r->s, r->g->due);
    foi_keeping as = {due[DUE_RTOL], due[DUE_ATOL], INFINITY};
    foi_inflow inside[FOI_INSIDE], between;
    fo_status status = enters_at(r, i, t, end);
    *off = 0;
    for (int k = 0; k < FOI_INSIDE && status == FO_OK; k++)
        status = enters_at(r, i, p->t + foi_inside[k] * (t - p->t), &inside[k]);
    if (status != FO_OK) return status;
    *bends = foi_profile_bends(p, end, inside);
    for (int k = 0; k < 4 && status == FO_OK && *off <= 1; k++) {
        status = enters_at(r, i, p->t + looks[k] * (t - p->t), &between);
        if (status == FO_OK) *off = foi_profile_misses(p, end, bends, &between, as);
    }
    return status;
}

// A pipe goes on in parts that are halved until they are right. A kink or jump, which no moment
// tells, is somewhere in the smallest of them. Where there is room for the ends of steps only, what
// is far off between them is not hidden.
static fo_status record_pipe(recorder *r, uint32_t i)
{
    foi_profile *p = pipe_of(r->g, r->s, i);
    double to = r->path->to, part = to - p->t, least = part / MOST_INSIDE;
    while (p->t < to) {
        bool last = !(p->t + part < to), room = foi_profile_has_room(p);
        double t = room && !last ? p->t + part : to, off;
        foi_inflow end;
        foi_bends bends;
        fo_status status = enter_between(r, i, t, &end, &bends, &off);
        if (status != FO_OK || end.x == p->x) return status;
        if (off > 1 && room && part > least) {
            part = foi_fmin(part, to - p->t) / 2;
            continue;
        }
        if (off > COARSE && !room)
            return fo_refuse(r->s,
                             "the contents of spatialDistribution() in line %u are full at t = "
                             "%.15g: what enters moves too fast (at most some %d points in a pipe)",
                             r->g->delay_line[i], p->t, FOI_PROFILE_ROOM / 2);
        if ((status = enter(r->g, r->s, i, &end, &bends)) != FO_OK) return status;
        if (off <= 1) part *= 2;
    }
    return FO_OK;
}

fo_status foi_delays_between(const void *model, fo_state *s, const fo_path *path)
{
    const foi_program *g = model;
    double *due = foi_memory(s, g->due), from = path->from;
    const double *lags, *most;
    foi_given given;
    foi_give(&given, g, s, path->to, s->x);
    due[DUE_RTOL] = path->rtol, due[DUE_ATOL] = path->atol;
    fo_status status = lags_now(g, s, &given, &lags, &most);
    double *room = foi_program_lags(g, s) + 5 * (size_t)g->delays + g->about.states.count;
    recorder r = {.g = g, .s = s, .path = path, .values = room, .most = most};
    r.slopes = room + g->delays, r.inside = r.slopes + g->delays;
    r.x = r.inside + FOI_INSIDE * (size_t)g->delays, r.dx = r.x + g->about.states.count;
    bool any = false;
    for (uint32_t i = 0; i < g->delays && status == FO_OK; i++)
        if (g->delay_contents[i]) status = record_pipe(&r, i);
    if (status == FO_RETRY) status = FO_OK;
    if (status == FO_OK) status = lags_now(g, s, &given, &lags, &most);
    for (uint32_t i = 0; i < g->delays; i++) {
        if (!is_traced(g, i)) continue;
        any = true;
        from = foi_fmax(from, foi_history_end(history(g, s, i)));
    }
    if (status != FO_OK || !any || !(path->to > from)) return status;
    if (due[DUE_MOMENT] == from) status = turn_at_last(&r, from, path->to - from);
    if (status == FO_OK) status = record_parts(&r, from);
    return status == FO_RETRY ? FO_OK : status;
}

// ---------------------------------------------------------------------------------- turning points

double foi_delays_next(const foi_program *g, const fo_state *s, uint32_t *which)
{
    const double *lags, *most;
    double next = INFINITY;
    foi_given given;
    foi_give(&given, g, s, s->t, s->x);
    *which = 0;
    if (lags_now(g, s, &given, &lags, &most) != FO_OK) return next;
    for (uint32_t i = 0; i < g->delays; i++) {
        if (!g->delay_stands[i]) continue;
        double t = foi_fmax(foi_history_turn(history(g, s, i)) + lags[i], s->t);
        if (t < next) next = t, *which = i;
    }
    return next;
}

fo_status foi_delays_pass(const foi_program *g, fo_state *s)
{
    const double *lags, *most;
    foi_given given;
    foi_give(&given, g, s, s->t, s->x);
    fo_status status = lags_now(g, s, &given, &lags, &most);
    if (status != FO_OK) return status;
    for (uint32_t i = 0; i < g->delays; i++) {
        foi_history *h = history(g, s, i);
        while (g->delay_stands[i] && foi_history_turn(h) + lags[i] <= s->t) {
            int order = foi_history_pass(h) + 1;
            double *due = foi_memory(s, g->due);
            if (order <= highest_order(g) && (*due < 0 || order < *due)) *due = order;
        }
    }
    return FO_OK;
}
