/// Directional derivatives of the unit.
#include <stdlib.h>
#include <string.h>

#include "model/unit/unit.h"

/// A direction, and what moves along it.
typedef struct work {
    double t, *x, *u, *rates, *guards, *outputs;
    double *block;
} work;

static bool make_work(const unit *u, work *w)
{
    const fo_shape *n = &u->shape;
    w->t = 0;
    w->block =
        calloc((size_t)2 * n->states + n->inputs + n->guards + n->outputs + 1, sizeof *w->block);
    if (!w->block) return false;
    w->x = w->block, w->u = w->x + n->states, w->rates = w->u + n->inputs;
    w->guards = w->rates + n->states, w->outputs = w->guards + n->guards;
    return true;
}

static int take_seed(unit *u, work *w, const uint32_t *known, size_t knowns, const double *seed)
{
    for (size_t k = 0; k < knowns; k++) {
        foi_export_kind kind;
        uint32_t i;
        bool there = unit_find(u, known[k], &kind, &i);
        if (there && kind == FOI_EXPORT_STATE)
            w->x[i] += seed[k];
        else if (there && kind == FOI_EXPORT_INPUT)
            w->u[i] += seed[k];
        else if (there && kind == FOI_EXPORT_TIME)
            w->t += seed[k];
        else
            return unit_complain(
                u, FMI_ERROR, "derivatives are those by states, inputs and time, not by this one");
    }
    return FMI_OK;
}

static int give_result(unit *u, const work *w, const uint32_t *unknown, size_t unknowns,
                       double *result)
{
    for (size_t k = 0; k < unknowns; k++) {
        foi_export_kind kind;
        uint32_t i;
        if (!unit_find(u, unknown[k], &kind, &i))
            return unit_complain(u, FMI_ERROR, "there is no variable of that reference");
        switch (kind) {
        case FOI_EXPORT_DERIVATIVE: result[k] = w->rates[i]; break;
        case FOI_EXPORT_STATE: result[k] = w->x[i]; break;
        case FOI_EXPORT_OUTPUT: result[k] = w->outputs[i]; break;
        case FOI_EXPORT_INDICATOR: result[k] = i < u->shape.guards ? w->guards[i] : 0; break;
        case FOI_EXPORT_DISCRETE: result[k] = 0; break;
        default: return unit_complain(u, FMI_ERROR, "this variable is no unknown");
        }
    }
    return FMI_OK;
}

static bool asked_for(const uint32_t *unknown, size_t unknowns, foi_export_kind kind)
{
    for (size_t k = 0; k < unknowns; k++)
        if (unknown[k] >> FOI_EXPORT_SHIFT == (uint32_t)kind) return true;
    return false;
}

int unit_derivative(unit *u, const uint32_t *unknown, size_t unknowns, const uint32_t *known,
                    size_t knowns, const double *seed, double *result)
{
    const fo_state *s = &u->store.s;
    work w;
    if (!u->system.type->tangent || u->cosimulation)
        return unit_complain(u, FMI_ERROR, "there are no directional derivatives");
    if (u->mode <= UNIT_INITIALISING)
        return unit_complain(u, FMI_ERROR, "there are no directional derivatives before the start");
    if (!make_work(u, &w)) return unit_complain(u, FMI_ERROR, "out of memory");
    int status = take_seed(u, &w, known, knowns, seed);
    fo_seed along = {w.t, w.x, w.u};
    fo_tangent to = {asked_for(unknown, unknowns, FOI_EXPORT_DERIVATIVE) ? w.rates : NULL,
                     asked_for(unknown, unknowns, FOI_EXPORT_INDICATOR) ? w.guards : NULL,
                     asked_for(unknown, unknowns, FOI_EXPORT_OUTPUT) ? w.outputs : NULL};
    if (status == FMI_OK) {
        fo_status found = u->system.type->tangent(u->system.model, s, s->t, s->x, &along, &to);
        if (fo_failed(found)) status = unit_complain(u, FMI_ERROR, "the derivatives");
        if (found == FO_RETRY) status = FMI_DISCARD;
    }
    if (status == FMI_OK) status = give_result(u, &w, unknown, unknowns, result);
    free(w.block);
    return status;
}
