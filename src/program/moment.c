/// What happens at moments: the start, and the iteration of events.
///
/// At a moment the relations take their truth from where the guards stand; then, with pre(v) what
/// v was before, all discrete variables and when-conditions are computed anew, reinit takes
/// effect, and all of that again until nothing changes any more.
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

#include "base/ticks.h"
#include "math/math.h"
#include "program/moment.h"

foi_moment foi_moment_of(const foi_program *g, fo_state *s)
{
    size_t n = g->about.states.count, d = g->about.discretes.count;
    foi_moment m = {.g = g, .s = s};
    m.held = foi_memory(s, g->held), m.was = foi_memory(s, g->was);
    m.ticks = foi_memory(s, g->ticks), m.turned = foi_memory(s, g->turned);
    m.slack = foi_memory(s, g->slack);
    m.results = foi_program_work(g, s);
    m.pre =
        m.results + g->codes[FOI_TASK_MOMENT].result_count + g->codes[FOI_TASK_START].result_count;
    m.sample = m.pre + n + d;
    m.guards = m.sample + g->samplers;
    m.slopes = m.guards + g->guards;
    m.rates = m.slopes + g->guards;
    m.instants = m.rates + n;
    m.floors = m.instants + g->codes[FOI_TASK_INSTANTS].result_count;
    m.decided = m.floors + g->codes[FOI_TASK_FLOORS].result_count;
    m.flips = m.decided + g->codes[FOI_TASK_FLOORS].result_count;
    m.before = m.flips + g->relations;
    m.sigma = m.before + g->guards;
    m.fastest = m.sigma + g->guards;
    m.box = m.fastest + g->guards;
    m.saved = m.box + 2 * n + 2 * (size_t)g->guards;
    return m;
}

void foi_moment_begin(foi_moment *m)
{
    const foi_program *g = m->g;
    memset(m->sample, 0, g->samplers * sizeof *m->sample);
    memset(m->flips, 0, g->relations * sizeof *m->flips);
    memset(m->fastest, 0, g->guards * sizeof *m->fastest);
}

// -------------------------------------------------------------------------------------- relations

static double truth_of(foi_op op, double g)
{
    switch (op) {
    case FOI_G_LESS: return g < 0;
    case FOI_G_LESS_EQUAL: return g <= 0;
    case FOI_G_GREATER: return g > 0;
    default: return g >= 0;
    }
}

// A relation with time turns exactly at its instant, whether it is strict or not.
static double truth_at(const foi_program *g, uint32_t instant, double t, double at)
{
    foi_op op = g->relation_op[g->relation_at[instant]];
    bool above = op == FOI_G_GREATER || op == FOI_G_GREATER_EQUAL;
    return g->time_left[instant] == above ? t >= at : t < at;
}

// The guard (x - n) (n + 1 - x) of a floor has come to zero: n or n + 1, whichever x is nearer to.
static double next_floor(const foi_moment *m, uint32_t r)
{
    double n = m->held[r], x = m->floors[m->g->floor_of[r]];
    return x - n < n + 1 - x ? n - 1 : n + 1;
}

// What a relation is where its guard is not at zero.
static double truth_now(const foi_moment *m, uint32_t r, double g)
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
static bool is_kept(const foi_moment *m, uint32_t r)
{
    return m->slack[r] == INFINITY;
}

// A relation that has turned stands at zero until its guard is farther away than rounding errors; a
// moment of another one may come before that.
static bool at_zero(const foi_moment *m, uint32_t r, double g)
{
    if (is_kept(m, r)) return true;
    bool now = m->s->t - m->turned[r] <= 64 * DBL_EPSILON * fabs(m->s->t);
    return now && fabs(g) <= m->slack[r];
}

// A floor is known by its argument, but where that has come down to n + 1 in this instant and goes
// on below it, and where its derivative has turned it; and that only as long as its argument is not
// moved by something else.
static bool stays(const foi_moment *m, uint32_t r, double g)
{
    if (m->g->relation_op[r] != FOI_G_FLOOR || is_kept(m, r)) return at_zero(m, r, g);
    double x = m->floors[m->g->floor_of[r]], *decided = &m->decided[m->g->floor_of[r]];
    bool moved = x != *decided;
    *decided = x;
    if (moved || m->turned[r] != m->s->t) return false;
    return x == m->held[r] + 1 || (m->flips[r] != 0 && at_zero(m, r, g));
}

// How far rounding errors of t, of x and of the evaluation can carry each guard: the width of its
// enclosure over a box of two units in the last place, and of what the states move in four of time,
// to which a moment is located. None where a guard may jump, and none where zero is not in it.
fo_status foi_moment_measure(foi_moment *m)
{
    const foi_program *g = m->g;
    size_t n = g->about.states.count, c = g->guards;
    const fo_state *s = m->s;
    if (m->measured) return FO_OK;
    m->measured = true;
    double *lo = m->box, *hi = lo + n, *from = hi + n, *to = from + c, eps = 2 * DBL_EPSILON;
    foi_given given = foi_given_of(g, s, s->t, s->x);
    bool moves = foi_program_run(g, s, FOI_TASK_RATES, &given, m->rates) == FO_OK;
    for (size_t i = 0; i < n; i++) {
        double way = moves && isfinite(m->rates[i]) ? 2 * eps * fabs(s->t * m->rates[i]) : 0;
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

static fo_status guards_now(foi_moment *m)
{
    const foi_program *g = m->g;
    foi_given given = foi_given_of(g, m->s, m->s->t, m->s->x);
    fo_status status = FO_OK;
    if (g->guards) status = foi_program_run(g, m->s, FOI_TASK_GUARDS, &given, m->guards);
    if (status == FO_OK && g->codes[FOI_TASK_FLOORS].result_count)
        status = foi_program_run(g, m->s, FOI_TASK_FLOORS, &given, m->floors);
    return status;
}

// The same at the beginning of a jump, with floors decided for where their arguments are.
fo_status foi_moment_guards(foi_moment *m)
{
    fo_status status = guards_now(m);
    size_t count = m->g->codes[FOI_TASK_FLOORS].result_count;
    if (status == FO_OK) memcpy(m->decided, m->floors, count * sizeof *m->decided);
    return status;
}

// Relations take the truth of where their guards are, but those at zero keep theirs.
static fo_status look(foi_moment *m, bool *changed)
{
    const foi_program *g = m->g;
    foi_given given = foi_given_of(g, m->s, m->s->t, m->s->x);
    fo_status status = guards_now(m);
    if (status == FO_OK && g->codes[FOI_TASK_INSTANTS].result_count)
        status = foi_program_run(g, m->s, FOI_TASK_INSTANTS, &given, m->instants);
    for (uint32_t i = 0; i < g->guards && status == FO_OK; i++) {
        uint32_t r = g->relation_of[i];
        if (stays(m, r, m->guards[i])) continue;
        double now = truth_now(m, r, m->guards[i]);
        if (now == m->held[r]) continue;
        m->held[r] = now, *changed = true;
        if (m->guards[i] != 0 && (status = foi_moment_measure(m)) != FO_OK) break;
        double slack = m->guards[i] != 0 ? m->sigma[i] : 0;
        if (fabs(m->guards[i]) > slack) continue;
        m->turned[r] = m->s->t, m->slack[r] = slack;
    }
    for (uint32_t i = 0; i < g->instants && status == FO_OK; i++) {
        double now = truth_at(g, i, m->s->t, m->instants[i]);
        uint32_t r = g->relation_at[i];
        *changed |= now != m->held[r];
        m->held[r] = now;
    }
    return status;
}

// Until they agree with each other: the guard of one may depend on the truth of another, as that of
// rem(x, 1) > 0 depends on the whole part of x, which turns at the same instant. Nothing acts on
// what is true only in between.
static fo_status look_until_settled(foi_moment *m, bool *changed)
{
    fo_status status = FO_OK;
    bool again = true;
    for (int turns = 0; again && turns < FOI_MOST_TURNS && status == FO_OK; turns++) {
        again = false;
        status = look(m, &again);
        *changed |= again;
    }
    return status;
}

// The truth of a relation whose guard has gone that way.
double foi_moment_gone(const foi_moment *m, uint32_t r, fo_direction direction)
{
    foi_op op = m->g->relation_op[r];
    double x = op == FOI_G_FLOOR ? m->floors[m->g->floor_of[r]] : 0;
    if (op == FOI_G_FLOOR) return x == m->held[r] && direction == FO_FALLING ? x - 1 : floor(x);
    return (op == FOI_G_LESS || op == FOI_G_LESS_EQUAL) == (direction == FO_FALLING);
}

// The guard's own moment: its relation is true or false by the way it went.
static fo_status cross(foi_moment *m, const fo_moment *why)
{
    const foi_program *g = m->g;
    uint32_t r = g->relation_of[why->index];
    double size = fabs(m->guards[why->index]);
    fo_status status = size > why->slack ? foi_moment_measure(m) : FO_OK;
    m->turned[r] = m->s->t;
    m->slack[r] = why->slack + (size > why->slack ? m->sigma[why->index] : 0);
    m->held[r] = foi_moment_gone(m, r, why->direction);
    return status;
}

static fo_status slopes_now(foi_moment *m)
{
    const foi_program *g = m->g;
    foi_given given = foi_given_of(g, m->s, m->s->t, m->s->x);
    fo_status status = foi_program_run(g, m->s, FOI_TASK_RATES, &given, m->rates);
    given.from[FOI_LEAF_RATE] = m->rates;
    if (status != FO_OK) return status;
    return foi_program_run(g, m->s, FOI_TASK_SLOPES, &given, m->slopes);
}

// What the derivatives are before the jump changes anything. They may not exist.
static void slopes_before(foi_moment *m)
{
    m->has_before = slopes_now(m) == FO_OK;
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
// time sees that it stands still.
static bool will_turn(const foi_moment *m, uint32_t i, double *now)
{
    const foi_program *g = m->g;
    uint32_t r = g->relation_of[i], k = g->slope_of[i];
    if (k == FOI_NOTHING || m->slopes[k] == 0 || !at_zero(m, r, m->guards[i])) return false;
    if (is_kept(m, r)) return false;
    if (m->has_before && m->flips[r] == 0 && m->slopes[k] == m->before[k]) return false;
    m->fastest[i] = foi_fmax(m->fastest[i], fabs(m->slopes[k]));
    if (m->sets && fabs(m->slopes[k]) <= 0x1p-46 * m->fastest[i]) return false;
    *now = truth_soon(m, r, m->slopes[k]);
    return *now != m->held[r];
}

// Guards at zero go on by their derivative: a relation that it will turn is turned now.
//
// The mode below carries a guard up, the mode above carries it down: then it stays on neither side.
// That is so when a pass turns back just what the pass before has turned, with no state set in
// between. Where other relations turned in between, or an impact has set a state, the derivative
// has changed for another reason, and it goes on.
static fo_status look_ahead(foi_moment *m, bool *changed)
{
    const foi_program *g = m->g;
    bool any = false;
    for (uint32_t i = 0; i < g->guards; i++) any |= at_zero(m, g->relation_of[i], m->guards[i]);
    if (!any) return FO_OK;
    fo_status status = slopes_now(m);
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
static void forget_turns(foi_moment *m)
{
    for (uint32_t r = 0; r < m->g->relations && m->passes; r++)
        if (m->flips[r] > 0) m->flips[r] = -1;
    m->passes = 0, m->sets++;
}

// ---------------------------------------------------------------------------------------- actions

static const char *text_of(const foi_moment *m, const foi_action *a, char *text, size_t size)
{
    return foi_action_text(m->g, m->s, m->s->t, m->s->x, a, text, size);
}

static fo_status act(foi_moment *m, const double *active, const double *value, bool *changed)
{
    const foi_program *g = m->g;
    char text[400];
    for (uint32_t i = 0; i < g->actions; i++) {
        const foi_action *a = &g->action[i];
        if (active[i] == 0) continue;
        switch (a->action) {
        case FOI_DO_REINIT: {
            double *x = &m->s->x[g->action_state[i]];
            m->set |= *x != value[i];
            *changed |= *x != value[i];
            m->measured = false;
            *x = value[i];
            break;
        }
        case FOI_DO_ASSERT:
            if (value[i] != 0) break;
            text_of(m, a, text, sizeof text);
            if (!a->warning)
                return fo_refuse(m->s, "assertion failed at t = %.15g: %s (line %u)", m->s->t, text,
                                 a->place.line);
            fo_note(m->s, "warning at t = %.15g: %s (line %u)", m->s->t, text, a->place.line);
            break;
        case FOI_DO_TERMINATE:
            if (!m->effect) break;
            m->effect->stop = true;
            fo_fail(m->s->message, FO_STOPPED, "%s", text_of(m, a, text, sizeof text));
            break;
        default: break;
        }
    }
    return FO_OK;
}

// -------------------------------------------------------------------------------------- iteration

// Computes all discretes and conditions once, and lets actions act.
static fo_status turn(foi_moment *m, bool *changed)
{
    const foi_program *g = m->g;
    size_t d = g->about.discretes.count;
    foi_given given = foi_given_of(g, m->s, m->s->t, m->s->x);
    memcpy(m->pre, m->s->d, d * sizeof *m->pre);
    given.from[FOI_LEAF_PRE] = m->pre;
    given.from[FOI_LEAF_SAMPLE] = m->sample;
    given.from[FOI_LEAF_TERMINAL] = &m->terminal;
    fo_status status = foi_program_run(g, m->s, FOI_TASK_MOMENT, &given, m->results);
    if (status != FO_OK) return status;
    const double *next = m->results, *now = next + d, *active = now + g->conditions;
    for (size_t i = 0; i < d; i++) {
        *changed |= next[i] != m->s->d[i] && !(isnan(next[i]) && isnan(m->s->d[i]));
        m->s->d[i] = next[i];
    }
    for (uint32_t i = 0; i < g->conditions; i++) {
        *changed |= now[i] != m->was[i];
        m->was[i] = now[i];
    }
    for (uint32_t i = 0; i < g->samplers; i++) {
        *changed |= m->sample[i] != 0;
        m->sample[i] = 0;
    }
    status = act(m, active, active + g->actions, changed);
    return status == FO_OK && g->choice ? foi_choice_reinit(g->choice, m->s) : status;
}

// What stays until the next moment must be a number.
static fo_status check_discretes(const foi_moment *m)
{
    const fo_variables *all = &m->g->about.discretes;
    for (size_t i = 0; i < all->count; i++)
        if (!isfinite(m->s->d[i]))
            return fo_fail(m->s->message, FO_ERROR_NUMBER, "the discrete `%s` is %s at t = %.15g",
                           all->list[i].name, isnan(m->s->d[i]) ? "not a number" : "infinite",
                           m->s->t);
    return FO_OK;
}

fo_status foi_moment_unsettled(const foi_moment *m)
{
    const foi_program *g = m->g;
    for (size_t i = 0; i < g->about.discretes.count; i++)
        if (m->s->d[i] != m->pre[i])
            return fo_refuse(m->s,
                             "the moment at t = %.15g does not come to an end: `%s` still changes "
                             "after %d turns (from %g to %g)",
                             m->s->t, g->about.discretes.list[i].name, FOI_MOST_TURNS, m->pre[i],
                             m->s->d[i]);
    return fo_refuse(m->s, "the moment at t = %.15g does not come to an end after %d turns",
                     m->s->t, FOI_MOST_TURNS);
}

// The slack of a crossing is that of the time it is located at. A guard that a reinit has moved has
// the value that was set, whatever is left of the crossing: its relation is true or false by that,
// if it is not zero.
static fo_status follow_reinit(foi_moment *m, bool *changed)
{
    const foi_program *g = m->g;
    double *old = m->box;
    if (!m->set) return FO_OK;
    m->set = false;
    forget_turns(m);
    memcpy(old, m->guards, g->guards * sizeof *old);
    fo_status status = guards_now(m);
    for (uint32_t i = 0; i < g->guards && status == FO_OK; i++) {
        uint32_t r = g->relation_of[i];
        if (g->relation_op[r] == FOI_G_FLOOR || is_kept(m, r)) continue;
        if (m->guards[i] == old[i] || m->guards[i] == 0) continue;
        double now = truth_now(m, r, m->guards[i]);
        *changed |= now != m->held[r];
        m->turned[r] = -INFINITY, m->held[r] = now;
    }
    return status;
}

// Impacts that follow from one another at one instant may be many.
fo_status foi_moment_iterate(foi_moment *m)
{
    enum { MOST_SETS = 4096 };
    fo_status status = FO_OK;
    for (int turns = 0; turns < FOI_MOST_TURNS && m->sets < MOST_SETS; turns++) {
        bool changed = false;
        uint32_t sets = m->sets;
        status = turn(m, &changed);
        if (status == FO_OK) status = follow_reinit(m, &changed);
        if (status == FO_OK) status = look_until_settled(m, &changed);
        if (status == FO_OK && !changed) status = look_ahead(m, &changed);
        if (status == FO_OK && !changed) return check_discretes(m);
        if (status != FO_OK) return status;
        if (m->sets > sets) turns = 0;
    }
    return foi_moment_unsettled(m);
}

// ------------------------------------------------------------------------------------ known times

static double tick(const foi_moment *m, uint32_t sampler)
{
    const double *start = m->instants + m->g->instants, *interval = start + m->g->samplers;
    if (!(interval[sampler] > 0)) return INFINITY; // a parameter was set so in the run
    return foi_tick(start[sampler], interval[sampler], m->ticks[sampler], m->s->stop);
}

// Ticks that are meant to be one instant are one, whatever their doubles are.
static bool is_due(const foi_moment *m, uint32_t sampler)
{
    const double *start = m->instants + m->g->instants, *interval = start + m->g->samplers;
    if (!(interval[sampler] > 0)) return false;
    return tick(m, sampler) <= m->s->t ||
           foi_tick_due(start[sampler], interval[sampler], m->ticks[sampler], m->s->t);
}

fo_next foi_program_next(const void *model, const fo_state *s)
{
    const foi_program *g = model;
    foi_moment m = foi_moment_of(g, (fo_state *)s);
    foi_given given = foi_given_of(g, s, s->t, s->x);
    fo_next next = {INFINITY, 0};
    if (foi_program_run(g, s, FOI_TASK_INSTANTS, &given, m.instants) != FO_OK) return next;
    for (uint32_t i = 0; i < g->samplers; i++) {
        double t = foi_fmax(tick(&m, i), s->t);
        if (t < next.t) next = (fo_next){t, i};
    }
    for (uint32_t i = 0; i < g->instants; i++) {
        double at = m.instants[i];
        bool due = truth_at(g, i, s->t, at) != m.held[g->relation_at[i]];
        double t = due ? s->t : at > s->t ? at : INFINITY;
        if (t < next.t) next = (fo_next){t, g->samplers + i};
    }
    uint32_t which;
    double t = g->delays ? foi_delays_next(g, s, &which) : INFINITY;
    if (t < next.t) next = (fo_next){t, g->samplers + g->instants + which};
    return next;
}

static void due_samples(foi_moment *m)
{
    for (uint32_t i = 0; i < m->g->samplers; i++) {
        m->sample[i] = is_due(m, i);
        while (m->sample[i] != 0 && is_due(m, i)) m->ticks[i]++;
    }
}

// Where start or interval of a sample() were set in the run, the ticks that are to come are counted
// anew: the next one is the first that is not before now. The count is right where the tick before
// lies in the past and the next one does not. Where an earlier jump of this instant has taken what
// was due (`first` is false), ticks of now have gone by, too.
static void count_anew(foi_moment *m, bool first)
{
    const double *start = m->instants + m->g->instants, *interval = start + m->g->samplers;
    for (uint32_t i = 0; i < m->g->samplers; i++) {
        double a = start[i], h = interval[i], t = m->s->t, k = m->ticks[i];
        if (!(h > 0)) continue;
        bool gone = k == 0 || foi_tick_due(a, h, k - 1, t);
        bool late = a + k * h < t - foi_tick_slack(a, h, k);
        if (!gone || late) k = foi_tick_from(a, h, t);
        m->ticks[i] = !first && foi_tick_due(a, h, k, t) ? k + 1 : k;
    }
}

// The argument of a floor stands at its n exactly, and not because it goes below: an earlier jump
// of this instant has put it there.
static bool is_put(foi_moment *m, uint32_t guard)
{
    const foi_program *g = m->g;
    uint32_t r = g->relation_of[guard], k = g->slope_of[guard];
    if (g->relation_op[r] != FOI_G_FLOOR || k == FOI_NOTHING) return false;
    if (m->floors[g->floor_of[r]] != m->held[r]) return false;
    return slopes_now(m) == FO_OK && m->slopes[k] >= 0;
}

// A crossing that an earlier jump of this instant has dealt with: it turned the relation itself, or
// it carried the guard across and the relation followed, or it carried it away from zero.
static bool is_known(foi_moment *m, const fo_moment *why, bool first)
{
    uint32_t r = m->g->relation_of[why->index];
    double g = m->guards[why->index];
    if (m->turned[r] == m->s->t) return true;
    if (first) return false;
    if (foi_moment_gone(m, r, why->direction) == m->held[r] || is_put(m, why->index)) return true;
    if (fabs(g) <= why->slack || foi_moment_measure(m) != FO_OK) return false;
    return fabs(g) > why->slack + m->sigma[why->index] && truth_now(m, r, g) == m->held[r];
}

// All relations after the crossing of one. Where others turn with it and change its guard, it has
// not crossed anything: its truth is that of the guard as it is now.
static fo_status settle_crossing(foi_moment *m, const fo_moment *why, bool *changed)
{
    const foi_program *g = m->g;
    bool crossing = why->kind == FO_GUARD;
    uint32_t r = crossing ? g->relation_of[why->index] : 0;
    double was = crossing ? m->guards[why->index] : 0;
    fo_status status = look_until_settled(m, changed);
    if (status != FO_OK || !crossing || g->relation_op[r] == FOI_G_FLOOR) return status;
    if (m->guards[why->index] == was) return FO_OK;
    m->turned[r] = -INFINITY;
    return look_until_settled(m, changed);
}

// An event from outside: its input is true in this moment, and its value there from now on.
static fo_status take_event(const foi_moment *m, const fo_moment *why)
{
    const foi_program *g = m->g;
    uint32_t to = g->event_value[why->index];
    const fo_variable *v = to == FOI_NOTHING ? NULL : &g->about.inputs.list[to];
    m->s->u[g->event_input[why->index]] = 1;
    if (!v) return FO_OK;
    if ((v->min != 0 || v->max != 0) && (why->value < v->min || why->value > v->max))
        return fo_refuse(m->s,
                         "the event '%s' at t = %.15g brings %g for '%s', which must lie between "
                         "%g and %g",
                         why->name, m->s->t, why->value, v->name, v->min, v->max);
    m->s->u[to] = why->value;
    return FO_OK;
}

// And the event is over: what waits for it can wait for the next one.
static fo_status end_event(foi_moment *m, uint32_t event)
{
    bool changed = false;
    m->s->u[m->g->event_input[event]] = 0;
    fo_status status = look(m, &changed);
    return status == FO_OK ? foi_moment_iterate(m) : status;
}

fo_status foi_program_jump(const void *model, fo_state *s, const fo_moment *why, fo_effect *effect)
{
    const foi_program *g = model;
    foi_moment m = foi_moment_of(g, s);
    bool changed = false, first = *foi_memory(s, g->looked) != s->t;
    m.effect = effect;
    foi_moment_begin(&m);
    fo_status status = g->delays ? foi_delays_pass(g, s) : FO_OK;
    if (status == FO_OK) status = foi_moment_guards(&m);
    if (status == FO_OK && why->kind == FO_GUARD) {
        if (is_known(&m, why, first)) {
            effect->unchanged = true;
            return FO_OK;
        }
        if (first) slopes_before(&m);
        status = cross(&m, why);
    }
    *foi_memory(s, g->looked) = s->t;
    if (status == FO_OK && why->kind == FO_EXTERNAL) status = take_event(&m, why);
    if (status == FO_OK) status = settle_crossing(&m, why, &changed);
    if (status == FO_OK && why->kind == FO_SET) count_anew(&m, first);
    if (status == FO_OK) due_samples(&m);
    if (status == FO_OK) status = foi_moment_iterate(&m);
    if (status == FO_OK && why->kind == FO_EXTERNAL) status = end_event(&m, why->index);
    return status == FO_OK && g->type.settle ? g->type.settle(g, s, s->t, s->x) : status;
}

// The end of the run is a moment of its own, in which terminal() is true.
fo_status foi_program_finish(const void *model, fo_state *s)
{
    const foi_program *g = model;
    foi_moment m = foi_moment_of(g, s);
    m.terminal = 1;
    foi_moment_begin(&m);
    fo_status status = foi_moment_guards(&m);
    if (status == FO_OK) status = foi_moment_iterate(&m);
    return status == FO_OK && g->type.settle ? g->type.settle(g, s, s->t, s->x) : status;
}

// ------------------------------------------------------------------------------------------ start

static fo_status first_ticks(foi_moment *m)
{
    const double *start = m->instants + m->g->instants, *interval = start + m->g->samplers;
    for (uint32_t i = 0; i < m->g->samplers; i++) {
        if (!(interval[i] > 0))
            return fo_refuse(m->s, "the interval of sample() must be positive, is %g", interval[i]);
        m->ticks[i] = foi_tick_from(start[i], interval[i], m->s->t);
    }
    return FO_OK;
}

// Loops begin where the start values are, with the parameters and starts of this run.
static fo_status first_guesses(foi_moment *m, const double *given_starts)
{
    const foi_program *g = m->g;
    foi_given given = foi_given_of(g, m->s, m->s->t, m->s->x);
    given.from[FOI_LEAF_START] = given_starts;
    if (!g->guesses) return FO_OK;
    *foi_memory(m->s, g->since) = m->s->t;
    memset(foi_memory(m->s, g->tilt), 0, g->guesses * sizeof(double));
    given.guesses = foi_memory(m->s, g->guess);
    return foi_program_run(g, m->s, FOI_TASK_GUESSES, &given, foi_memory(m->s, g->guess));
}

// The states and discretes that the initial system gives, for the present truth of relations.
static fo_status solve_start(foi_moment *m, const double *given_starts)
{
    const foi_program *g = m->g;
    size_t n = g->about.states.count, d = g->about.discretes.count;
    foi_given given = foi_given_of(g, m->s, m->s->t, m->s->x);
    given.from[FOI_LEAF_START] = given_starts;
    double *results = m->results + g->codes[FOI_TASK_MOMENT].result_count;
    fo_status status = foi_program_run(g, m->s, FOI_TASK_START, &given, results);
    if (status != FO_OK) return status;
    memcpy(m->s->x, results, n * sizeof *results);
    memcpy(m->s->d, results + n, d * sizeof *results);
    return FO_OK;
}

// What the conditions are now is what they were: at the start none becomes true.
static fo_status first_conditions(foi_moment *m)
{
    const foi_program *g = m->g;
    foi_given given = foi_given_of(g, m->s, m->s->t, m->s->x);
    given.from[FOI_LEAF_PRE] = m->s->d;
    given.from[FOI_LEAF_SAMPLE] = m->sample;
    given.from[FOI_LEAF_TERMINAL] = &m->terminal;
    fo_status status = foi_program_run(g, m->s, FOI_TASK_MOMENT, &given, m->results);
    const double *now = m->results + g->about.discretes.count;
    for (uint32_t i = 0; i < g->conditions && status == FO_OK; i++) m->was[i] = now[i];
    return status;
}

static fo_status first_actions(foi_moment *m)
{
    const foi_program *g = m->g;
    size_t nd = g->about.states.count + g->about.discretes.count;
    bool changed = false;
    const double *active = m->results + g->codes[FOI_TASK_MOMENT].result_count + nd;
    return act(m, active, active + g->actions, &changed);
}

fo_status foi_program_start(const void *model, fo_state *s)
{
    const foi_program *g = model;
    foi_moment m = foi_moment_of(g, s);
    size_t n = g->about.states.count, d = g->about.discretes.count;
    double *starts = m.pre; // n + d
    memcpy(starts, s->x, n * sizeof *starts);
    memcpy(starts + n, s->d, d * sizeof *starts);
    *foi_memory(s, g->looked) = -INFINITY;
    foi_moment_begin(&m);
    for (uint32_t r = 0; r < g->relations; r++) m.turned[r] = -INFINITY;
    fo_status status = first_guesses(&m, starts);
    bool changed = true;
    for (int turns = 0; changed && status == FO_OK; turns++) {
        if (turns == FOI_MOST_TURNS) return foi_moment_unsettled(&m);
        changed = false;
        status = solve_start(&m, starts);
        if (status == FO_OK && g->delays) status = foi_delays_begin(g, s);
        if (status == FO_OK) status = look(&m, &changed);
    }
    for (uint32_t r = 0; r < g->relations; r++) m.turned[r] = -INFINITY;
    if (status == FO_OK) status = check_discretes(&m);
    if (status == FO_OK) status = first_ticks(&m);
    if (status == FO_OK) status = first_conditions(&m);
    if (status == FO_OK) status = first_actions(&m);
    return status == FO_OK && g->type.settle ? g->type.settle(g, s, s->t, s->x) : status;
}
