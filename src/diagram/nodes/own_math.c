// Node types of one's own as expressions: the scalars of this room under public names. The sides of
// guards lie in the node's work space, as terms while the diagram is lowered.
#include "diagram/nodes/own_math.h"

#include <string.h>

#include "diagram/run/lower.h"

// Bit by bit: either member may be the one that counts.
static fo_scalar public_of(foi_scalar a)
{
    fo_scalar s;
    memcpy(&s, &a, sizeof s);
    return s;
}

static foi_scalar own_of(fo_scalar a)
{
    foi_scalar s;
    memcpy(&s, &a, sizeof s);
    return s;
}

_Static_assert(sizeof(fo_scalar) == sizeof(foi_scalar), "one is the other");

uint32_t fo_math_size(const fo_node_math *m)
{
    return m->size;
}

fo_scalar fo_math_number(fo_node_math *m, double value)
{
    return public_of(foi_const(m->r, value));
}

fo_scalar fo_math_time(fo_node_math *m)
{
    return public_of(foi_time_of(m->r));
}

fo_scalar fo_math_input(fo_node_math *m, uint32_t port, uint32_t i)
{
    foi_view u = foi_view_in(m->n, m->r, port);
    return public_of(foi_at(m->r, &u, i));
}

fo_scalar fo_math_parameter(fo_node_math *m, uint32_t parameter, uint32_t i)
{
    if (m->n->type->parameters[parameter].kind == FOI_PARAMETER_CHOICE)
        return fo_math_number(m, foi_choice(m->n, parameter));
    return public_of(foi_parameter_of(m->n, m->r, parameter, i));
}

fo_scalar fo_math_state(fo_node_math *m, uint32_t i)
{
    return public_of(foi_state_of(m->n, m->r, i));
}

fo_scalar fo_math_kept(fo_node_math *m, uint32_t i)
{
    return public_of(foi_kept_of(m->n, m->r, i));
}

fo_scalar fo_math_side(fo_node_math *m, uint32_t i)
{
    const foi_node *n = m->n;
    foi_run *r = m->r;
    if (n->through) // `watch` came before
        return r->lower ? (fo_scalar){.term = r->lower->signals[n->work + i]}
                        : (fo_scalar){.number = r->signals[n->work + i]};
    if (!n->guard_count) return fo_math_number(m, 0);
    return r->lower ? public_of(foi_scalar_memory(r, 2 + n->guard + i))
                    : (fo_scalar){.number = r->memory[2 + n->guard + i]};
}

static const foi_op operations[] = {
    [FO_OP_ADD] = FOI_G_ADD,
    [FO_OP_SUBTRACT] = FOI_G_SUBTRACT,
    [FO_OP_MULTIPLY] = FOI_G_MULTIPLY,
    [FO_OP_DIVIDE] = FOI_G_DIVIDE,
    [FO_OP_POWER] = FOI_G_POWER,
    [FO_OP_NEGATE] = FOI_G_NEGATE,
    [FO_OP_ABS] = FOI_G_ABS,
    [FO_OP_SIGN] = FOI_G_SIGN,
    [FO_OP_SQRT] = FOI_G_SQRT,
    [FO_OP_MIN] = FOI_G_MIN,
    [FO_OP_MAX] = FOI_G_MAX,
    [FO_OP_FLOOR] = FOI_G_FLOOR,
    [FO_OP_CEIL] = FOI_G_CEIL,
    [FO_OP_SIN] = FOI_G_SIN,
    [FO_OP_COS] = FOI_G_COS,
    [FO_OP_TAN] = FOI_G_TAN,
    [FO_OP_ASIN] = FOI_G_ASIN,
    [FO_OP_ACOS] = FOI_G_ACOS,
    [FO_OP_ATAN] = FOI_G_ATAN,
    [FO_OP_ATAN2] = FOI_G_ATAN2,
    [FO_OP_SINH] = FOI_G_SINH,
    [FO_OP_COSH] = FOI_G_COSH,
    [FO_OP_TANH] = FOI_G_TANH,
    [FO_OP_EXP] = FOI_G_EXP,
    [FO_OP_LOG] = FOI_G_LOG,
    [FO_OP_LOG10] = FOI_G_LOG10,
    [FO_OP_LESS] = FOI_G_LESS,
    [FO_OP_LESS_EQUAL] = FOI_G_LESS_EQUAL,
    [FO_OP_GREATER] = FOI_G_GREATER,
    [FO_OP_GREATER_EQUAL] = FOI_G_GREATER_EQUAL,
    [FO_OP_EQUAL] = FOI_G_EQUAL,
    [FO_OP_NOT_EQUAL] = FOI_G_NOT_EQUAL,
    [FO_OP_NOT] = FOI_G_NOT,
    [FO_OP_AND] = FOI_G_AND,
    [FO_OP_OR] = FOI_G_OR,
    [FO_OP_IF] = FOI_G_IF,
};

fo_scalar fo_math_do(fo_node_math *m, fo_operation op, fo_scalar a, fo_scalar b, fo_scalar c)
{
    foi_op which = operations[op];
    if (m->r->lower)
        return public_of(foi_scalar_term(m->r, which, own_of(a), own_of(b), own_of(c)));
    return (fo_scalar){.number = foi_op_any(which, a.number, b.number, c.number)};
}

void fo_math_output(fo_node_math *m, uint32_t port, uint32_t i, fo_scalar value)
{
    size_t at = (size_t)m->n->outputs[port].offset + i;
    if (m->r->lower)
        foi_scalar_put(m->r, at, own_of(value), true);
    else
        m->r->signals[at] = value.number;
}

void fo_math_rate(fo_node_math *m, uint32_t i, fo_scalar value)
{
    foi_put_rate(m->n, m->r, m->dx, i, own_of(value));
}

void fo_math_guard(fo_node_math *m, uint32_t i, fo_scalar value)
{
    foi_scalar side = foi_side_of(m->n, m->r, i, own_of(value));
    if (m->r->lower)
        m->r->lower->signals[m->n->work + i] = side.term;
    else
        m->r->signals[m->n->work + i] = side.number;
}
