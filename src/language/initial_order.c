/// Values that the declarations of a function give to its variables: each is computed after those
/// that it is made of, in whatever order they are written (Modelica 3.6, section 12.4.4).
#include "language/session.h"

typedef struct ordering {
    foi_session *s;
    foi_flat_statement *const *from;
    foi_flat_statement **to;
    uint32_t done, locals;
    const uint32_t *giver; ///< of each local: 1 + the statement that gives its value, or 0
    uint8_t *state;        ///< of each statement: 0: not looked at, 1: being, 2: placed
} ordering;

static bool place(ordering *o, uint32_t at);

static bool place_giver(ordering *o, const foi_flat_variable *v)
{
    uint32_t giver = v->local && v->index < o->locals ? o->giver[v->index] : 0;
    return !giver || place(o, giver - 1);
}

static bool place_needed(ordering *o, foi_place where, const foi_flat_expr *e)
{
    if (e->op == FOI_OP_VARIABLE) return place_giver(o, e->variable);
    const foi_flat_expr *const *list = e->arguments;
    uint32_t count = e->count;
    if (e->op == FOI_OP_RESULT) list = e->call->arguments, count = e->call->function->input_count;
    if (!foi_enter(o->s, where)) return false;
    bool right = true;
    for (uint32_t i = 0; right && e->op == FOI_OP_ELEMENT && i < e->array->count; i++)
        right = place_giver(o, e->array->elements[i]);
    for (uint32_t i = 0; right && i < count; i++) right = place_needed(o, where, list[i]);
    o->s->depth--;
    return right;
}

static bool place(ordering *o, uint32_t at)
{
    foi_flat_statement *st = o->from[at];
    if (o->state[at] == 2) return true;
    if (o->state[at] == 1)
        return foi_error(o->s, st->place, "the value of '%s' follows from itself",
                         st->targets[0]->variable->name);
    o->state[at] = 1;
    for (uint32_t i = 0; i < st->count; i++)
        if (!place_needed(o, st->place, st->values[i])) return false;
    o->state[at] = 2;
    o->to[o->done++] = st;
    return true;
}

bool foi_order_values(foi_session *s, foi_flat_statement **list, uint32_t count, uint32_t locals)
{
    if (count == 0) return true;
    foi_flat_statement **from = foi_arena_new(&s->arena, count, sizeof(foi_flat_statement *));
    uint32_t *giver = foi_arena_new(&s->arena, locals, sizeof *giver);
    uint8_t *state = foi_arena_new(&s->arena, count, 1);
    if (!from || !giver || !state) return false;
    for (uint32_t i = 0; i < count; i++) {
        from[i] = list[i];
        for (uint32_t k = 0; k < list[i]->count; k++)
            giver[list[i]->targets[k]->variable->index] = i + 1;
    }
    ordering o = {.s = s, .from = from, .to = list, .giver = giver, .state = state};
    o.locals = locals;
    for (uint32_t i = 0; i < count; i++)
        if (!place(&o, i)) return false;
    return true;
}
