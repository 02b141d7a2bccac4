/// The start: states, discretes and relations that agree with each other, before anything happens.
#include <math.h>
#include <string.h>

#include "base/ticks.h"
#include "program/moment.h"

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
    foi_given given;
    foi_give(&given, g, m->s, m->s->t, m->s->x);
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
    foi_given given;
    foi_give(&given, g, m->s, m->s->t, m->s->x);
    given.from[FOI_LEAF_START] = given_starts;
    double *results = m->results + g->codes[FOI_TASK_MOMENT].result_count;
    fo_status status = foi_program_run(g, m->s, FOI_TASK_START, &given, results);
    if (status != FO_OK) return status;
    memcpy(m->s->x, results, n * sizeof *results);
    memcpy(m->s->d, results + n, d * sizeof *results);
    return FO_OK;
}

// The truth of relations where the states and guesses are. At first relations are taken for false;
// where the equations have no solution so, as the pressure at a port that is taken for closed, they
// may have one for these. What the loops without a solution would have said is left to the guesses:
// it is looked at again when they have one.
static fo_status look_at_starts(foi_moment *m, bool *changed)
{
    const foi_program *g = m->g;
    foi_given given;
    foi_give(&given, g, m->s, m->s->t, m->s->x);
    foi_solving solving = {.brief = true, .lenient = true};
    if (!g->guards) return FO_OK;
    fo_status status = foi_program_run_once(g, m->s, FOI_TASK_GUARDS, &given, &solving, m->guards);
    for (uint32_t i = 0; i < g->guards && status == FO_OK; i++) {
        uint32_t r = g->relation_of[i];
        if (!isfinite(m->guards[i]) || g->relation_op[r] == FOI_G_FLOOR) continue;
        double now = foi_moment_truth_now(m, r, m->guards[i]);
        *changed |= now != m->held[r];
        m->held[r] = now;
    }
    return status;
}

// What the conditions are in the initial system is what they were: at the start none becomes true
// but what initial() makes act. Then pre(v) becomes v, and the iteration of events begins
// (Modelica 3.6, 8.6): conditions that become true in it act.
static fo_status first_turns(foi_moment *m)
{
    const foi_program *g = m->g;
    size_t nd = g->about.states.count + g->about.discretes.count;
    bool changed = false;
    const double *active = m->results + g->codes[FOI_TASK_MOMENT].result_count + nd;
    const double *value = active + g->actions, *now = value + g->actions;
    for (uint32_t i = 0; i < g->conditions; i++) m->was[i] = now[i];
    fo_status status = foi_moment_act(m, active, value, &changed);
    if (status == FO_OK && g->asks_before) status = foi_moment_look_until_settled(m, &changed);
    return status == FO_OK ? foi_moment_iterate_start(m) : status;
}

// Relations as the start has them that was just found: where guards ask for what discretes were,
// those of the initial system, and otherwise those of the run.
static fo_status look(foi_moment *m, const double *starts, const double *origin, bool *changed)
{
    const foi_program *g = m->g;
    bool looked = false;
    foi_given given;
    fo_status status = foi_moment_place(m, starts, origin, &looked, changed);
    if (status == FO_OK && g->delays) status = foi_delays_begin(g, m->s);
    if (status != FO_OK || !looked) return status == FO_OK ? foi_moment_look(m, changed) : status;
    foi_give(&given, g, m->s, m->s->t, m->s->x);
    if (!g->codes[FOI_TASK_INSTANTS].result_count) return FO_OK;
    return foi_program_run(g, m->s, FOI_TASK_INSTANTS, &given, m->instants);
}

// Relations and start go on changing each other.
static fo_status say_turning(foi_moment *m, const double *before)
{
    const foi_program *g = m->g;
    for (uint32_t r = 0; r < g->relations; r++)
        if (m->held[r] != before[r] && g->guard_of[r] != FOI_NOTHING)
            return fo_refuse(m->s,
                             "the start at t = %.15g does not come to an end: with `%s` %s it "
                             "becomes %s, and the other way round",
                             m->s->t, g->about.guards.list[g->guard_of[r]].name,
                             before[r] != 0 ? "true" : "false", m->held[r] != 0 ? "true" : "false");
    return foi_moment_unsettled(m);
}

// The start from these guesses, with relations that agree with it. It follows from the relations,
// so that one that has been there before comes again for ever: that is looked for with one of turn
// 1, 2, 4, 8, ... (R. P. Brent 1980). `before` is work space for twice the relations.
static fo_status settle(foi_moment *m, const double *starts, const double *origin,
                        const foi_way_gone *gone, double *before)
{
    const foi_program *g = m->g;
    fo_status status = FO_OK;
    bool changed = true;
    for (int turns = 0; changed && status == FO_OK; turns++) {
        size_t size = g->relations * sizeof *before;
        double *seen = before + g->relations;
        bool again = turns > 1 && memcmp(seen, m->held, size) == 0;
        if (again || turns == FOI_MOST_TURNS) return say_turning(m, before);
        if (turns > 0 && (turns & (turns - 1)) == 0) memcpy(seen, m->held, size);
        changed = false;
        memcpy(before, m->held, size);
        // nothing has happened yet: a relation at zero is what its value says, whatever it was with
        // whole parts that were not known
        for (uint32_t r = 0; r < g->relations; r++) m->turned[r] = -INFINITY;
        memcpy(foi_memory(m->s, g->guess), origin, g->guesses * sizeof *origin);
        status = solve_start(m, starts);
        if (status == FO_OK) status = look(m, starts, origin, &changed);
        if (status == FO_ERROR_CONVERGE && turns == 0) {
            bool other = false;
            status = look_at_starts(m, &other) == FO_OK && other ? FO_OK : status;
            changed = true;
        }
        if (status != FO_OK) foi_moment_say_way(m, gone);
    }
    return status;
}

// As it comes, with relations that are false at first, and then the nearest; where there is a
// homotopy, the one that it leads to, and where positions are bound to each other the one that
// formulas lead to: that accelerations are near their start values of zero says nothing about
// which way a mechanism is put together. `room`: guesses twice, relations three times.
static fo_status choose(foi_moment *m, const double *starts, const foi_way_gone *gone, double *room)
{
    const foi_program *g = m->g;
    double *origin = room, *first = origin + g->guesses, *held = first + g->guesses;
    double *work = held + g->relations;
    bool led = gone->steps > 0 && !gone->failed, other = false;
    fo_message before = {0}, *message = m->s->message;
    if (message) before = *message;
    memcpy(origin, foi_memory(m->s, g->guess), g->guesses * sizeof *origin);
    memcpy(first, origin, g->guesses * sizeof *origin);
    fo_status status = settle(m, starts, origin, gone, work);
    if (led || status == FO_ERROR_MEMORY || (g->bound && status == FO_OK)) return status;
    memcpy(held, m->held, g->relations * sizeof *held);
    fo_status near = foi_moment_nearest(m, starts, origin, status == FO_OK, &other);
    if (near != FO_OK || !other) return near == FO_OK ? status : near;
    near = settle(m, starts, origin, gone, work);
    if (near == FO_OK && message) *message = before;
    if (near == FO_OK || status != FO_OK) return near;
    memcpy(m->held, held, g->relations * sizeof *held);
    return settle(m, starts, first, gone, work);
}

// Loops begin where formulas put what has no start value (equations/guess.c), as far as these have
// a value.
static fo_status second_guesses(foi_moment *m, const double *given_starts, double *room)
{
    const foi_program *g = m->g;
    double *guess = foi_memory(m->s, g->guess);
    foi_given given;
    foi_give(&given, g, m->s, m->s->t, m->s->x);
    given.from[FOI_LEAF_START] = given_starts;
    fo_status status = first_guesses(m, given_starts);
    given.guesses = guess;
    if (status == FO_OK) status = foi_program_run(g, m->s, FOI_TASK_FORMULAS, &given, room);
    for (uint32_t i = 0; i < g->guesses && status == FO_OK; i++)
        if (isfinite(room[i])) guess[i] = room[i];
    return status;
}

// From the guesses as they are, with relations and states as before all.
static fo_status choose_from(foi_moment *m, const double *starts, const foi_way_gone *gone,
                             const double *held, double *room)
{
    const foi_program *g = m->g;
    size_t n = g->about.states.count, d = g->about.discretes.count;
    memcpy(m->held, held, g->relations * sizeof *held);
    memcpy(m->s->x, starts, n * sizeof *starts);
    memcpy(m->s->d, starts + n, d * sizeof *starts);
    return choose(m, starts, gone, room);
}

// Where the loops lead nowhere from the start values they begin where formulas put them. Where
// positions are bound to each other it is the other way round: from a rotation matrix of zeros a
// rod may be found turned over, though its angle begins where it fits. What was wrong at first is
// said where neither helps. `room`: as for choose, and the relations once more.
static fo_status choose_any(foi_moment *m, const double *starts, const foi_way_gone *gone,
                            double *room)
{
    const foi_program *g = m->g;
    double *held = room + 2 * (size_t)g->guesses + 3 * (size_t)g->relations;
    bool formulas = g->codes[FOI_TASK_FORMULAS].result_count > 0;
    bool before = formulas && g->bound && !(gone->steps > 0 && !gone->failed);
    fo_message first = {0}, *message = m->s->message;
    memcpy(held, m->held, g->relations * sizeof *held);
    fo_status status = before ? second_guesses(m, starts, room) : FO_OK;
    if (status == FO_OK) status = choose_from(m, starts, gone, held, room);
    if (status != FO_ERROR_CONVERGE || !formulas) return status;
    if (message) first = *message;
    fo_status again = before ? first_guesses(m, starts) : second_guesses(m, starts, room);
    if (again == FO_OK) again = choose_from(m, starts, gone, held, room);
    if (again == FO_OK || again == FO_ERROR_MEMORY) return again;
    if (message) *message = first;
    return status;
}

fo_status foi_program_start(const void *model, fo_state *s)
{
    const foi_program *g = model;
    foi_moment m;
    foi_moment_of(&m, g, s);
    m.starts = true;
    size_t n = g->about.states.count, d = g->about.discretes.count;
    double *starts = m.pre; // n + d
    memcpy(starts, s->x, n * sizeof *starts);
    memcpy(starts + n, s->d, d * sizeof *starts);
    *foi_memory(s, g->looked) = -INFINITY;
    foi_moment_begin(&m);
    for (uint32_t r = 0; r < g->relations; r++) m.turned[r] = -INFINITY;
    foi_way_gone gone;
    fo_status status = first_guesses(&m, starts);
    if (status == FO_OK) status = foi_moment_homotopy(&m, starts, &gone);
    if (status == FO_OK && gone.failed)
        fo_note(s,
                "homotopy does not lead to a start: it ends at lambda = %.4g, after %d steps; "
                "the equations are solved without it",
                fmax(0, gone.lambda), gone.steps);
    size_t room = 2 * (size_t)g->guesses + 4 * (size_t)g->relations;
    double *block = foi_new(NULL, room, sizeof *block);
    if (!block) return fo_fail(s->message, FO_ERROR_MEMORY, "no memory for the start");
    if (status == FO_OK) status = choose_any(&m, starts, &gone, block);
    foi_free(NULL, block);
    for (uint32_t r = 0; r < g->relations; r++) m.turned[r] = -INFINITY;
    if (status == FO_OK) status = foi_moment_check_discretes(&m);
    if (status == FO_OK) status = first_ticks(&m);
    if (status == FO_OK) status = first_turns(&m);
    return status == FO_OK && g->type.settle ? g->type.settle(g, s, s->t, s->x) : status;
}
