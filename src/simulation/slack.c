/// How far rounding errors reach: what counts as zero while a guard rests.
///
/// A guard that has just had its moment is at zero but for errors: of the time of the moment, which
/// is known to some units in the last place; of the states; and of its own evaluation. A jump may
/// change what these errors do: x = A sin(w) where A falls from 1e6 to 1e-12, the voltage of a
/// diode that is its current from then on. Then what counted as zero may be all that the guard ever
/// is, and its crossings would be lost. So after a jump it is measured anew, as the guard now is:
/// over what the states moved in the time that is unsure (they have come by the step's polynomial),
/// and some units in the last place of each. A state that the jump has set has the value that was
/// set.
#include <float.h>
#include <math.h>

#include "base/inline.h"
#include "math/math.h"
#include "simulation/search.h"
#include "simulation/watch.h"

enum { ULPS = 64 }; // errors that states gather from step to step (together.c)

/// A part of the last step around the present instant.
typedef struct around {
    double from, to; ///< theta; both the same: nothing is known of how the states came here
    double theta;
} around;

// Whether the simulation stands at a moment on the solver's last step.
static bool comes_by_step(const foi_watch *w, const foi_solver *o, const fo_state *s)
{
    return w->unsure_at == s->t && o->dense_ready && o->t1 > o->t0 && s->t >= o->t0 &&
           s->t <= o->t1;
}

static double theta_of(const foi_solver *o, const fo_state *s)
{
    return s->t == o->t1 ? 1 : (s->t - o->t0) / (o->t1 - o->t0);
}

// What the time of the moment is unsure by, `times` over.
static around around_now(const foi_watch *w, const foi_solver *o, const fo_state *s, double times)
{
    if (!comes_by_step(w, o, s)) return (around){0};
    double theta = theta_of(o, s), by = times * w->unsure / (o->t1 - o->t0);
    return (around){foi_fmax(0, theta - by), foi_fmin(1, theta + by), theta};
}

// Whether a jump has set the state, which came to be `came`.
static bool is_set(double x, double came)
{
    return !(fabs(x - came) <= ULPS * DBL_EPSILON * fabs(came));
}

// ---------------------------------------------------------------------------------- by enclosures

/// A box around (t, x).
typedef struct box {
    double part; ///< of each state's size, and of time
    around on;   ///< and what states pass there
} box;

// The enclosure of all guards over the box, into the rows of work behind the values. *wide is false
// where the box is a point.
static fo_status enclose_box(foi_watch *w, const foi_solver *o, const fo_state *s, const box *b,
                             bool *wide)
{
    size_t g = w->guards, n = w->states;
    double *row = w->work + g; // the first row holds values
    fo_bounds values = {row, row + g}, x = {row + 2 * g, row + 2 * g + n};
    fo_stretch on = {.t_lo = s->t, .t_hi = s->t, .x = x};
    bool moves = b->on.to > b->on.from;
    if (moves) foi_dense_stretch(o, b->on.from, b->on.to, &on);
    if (moves) foi_dense_at(o, b->on.theta, w->x);
    on.t_lo = foi_fmin(on.t_lo, s->t) - b->part * fabs(s->t);
    on.t_hi = foi_fmax(on.t_hi, s->t) + b->part * fabs(s->t);
    *wide = on.t_lo < on.t_hi;
    for (size_t i = 0; i < n; i++) {
        double reach = b->part * fabs(s->x[i]), lo = s->x[i], hi = s->x[i];
        if (moves && !is_set(s->x[i], w->x[i]))
            lo = foi_fmin(lo, x.lo[i]), hi = foi_fmax(hi, x.hi[i]);
        x.lo[i] = lo - reach, x.hi[i] = hi + reach;
        *wide |= x.lo[i] < x.hi[i];
    }
    for (size_t i = 0; i < g; i++)
        values.lo[i] = -INFINITY, values.hi[i] = INFINITY, w->nature[i] = 0;
    fo_enclosure e = {.g = values, .nature = w->nature};
    on.dx = on.x_mid = (fo_bounds){0};
    return o->system.type->guard_bounds(o->system.model, s, &on, &e);
}

// The width of each guard's enclosure, where zero is in it; 0 where rounding errors do not hide the
// sign, or where it may jump.
static void take_widths(const foi_watch *w, double *sigma)
{
    const double *lo = w->work + w->guards, *hi = lo + w->guards;
    for (uint32_t i = 0; i < w->guards; i++) {
        bool hides = lo[i] <= 0 && hi[i] >= 0 && w->nature[i] == 0;
        sigma[i] = hides && hi[i] - lo[i] < INFINITY ? hi[i] - lo[i] : 0;
    }
}

// Boxes that are wider by so much.
static const double boxes[] = {0x1p20, 0x1p34};

// Of those that were not seen to grow so far, marked by a minus, which do over the wider box k: in
// proportion to it, or where they did not over the first one like its square. What has grown more
// slowly is wide by something else than the box. False: none is left.
static bool unmark(const foi_watch *w, int k, double *sigma)
{
    const double grows = 0x1p10, square = 0x1p21; // 2^14 in proportion, 2^28 like the square
    const double *lo = w->work + w->guards, *hi = lo + w->guards;
    double *first = w->work + 3 * (size_t)w->guards + 2 * (size_t)w->states;
    bool left = false;
    for (size_t i = 0; i < w->guards; i++) {
        double width = hi[i] - lo[i], more = width + sigma[i];
        if (k == 0) first[i] = more;
        bool is = width >= grows * -sigma[i] && width < INFINITY;
        if (k == 1) is = is && more >= square * first[i];
        if (sigma[i] < 0 && is) sigma[i] = -sigma[i];
        left |= sigma[i] < 0;
    }
    return left;
}

// With bounds: the width of the guard's enclosure over a box of two units in the last place around
// (t, x), and, `moved`, of what is unsure. That is eps (sum |dg/dx_i| |x_i| + |dg/dt| |t|) and the
// error of the evaluation. Where zero is not in it, rounding errors do not hide the sign: just
// beside a pole, say. Nor is it a slack where it hides everything, as of sin(tan(x)) there: the
// width does not grow with the box; or has no bound, as of tan(x) * cos(x). Where a guard turns, as
// that of floor(2*sin(x)) at 2, it grows with the square of a wider one.
static fo_status box_error(foi_watch *w, const foi_solver *o, const fo_state *s, bool moved,
                           double *sigma)
{
    bool wide, left;
    box b = {.part = 2 * DBL_EPSILON};
    if (moved) b.on = around_now(w, o, s, 1);
    fo_status status = enclose_box(w, o, s, &b, &wide);
    take_widths(w, sigma);
    if (status != FO_OK || !wide) return status;
    for (size_t i = 0; i < w->guards; i++) sigma[i] = -sigma[i];
    for (int k = 0; k < 2 && status == FO_OK && (k == 0 || left); k++) {
        b.part = 2 * DBL_EPSILON * boxes[k];
        if (moved) b.on = around_now(w, o, s, boxes[k]);
        status = enclose_box(w, o, s, &b, &wide);
        left = unmark(w, k, sigma);
    }
    for (size_t i = 0; i < w->guards; i++) sigma[i] = foi_fmax(sigma[i], 0);
    return status;
}

fo_status foi_watch_rounding(foi_watch *w, const foi_solver *o, const fo_state *s, double ulps,
                             double *sigma)
{
    bool wide;
    box b = {.part = ulps * DBL_EPSILON};
    fo_status status = enclose_box(w, o, s, &b, &wide);
    take_widths(w, sigma);
    for (uint32_t i = 0; i < w->guards && status != FO_OK; i++) sigma[i] = 0;
    return status;
}

// Where it does not grow with the box it may be all that the guard is, as of sin(1/x) beside its
// pole: while that counts as zero, nothing is known of it.
fo_status foi_slack_gathered(foi_watch *w, const foi_solver *o, const fo_state *s, uint32_t i,
                             double *sigma)
{
    const double wider = 0x1p20, grows = 0x1p10;
    double *all = w->slope; // not valid at a jump
    fo_status status = foi_watch_rounding(w, o, s, ULPS, all);
    *sigma = all[i];
    if (status != FO_OK || *sigma == 0) return status;
    bool wide;
    box b = {.part = wider * ULPS * DBL_EPSILON};
    status = enclose_box(w, o, s, &b, &wide);
    const double *lo = w->work + w->guards, *hi = lo + w->guards;
    if (wide && !(hi[i] - lo[i] >= grows * *sigma)) w->tally[i].undecided++;
    return status;
}

// ---------------------------------------------------------------------------------- by differences

/// Where guards are measured; how many guards and states there are is constant where they are few.
typedef struct place {
    foi_watch *w;
    const foi_solver *o;
    const fo_state *s;
    size_t guards, states;
} place;

// The guards at (t, x), beside where the simulation stands; false where the model refuses that.
FOI_INLINE bool look(const place *p, double t, const double *x, double *g)
{
    const fo_system *system = &p->o->system;
    p->w->evaluations++;
    if (system->type->guards(system->model, p->s, t, x, g) == FO_OK) return true;
    p->o->message->status = FO_OK, p->o->message->text[0] = 0;
    return false;
}

// Whether the jump has set all states; w->x is where they had come to at theta.
FOI_INLINE bool sets_all(const place *p, double now)
{
    foi_dense_at(p->o, now, p->w->x);
    for (size_t i = 0; i < p->states; i++)
        if (!is_set(p->s->x[i], p->w->x[i])) return false;
    return true;
}

// The guards as they are now where the states came by at theta, or will, into `there`; those that a
// jump has set are as they are, and the others were at w->x.
static bool guards_beside(const place *p, double theta, double *there)
{
    const foi_solver *o = p->o;
    const double *now = p->s->x, *came = p->w->x;
    double *x = there + p->guards, t = theta == 1 ? o->t1 : o->t0 + theta * (o->t1 - o->t0);
    foi_dense_at(o, theta, x);
    for (size_t i = 0; i < p->states; i++)
        if (is_set(now[i], came[i])) x[i] = now[i];
    return look(p, t, x, there);
}

FOI_INLINE void add_changes(const place *p, const double *there, double factor, double *sigma)
{
    const double *g = p->w->work;
    for (size_t i = 0; i < p->guards; i++) {
        double change = fabs(there[i] - g[i]) * factor;
        if (change < INFINITY) sigma[i] += change;
    }
}

// What each guard moves, as it is now, in the time that is unsure: from its slope over a wider
// base, so that a jump does not pass for one. Where the jump has set all states that is the slope
// along time alone, which may be known: `there` are then the guards `later`.
FOI_INLINE void unsure_error(const place *p, double later, double *sigma)
{
    const double wider = 0x1p20, least = 0x1p10;
    const foi_watch *w = p->w;
    const foi_solver *o = p->o;
    double *there = w->work + p->guards, h = o->t1 - o->t0;
    if (!comes_by_step(w, o, p->s)) return;
    bool set = sets_all(p, theta_of(o, p->s));
    if (set && later > p->s->t) {
        add_changes(p, there, w->unsure / (later - p->s->t), sigma);
        return;
    }
    around on = around_now(w, o, p->s, wider);
    double unsure = w->unsure / h;
    bool back = on.theta - on.from >= on.to - on.theta;
    double base = back ? on.theta - on.from : on.to - on.theta;
    if (!(base > 0) || !(base >= least * unsure)) return;
    if (guards_beside(p, back ? on.from : on.to, there))
        add_changes(p, there, unsure / base, sigma);
}

#define DIFFERENCE_BASE 0x1p-20 ///< wide, so that a jump does not pass for a steep slope

// Two units in the last place make that of a guard which the base moves by 1.
static const double two_ulps = 4 * DBL_EPSILON / DIFFERENCE_BASE;

// What each single state moves, if there are few of them. What is zero has no units in the last
// place.
FOI_INLINE void error_of_each(const place *p, double *sigma)
{
    const fo_state *s = p->s;
    double *there = p->w->work + p->guards, *x = there + p->guards; // the first row holds values
    for (size_t i = 0; i < p->states; i++) x[i] = s->x[i];
    for (size_t i = 0; i < p->states; i++) {
        double at = s->x[i];
        if (at == 0) continue;
        x[i] = at + DIFFERENCE_BASE * fabs(at);
        if (look(p, s->t, x, there)) add_changes(p, there, two_ulps, sigma);
        x[i] = at;
    }
}

// A sign for state i, in each of up to 32 looks another one: bits of its scattered number.
static double sign_of(size_t i, unsigned look)
{
    uint64_t bits = ((uint64_t)i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    bits = (bits ^ bits >> 31) * UINT64_C(0xbf58476d1ce4e5b9);
    return bits >> (32 + look) & 1 ? 1 : -1;
}

// What many states move: all at once, up or down by chance, and that again and again. With p_i what
// state i moves a guard, a sum of +-p_i has the size of the root of the sum of p_i^2, which is how
// errors add that know nothing of each other; the largest of 16 such sums is that at least. Two
// states whose errors would cancel are moved against each other in half of the looks.
static void error_of_many(const place *p, double *sigma)
{
    enum { LOOKS = 16 };
    const fo_state *s = p->s;
    double *g = p->w->work, *there = g + p->guards, *x = there + p->guards, *most = x + p->states;
    for (size_t i = 0; i < p->guards; i++) most[i] = 0;
    for (unsigned k = 0; k < LOOKS; k++) {
        for (size_t i = 0; i < p->states; i++)
            x[i] = s->x[i] + sign_of(i, k) * (DIFFERENCE_BASE * s->x[i]);
        if (!look(p, s->t, x, there)) continue;
        for (size_t i = 0; i < p->guards; i++) {
            double change = fabs(there[i] - g[i]);
            if (change < INFINITY) most[i] = foi_fmax(most[i], change);
        }
    }
    for (size_t i = 0; i < p->guards; i++) sigma[i] += 2 * two_ulps * most[i];
}

// States that are shared among processes are all moved together: nobody knows which are whose.
static void error_of_all(const place *p, double *sigma)
{
    const fo_state *s = p->s;
    double *there = p->w->work + p->guards, *x = there + p->guards;
    for (size_t i = 0; i < p->states; i++) x[i] = s->x[i] + DIFFERENCE_BASE * fabs(s->x[i]);
    if (look(p, s->t, x, there)) add_changes(p, there, two_ulps, sigma);
}

FOI_INLINE void difference_error_of(place p, bool moved, double *sigma)
{
    enum { FEW = 16 };
    const fo_state *s = p.s;
    const double *g = p.w->work;
    double *there = p.w->work + p.guards, later = s->t + DIFFERENCE_BASE * fabs(s->t);
    for (size_t i = 0; i < p.guards; i++) sigma[i] = 4 * DBL_EPSILON * fabs(g[i]);
    if (p.o->system.type->lockstep)
        error_of_all(&p, sigma);
    else if (p.states <= FEW)
        error_of_each(&p, sigma);
    else
        error_of_many(&p, sigma);
    bool timed = s->t != 0 && look(&p, later, s->x, there);
    if (timed) add_changes(&p, there, two_ulps, sigma);
    if (moved) unsure_error(&p, timed ? later : s->t, sigma);
}

static void difference_error(foi_watch *w, const foi_solver *o, const fo_state *s, bool moved,
                             double *sigma)
{
    if (w->guards == 1 && w->states == 2) // what loops over few cost is seen here
        difference_error_of((place){w, o, s, 1, 2}, moved, sigma);
    else
        difference_error_of((place){w, o, s, w->guards, w->states}, moved, sigma);
}

// ------------------------------------------------------------------------------------------- after

static bool is_opaque(const foi_watch *w, uint32_t i)
{
    return !w->bounded || !w->about[i]->bounded || w->finding[i].sampled;
}

// Whether guard i, which rests, has to be measured: it is off zero by more than the time of the
// crossing is uncertain; or zero to the last bit, which may be by chance; or the jump has moved it.
// What was let go at this instant has been measured.
static bool is_asked(const foi_watch *w, const fo_state *s, uint32_t i)
{
    const foi_guard_side *guard = &w->guard[i];
    double g = w->work[i];
    if (!guard->rests) return false;
    if (!(fabs(g) <= guard->slack)) return true;
    return (g == 0 || g != guard->g) && !(guard->left && w->since[i] == s->t);
}

// One that touched zero was there for longer than errors of time tell; the jump may have made it
// smaller.
static double reach_of(const foi_watch *w, uint32_t i)
{
    const foi_guard_side *guard = &w->guard[i];
    double part = guard->g != 0 ? fabs(w->work[i] / guard->g) : 1;
    return w->finding[i].reach > 0 ? guard->slack * foi_fmin(1, part) : 0;
}

// Whether the jump has moved guard i otherwise than by setting states.
static bool moves_alone(foi_watch *w, const foi_solver *o, const fo_state *s, uint32_t i)
{
    double *there = w->work + w->guards, *x = there + w->guards, h = o->t1 - o->t0;
    bool within = o->dense_ready && h > 0 && s->t >= o->t0 && s->t <= o->t1;
    if (!within) return false;
    foi_dense_at(o, s->t == o->t1 ? 1 : (s->t - o->t0) / h, x);
    for (size_t k = 0; k < w->states; k++)
        if (!is_set(s->x[k], x[k])) x[k] = s->x[k];
    const place here = {w, o, s, w->guards, w->states};
    return look(&here, s->t, x, there) && there[i] == w->work[i];
}

// What counts as zero of guard i from now on, with errors of sigma. One that came to rest at an
// earlier instant, and that no state was set for, is at zero as it was before, whatever its scale.
// Where all states are moved together (error_of_all) their errors may cancel, as in the gap between
// an object and the surface that it leaves: then what counted as zero before goes on to.
static void set_slack(foi_watch *w, const foi_solver *o, const fo_state *s, uint32_t i,
                      double sigma)
{
    foi_guard_side *guard = &w->guard[i];
    double g = w->work[i], least = reach_of(w, i);
    bool cancels = is_opaque(w, i) && o->system.type->lockstep;
    if ((g == guard->g && g != 0) || cancels) {
        guard->slack += sigma;
        return;
    }
    bool later = w->since[i] != s->t && fabs(guard->g) <= guard->slack;
    bool alone = later && fabs(g) > sigma && moves_alone(w, o, s, i);
    if (alone) least = foi_fmax(least, foi_fmin(guard->slack, 2 * fabs(g)));
    if (alone && least > sigma) w->tally[i].undecided++;
    guard->slack = foi_fmax(sigma, least);
}

/// Guards are measured in this order: by enclosures before differences, and those that the jump has
/// left where they were before others.
static int pass_of(const foi_watch *w, uint32_t i)
{
    return (is_opaque(w, i) ? 2 : 0) + (w->work[i] != w->guard[i].g);
}

// Measures guards, into *sigma.
static fo_status measure_all(foi_watch *w, const foi_solver *o, const fo_state *s, int pass,
                             double *sigma)
{
    bool opaque = pass & 2, moved = pass & 1;
    if (!opaque) return box_error(w, o, s, moved, sigma);
    difference_error(w, o, s, moved, sigma);
    return FO_OK;
}

// Measures and sets the slack of the guards of one pass.
static fo_status measure(foi_watch *w, const foi_solver *o, const fo_state *s, int pass)
{
    double *sigma = w->slope; // not valid at a jump
    fo_status status = FO_OK;
    bool known = false;
    for (uint32_t i = 0; i < w->guards; i++) {
        if (!is_asked(w, s, i) || pass_of(w, i) != pass) continue;
        if (!known) status = measure_all(w, o, s, pass, sigma);
        if (status != FO_OK) return status;
        known = true;
        set_slack(w, o, s, i, sigma[i]);
    }
    return FO_OK;
}

// One guard alone.
static fo_status measure_one(foi_watch *w, const foi_solver *o, const fo_state *s)
{
    if (!is_asked(w, s, 0)) return FO_OK;
    fo_status status = measure_all(w, o, s, pass_of(w, 0), w->slope);
    if (status == FO_OK) set_slack(w, o, s, 0, w->slope[0]);
    return status;
}

fo_status foi_slack_measure(foi_watch *w, const foi_solver *o, const fo_state *s)
{
    enum { PASSES = 4 };
    unsigned passes = 0;
    if (w->guards == 1) return measure_one(w, o, s);
    for (uint32_t i = 0; i < w->guards; i++)
        if (is_asked(w, s, i)) passes |= 1u << pass_of(w, i);
    fo_status status = FO_OK;
    for (int pass = 0; pass < PASSES && status == FO_OK; pass++)
        if (passes & 1u << pass) status = measure(w, o, s, pass);
    return status;
}
