// What happens at an instant beside ticks and guards: entities move, events of models inside nodes.
#include "diagram/diagram.h"

enum { MAX_ROUNDS = 100000 };

fo_status foi_nodes_happen(foi_run *r, fo_status (*evaluate)(foi_run *r))
{
    const foi_diagram *d = r->diagram;
    for (int round = 0; round < MAX_ROUNDS; round++) {
        const foi_node *changed = NULL;
        for (uint32_t i = 0; i < d->happening_count; i++)
            if (d->happening[i]->type->happen(d->happening[i], r)) changed = d->happening[i];
        if (r->status != FO_OK || !changed) return r->status;
        if (round == MAX_ROUNDS - 1) foi_run_refuse(r, changed, "the event iteration does not end");
        fo_status status = evaluate(r);
        if (status != FO_OK) return status;
    }
    return r->status;
}
