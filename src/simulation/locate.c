/// Closes in on a crossing that the search has found, to a few ulps of time.
#include <float.h>
#include <math.h>

#include "math/math.h"
#include "simulation/closing.h"
#include "simulation/search.h"

static fo_status look_at(foi_search *f, const foi_target *t, double x, foi_closing *k)
{
    fo_status status = foi_search_probe(f, x, f->probe);
    foi_closing_take(k, t, x, f->probe[t->i]);
    return status;
}

static bool is_there(const foi_search *f, const foi_closing *k)
{
    return foi_closing_there(k, f->resolution);
}

// One look just past the quartic's root; if that was not it, one just past where it says the
// crossing is.
static fo_status guess(foi_search *f, const foi_target *t, foi_samples *s, foi_closing *k)
{
    double slope, x = foi_closing_guess(k, t, s, f->resolution, &slope);
    if (!(x > k->b && x < k->a)) return FO_OK;
    fo_status status = look_at(f, t, x, k);
    if (status != FO_OK || is_there(f, k)) return status;
    x += f->resolution - k->fa / slope * s->width;
    bool inside = (x - k->a) * (x - k->b) < 0;
    return inside ? look_at(f, t, x, k) : FO_OK;
}

// Inverse quadratic interpolation where it can be trusted, halving where not, never
// nearer to an end than the resolution, so that both ends close in.
fo_status foi_search_close(foi_search *f, const foi_target *t, const foi_closing *known,
                           double *theta)
{
    foi_closing k = *known;
    fo_status status = FO_OK;
    double part = 0.5;
    int zeros = 0;
    for (int n = 0; n < 200 && status == FO_OK && !is_there(f, &k); n++) {
        double least = f->resolution / fabs(k.b - k.a);
        if (n == 0 && k.fa < 0 && k.fb > 0) part = k.fa / (k.fa - k.fb);
        if (k.fa == 0) part = zeros++ ? 0.5 : 0; // the first zero if there is none just before it
        if (!(part >= least)) part = least;
        if (part > 1 - least) part = 1 - least;
        status = look_at(f, t, k.a + part * (k.b - k.a), &k);
        double xi = (k.a - k.b) / (k.c - k.b), phi = (k.fa - k.fb) / (k.fc - k.fb);
        bool trusted = phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi;
        part = 0.5;
        if (trusted)
            part = k.fa / (k.fb - k.fa) * k.fc / (k.fb - k.fc) +
                   (k.c - k.a) / (k.b - k.a) * k.fa / (k.fc - k.fa) * k.fb / (k.fc - k.fb);
        if (!(part > 0 && part < 1)) part = 0.5;
    }
    *theta = k.fa > 0 ? k.b : k.a;
    return status;
}

static fo_status close_in(foi_search *f, const foi_target *t, double *theta)
{
    foi_samples s = foi_samples_of(f, t->i);
    foi_closing k = foi_closing_begin(t, &s, f->stack[f->top].theta, f->probed);
    fo_status status = f->probed ? guess(f, t, &s, &k) : FO_OK;
    return status == FO_OK ? foi_search_close(f, t, &k, theta) : status;
}

// A guard that leaves zero, where it is known not to rest there, has its moment where it stands;
// one that rests, where it has left: the moment at which it came to rest is not to come again.
static double at_once(const foi_search *f, uint32_t i)
{
    bool again = f->w->ahead_guard[i].rests || f->w->ahead_guard[i].side;
    double end = f->stack[f->top].theta;
    return again ? foi_fmin(end, f->a.theta + 2 * f->resolution) : f->a.theta;
}

static fo_status locate_one(foi_search *f, uint32_t i, double *theta)
{
    if (f->w->finding[i].at_once) {
        *theta = at_once(f, i);
        return FO_OK;
    }
    if (f->narrow) {
        *theta = f->stack[f->top].theta;
    } else {
        foi_target t = foi_target_of(&f->w->finding[i], i);
        fo_status status = close_in(f, &t, theta);
        if (status != FO_OK) return status;
    }
    *theta = foi_closing_end(&f->w->ahead_guard[i], &f->w->finding[i], *theta, f->a.theta,
                             f->resolution);
    return FO_OK;
}

// Guards that cross within the resolution of each other cross together, just past all of them:
// which of them comes first is a matter of rounding, and a model must see them at one instant.
static fo_status put_together(foi_search *f, double *best)
{
    foi_watch *w = f->w;
    double later = foi_fmin(f->stack[f->top].theta, *best + 4 * f->resolution);
    fo_status status = foi_search_probe(f, later, f->probe);
    bool together = false;
    for (uint32_t i = 0; i < w->guards && status == FO_OK; i++) {
        if (w->finding[i].verdict != FOI_CROSSES || f->where[i] <= *best) continue;
        foi_target t = foi_target_of(&w->finding[i], i);
        if (!(foi_turned(&t, f->probe[i]) > 0)) f->where[i] = later, together = true;
    }
    for (uint32_t i = 0; i < w->guards && together; i++)
        if (w->finding[i].verdict == FOI_CROSSES && f->where[i] <= later) f->where[i] = later;
    if (together) f->moved += later - *best, *best = later;
    return status;
}

fo_status foi_search_locate(foi_search *f, double *where)
{
    foi_watch *w = f->w;
    double end = f->stack[f->top].theta, best = INFINITY;
    int count = 0;
    for (uint32_t i = 0; i < w->guards; i++) {
        if (w->finding[i].verdict != FOI_CROSSES) continue;
        count++;
        f->where[i] = INFINITY;
        if (best < end && !w->finding[i].at_once && !f->narrow) {
            // another guard crosses before: does this one cross before that?
            fo_status status = foi_search_probe(f, best, f->probe);
            if (status != FO_OK) return status;
            foi_target t = foi_target_of(&w->finding[i], i);
            if (foi_turned(&t, f->probe[i]) > 0) continue;
        }
        double theta = end;
        fo_status status = locate_one(f, i, &theta);
        if (status != FO_OK) return status;
        f->where[i] = theta;
        if (theta < best) best = theta;
    }
    *where = best;
    return count > 1 && !f->narrow && best > f->a.theta ? put_together(f, where) : FO_OK;
}

// ------------------------------------------------------------------------------------ one instant

// Which guards fire that did not at *best, at theta; into crossed. False: none.
static bool fire_at(foi_search *f, const double *g)
{
    foi_watch *w = f->w;
    bool any = false;
    for (uint32_t i = 0; i < w->guards; i++) {
        foi_guard_side before = foi_search_before(f, i);
        int to = foi_guard_sign(&before, g[i]);
        w->crossed[i] = to != before.side && foi_guard_fires(&before, w->about[i], to);
        any |= w->crossed[i];
    }
    return any;
}

// Whether all those fire at theta.
static fo_status all_fire(foi_search *f, double theta, bool *all)
{
    foi_watch *w = f->w;
    fo_status status = foi_search_probe(f, theta, f->probe);
    *all = true;
    for (uint32_t i = 0; i < w->guards && status == FO_OK; i++) {
        if (!w->crossed[i]) continue;
        foi_guard_side before = foi_search_before(f, i);
        int to = foi_guard_sign(&before, f->probe[i]);
        *all &= to != before.side && foi_guard_fires(&before, w->about[i], to);
    }
    return status;
}

// One guard that leaves zero where a step begins, and no other with it, does so there. But one of
// which a truth is held contradicts that only where its value has left zero: x > 0 is false at zero
// whatever comes.
static bool leaves_alone(const foi_search *f)
{
    const foi_watch *w = f->w;
    uint32_t count = 0, leave = 0;
    for (uint32_t i = 0; i < w->guards; i++) {
        if (!w->crossed[i]) continue;
        if (w->ahead_guard[i].held) return false;
        count++;
        leave += w->finding[i].verdict == FOI_CROSSES && f->where[i] == 0;
    }
    return count == leave && count <= 1;
}

// Whether all guards that cross at `first` fire at theta.
static fo_status they_fire(foi_search *f, double first, double theta, bool *all)
{
    const foi_watch *w = f->w;
    fo_status status = foi_search_probe(f, theta, f->probe);
    *all = true;
    for (uint32_t i = 0; i < w->guards && status == FO_OK; i++) {
        if (w->finding[i].verdict != FOI_CROSSES || f->where[i] != first) continue;
        foi_guard_side before = foi_search_before(f, i);
        *all &= foi_guard_fires(&before, w->about[i], foi_guard_sign(&before, f->probe[i]));
    }
    return status;
}

// A guard that jumps, or has a pole, where what it depends on moves by less than its rounding
// errors from one double of time to the next (tan(time - x) with x' = 0.97), changes its sign back
// and forth. It has its moment behind that, if that is over within some ulps.
static fo_status pass_noise(foi_search *f, double *theta)
{
    enum { LOOKS = 32 };
    double first = *theta, by = 2 * f->resolution, past = 0;
    bool jumps = false, all;
    for (uint32_t i = 0; i < f->w->guards && f->narrow; i++)
        jumps |= f->w->finding[i].verdict == FOI_CROSSES && f->where[i] == first &&
                 !f->w->finding[i].sampled && f->w->nature[i] != 0;
    if (!jumps || first + LOOKS * by > 1) return FO_OK;
    fo_status status = they_fire(f, first, first + LOOKS * by, &all);
    if (status != FO_OK || !all) return status; // it is back for longer than that
    for (int k = 1; k < LOOKS && status == FO_OK; k++) {
        status = they_fire(f, first, first + k * by, &all);
        if (!all) past = (k + 1) * by;
    }
    if (status != FO_OK || past == 0) return status;
    *theta = first + past, f->moved = past;
    for (uint32_t i = 0; i < f->w->guards; i++)
        if (f->w->finding[i].verdict == FOI_CROSSES && f->where[i] == first) f->where[i] = *theta;
    return FO_OK;
}

// States gather rounding errors from step to step: floor(x / 0.1) and floor(x / 0.3) turn at one
// instant, but their doubles do some ulps apart, and a state that follows time comes to 1 some ulps
// beside it. Nobody may act on what is true in between.
fo_status foi_search_gather(foi_search *f, double *theta)
{
    fo_status status = pass_noise(f, theta);
    double last = *theta + FOI_GATHERS * f->resolution, first = *theta;
    bool all = false;
    if (status != FO_OK) return status;
    if (f->w->guards < 2 && foi_gathers_nobody(first, f->resolution)) return FO_OK;
    if (last - first > 0x1p-10) return FO_OK; // of so short a step that is not next to nothing
    if (last > 1) last = 1;
    if (!(last > first)) return FO_OK;
    status = foi_search_probe(f, last, f->probe);
    if (status != FO_OK || isnan(f->probe[0])) return status;
    bool ends = last == 1, any = fire_at(f, f->probe);
    if (first == 0 && leaves_alone(f)) return FO_OK;
    if (status == FO_OK) status = all_fire(f, first, &all);
    if (status != FO_OK || ((all || !any) && !ends)) return status;
    double lo = first, hi = last;
    while (!ends && hi - lo > f->resolution && status == FO_OK) {
        double m = lo + 0.5 * (hi - lo);
        status = all_fire(f, m, &all);
        if (all)
            hi = m;
        else
            lo = m;
    }
    for (uint32_t i = 0; i < f->w->guards; i++)
        if (f->w->finding[i].verdict == FOI_CROSSES && f->where[i] == first) f->where[i] = hi;
    f->moved += hi - first;
    *theta = hi;
    return status;
}
