/// Relations that turn each other back and forth: a combination that stands is looked for.
///
/// An amplifier whose output is fed back to its own input is at its lower limit until the input
/// reaches the end of that. There it is neither at the limit (the input is above it) nor in the
/// linear range (which exists, but whose solution lies below it): turn by turn the one relation
/// goes from true to false and back. At the upper limit all relations are what the solution makes
/// them. So where the turns do not end, the truths of those relations are tried whose guards take
/// part in it. One combination that stands is taken; where there are several, or none, nothing is.
#include <math.h>
#include <string.h>

#include "program/moment.h"

enum { RECORDED = 32, MOST_PARTS = 10 };

/// The relations that take part.
typedef struct parts {
    uint32_t guard[MOST_PARTS];
    uint32_t count;
} parts;

// Some turns more: which guards move in them. False: too many, or none, or the turns have ended.
static bool find_parts(foi_moment *m, parts *p)
{
    const foi_program *g = m->g;
    double *first = foi_new(NULL, g->guards + 1, sizeof *first);
    bool *moves = foi_new(NULL, g->guards + 1, sizeof *moves), good = first && moves, again = true;
    for (int k = 0; good && k < RECORDED; k++) {
        again = false;
        good = foi_moment_look(m, &again) == FO_OK && again;
        for (uint32_t i = 0; i < g->guards && good; i++) {
            if (k == 0) first[i] = m->guards[i];
            moves[i] |= m->guards[i] != first[i];
        }
    }
    p->count = 0;
    for (uint32_t i = 0; i < g->guards && good; i++) {
        if (!moves[i] || g->relation_op[g->relation_of[i]] == FOI_G_FLOOR) continue;
        good = p->count < MOST_PARTS;
        if (good) p->guard[p->count++] = i;
    }
    foi_free(NULL, first);
    foi_free(NULL, moves);
    return good && p->count > 0;
}

static void put(foi_moment *m, const parts *p, uint32_t bits)
{
    for (uint32_t k = 0; k < p->count; k++)
        m->held[m->g->relation_of[p->guard[k]]] = (double)(bits >> k & 1);
}

// Every relation is what its guard says.
static bool stands(foi_moment *m)
{
    const foi_program *g = m->g;
    foi_given given;
    foi_give(&given, g, m->s, m->s->t, m->s->x);
    foi_solving solving = {.brief = true};
    if (foi_program_run_once(g, m->s, FOI_TASK_GUARDS, &given, &solving, m->guards) != FO_OK)
        return false;
    for (uint32_t i = 0; i < g->guards; i++) {
        uint32_t r = g->relation_of[i];
        if (g->relation_op[r] == FOI_G_FLOOR || foi_moment_is_kept(m, r)) continue;
        if (!isfinite(m->guards[i])) return false;
        if (m->guards[i] != 0 && foi_moment_truth_now(m, r, m->guards[i]) != m->held[r])
            return false;
    }
    return true;
}

bool foi_moment_untangle(foi_moment *m)
{
    parts p;
    if (!find_parts(m, &p)) return false;
    uint32_t found = 0, which = 0;
    for (uint32_t bits = 0; bits < 1u << p.count && found < 2; bits++) {
        put(m, &p, bits);
        if (stands(m)) found++, which = bits;
    }
    if (found != 1) return false;
    put(m, &p, which);
    for (uint32_t k = 0; k < p.count; k++) m->turned[m->g->relation_of[p.guard[k]]] = -INFINITY;
    return foi_moment_guards_now(m) == FO_OK;
}
