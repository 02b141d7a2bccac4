/// What happens at moments: the iteration of events.
///
/// At a moment the relations take their truth from where the guards stand; then, with pre(v) what
/// v was before, all discrete variables and when-conditions are computed anew, reinit takes
/// effect, and all of that again until nothing changes any more.
///
/// See relation.c for what relations are there, and start.c for the first moment of all.
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/ticks.h"
#include "math/math.h"
#include "program/moment.h"

void foi_moment_of(foi_moment *m, const foi_program *g, fo_state *s)
{
    size_t n = g->about.states.count, d = g->about.discretes.count;
    m->g = g, m->s = s, m->effect = NULL, m->terminal = 0;
    m->unsure = 0;
    m->follows = false;
    m->measured = m->has_before = m->has_came = m->lands = m->starts = m->set = m->moves =
        m->first = m->ending = false;
    m->passes = m->turned_last = m->sets = 0;
    m->held = foi_memory(s, g->held), m->was = foi_memory(s, g->was);
    m->ticks = foi_memory(s, g->ticks), m->turned = foi_memory(s, g->turned);
    m->slack = foi_memory(s, g->slack);
    m->results = foi_program_work(g, s);
    m->pre =
        m->results + g->codes[FOI_TASK_MOMENT].result_count + g->codes[FOI_TASK_START].result_count;
    m->sample = m->pre + n + d + 1; // and lambda of the start
    m->guards = m->sample + g->samplers;
    m->slopes = m->guards + g->guards;
    m->rates = m->slopes + g->guards;
    m->instants = m->rates + n;
    m->floors = m->instants + g->codes[FOI_TASK_INSTANTS].result_count;
    m->decided = m->floors + g->codes[FOI_TASK_FLOORS].result_count;
    m->flips = m->decided + g->codes[FOI_TASK_FLOORS].result_count;
    m->before = m->flips + g->relations;
    m->sigma = m->before + g->guards;
    m->fastest = m->sigma + g->guards;
    m->began = m->fastest + g->guards;
    m->floors_began = m->began + g->guards;
    m->ahead = m->floors_began + g->codes[FOI_TASK_FLOORS].result_count;
    m->box = m->ahead + g->guards + g->codes[FOI_TASK_FLOORS].result_count;
    m->saved = m->box + 2 * n + 2 * (size_t)g->guards;
    m->came = m->saved + n + d + g->conditions + g->relations;
    m->mode = m->came + n;
    m->then = m->mode + d;
    m->last = m->then + g->guards;
    m->changing = (foi_changing){0};
}

void foi_moment_begin(foi_moment *m)
{
    const foi_program *g = m->g;
    memset(m->sample, 0, g->samplers * sizeof *m->sample);
    memset(m->flips, 0, g->relations * sizeof *m->flips);
    memset(m->fastest, 0, g->guards * sizeof *m->fastest);
}

// ---------------------------------------------------------------------------------------- actions

static const char *text_of(const foi_moment *m, const foi_action *a, char *text, size_t size)
{
    return foi_action_text(m->g, m->s, m->s->t, m->s->x, a, text, size);
}

// Two that set one state in one turn must agree on it: nothing says which of them counts.
static fo_status refuse_rivals(const foi_moment *m, uint32_t i, const double *active,
                               const double *value)
{
    const foi_program *g = m->g;
    for (uint32_t k = g->action_rival[i]; k != FOI_NOTHING; k = g->action_rival[k]) {
        if (active[k] == 0 || value[k] == value[i]) continue;
        if (value[k] != value[k] && value[i] != value[i]) continue;
        return fo_refuse(m->s,
                         "at t = %.15g two whens set `%s` at once: line %u to %.15g, line %u to "
                         "%.15g; `elsewhen` says which of them counts",
                         m->s->t, g->about.states.list[g->action_state[i]].name,
                         g->action[k].place.line, value[k], g->action[i].place.line, value[i]);
    }
    return FO_OK;
}

fo_status foi_moment_act(foi_moment *m, const double *active, const double *value, bool *changed)
{
    const foi_program *g = m->g;
    char text[400];
    for (uint32_t i = 0; i < g->actions; i++) {
        const foi_action *a = &g->action[i];
        if (active[i] == 0) continue;
        switch (a->action) {
        case FOI_DO_REINIT: {
            double *x = &m->s->x[g->action_state[i]];
            fo_status status = refuse_rivals(m, i, active, value);
            if (status != FO_OK) return status;
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

/// A relation that a turn has renewed, and what it was.
typedef struct renewal {
    uint32_t relation;
    double was;
} renewal;

// Whether the turn that was computed sets states.
static bool sets_states(const foi_moment *m)
{
    const foi_program *g = m->g;
    const double *active = m->results + g->about.discretes.count + g->conditions;
    for (uint32_t i = 0; i < g->actions; i++)
        if (active[i] != 0 && g->action[i].action == FOI_DO_REINIT) return true;
    return false;
}

// How near to zero what a relation compares means nothing: of one with time, rounding errors of it
// and of its instant. That whose instant is now has its truth by that.
static double nothing_of(const foi_moment *m, uint32_t r)
{
    const foi_program *g = m->g;
    double t = m->s->t, rounding = 64 * DBL_EPSILON * fabs(t);
    for (uint32_t i = 0; i < g->instants; i++)
        if (g->relation_at[i] == r)
            return fabs(m->instants[i] - t) <= rounding ? INFINITY : rounding;
    return 0;
}

// What the relations that a turn may renew compare in it.
static const double *compared_in_turn(const foi_moment *m)
{
    const foi_program *g = m->g;
    return m->results + g->about.discretes.count + g->conditions + 2 * (size_t)g->actions;
}

// Discretes and what flows are one system: in
//     locked = not start,  start = stuck and s > s_max,  a = if locked then 0 else ...,  s from a
// the truth of s > s_max that was found before the turn is that of another mode. Where discretes
// change in the turn, relations take the truth of what they compare in it: one after the other,
// since two that are turned together (s > s_max and s < -s_max) may only change places. One whose
// moment this is has its truth by that; but where the turns before have changed what it compares
// (x > pre(n), and n counts), it is looked at like the others. False: all agree. *renewed: which.
static bool renew_relation(foi_moment *m, renewal *renewed)
{
    const foi_program *g = m->g;
    size_t d = g->about.discretes.count;
    bool moves = false;
    for (size_t i = 0; i < d; i++) moves |= m->results[i] != m->s->d[i];
    if (sets_states(m)) return false; // what they make together is seen after the turn
    const double *compared = compared_in_turn(m);
    for (uint32_t k = 0; moves && k < g->turn_relations; k++) {
        uint32_t r = g->turn_relation[k];
        bool own = m->turned[r] == m->s->t && (m->first || fabs(compared[k]) <= m->slack[r]);
        if (own || foi_moment_is_kept(m, r)) continue;
        if (!isfinite(compared[k]) || compared[k] == 0) continue;
        double now = foi_moment_truth_now(m, r, compared[k]);
        if (now == m->held[r] || !(fabs(compared[k]) > nothing_of(m, r))) continue;
        *renewed = (renewal){r, m->held[r]};
        m->held[r] = now;
        return true;
    }
    return false;
}

// Whether a relation is what its guard made it before the turn, away from zero.
static bool was_seen(const foi_moment *m, renewal renewed)
{
    const foi_program *g = m->g;
    for (uint32_t i = 0; i < g->guards; i++)
        if (g->relation_of[i] == renewed.relation)
            return m->guards[i] != 0 && m->turned[renewed.relation] != m->s->t &&
                   foi_moment_truth_now(m, renewed.relation, m->guards[i]) == renewed.was;
    return false;
}

// Whether the turn that was computed changes no discrete.
static bool rests(const foi_moment *m)
{
    size_t d = m->g->about.discretes.count;
    for (size_t i = 0; i < d; i++)
        if (m->results[i] != m->s->d[i]) return false;
    return true;
}

// What the turn compares in relation k of those is away from zero, on the other side of its truth.
static bool is_carried_over(const foi_moment *m, uint32_t k, double *now)
{
    uint32_t r = m->g->turn_relation[k];
    double value = compared_in_turn(m)[k];
    if (!isfinite(value) || fabs(value) <= m->slack[r]) return false;
    *now = foi_moment_truth_now(m, r, value);
    return *now != m->held[r];
}

// A relation that crosses in this very instant, while others carry what it compares away (an angle
// comes to the next mark, and the marks are moved): it has not crossed anything. But where it is
// carried by its own crossing alone (x > n, which counts n) it has.
static fo_status leave_crossings(foi_moment *m, const foi_given *given)
{
    const foi_program *g = m->g;
    fo_status status = FO_OK;
    for (uint32_t k = 0; m->first && status == FO_OK && k < g->turn_relations; k++) {
        uint32_t r = g->turn_relation[k];
        double was = m->held[r], now;
        if (m->turned[r] != m->s->t || foi_moment_is_kept(m, r) || sets_states(m)) continue;
        if (rests(m) || !is_carried_over(m, k, &now)) continue;
        m->held[r] = now;
        status = foi_program_run(g, m->s, FOI_TASK_MOMENT, given, m->results);
        double value = compared_in_turn(m)[k];
        bool stands = isfinite(value) && fabs(value) > m->slack[r] && !is_carried_over(m, k, &now);
        if (status != FO_OK || stands) continue;
        m->held[r] = was;
        status = foi_program_run(g, m->s, FOI_TASK_MOMENT, given, m->results);
    }
    return status;
}

// Computes all discretes and conditions once; what counts as zero then has the scale of then.
static fo_status compute_once(foi_moment *m, const foi_given *given)
{
    fo_status status = foi_program_run(m->g, m->s, FOI_TASK_MOMENT, given, m->results);
    return status == FO_OK && !sets_states(m) ? foi_moment_rescale(m) : status;
}

// Computes all discretes and conditions, with relations that agree with them. Where there are none,
// since a relation turns back what its own edge does (a clock that ticks where an angle is far from
// that of the last tick), relations stay what they were before the turn: either they would turn to
// and fro, or nothing would happen, and they would be found again as they were.
static fo_status compute(foi_moment *m, const foi_given *given)
{
    enum { MOST_PASSES = 100 };
    const foi_program *g = m->g;
    renewal renewed[MOST_PASSES];
    int passes = 0;
    fo_status status = compute_once(m, given);
    while (status == FO_OK && passes < MOST_PASSES && renew_relation(m, &renewed[passes])) {
        passes++;
        status = compute_once(m, given);
    }
    bool back = passes == MOST_PASSES || (passes == 1 && rests(m) && was_seen(m, renewed[0]));
    if (status != FO_OK) return status;
    if (!back) return leave_crossings(m, given);
    while (passes-- > 0) m->held[renewed[passes].relation] = renewed[passes].was;
    return foi_program_run(g, m->s, FOI_TASK_MOMENT, given, m->results);
}

// Computes all discretes and conditions once, and lets actions act.
static fo_status turn(foi_moment *m, bool *changed)
{
    const foi_program *g = m->g;
    size_t d = g->about.discretes.count;
    foi_given given;
    foi_give(&given, g, m->s, m->s->t, m->s->x);
    memcpy(m->pre, m->s->d, d * sizeof *m->pre);
    given.from[FOI_LEAF_PRE] = m->pre;
    given.from[FOI_LEAF_SAMPLE] = m->sample;
    given.from[FOI_LEAF_TERMINAL] = &m->terminal;
    fo_status status = compute(m, &given);
    if (status != FO_OK) return status;
    const double *next = m->results, *now = next + d, *active = now + g->conditions;
    m->moves = false;
    for (size_t i = 0; i < d; i++) {
        m->moves |= next[i] != m->s->d[i] && !(isnan(next[i]) && isnan(m->s->d[i]));
        m->s->d[i] = next[i];
    }
    *changed |= m->moves;
    if (sets_states(m)) m->moves = false;
    for (uint32_t i = 0; i < g->conditions; i++) {
        *changed |= now[i] != m->was[i];
        m->was[i] = now[i];
    }
    for (uint32_t i = 0; i < g->samplers; i++) {
        *changed |= m->sample[i] != 0;
        m->sample[i] = 0;
    }
    status = foi_moment_act(m, active, active + g->actions, changed);
    return status == FO_OK && g->choice ? foi_choice_reinit(g->choice, m->s) : status;
}

// What flows may jump at this moment: what it is before anything has changed is kept.
static fo_status take_limits(foi_moment *m)
{
    const foi_program *g = m->g;
    if (!g->limits) return FO_OK;
    foi_given given;
    foi_give(&given, g, m->s, m->s->t, m->s->x);
    memcpy(m->pre, m->s->d, g->about.discretes.count * sizeof *m->pre);
    given.from[FOI_LEAF_PRE] = m->pre;
    given.from[FOI_LEAF_SAMPLE] = m->sample;
    given.from[FOI_LEAF_TERMINAL] = &m->terminal;
    fo_status status = foi_program_run(g, m->s, FOI_TASK_MOMENT, &given, m->results);
    for (uint32_t i = 0; i < g->limits && status == FO_OK; i++)
        m->s->d[g->limit[i]] = m->results[g->limit[i]];
    return status;
}

// What stays until the next moment must be a number, and so must what relations compare that nobody
// watches until then.
fo_status foi_moment_check_discretes(const foi_moment *m)
{
    const fo_variables *all = &m->g->about.discretes;
    for (size_t i = 0; i < all->count; i++)
        if (!isfinite(m->s->d[i]))
            return fo_fail(m->s->message, FO_ERROR_NUMBER, "the discrete `%s` is %s at t = %.15g",
                           all->list[i].name, isnan(m->s->d[i]) ? "not a number" : "infinite",
                           m->s->t);
    if (m->g->checks_stand) return foi_program_look_at_checks(m->g, m->s, m->s->t, m->s->x);
    return FO_OK;
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
    foi_moment_forget_turns(m);
    memcpy(old, m->guards, g->guards * sizeof *old);
    fo_status status = foi_moment_guards_now(m);
    for (uint32_t i = 0; i < g->guards && status == FO_OK; i++) {
        uint32_t r = g->relation_of[i];
        if (g->relation_op[r] == FOI_G_FLOOR || foi_moment_is_kept(m, r)) continue;
        if (m->guards[i] == old[i] || m->guards[i] == 0) continue;
        double now = foi_moment_truth_now(m, r, m->guards[i]);
        *changed |= now != m->held[r];
        m->turned[r] = -INFINITY, m->held[r] = now;
    }
    foi_moment_begin_here(m);
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
        bool last = turns == FOI_MOST_TURNS - 1 || m->sets + 4 > MOST_SETS;
        m->first = turns == 0;
        if (last) foi_moment_keep_last(m);
        status = turn(m, &changed);
        if (status == FO_OK) status = follow_reinit(m, &changed);
        if (changed) foi_moment_find_last(m);
        if (status == FO_OK) status = foi_moment_look_until_settled(m, &changed);
        if (status == FO_OK && !changed) status = foi_moment_look_ahead(m, &changed);
        if (changed) foi_moment_find_last(m);
        if (status == FO_OK && !changed) return foi_moment_check_discretes(m);
        if (status != FO_OK) return status;
        if (m->sets > sets) turns = 0;
    }
    return foi_moment_unsettled(m);
}

// The first moment, after its system is solved: pre(v) becomes v, and what follows from that is
// computed anew until it stands. Where guards at zero go is left to the first step.
fo_status foi_moment_iterate_start(foi_moment *m)
{
    bool changed = true;
    for (int turns = 0; changed && turns < FOI_MOST_TURNS; turns++) {
        changed = false;
        if (turns == FOI_MOST_TURNS - 1) foi_moment_keep_last(m);
        fo_status status = turn(m, &changed);
        if (status == FO_OK) status = follow_reinit(m, &changed);
        if (changed) foi_moment_find_last(m);
        if (status == FO_OK && (changed || m->g->asks_before)) // x > pre(n), where n has changed
            status = foi_moment_look_until_settled(m, &changed);
        if (status != FO_OK) return status;
    }
    return changed ? foi_moment_unsettled(m) : foi_moment_check_discretes(m);
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

// The next instant at which a relation of time turns.
static fo_next next_turn(const foi_moment *m)
{
    const foi_program *g = m->g;
    const fo_state *s = m->s;
    fo_next next = {INFINITY, 0};
    for (uint32_t i = 0; i < g->instants; i++) {
        double at = m->instants[i], held = m->held[g->relation_at[i]];
        bool due = foi_moment_truth_at(g, i, s->t, at, s->stop) != held;
        bool turns = at != s->stop || foi_moment_truth_at(g, i, at, at, s->stop) != held;
        double t = due ? s->t : at > s->t && turns ? at : INFINITY;
        if (t < next.t) next = (fo_next){t, g->samplers + i};
    }
    return next;
}

// A tick that lies before a turn of time but means the same instant (3 * 0.3 before 0.9) happens
// with it; one that lies behind it is due there.
static bool is_meant_for(const foi_moment *m, uint32_t sampler, double t)
{
    const double *start = m->instants + m->g->instants, *interval = start + m->g->samplers;
    double k = m->ticks[sampler];
    return t <= tick(m, sampler) + foi_tick_slack(start[sampler], interval[sampler], k);
}

fo_next foi_program_next(const void *model, const fo_state *s)
{
    const foi_program *g = model;
    foi_moment m;
    foi_moment_of(&m, g, (fo_state *)s);
    foi_given given;
    foi_give(&given, g, s, s->t, s->x);
    fo_next next = {INFINITY, 0};
    if (foi_program_run(g, s, FOI_TASK_INSTANTS, &given, m.instants) != FO_OK) return next;
    for (uint32_t i = 0; i < g->samplers; i++) {
        double t = foi_fmax(tick(&m, i), s->t);
        if (t < next.t) next = (fo_next){t, i};
    }
    fo_next turn = next_turn(&m);
    if (turn.t < next.t)
        next = turn;
    else if (turn.t > next.t && is_meant_for(&m, next.index, turn.t))
        next.t = turn.t;
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
    return foi_moment_slopes(m) == FO_OK && m->slopes[k] >= 0;
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
    return fabs(g) > why->slack + m->sigma[why->index] &&
           foi_moment_truth_now(m, r, g) == m->held[r];
}

// All relations after the crossing of some. Where others turn with it and change its guard, one has
// not crossed anything: its truth is that of the guard as it is now.
static fo_status settle_crossing(foi_moment *m, const fo_moment *why, bool first, bool *changed)
{
    bool again = false;
    fo_crossing own = {why->index, why->direction, why->slack};
    fo_status status = foi_moment_look_until_settled(m, changed);
    if (status == FO_OK && why->kind == FO_GUARD) status = foi_moment_moved(m, &own, &again);
    for (uint32_t i = 0; first && i < why->with_count && status == FO_OK; i++)
        if (why->kind != FO_GUARD || why->with[i].guard != why->index)
            status = foi_moment_moved(m, &why->with[i], &again);
    return status == FO_OK && again ? foi_moment_look_until_settled(m, changed) : status;
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
    fo_status status = foi_moment_look(m, &changed);
    return status == FO_OK ? foi_moment_iterate(m) : status;
}

static fo_status happen(const foi_program *g, fo_state *s, const fo_moment *why, fo_effect *effect)
{
    foi_moment m;
    foi_moment_of(&m, g, s);
    bool changed = false, first = *foi_memory(s, g->looked) != s->t;
    m.effect = effect;
    foi_moment_begin(&m);
    fo_status status = first ? take_limits(&m) : FO_OK;
    if (status == FO_OK && g->delays) status = foi_delays_pass(g, s);
    if (status == FO_OK) status = foi_moment_guards(&m);
    if (status == FO_OK && why->kind == FO_GUARD) {
        if (is_known(&m, why, first)) {
            effect->unchanged = true;
            return FO_OK;
        }
        if (first) foi_moment_slopes_before(&m);
        if (first) foi_moment_came(&m, why);
        status = foi_moment_cross(&m, why);
    }
    if (status == FO_OK && first) status = foi_moment_cross_all(&m, why);
    *foi_memory(s, g->looked) = s->t;
    if (status == FO_OK && why->kind == FO_EXTERNAL) status = take_event(&m, why);
    if (status == FO_OK) status = settle_crossing(&m, why, first, &changed);
    if (status == FO_OK && why->kind == FO_SET) count_anew(&m, first);
    if (status == FO_OK) due_samples(&m);
    if (status == FO_OK) status = foi_moment_iterate(&m);
    if (status == FO_OK && why->kind == FO_EXTERNAL) status = end_event(&m, why->index);
    return status == FO_OK && g->type.settle ? g->type.settle(g, s, s->t, s->x) : status;
}

fo_status foi_program_jump(const void *model, fo_state *s, const fo_moment *why, fo_effect *effect)
{
    const foi_program *g = model;
    bool looks = g->carrieds && why->kind != FO_SET && foi_carried_before(g, s);
    fo_status status = happen(g, s, why, effect);
    if (looks && status == FO_OK && !effect->unchanged) foi_carried_after(g, s);
    return status;
}

// The end of the run is a moment of its own, in which terminal() is true.
fo_status foi_program_finish(const void *model, fo_state *s)
{
    const foi_program *g = model;
    foi_moment m;
    foi_moment_of(&m, g, s);
    m.terminal = 1;
    foi_moment_begin(&m);
    fo_status status = *foi_memory(s, g->looked) != s->t ? take_limits(&m) : FO_OK;
    if (status == FO_OK) status = foi_moment_guards(&m);
    if (status == FO_OK) status = foi_moment_iterate(&m);
    return status == FO_OK && g->type.settle ? g->type.settle(g, s, s->t, s->x) : status;
}
