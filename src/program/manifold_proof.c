/// That what follows from constraints between states has been followed continuously: the proof of
/// branch.c for the constraints of a group, with what is computed as its unknowns, on the straight
/// way from one point to another. Groups that are linear in what is computed have one solution.
#include <string.h>

#include "program/branch.h"
#include "program/program.h"

/// A group as a loop.
typedef struct room {
    foi_enclosed *r;
    double *rho, *work;
    uint32_t *unknown, *residual, *guess, *start, *row, *entry;
} room;

static size_t lists(const foi_constraints *c)
{
    return (4 * (size_t)c->widest + 1 + 2 * (size_t)c->slopes + 1) / 2;
}

size_t foi_manifold_proof_work(const foi_program *g)
{
    const foi_constraints *c = &g->constraints;
    size_t n = c->widest;
    return foi_enclose_work(g->codes[FOI_TASK_CONSTRAINTS].registers) + g->about.states.count +
           2 * n * n + 3 * n + lists(c);
}

static room room_of(const foi_program *g, double *at)
{
    const foi_constraints *c = &g->constraints;
    size_t n = c->widest;
    room w = {.r = (foi_enclosed *)(void *)at};
    w.rho = at += foi_enclose_work(g->codes[FOI_TASK_CONSTRAINTS].registers);
    w.work = at += g->about.states.count;
    w.unknown = (uint32_t *)(void *)(at + 2 * n * n + 3 * n);
    w.residual = w.unknown + n, w.guess = w.residual + n, w.start = w.guess + n;
    w.row = w.start + n + 1, w.entry = w.row + c->slopes;
    return w;
}

static void fill(const foi_manifold *m, const foi_way_between *on, foi_enclosed *r)
{
    const foi_layout *l = &m->g->layout;
    const foi_code *code = &m->g->codes[FOI_TASK_CONSTRAINTS];
    foi_given given;
    foi_give(&given, m->g, m->v, on->t1, on->z1);
    for (uint32_t i = 0; i < code->constant_count; i++)
        r[code->constant_at + i] = foi_enclosed_constant(code->constants[i]);
    r[l->at[FOI_LEAF_TIME]] = foi_branch_line(on->t0, on->t1);
    for (uint32_t k = 0; k < code->used_count; k++) {
        uint32_t kind = code->used[k];
        for (uint32_t i = 0; i < l->count[kind]; i++)
            r[l->at[kind] + i] = kind == FOI_LEAF_STATE ? foi_branch_line(on->z0[i], on->z1[i])
                                 : given.from[kind]     ? foi_enclosed_constant(given.from[kind][i])
                                                        : foi_enclosed_anything(FO_NOT_ENCLOSED);
    }
}

// The columns of what is computed. False: it is no square.
static bool make_loop(const foi_manifold *m, uint32_t group, const room *w, foi_loop_code *l,
                      foi_loop_about *about)
{
    const foi_constraints *c = &m->g->constraints;
    const foi_code *code = &m->g->codes[FOI_TASK_CONSTRAINTS];
    uint32_t first = c->first_constraint[group], n = c->first_constraint[group + 1] - first;
    uint32_t columns = 0, entries = 0;
    for (uint32_t i = 0; i < n; i++) w->residual[i] = code->results[first + i];
    for (uint32_t j = c->first_candidate[group]; j < c->first_candidate[group + 1]; j++) {
        if (m->computed[j] == 0) continue;
        if (columns == n) return false;
        w->guess[columns] = c->state[j];
        w->unknown[columns] = m->g->layout.at[FOI_LEAF_STATE] + c->state[j];
        w->start[columns++] = entries;
        for (uint32_t k = c->first_slope[group]; k < c->first_slope[group + 1]; k++) {
            if (c->column[k] != j) continue;
            w->row[entries] = c->row[k] - first;
            w->entry[entries++] = code->results[c->count + k];
        }
    }
    w->start[columns] = entries;
    *about = (foi_loop_about){.start = w->start, .row = w->row};
    *l = (foi_loop_code){.end = code->count, .count = n, .about = about};
    l->unknown = w->unknown, l->residual = w->residual, l->guess = w->guess, l->entry = w->entry;
    return columns == n;
}

bool foi_manifold_follows(const foi_manifold *m, const foi_way_between *on, double *work)
{
    const foi_constraints *c = &m->g->constraints;
    const foi_code *code = &m->g->codes[FOI_TASK_CONSTRAINTS];
    room w = room_of(m->g, work);
    bool filled = false;
    if (code->loop_count) return true; // no bounds
    for (uint32_t b = 0; b < c->groups; b++) {
        foi_loop_code l;
        foi_loop_about about;
        if (c->linear[b] || c->first_constraint[b + 1] == c->first_constraint[b]) continue;
        if (!filled) fill(m, on, w.r);
        filled = true;
        if (!make_loop(m, b, &w, &l, &about)) return false;
        foi_branch_def def = {code, w.r, 1, on->z0, on->z1, w.rho, w.work, NULL};
        foi_branch found = foi_branch_prove_loop(&def, &l);
        if (found == FOI_BRANCH_UNSURE) return false;
    }
    return true;
}
