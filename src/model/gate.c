#include "model/gate.h"

#include "base/memory.h"

static void *resize(void *self, void *block, size_t old_size, size_t new_size)
{
    foi_gate *gate = self;
    const fo_allocator *from = gate->from ? gate->from : fo_heap();
    if (new_size && gate->go_on && !gate->closed) gate->closed = !gate->go_on(gate->go_on_self);
    if (new_size && gate->closed) return NULL;
    return from->resize(from->self, block, old_size, new_size);
}

void foi_gate_begin(foi_gate *gate, const fo_model_def *def)
{
    *gate = (foi_gate){.allocator = {resize, gate},
                       .from = def->allocator,
                       .go_on = def->go_on,
                       .go_on_self = def->go_on_self};
}

bool foi_gate_end(foi_gate *gate)
{
    bool closed = gate->closed;
    gate->go_on = NULL, gate->closed = false;
    return closed;
}
