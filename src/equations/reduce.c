#include "equations/order.h"

// Every variable whose derivative occurs is a state.
static void choose_states(foi_equations *e)
{
    for (size_t i = 0; i < e->variable_count; i++) {
        foi_variable *v = &e->variables[i];
        v->state = v->derivative != FOI_NOTHING && v->alias == FOI_NOTHING;
    }
}

fo_status foi_reduce(foi_equations *e)
{
    choose_states(e);
    return FO_OK;
}
