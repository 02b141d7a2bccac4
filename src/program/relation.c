/// What relations are at a moment.
///
/// A guard that fires stands at zero but for rounding errors, and which truth its relation has
/// there is given by the way its values went. If the jump turns it round (the ball bounces), the
/// relation turns back at the same instant: h <= 0 is true in the moment of the bounce and false
/// right after it. The guard's derivative after the jump says so; but only where the jump has
/// changed that derivative. Where it has not, the values on either side of the crossing have said
/// all, and a rate, which may be nothing but noise in a stiff system, is not asked. Should the
/// derivative be wrong, the guard leaves zero to the side that is not held (foi_program_held) and
/// fires. Where the derivative turns round again there is no solution that goes on: the state
/// slides along the relation, and whoever carries the model through time is told so.
#include <float.h>
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "program/moment.h"

static double truth_of(foi_op op, double g)
{
    switch (op) {
    case FOI_G_LESS: return g < 0;
    case FOI_G_LESS_EQUAL: return g <= 0;
    case FOI_G_GREATER: return g > 0;
    default: return g >= 0;
    }
}

// A relation with time turns exactly at its instant, whether it is strict or not. But at the stop
// it is what it says: what is true right behind it only, as time > stop, is never seen to be.
double foi_moment_truth_at(const foi_program *g, uint32_t instant, double t, double at, double stop)
{
    foi_op op = g->relation_op[g->relation_at[instant]];
    bool above = op == FOI_G_GREATER || op == FOI_G_GREATER_EQUAL;
    if (t == at && t == stop) return truth_of(op, 0);
    return g->time_left[instant] == above ? t >= at : t < at;
}

// But at the start it is what it says: time > 0 is false at 0, and turns in the first moment.
static double truth_at_now(const foi_moment *m, uint32_t instant)
{
    double t = m->s->t, at = m->instants[instant];
    if (!m->starts) return foi_moment_truth_at(m->g, instant, t, at, m->s->stop);
    double g = t > at ? 1 : t < at ? -1 : 0;
    return truth_of(m->g->relation_op[m->g->relation_at[instant]],
                    m->g->time_left[instant] ? g : -g);
}

// The last double before n, where the guard of floor n - 1 is zero; see end_of_floor in plan.c.
static double just_below(double n)
{
    return n - (0.55 * 0x1p-52 * fabs(n) + 1e-300);
}

// The guard (x - n) (n + 1 - x) of a floor has come to zero: n or n + 1, whichever x is nearer to.
static double next_floor(const foi_moment *m, uint32_t r)
{
    double n = m->held[r], x = m->floors[m->g->floor_of[r]];
    return x - n < n + 1 - x ? n - 1 : n + 1;
}

// What a relation is where its guard is not at zero.
double foi_moment_truth_now(const foi_moment *m, uint32_t r, double g)
{
    foi_op op = m->g->relation_op[r];
    return op == FOI_G_FLOOR ? floor(m->floors[m->g->floor_of[r]]) : truth_of(op, g);
}

// What it will be where its guard is at zero and goes on with this slope.
static double truth_soon(const foi_moment *m, uint32_t r, double slope)
{
    foi_op op = m->g->relation_op[r];
    if (op != FOI_G_FLOOR) return truth_of(op, slope);
    return slope < 0 ? next_floor(m, r) : m->held[r];
}

// A relation whose guard is held at zero (see foi_program_side) has an infinite slack.
bool foi_moment_is_kept(const foi_moment *m, uint32_t r)
{
    return m->slack[r] == INFINITY;
}

// A relation that has turned stands at zero until its guard is farther away than rounding errors; a
// moment of another one may come before that.
static bool at_zero(const foi_moment *m, uint32_t r, double g)
{
    if (foi_moment_is_kept(m, r)) return true;
    bool now = m->s->t - m->turned[r] <= 64 * DBL_EPSILON * fabs(m->s->t);
    return now && fabs(g) <= m->slack[r];
}

// A floor is known by its argument, but where that has come down to n + 1 in this instant and goes
// on below it, or up to the last double before n and goes on above it, and where its derivative has
// turned it; and that only as long as its argument is not moved by something else.
static bool stays(const foi_moment *m, uint32_t r, double g)
{
    if (m->g->relation_op[r] != FOI_G_FLOOR || foi_moment_is_kept(m, r)) return at_zero(m, r, g);
    double x = m->floors[m->g->floor_of[r]], *decided = &m->decided[m->g->floor_of[r]];
    bool moved = x != *decided;
    *decided = x;
    if (moved) return false;
    if (m->turned[r] != m->s->t) return at_zero(m, r, g);
    return x == m->held[r] + 1 || x == just_below(m->held[r]) || at_zero(m, r, g);
}

// How far rounding errors of t, of x and of the evaluation can carry each guard: the width of its
// enclosure over a box of two units in the last place, and of what the states move in four of time,
// to which a moment is located. None where a guard may jump, and none where zero is not in it.
static fo_status measure(foi_moment *m, double ulps)
{
    const foi_program *g = m->g;
    size_t n = g->about.states.count, c = g->guards;
    const fo_state *s = m->s;
    double *lo = m->box, *hi = lo + n, *from = hi + n, *to = from + c, eps = ulps * DBL_EPSILON;
    foi_given given;
    foi_give(&given, g, s, s->t, s->x);
    bool moves = foi_program_run(g, s, FOI_TASK_RATES, &given, m->rates) == FO_OK;
    for (size_t i = 0; i < n; i++) {
        double pace = moves && isfinite(m->rates[i]) ? fabs(m->rates[i]) : 0;
        if (m->has_came && isfinite(m->came[i])) pace = foi_fmax(pace, fabs(m->came[i]));
        double way = pace * (2 * eps * fabs(s->t) + m->unsure);
        lo[i] = s->x[i] - eps * fabs(s->x[i]) - way;
        hi[i] = s->x[i] + eps * fabs(s->x[i]) + way;
    }
    for (size_t i = 0; i < c; i++) from[i] = -INFINITY, to[i] = INFINITY;
    uint8_t *nature = (uint8_t *)m->sigma; // c bytes of c doubles, read before they are written
    memset(nature, 0, c);
    fo_stretch on = {.t_lo = s->t - eps * fabs(s->t), .t_hi = s->t + eps * fabs(s->t)};
    on.x = (fo_bounds){lo, hi};
    fo_enclosure e = {.g = {from, to}, .nature = nature};
    fo_status status = foi_program_guard_bounds(g, s, &on, &e);
    for (size_t i = c; i-- > 0;) { // backwards: sigma[i] lies on the natures 8 i and up
        double width = to[i] - from[i];
        bool hides = from[i] <= 0 && to[i] >= 0 && nature[i] == 0;
        m->sigma[i] = hides && width < INFINITY ? width : 0;
    }
    return status;
}

fo_status foi_moment_measure(foi_moment *m)
{
    if (m->measured) return FO_OK;
    m->measured = true;
    return measure(m, 2);
}

fo_status foi_moment_guards_now(foi_moment *m)
{
    const foi_program *g = m->g;
    foi_given given;
    foi_give(&given, g, m->s, m->s->t, m->s->x);
    fo_status status = FO_OK;
    if (g->guards) status = foi_program_run(g, m->s, FOI_TASK_GUARDS, &given, m->guards);
    if (status == FO_OK && g->codes[FOI_TASK_FLOORS].result_count)
        status = foi_program_run(g, m->s, FOI_TASK_FLOORS, &given, m->floors);
    return status;
}

// The same at the beginning of a jump, with floors decided for where their arguments are.
fo_status foi_moment_guards(foi_moment *m)
{
    fo_status status = foi_moment_guards_now(m);
    size_t count = m->g->codes[FOI_TASK_FLOORS].result_count;
    if (status == FO_OK) memcpy(m->decided, m->floors, count * sizeof *m->decided);
    if (status == FO_OK) foi_moment_begin_here(m);
    m->lands = true;
    return status;
}

void foi_moment_begin_here(foi_moment *m)
{
    size_t count = m->g->codes[FOI_TASK_FLOORS].result_count;
    memcpy(m->began, m->guards, m->g->guards * sizeof *m->began);
    memcpy(m->floors_began, m->floors, count * sizeof *m->floors_began);
}

// The same with the relations as they are now, and for all that states gather from step to step.
static fo_status measure_anew(foi_moment *m)
{
    enum { GATHERED = 64 }; // as guards that pass zero at one instant (simulation/together.c)
    m->measured = false;
    return measure(m, GATHERED);
}

// A guard that has crossed is past zero by what its slope makes of how late the moment is.
void foi_moment_came(foi_moment *m, const fo_moment *why)
{
    const foi_program *g = m->g;
    uint32_t k = g->slope_of[why->index];
    m->has_came = m->has_before;
    memcpy(m->came, m->rates, g->about.states.count * sizeof *m->came);
    if (!m->has_before || k == FOI_NOTHING || !(fabs(m->guards[why->index]) <= why->slack)) return;
    double late = 2 * fabs(m->guards[why->index] / m->before[k]);
    if (late < INFINITY) m->unsure = late;
}

// Whether guard i has crossed at this instant and is moved by the mode to come.
static bool is_rescaled(const foi_moment *m, uint32_t i)
{
    uint32_t r = m->g->relation_of[i];
    if (m->g->relation_op[r] == FOI_G_FLOOR || foi_moment_is_kept(m, r)) return false;
    return m->turned[r] == m->s->t && m->then[i] != m->guards[i];
}

// In the mode to come, with its discretes in place.
static fo_status rescale(foi_moment *m)
{
    const foi_program *g = m->g;
    foi_given given;
    bool any = false;
    foi_give(&given, g, m->s, m->s->t, m->s->x);
    if (foi_program_run(g, m->s, FOI_TASK_GUARDS, &given, m->then) != FO_OK) return FO_OK;
    for (uint32_t i = 0; i < g->guards; i++) any |= is_rescaled(m, i);
    if (!any) return FO_OK;
    m->measured = false;
    fo_status status = measure(m, 2);
    for (uint32_t i = 0; i < g->guards && status == FO_OK; i++)
        if (is_rescaled(m, i)) m->slack[g->relation_of[i]] = m->sigma[i];
    return status;
}

fo_status foi_moment_rescale(foi_moment *m)
{
    const foi_program *g = m->g;
    size_t d = g->about.discretes.count;
    bool moves = false, any = false;
    for (size_t i = 0; i < d && !moves; i++) moves = m->results[i] != m->s->d[i];
    for (uint32_t i = 0; i < g->guards && moves && !any; i++)
        any = m->turned[g->relation_of[i]] == m->s->t;
    if (!moves || !any) return FO_OK;
    memcpy(m->mode, m->s->d, d * sizeof *m->mode);
    memcpy(m->s->d, m->results, d * sizeof *m->mode);
    fo_status status = rescale(m);
    memcpy(m->s->d, m->mode, d * sizeof *m->mode);
    return status;
}

// Guards and floors right after this instant, along the rates: so far on that guard i has left what
// rounding errors of `sigma` hide. (A derivative at the instant itself may be that of the wrong
// side of an abs.) False: it does not move, or there is no knowing.
static bool look_after(foi_moment *m, uint32_t i, double sigma)
{
    const foi_program *g = m->g;
    uint32_t k = g->slope_of[i];
    if (k == FOI_NOTHING || foi_moment_slopes(m) != FO_OK || m->slopes[k] == 0) return false;
    double by = 4 * sigma / fabs(m->slopes[k]), t = m->s->t + by;
    if (!(by < INFINITY) || t == m->s->t) return false;
    for (size_t j = 0; j < g->about.states.count; j++) m->box[j] = m->s->x[j] + by * m->rates[j];
    foi_given given;
    foi_give(&given, g, m->s, t, m->box);
    if (foi_program_run(g, m->s, FOI_TASK_GUARDS, &given, m->ahead) != FO_OK) return false;
    return !g->codes[FOI_TASK_FLOORS].result_count ||
           foi_program_run(g, m->s, FOI_TASK_FLOORS, &given, m->ahead + g->guards) == FO_OK;
}

// The truth of relation i right after.
static double truth_after(const foi_moment *m, uint32_t i)
{
    uint32_t r = m->g->relation_of[i];
    foi_op op = m->g->relation_op[r];
    if (op == FOI_G_FLOOR) return floor(m->ahead[m->g->guards + m->g->floor_of[r]]);
    return truth_of(op, m->ahead[i]);
}

// Others that turned at this instant have carried guard i to where it is.
static bool is_carried(const foi_moment *m, uint32_t i)
{
    uint32_t r = m->g->relation_of[i];
    if (m->g->relation_op[r] != FOI_G_FLOOR) return m->lands && m->guards[i] != m->began[i];
    uint32_t f = m->g->floor_of[r];
    return m->lands && m->floors[f] != m->floors_began[f];
}

// The argument of a floor was carried to k by others that turned, but for rounding errors. These
// are seen in the guard that it has when k is held.
static fo_status land_floor(foi_moment *m, uint32_t i, double *now)
{
    uint32_t r = m->g->relation_of[i], f = m->g->floor_of[r];
    double x = m->floors[f], k = floor(x + 0.5), was = m->held[r];
    if (fabs(x - k) > 0x1p-20 * fabs(x - m->floors_began[f])) return FO_OK;
    m->held[r] = k;
    fo_status status = measure_anew(m);
    double slack = m->sigma[i];
    bool lands = status == FO_OK && fabs(x - k) <= slack;
    bool moves = lands && look_after(m, i, slack);
    m->held[r] = was;
    if (!lands) return status;
    *now = moves ? truth_after(m, i) : k;
    m->turned[r] = m->s->t, m->slack[r] = 2 * slack;
    return status;
}

// Nothing has moved guard i at this instant, its moment has not come, and yet its value is not that
// of its relation. The search has looked at it, and knows better than one value: x <= 1 + 2*x - 1
// holds at x = 0 and behind it, but is computed as false for x below 1e-16.
static bool is_left(const foi_moment *m, uint32_t i, double now)
{
    uint32_t r = m->g->relation_of[i];
    return m->lands && m->turned[r] != m->s->t && now != m->held[r];
}

// Others have turned and carried guard i to zero, but for rounding errors: the relation is what it
// is right after, whatever these are. mod(x, 1) >= 0 stays true where the whole part of x turns,
// and mod(x, 2) >= 2 false where x falls below zero.
static fo_status land(foi_moment *m, uint32_t i, double *now)
{
    uint32_t r = m->g->relation_of[i];
    bool carried = is_carried(m, i), is_floor = m->g->relation_op[r] == FOI_G_FLOOR;
    if (!carried && (is_floor || !is_left(m, i, *now))) return FO_OK;
    if (is_floor) return land_floor(m, i, now);
    double g = m->guards[i];
    if (carried && fabs(g) > 0x1p-20 * fabs(g - m->began[i])) return FO_OK;
    fo_status status = measure_anew(m);
    double slack = m->sigma[i];
    if (status != FO_OK || fabs(g) > slack) return status;
    *now = truth_of(m->g->relation_op[r], look_after(m, i, slack) ? m->ahead[i] : 0);
    m->turned[r] = m->s->t, m->slack[r] = slack;
    return FO_OK;
}

// Relations take the truth of where their guards are, but those at zero keep theirs.
fo_status foi_moment_look(foi_moment *m, bool *changed)
{
    const foi_program *g = m->g;
    foi_given given;
    foi_give(&given, g, m->s, m->s->t, m->s->x);
    fo_status status = foi_moment_guards_now(m);
    if (status == FO_OK && g->codes[FOI_TASK_INSTANTS].result_count)
        status = foi_program_run(g, m->s, FOI_TASK_INSTANTS, &given, m->instants);
    for (uint32_t i = 0; i < g->guards && status == FO_OK; i++) {
        uint32_t r = g->relation_of[i];
        if (stays(m, r, m->guards[i]) || (m->moves && g->in_turn[r])) continue;
        if (m->follows && !is_carried(m, i)) continue;
        double now = foi_moment_truth_now(m, r, m->guards[i]);
        if ((status = land(m, i, &now)) != FO_OK) break;
        if (now == m->held[r]) continue;
        double was = m->held[r];
        m->held[r] = now, *changed = true;
        foi_moment_note_turned(m, r, was);
        if (m->turned[r] == m->s->t) continue;
        if (m->guards[i] != 0 && (status = foi_moment_measure(m)) != FO_OK) break;
        double slack = m->guards[i] != 0 ? m->sigma[i] : 0;
        if (fabs(m->guards[i]) > slack) continue;
        m->turned[r] = m->s->t, m->slack[r] = slack;
    }
    for (uint32_t i = 0; i < g->instants && status == FO_OK; i++) {
        double now = truth_at_now(m, i);
        uint32_t r = g->relation_at[i];
        *changed |= now != m->held[r];
        m->held[r] = now;
    }
    return status;
}

// Until they agree with each other: the guard of one may depend on the truth of another, as that of
// rem(x, 1) > 0 depends on the whole part of x, which turns at the same instant. Nothing acts on
// what is true only in between.
fo_status foi_moment_look_until_settled(foi_moment *m, bool *changed)
{
    fo_status status = FO_OK;
    bool again = true;
    for (int turns = 0; again && turns < FOI_MOST_TURNS && status == FO_OK; turns++) {
        again = false;
        status = foi_moment_look(m, &again);
        *changed |= again;
    }
    if (status == FO_OK && again) foi_moment_untangle(m);
    return status;
}

// The whole part of x after its guard has gone that way. A guard that falls has its moment where it
// is zero but for rounding errors, so x may still have the whole part n.
static double floor_gone(const foi_moment *m, uint32_t r, fo_direction direction)
{
    double whole = floor(m->floors[m->g->floor_of[r]]);
    return direction == FO_FALLING && whole == m->held[r] ? next_floor(m, r) : whole;
}

// The truth of a relation whose guard has gone that way.
double foi_moment_gone(const foi_moment *m, uint32_t r, fo_direction direction)
{
    foi_op op = m->g->relation_op[r];
    if (op == FOI_G_FLOOR) return floor_gone(m, r, direction);
    return (op == FOI_G_LESS || op == FOI_G_LESS_EQUAL) == (direction == FO_FALLING);
}

// Guard i has come to zero exactly and passes it that way. Another one with the same value and the
// same derivative (x < y beside x > y) passes with it: between their moments, which come one after
// the other, neither x < y nor x > y would be true, for no time.
static void cross_with(foi_moment *m, uint32_t i, fo_direction direction)
{
    const foi_program *g = m->g;
    double slope = g->slope_of[i] != FOI_NOTHING ? m->before[g->slope_of[i]] : 0;
    if (!m->has_before || m->guards[i] != 0 || !((int)direction * slope > 0)) return;
    for (uint32_t j = 0; j < g->guards; j++) {
        uint32_t r = g->relation_of[j], k = g->slope_of[j];
        if (j == i || m->guards[j] != 0 || k == FOI_NOTHING || m->before[k] != slope) continue;
        if (g->relation_op[r] == FOI_G_FLOOR || foi_moment_is_kept(m, r)) continue;
        m->turned[r] = m->s->t, m->slack[r] = m->slack[g->relation_of[i]];
        m->held[r] = foi_moment_gone(m, r, direction);
    }
}

// The guard's own moment: its relation is true or false by the way it went.
fo_status foi_moment_cross(foi_moment *m, const fo_moment *why)
{
    const foi_program *g = m->g;
    uint32_t r = g->relation_of[why->index];
    double size = fabs(m->guards[why->index]);
    fo_status status = size > why->slack ? foi_moment_measure(m) : FO_OK;
    m->turned[r] = m->s->t;
    m->slack[r] = why->slack + (size > why->slack ? m->sigma[why->index] : 0);
    m->held[r] = foi_moment_gone(m, r, why->direction);
    cross_with(m, why->index, why->direction);
    return status;
}

fo_status foi_moment_cross_all(foi_moment *m, const fo_moment *why)
{
    const foi_program *g = m->g;
    for (uint32_t i = 0; i < why->with_count; i++) {
        const fo_crossing *c = &why->with[i];
        if (c->guard >= g->guards || (why->kind == FO_GUARD && c->guard == why->index)) continue;
        uint32_t r = g->relation_of[c->guard];
        double size = fabs(m->guards[c->guard]);
        if (m->turned[r] == m->s->t || foi_moment_is_kept(m, r)) continue;
        fo_status status = size > c->slack ? foi_moment_measure(m) : FO_OK;
        if (status != FO_OK) return status;
        m->held[r] = foi_moment_gone(m, r, c->direction);
        m->turned[r] = m->s->t;
        m->slack[r] = c->slack + (size > c->slack ? m->sigma[c->guard] : 0);
    }
    return FO_OK;
}

fo_status foi_moment_moved(foi_moment *m, const fo_crossing *c, bool *again)
{
    const foi_program *g = m->g;
    if (c->guard >= g->guards) return FO_OK;
    uint32_t r = g->relation_of[c->guard];
    double now = m->guards[c->guard];
    if (g->relation_op[r] == FOI_G_FLOOR || now == m->began[c->guard]) return FO_OK;
    *again = true;
    m->turned[r] = -INFINITY;
    fo_status status = measure_anew(m);
    double slack = m->sigma[c->guard];
    if (status != FO_OK || fabs(now) > slack) return status;
    m->turned[r] = m->s->t, m->slack[r] = slack;
    // it is at zero still: it passes where the new mode carries it on, and touches zero where not
    bool on = look_after(m, c->guard, slack) && c->direction * m->ahead[c->guard] > 0;
    m->held[r] = on ? foi_moment_gone(m, r, c->direction) : truth_of(g->relation_op[r], 0);
    return FO_OK;
}

fo_status foi_moment_slopes(foi_moment *m)
{
    const foi_program *g = m->g;
    foi_given given;
    foi_give(&given, g, m->s, m->s->t, m->s->x);
    fo_status status = foi_program_run(g, m->s, FOI_TASK_RATES, &given, m->rates);
    given.from[FOI_LEAF_RATE] = m->rates;
    if (status != FO_OK) return status;
    return foi_program_run(g, m->s, FOI_TASK_SLOPES, &given, m->slopes);
}

// What the derivatives are before the jump changes anything. They may not exist.
void foi_moment_slopes_before(foi_moment *m)
{
    m->has_before = foi_moment_slopes(m) == FO_OK;
    memcpy(m->before, m->slopes, m->g->codes[FOI_TASK_SLOPES].result_count * sizeof *m->before);
}

// What the model is, to and from where it is kept.
static void keep(const foi_moment *m, bool back)
{
    const foi_program *g = m->g;
    const struct {
        double *list;
        size_t count;
    } parts[] = {{m->s->x, g->about.states.count},
                 {m->s->d, g->about.discretes.count},
                 {m->was, g->conditions},
                 {m->held, g->relations}};
    double *at = m->saved;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; at += parts[i++].count)
        memcpy(back ? parts[i].list : at, back ? at : parts[i].list, parts[i].count * sizeof *at);
}

// Its derivative turns a relation back and forth: the model is left as it was before, and whoever
// carries it through time is told.
static fo_status stuck(foi_moment *m, uint32_t guard)
{
    if (!m->effect)
        return fo_refuse(m->s,
                         "at t = %.15g the relation `%s` can neither stay true nor false: the "
                         "solution would slide along it",
                         m->s->t, m->g->about.guards.list[guard].name);
    keep(m, true);
    m->effect->stuck = true, m->effect->guard = guard;
    return FO_OK;
}

// What the derivative of guard i makes of its relation, if it is at zero and that is not what is
// held. A derivative that is nothing beside what it was in this jump (impacts between three bodies
// go on for ever, each weaker than the one before) turns nothing: whoever carries the model through
// time sees that it stands still. Nor does one that is not a number, as that of asin(min(1, x))
// where x > 1: 0 times infinity. The values have said all.
static bool will_turn(foi_moment *m, uint32_t i, double *now)
{
    const foi_program *g = m->g;
    uint32_t r = g->relation_of[i], k = g->slope_of[i];
    if (k == FOI_NOTHING || m->slopes[k] == 0 || !at_zero(m, r, m->guards[i])) return false;
    if (isnan(m->slopes[k]) || foi_moment_is_kept(m, r)) return false;
    // that of the next cell turns with the cell: x' is what it was where it is the other way round
    bool crossed = g->relation_op[r] == FOI_G_FLOOR && m->turned[r] == m->s->t;
    double before = crossed ? -m->before[k] : m->before[k];
    if (m->has_before && m->flips[r] == 0 && m->slopes[k] == before) return false;
    m->fastest[i] = foi_fmax(m->fastest[i], fabs(m->slopes[k]));
    if (m->sets && fabs(m->slopes[k]) <= 0x1p-46 * m->fastest[i]) return false;
    *now = truth_soon(m, r, m->slopes[k]);
    if (*now != m->held[r] && is_carried(m, i) && look_after(m, i, m->slack[r]))
        *now = truth_after(m, i);
    return *now != m->held[r];
}

// Guards at zero go on by their derivative: a relation that it will turn is turned now.
//
// The mode below carries a guard up, the mode above carries it down: then it stays on neither side.
// That is so when a pass turns back just what the pass before has turned, with no state set in
// between. Where other relations turned in between, or an impact has set a state, the derivative
// has changed for another reason, and it goes on.
fo_status foi_moment_look_ahead(foi_moment *m, bool *changed)
{
    const foi_program *g = m->g;
    bool any = false;
    for (uint32_t i = 0; i < g->guards; i++) any |= at_zero(m, g->relation_of[i], m->guards[i]);
    if (!any) return FO_OK;
    fo_status status = foi_moment_slopes(m);
    if (status != FO_OK) return status;
    uint32_t count = 0, back = 0, which = 0;
    double now;
    for (uint32_t i = 0; i < g->guards; i++) {
        if (!will_turn(m, i, &now)) continue;
        count++;
        if (m->passes && m->flips[g->relation_of[i]] == m->passes) back++, which = i;
    }
    if (!count) return FO_OK;
    bool swings = count == back && count == m->turned_last;
    if (m->passes && (swings || m->passes > 16 + 2 * g->guards)) {
        *changed = false;
        return stuck(m, which);
    }
    if (!m->passes) keep(m, false);
    m->passes++, m->turned_last = count;
    for (uint32_t i = 0; i < g->guards; i++) {
        uint32_t r = g->relation_of[i];
        if (m->flips[r] == m->passes || !will_turn(m, i, &now)) continue;
        m->held[r] = now, m->flips[r] = m->passes, *changed = true;
    }
    return FO_OK;
}

// A state was set: what derivatives have turned so far says nothing about where it stands now.
void foi_moment_forget_turns(foi_moment *m)
{
    for (uint32_t r = 0; r < m->g->relations && m->passes; r++)
        if (m->flips[r] > 0) m->flips[r] = -1;
    m->passes = 0, m->sets++;
}
