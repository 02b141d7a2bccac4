/// What is known of nodes by what is below them. Nodes only come to the end of the graph, and their
/// arguments stand before them: so each is looked at once, whoever asks and how often. Statements
/// ask of each expression that they make, and a walk below it would be over all statements before.
#include "base/array.h"
#include "equations/equations.h"

bool foi_rounds(foi_op op)
{
    return op == FOI_G_FLOOR || op == FOI_G_CEIL || op == FOI_G_MOD || op == FOI_G_REM ||
           op == FOI_G_QUOTIENT || op == FOI_G_SIGN;
}

bool foi_leaf_flows(const foi_equations *e, const foi_graph_node *n)
{
    if (n->op != FOI_G_LEAF) return false;
    if (n->a == FOI_LEAF_TIME || n->a == FOI_LEAF_DELAYED) return true;
    if (n->a != FOI_LEAF_VARIABLE) return false;
    const foi_variable *v = &e->variables[n->b];
    return v->role == FOI_ROLE_CONTINUOUS ||
           (v->role == FOI_ROLE_INPUT && v->flat->type == FOI_REAL);
}

static unsigned of_leaf(const foi_equations *e, const foi_graph_node *n)
{
    unsigned facts = foi_leaf_flows(e, n) ? FOI_FACT_FLOWS : 0;
    if (n->op != FOI_G_LEAF) return 0;
    if (n->a == FOI_LEAF_FRAME) facts |= FOI_FACT_FRAME;
    if (n->a == FOI_LEAF_VARIABLE && e->variables[n->b].role == FOI_ROLE_INPUT)
        facts |= FOI_FACT_INPUT;
    return facts;
}

unsigned foi_facts_of(foi_equations *e, foi_node n)
{
    foi_facts *f = &e->facts;
    if (n >= f->count &&
        !foi_array_room(e->allocator, &f->of, &f->room, e->g.count, sizeof *f->of)) {
        e->g.failed = true;
        return 0;
    }
    for (; f->count <= n; f->count++) {
        const foi_graph_node *x = &e->g.nodes[f->count];
        const foi_node below[3] = {x->a, x->b, x->c};
        unsigned facts = of_leaf(e, x);
        bool turns = (x->op >= FOI_G_LESS && x->op <= FOI_G_NOT_EQUAL) || foi_rounds((foi_op)x->op);
        for (uint32_t k = foi_op_arity((foi_op)x->op); k-- > 0;) facts |= f->of[below[k]];
        f->of[f->count] = (uint8_t)(facts | (turns ? FOI_FACT_TURNS : 0));
    }
    return f->of[n];
}

void foi_facts_forget(foi_equations *e)
{
    e->facts.count = 0;
}
