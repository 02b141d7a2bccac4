/// What has a derivative is continuous but for reinit. A constraint with something that jumps in it
/// (x2 = x1 + d) carries one of its variables along all the same: the one that is computed, x2
/// where x1 is a state. Where the choice of states may change in the run that is refused
/// (choice.c). Where it was made once and for all the run goes on, as `e = reference - x` with
/// der(e) in a controller wants it to; but it is said, once for each.
#include <math.h>

#include "program/program.h"

// What jumps in moments. A parameter or an input may be set, but by somebody.
static bool may_jump(const void *self, const foi_graph *g, foi_node leaf)
{
    (void)self;
    return foi_is_leaf(g, leaf, FOI_LEAF_DISCRETE) || foi_is_leaf(g, leaf, FOI_LEAF_HELD);
}

fo_status foi_program_find_carried(foi_program *g, foi_plan *p)
{
    uint32_t count = p->outputs ? p->output_count : 0;
    g->carried = foi_arena_new(&g->arena, count, sizeof *g->carried);
    g->carried_output = foi_arena_new(&g->arena, count, sizeof *g->carried_output);
    if (g->arena.failed) return foi_equations_no_memory(p->e);
    bool *jumps = foi_graph_leads_to(&p->e->g, may_jump, NULL);
    for (uint32_t i = 0; jumps && i < count; i++) {
        const foi_variable *v = &p->e->variables[p->outputs[i]];
        bool constrained = v->flat && v->derivative != FOI_NOTHING && !v->state;
        if (!constrained || !jumps[p->output[i]]) continue;
        g->carried[g->carrieds] = p->output[i];
        g->carried_output[g->carrieds++] = i;
    }
    foi_free(p->e->allocator, jumps);
    return p->e->g.failed ? foi_equations_no_memory(p->e) : FO_OK;
}

bool foi_carried_before(const foi_program *g, const fo_state *s)
{
    double *before = foi_program_carried(g, s), *x = before + 2 * (size_t)g->carrieds;
    for (uint32_t i = 0; i < g->about.states.count; i++) x[i] = s->x[i];
    return foi_program_flow(g, s, FOI_TASK_CARRIED, s->t, s->x, before) == FO_OK;
}

void foi_carried_after(const foi_program *g, fo_state *s)
{
    double *before = foi_program_carried(g, s), *after = before + g->carrieds;
    const double *x = after + g->carrieds;
    for (uint32_t i = 0; i < g->about.states.count; i++)
        if (x[i] != s->x[i]) return; // a reinit has said what happens
    if (foi_program_flow(g, s, FOI_TASK_CARRIED, s->t, s->x, after) != FO_OK) return;
    for (uint32_t i = 0; i < g->carrieds; i++) {
        double *said = foi_memory(s, g->told + i);
        double off = fabs(after[i] - before[i]), size = fabs(after[i]) + fabs(before[i]);
        if (*said != 0 || !(off > 1e-6 * size)) continue;
        *said = 1;
        fo_note(
            s,
            "'%s' jumps at t = %.9g, from %.9g to %.9g: it has a derivative, and follows from "
            "states that stay and from something that jumps. Its derivative does not show that; "
            "a reinit says otherwise",
            g->about.outputs.list[g->carried_output[i]].name, s->t, before[i], after[i]);
    }
}
