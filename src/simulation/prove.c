/// Guards with enclosures: what is known for sure of a segment.
///
/// Theorem, for the computed solution x(theta) on a segment [a, b] and a guard that is defined
/// there, and whose sign at a is known: its sign changes nowhere in the segment, or exactly once,
/// if one of these holds.
///
///  1. The enclosure of its range excludes zero: the sign is that of the range. (Should that not be
///     the sign of the value at a, rounding has put the change to the wrong side of a, and it is
///     at a.)
///  2. The range is the point zero: it is zero everywhere.
///  3. It is continuous, and its slope has one sign: it is monotonic, and the sign at b tells
///     whether it has changed. (Where rounding errors hide the sign at b, the next segment begins
///     with it, and 1 or 3 hold there.) Where the slope may be zero as well, as that of max(0, x)
///     on one side, it may reach zero and leave it later: the segment must hold but one of these.
///
/// Otherwise the segment is cut in two. That ends at neighbouring doubles of time, where values on
/// both sides decide: a jump or a pole is then isolated. A continuous guard that only touches zero
/// would be cut down to that all along the stretch on which rounding errors hide its sign; so it
/// also ends where the range is hardly wider than the enclosure at one point. That is reported as
/// undecided, and so is a continuous guard at neighbouring doubles.
#include <math.h>

#include "math/math.h"
#include "simulation/search.h"

static void forget(foi_search *f)
{
    for (uint32_t i = 0; i < f->w->guards; i++) {
        f->g.lo[i] = f->dg.lo[i] = -INFINITY;
        f->g.hi[i] = f->dg.hi[i] = INFINITY;
        f->w->nature[i] = 0;
    }
}

// All guards and their slopes over the segment, with or without the middle: the mean-value form
// costs as much again, and most segments do without.
static fo_status enclose(foi_search *f, bool with_middle)
{
    const foi_solver *o = f->o;
    fo_stretch on = {.x = f->x, .dx = f->dx};
    if (with_middle) on.x_mid = f->x_mid;
    forget(f);
    foi_dense_stretch(o, f->a.theta, f->stack[f->top].theta, &on);
    fo_enclosure e = {f->g, f->dg, f->w->nature};
    return o->system.type->guard_bounds(o->system.model, o->s, &on, &e);
}

// All guards from one theta to another, into f->thin.
static fo_status enclose_from(foi_search *f, double from, double to)
{
    const foi_solver *o = f->o;
    fo_stretch on = {.x = f->x_mid};
    foi_dense_stretch(o, from, to, &on);
    for (uint32_t i = 0; i < f->w->guards; i++) f->thin.lo[i] = -INFINITY, f->thin.hi[i] = INFINITY;
    uint8_t *nature = f->w->held; // work space: the segment's own is still needed
    for (uint32_t i = 0; i < f->w->guards; i++) nature[i] = 0;
    fo_enclosure e = {.g = f->thin, .nature = nature};
    return o->system.type->guard_bounds(o->system.model, o->s, &on, &e);
}

static fo_status enclose_point(foi_search *f, double theta)
{
    return enclose_from(f, theta, theta);
}

double foi_search_hides(foi_search *f, uint32_t i, double theta)
{
    if (enclose_point(f, theta) != FO_OK || f->w->held[i]) return 0; // enclose_from's natures
    double lo = f->thin.lo[i], hi = f->thin.hi[i];
    return lo <= 0 && hi >= 0 && hi - lo < INFINITY ? hi - lo : 0;
}

static bool is_unbounded(const foi_search *f, uint32_t i)
{
    return f->g.lo[i] == -INFINITY && f->g.hi[i] == INFINITY;
}

static bool may_jump(const foi_search *f, uint32_t i)
{
    return f->w->nature[i] != 0 || f->g.lo[i] == -INFINITY || f->g.hi[i] == INFINITY;
}

// The segment is as short as rounding errors of the states reach in time.
static bool is_brief(const foi_search *f)
{
    enum { SHORT = 64 };
    return foi_search_width(f) <= SHORT * f->resolution;
}

// It is zero all over the segment. Where it has just fired, a brief one says nothing: max(0, x) has
// left zero, and x is zero once more an ulp later.
static foi_verdict is_flat(foi_search *f, uint32_t i)
{
    bool brief = is_brief(f);
    const foi_guard_side *guard = &f->w->ahead_guard[i];
    if (guard->rests && (brief || guard->idle)) return FOI_NOTHING_HERE;
    f->w->finding[i].flat = true;
    return foi_search_goes(f, i, 0, true);
}

// It is zero at both ends, and in between but for rounding errors. Of one that has fired and is no
// farther from zero than these reach that says nothing: its values may be zero by chance. Where
// that goes on for longer than its moment is unsure, nothing is proved of it.
static foi_verdict stays_at_zero(foi_search *f, uint32_t i)
{
    const foi_guard_side *guard = &f->w->ahead_guard[i];
    if (!is_brief(f) && !guard->left) f->w->tally[i].undecided++;
    if (f->a.g[i] != 0 || f->stack[f->top].g[i] != 0) return FOI_NOTHING_HERE;
    if (guard->rests && guard->slack > 0) return FOI_NOTHING_HERE;
    return is_flat(f, i);
}

// All of the segment is on one side of zero, and part of it no farther than where a guard that
// rests counts as zero: one that fires has its moment where it comes farther.
static bool is_within_slack(const foi_search *f, uint32_t i, int to)
{
    const foi_guard_side *guard = &f->w->ahead_guard[i];
    double nearest = to > 0 ? f->g.lo[i] : -f->g.hi[i];
    return guard->left && nearest <= guard->slack;
}

// The theorem.
static foi_verdict prove(foi_search *f, uint32_t i)
{
    const foi_guard_side *guard = &f->w->ahead_guard[i];
    double lo = f->g.lo[i], hi = f->g.hi[i], end = f->stack[f->top].g[i];
    int from = guard->side;
    if (f->w->nature[i] & FO_MAY_BE_UNDEFINED) return FOI_UNCLEAR; // somewhere it is no number
    bool near = guard->rests && lo >= -guard->slack && hi <= guard->slack;
    if (lo > 0 || hi < 0) {
        int to = lo > 0 ? 1 : -1;
        bool fires = foi_guard_fires(guard, f->w->about[i], to);
        if (near && guard->early && fires)
            return stays_at_zero(f, i); // another instant comes first
        if (to == from) return FOI_NOTHING_HERE;
        if (!fires || !is_within_slack(f, i, to)) return foi_search_goes(f, i, to, true);
        if (foi_guard_sign(guard, end) == to) return foi_search_goes(f, i, to, false);
    }
    if (lo == 0 && hi == 0) return is_flat(f, i);
    if (near) return stays_at_zero(f, i);
    bool strictly = f->dg.lo[i] > 0 || f->dg.hi[i] < 0;
    if (may_jump(f, i) || !(strictly || f->dg.lo[i] >= 0 || f->dg.hi[i] <= 0)) return FOI_UNCLEAR;
    int to = foi_guard_sign(guard, end);
    if (to == -from && !strictly && to) return FOI_UNCLEAR; // there may be a while of zero between
    return to == from ? FOI_NOTHING_HERE : foi_search_goes(f, i, to, false);
}

// How far off zero rounding errors may put guard i on the segment, where they hide its sign; 0
// where they hide everything, as of sin(tan(x)) beside a pole (then its range is the same far
// around), or of tan(x) * cos(x) there (then it is unbounded not far off): what is said of such a
// place is not said of the guard's rounding errors elsewhere.
static double reach(foi_search *f, uint32_t i, double lo, double hi)
{
    const double wider = 512, grows = 8;
    double a = f->a.theta, b = f->stack[f->top].theta, more = wider * (b - a);
    if (enclose_from(f, foi_fmax(0, a - more), foi_fmin(1, b + more)) != FO_OK) return 0;
    double around = f->thin.hi[i] - f->thin.lo[i];
    bool local = around >= grows * (hi - lo) && around < INFINITY;
    // at an end of the step what is on its other side is not seen: max(0, x) may leave zero there.
    // Beside a pole at that end the range is much narrower a little away from it.
    bool first = a - more<0, last = b + more> 1;
    if (!local && around < INFINITY && more < 0x1p-10 && (first || last)) {
        double from = first ? b + 0.5 * more : foi_fmax(0, a - more);
        double to = first ? foi_fmin(1, b + more) : a - 0.5 * more;
        if (enclose_from(f, foi_fmin(from, to), to) != FO_OK) return 0;
        local = f->thin.hi[i] - f->thin.lo[i] >= 0.25 * (hi - lo);
    }
    return local ? 4 * foi_fmax(-lo, hi) : 0;
}

// The same at the end of a segment that was to be cut further: rounding errors may hide the sign
// there as well.
static double reach_at_end(foi_search *f, uint32_t i)
{
    if (enclose_point(f, f->stack[f->top].theta) != FO_OK) return 0;
    double lo = f->thin.lo[i], hi = f->thin.hi[i];
    return lo <= 0 && hi >= 0 && hi - lo < INFINITY ? reach(f, i, lo, hi) : 0;
}

// The sign is hidden by a bound of the slope that is steep enough to reach zero inside of the
// segment, while the values there and some segments beside it hardly move: beside a jump or a pole,
// where enclosures are wide for what they do not know (atan2(x, x) near zero), and not at a touch.
// Values around a touch move: |x - 1| by as much as it is; and where they stand still, as 1e8 + (x
// - 1)^2 - 1e8 may, the slope is not steep.
static bool is_still(foi_search *f, uint32_t i)
{
    const double steep = 0x1p-4, still = 0.25, apart = 8;
    double a = f->a.theta, b = f->stack[f->top].theta, width = b - a, least = INFINITY, most = 0;
    double bound = foi_fmax(fabs(f->dg.lo[i]), fabs(f->dg.hi[i])) * f->h * width;
    if (!(bound >= steep * (f->g.hi[i] - f->g.lo[i]))) return false;
    double at[] = {foi_fmax(0, a - apart * width), a, b, foi_fmin(1, b + apart * width)};
    for (int k = 0; k < 4; k++) {
        if (foi_search_probe(f, at[k], f->where) != FO_OK) return false;
        double size = f->w->ahead_guard[i].side * f->where[i];
        least = foi_fmin(least, size), most = foi_fmax(most, size);
    }
    return least > 0 && most - least <= still * least;
}

// What could not be proved is decided by the values at the two ends. Where rounding errors hide
// whether a continuous guard reaches zero, it does: so (x - 1)^2 <= 0 has its moment wherever
// doubles happen to lie.
static void decide(foi_search *f, uint32_t i)
{
    const foi_guard_side *guard = &f->w->ahead_guard[i];
    foi_tally *tally = &f->w->tally[i];
    foi_finding *found = &f->w->finding[i];
    int to = foi_guard_sign(guard, f->stack[f->top].g[i]);
    bool limited = f->spent && !f->narrow, hidden = !limited && !may_jump(f, i);
    // one that has fired rests until it is farther from zero than rounding errors reach: where that
    // is decides nothing, unless it is a moment
    if (limited)
        foi_search_limited(f, i);
    else if (!hidden)
        tally->isolated++;
    else if (guard->rests && !foi_guard_fires(guard, f->w->about[i], to))
        tally->proved++;
    else
        tally->undecided++;
    if (hidden && to == guard->side && to && is_still(f, i)) {
        found->verdict = FOI_NOTHING_HERE;
        return;
    }
    if (hidden) found->reach = reach(f, i, f->g.lo[i], f->g.hi[i]);
    if (limited && !may_jump(f, i)) found->reach = reach_at_end(f, i);
    if (to != guard->side)
        found->verdict = (uint8_t)foi_search_goes(f, i, to, false);
    else if (!guard->side)
        found->verdict = (uint8_t)stays_at_zero(f, i);
    else
        found->verdict = (uint8_t)(hidden && found->reach > 0 ? foi_search_goes(f, i, 0, true)
                                                              : FOI_NOTHING_HERE);
}

// Continuous, zero in its range, and cutting would not make the range much narrower.
static bool wavers(const foi_search *f, uint32_t i)
{
    double width = f->g.hi[i] - f->g.lo[i], least = f->thin.hi[i] - f->thin.lo[i];
    return !may_jump(f, i) && width <= 1.25 * least;
}

static fo_status not_enclosed(foi_search *f, uint32_t i)
{
    f->w->finding[i].sampled = true;
    if (f->sampling) return FO_OK;
    f->sampling = true;
    fo_status status = foi_sample_begin(f);
    for (int k = 0; k <= f->top && status == FO_OK; k++)
        status = foi_sample_slopes(f, &f->stack[k]);
    return status;
}

// A guard whose enclosure is unbounded at two single points has none at all: a delay, a loop. (At
// one point there might be a pole.) That is asked once in a search.
static fo_status is_open(foi_search *f, uint32_t i, bool *open)
{
    double a = f->a.theta, width = foi_search_width(f);
    fo_status status = enclose_point(f, a + FOI_QUARTER * width);
    *open = f->thin.lo[i] == -INFINITY && f->thin.hi[i] == INFINITY;
    if (status != FO_OK || !*open) return status;
    status = enclose_point(f, a + 0.5 * width);
    *open = f->thin.lo[i] == -INFINITY && f->thin.hi[i] == INFINITY;
    return status;
}

static fo_status leave_to_samples(foi_search *f)
{
    foi_watch *w = f->w;
    fo_status status = FO_OK;
    for (uint32_t i = 0; i < w->guards && status == FO_OK; i++) {
        foi_finding *found = &w->finding[i];
        if (found->sampled || found->verdict != FOI_UNCLEAR) continue;
        bool open = (w->nature[i] & FO_NOT_ENCLOSED) != 0;
        if (!open && is_unbounded(f, i) && !found->tried) {
            found->tried = true;
            status = is_open(f, i, &open);
        }
        if (open && status == FO_OK) status = not_enclosed(f, i);
    }
    return status;
}

static bool any_unclear(const foi_search *f)
{
    for (uint32_t i = 0; i < f->w->guards; i++)
        if (!f->w->finding[i].sampled && f->w->finding[i].verdict == FOI_UNCLEAR) return true;
    return false;
}

// Where the middle of the segment is on the other side than both ends, it is cut all the same.
static fo_status end_in_rounding(foi_search *f)
{
    foi_watch *w = f->w;
    double m = f->a.theta + 0.5 * foi_search_width(f);
    fo_status status = enclose_point(f, m);
    bool any = false;
    for (uint32_t i = 0; i < w->guards && status == FO_OK; i++) {
        foi_finding *found = &w->finding[i];
        found->wavers = !found->sampled && found->verdict == FOI_UNCLEAR && wavers(f, i);
        any |= found->wavers;
    }
    if (status == FO_OK && any) status = foi_search_probe(f, m, f->probe);
    for (uint32_t i = 0; i < w->guards && status == FO_OK && any; i++) {
        foi_finding *found = &w->finding[i];
        const foi_guard_side *guard = &w->ahead_guard[i];
        if (!found->wavers) continue;
        int inside = foi_guard_sign(guard, f->probe[i]);
        int end = foi_guard_sign(guard, f->stack[f->top].g[i]);
        bool hidden = foi_guard_fires(guard, w->about[i], inside) && inside != guard->side &&
                      !foi_guard_fires(guard, w->about[i], end);
        if (!hidden) decide(f, i);
    }
    return status;
}

static void ask(foi_search *f, bool again)
{
    foi_watch *w = f->w;
    for (uint32_t i = 0; i < w->guards; i++) {
        foi_finding *found = &w->finding[i];
        if (found->sampled || (again && found->verdict != FOI_UNCLEAR)) continue;
        found->flat = found->at_once = found->wavers = false, found->reach = 0;
        found->verdict = (uint8_t)prove(f, i);
        if (found->verdict != FOI_UNCLEAR) w->tally[i].proved++;
    }
}

// A guard that is zero wherever it is looked at, and of which no part of the step is understood
// (two states that go the same way: neither their difference nor its slope is narrow) would take
// all of the work that is granted, at every step. It is left at zero, as at that limit, and so
// reported. Not one of which a part is understood: max(0, x - 1) is zero, and may leave it in
// between.
static fo_status stands_still(foi_search *f, uint32_t i, bool *still)
{
    enum { PARTS = 64, KNOWN = 8 };
    uint32_t parts = f->w->tally[i].limited ? KNOWN : PARTS;
    double a = f->a.theta, width = foi_search_width(f) / parts;
    fo_status status = FO_OK;
    *still = f->w->ahead_guard[i].side == 0 && f->a.g[i] == 0 && f->stack[f->top].g[i] == 0;
    for (uint32_t k = 0; k < parts && *still && status == FO_OK; k++) {
        double from = a + k * width, at = from + FOI_QUARTER * width;
        status = foi_search_probe(f, at, f->probe);
        *still = status == FO_OK && f->probe[i] == 0;
        double to = foi_fmin(from + width, f->stack[f->top].theta);
        if (*still) status = enclose_from(f, from, to);
        double lo = f->thin.lo[i], hi = f->thin.hi[i];
        *still &= lo < 0 && hi > 0 && hi - lo < INFINITY;
    }
    return status;
}

static fo_status leave_at_zero(foi_search *f)
{
    foi_watch *w = f->w;
    fo_status status = FO_OK;
    for (uint32_t i = 0; i < w->guards && status == FO_OK; i++) {
        foi_finding *found = &w->finding[i];
        bool still = false;
        if (found->sampled || found->verdict != FOI_UNCLEAR || may_jump(f, i)) continue;
        status = stands_still(f, i, &still);
        if (!still || status != FO_OK) continue;
        foi_search_limited(f, i);
        found->verdict = (uint8_t)stays_at_zero(f, i);
    }
    return status;
}

fo_status foi_search_prove(foi_search *f)
{
    fo_status status = enclose(f, false);
    if (status != FO_OK) return status;
    ask(f, false);
    if (!any_unclear(f)) return FO_OK;
    status = enclose(f, true);
    if (status != FO_OK) return status;
    ask(f, true);
    if (any_unclear(f)) status = leave_to_samples(f);
    if (status != FO_OK || !any_unclear(f)) return status;
    if (!f->narrow && !f->spent) return f->top > 0 ? end_in_rounding(f) : leave_at_zero(f);
    for (uint32_t i = 0; i < f->w->guards; i++)
        if (!f->w->finding[i].sampled && f->w->finding[i].verdict == FOI_UNCLEAR) decide(f, i);
    return FO_OK;
}
