/// Sides: what a program holds of its relations, and the modes on the two sides of a guard that
/// stands at zero. For rest and sliding, see docs/sliding.md.
#include <math.h>
#include <string.h>

#include "program/moment.h"

// ----------------------------------------------------------------------------------- what is held

static uint8_t signs_of(foi_op op, bool truth)
{
    switch (op) {
    case FOI_G_LESS: return truth ? FO_BELOW : FO_AT_ZERO | FO_ABOVE;
    case FOI_G_LESS_EQUAL: return truth ? FO_BELOW | FO_AT_ZERO : FO_ABOVE;
    case FOI_G_GREATER: return truth ? FO_ABOVE : FO_BELOW | FO_AT_ZERO;
    default: return truth ? FO_AT_ZERO | FO_ABOVE : FO_BELOW;
    }
}

// A floor is held where its guard is not negative.
// In its cell, whose number beyond the signs tells it from the cells beside it.
static uint8_t cell_of(double n)
{
    double rest = n - 16 * floor(n / 16);
    unsigned low = rest >= 0 && rest < 16 ? (unsigned)rest : 0;
    return (uint8_t)(FO_AT_ZERO | FO_ABOVE | low << 4);
}

void foi_program_held(const void *model, const fo_state *s, uint8_t *signs)
{
    const foi_program *g = model;
    const double *truth = foi_memory(s, g->held);
    for (uint32_t i = 0; i < g->guards; i++) {
        uint32_t r = g->relation_of[i];
        foi_op op = g->relation_op[r];
        signs[i] = op == FOI_G_FLOOR ? cell_of(truth[r]) : signs_of(op, truth[r] != 0);
    }
}

// ------------------------------------------------------------------------------------------ sides

// Discretes that follow from relations, without anything happening: when-conditions were what they
// are.
static fo_status follow(foi_moment *m)
{
    const foi_program *g = m->g;
    size_t d = g->about.discretes.count;
    memset(m->sample, 0, g->samplers * sizeof *m->sample);
    for (int turns = 0; turns < FOI_MOST_TURNS; turns++) {
        bool changed = false;
        foi_given given;
        foi_give(&given, g, m->s, m->s->t, m->s->x);
        memcpy(m->pre, m->s->d, d * sizeof *m->pre);
        given.from[FOI_LEAF_PRE] = m->pre;
        given.from[FOI_LEAF_SAMPLE] = m->sample;
        given.from[FOI_LEAF_TERMINAL] = &m->terminal;
        fo_status status = foi_program_run(g, m->s, FOI_TASK_MOMENT, &given, m->results);
        if (status != FO_OK) return status;
        const double *now = m->results + d;
        for (uint32_t i = 0; i < g->conditions; i++) {
            changed |= now[i] != m->was[i];
            m->was[i] = now[i];
        }
        if (changed) continue; // an edge was seen that is none
        for (size_t i = 0; i < d; i++) {
            changed |= m->results[i] != m->s->d[i];
            m->s->d[i] = m->results[i];
        }
        if (!changed) return FO_OK;
    }
    return foi_moment_unsettled(m);
}

// Relations that are nested (z = if x > 0 then 1 else 0, and z > 0.5) are what they are on that
// side, too; those that are asked for, or stand at zero by themselves, stay.
static fo_status follow_others(foi_moment *m)
{
    fo_status status = FO_OK;
    bool changed = true;
    m->follows = true;
    for (int turns = 0; changed && turns < FOI_MOST_TURNS && status == FO_OK; turns++) {
        changed = false;
        status = follow(m);
        if (status == FO_OK) status = foi_moment_look_until_settled(m, &changed);
    }
    return status;
}

// A relation on one side of its guard's zero. Kept: |guard| does not matter from now on.
static bool stand(foi_moment *m, uint32_t guard, int8_t side)
{
    uint32_t r = m->g->relation_of[guard];
    double was = m->held[r];
    if (side == FO_STAND_KEPT) {
        m->slack[r] = INFINITY;
        return false;
    }
    // above zero the argument of a floor is in its cell, below it in the next one
    bool stays = m->g->relation_op[r] == FOI_G_FLOOR && side > 0;
    if (!stays) m->held[r] = foi_moment_gone(m, r, side > 0 ? FO_RISING : FO_FALLING);
    m->slack[r] = INFINITY;
    m->turned[r] = -INFINITY; // whatever it did at this instant: it may do it again
    return m->held[r] != was;
}

fo_status foi_program_side(const void *model, fo_state *s, const int8_t *sides)
{
    const foi_program *g = model;
    foi_moment m;
    foi_moment_of(&m, g, s);
    bool leaves = false, seen = false, alone = true;
    fo_status status = foi_moment_guards(&m);
    for (uint32_t i = 0; i < g->guards && status == FO_OK; i++) {
        alone &= sides[i] != FO_STAND_AS_IS;
        if (!sides[i]) continue;
        bool changed = stand(&m, i, sides[i]);
        leaves |= sides[i] == FO_STAND_ABOVE || sides[i] == FO_STAND_BELOW;
        seen |= changed;
    }
    if (status != FO_OK) return status;
    if (!leaves && seen) return alone ? follow(&m) : follow_others(&m);
    if (!leaves) return FO_OK;
    fo_effect effect = {0};
    m.effect = &effect;
    foi_moment_begin(&m);
    if (seen) status = foi_moment_iterate(&m);
    // let go: at this instant still at zero but for rounding errors
    m.measured = false;
    if (status == FO_OK) status = foi_moment_measure(&m);
    for (uint32_t i = 0; i < g->guards && status == FO_OK; i++) {
        if (sides[i] != FO_STAND_ABOVE && sides[i] != FO_STAND_BELOW) continue;
        m.slack[g->relation_of[i]] = 4 * (m.sigma[i] + fabs(m.guards[i]));
        m.turned[g->relation_of[i]] = s->t;
    }
    return status == FO_OK && g->type.settle ? g->type.settle(g, s, s->t, s->x) : status;
}
