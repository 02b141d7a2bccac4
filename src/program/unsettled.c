/// What still changes in a moment that does not come to an end. Of the last turn it is kept what
/// there was before, and what first differs from that: relations may turn back within it.
#include <string.h>

#include "program/moment.h"

void foi_moment_keep_last(foi_moment *m)
{
    const foi_program *g = m->g;
    size_t n = g->about.states.count, d = g->about.discretes.count;
    m->ending = true;
    memcpy(m->last, m->s->d, d * sizeof *m->last);
    memcpy(m->last + d, m->held, g->relations * sizeof *m->last);
    memcpy(m->last + d + g->relations, m->s->x, n * sizeof *m->last);
}

// The index of the first one that differs.
static bool differs(const double *now, const double *last, size_t count, foi_changing *c)
{
    for (size_t i = 0; i < count; i++) {
        if (now[i] == last[i] || (now[i] != now[i] && last[i] != last[i])) continue;
        c->index = (uint32_t)i, c->from = last[i], c->to = now[i];
        return true;
    }
    return false;
}

void foi_moment_find_last(foi_moment *m)
{
    const foi_program *g = m->g;
    foi_changing *c = &m->changing;
    size_t n = g->about.states.count, d = g->about.discretes.count;
    if (!m->ending || c->what != FOI_CHANGES_NOTHING) return;
    if (differs(m->s->d, m->last, d, c))
        c->what = FOI_CHANGES_DISCRETE;
    else if (differs(m->held, m->last + d, g->relations, c))
        c->what = FOI_CHANGES_RELATION;
    else if (differs(m->s->x, m->last + d + g->relations, n, c))
        c->what = FOI_CHANGES_STATE;
}

void foi_moment_note_turned(foi_moment *m, uint32_t r, double was)
{
    if (!m->ending || m->changing.what != FOI_CHANGES_NOTHING) return;
    m->changing = (foi_changing){FOI_CHANGES_RELATION, r, was, m->held[r]};
}

// A relation without a guard compares what only moments change: what changes it is named instead.
static fo_status say_relation(const foi_moment *m, uint32_t r)
{
    const foi_program *g = m->g;
    const fo_guard *guard = &g->about.guards.list[g->guard_of[r]];
    bool floor = g->relation_op[r] == FOI_G_FLOOR;
    return fo_refuse(m->s,
                     "the moment at t = %.15g does not come to an end: `%s` (%s) still %s after %d "
                     "turns: what follows from it takes it back",
                     m->s->t, guard->name, guard->about, floor ? "changes" : "turns",
                     FOI_MOST_TURNS);
}

fo_status foi_moment_unsettled(const foi_moment *m)
{
    const foi_program *g = m->g;
    foi_changing c = m->changing, last = {0};
    if (differs(m->s->d, m->pre, g->about.discretes.count, &last))
        c = last, c.what = FOI_CHANGES_DISCRETE;
    if (c.what == FOI_CHANGES_RELATION && g->guard_of[c.index] != FOI_NOTHING)
        return say_relation(m, c.index);
    if (c.what == FOI_CHANGES_DISCRETE || c.what == FOI_CHANGES_STATE) {
        const fo_variables *all =
            c.what == FOI_CHANGES_STATE ? &g->about.states : &g->about.discretes;
        return fo_refuse(
            m->s,
            "the moment at t = %.15g does not come to an end: `%s` still changes after "
            "%d turns (from %g to %g)",
            m->s->t, all->list[c.index].name, FOI_MOST_TURNS, c.from, c.to);
    }
    return fo_refuse(m->s, "the moment at t = %.15g does not come to an end after %d turns",
                     m->s->t, FOI_MOST_TURNS);
}
