/// What is a number by an equation of its own is that number wherever it stands: the orientation of
/// what is bolted to the ground. Equations of others have less in them then, and constraints that
/// are to be differentiated fewer variables.
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "equations/equations.h"

typedef struct numbers {
    foi_equations *e;
    foi_node *of; ///< per variable: its number, or FOI_NO_NODE
    bool *set;    ///< per variable: a reinit sets it
} numbers;

static bool plain(const foi_equations *e, foi_node n, uint32_t *v, bool *negative)
{
    const foi_graph *g = &e->g;
    *negative = g->nodes[n].op == FOI_G_NEGATE;
    if (*negative) n = g->nodes[n].a;
    if (!foi_is_leaf(g, n, FOI_LEAF_VARIABLE)) return false;
    *v = g->nodes[n].b;
    return e->variables[*v].role == FOI_ROLE_CONTINUOUS && e->variables[*v].integral == FOI_NOTHING;
}

// v = 1, or 0 = -v.
static bool is_number(foi_equations *e, const foi_equation *q, uint32_t *v, foi_node *number)
{
    bool negative;
    if (q->removed || q->assigns != FOI_NOTHING || q->initial != FOI_NO_NODE) return false;
    if (foi_is_constant(&e->g, q->right) && plain(e, q->left, v, &negative))
        *number = q->right;
    else if (foi_is_constant(&e->g, q->left) && plain(e, q->right, v, &negative))
        *number = q->left;
    else
        return false;
    if (negative) *number = foi_negate(&e->g, *number);
    return isfinite(foi_constant_value(&e->g, *number));
}

// The first equation says what it is; if there is another, that is for others to find out.
static bool find_numbers(numbers *w)
{
    foi_equations *e = w->e;
    bool any = false;
    uint32_t v;
    foi_node number;
    for (size_t i = 0; i < e->action_count; i++)
        if (e->actions[i].variable != FOI_NOTHING) w->set[e->actions[i].variable] = true;
    for (size_t i = 0; i < e->equation_count; i++) {
        if (!is_number(e, &e->equations[i], &v, &number)) continue;
        if (w->of[v] != FOI_NO_NODE || w->set[v]) continue;
        w->of[v] = number, any = true;
        while ((v = e->variables[v].derivative) != FOI_NOTHING) w->of[v] = foi_constant(&e->g, 0);
    }
    return any;
}

static foi_node with_numbers(void *self, foi_graph *g, foi_node leaf)
{
    const numbers *w = self;
    if (!foi_is_leaf(g, leaf, FOI_LEAF_VARIABLE)) return leaf;
    foi_node number = w->of[g->nodes[leaf].b];
    return number == FOI_NO_NODE ? leaf : number;
}

// An equation of which nothing would be left stays as it is: the one that says what the number is,
// and one that contradicts it.
static void put_in(numbers *w, foi_equation *q, const foi_node *sides, bool *more)
{
    const foi_graph *g = &w->e->g;
    if (sides[0] == sides[1] || (foi_is_constant(g, sides[0]) && foi_is_constant(g, sides[1])))
        return;
    *more |= q->left != sides[0] || q->right != sides[1];
    q->left = sides[0], q->right = sides[1];
}

static fo_status put_everywhere(numbers *w, foi_equation *list, size_t count, bool *more)
{
    foi_equations *e = w->e;
    foi_node *sides = foi_new(e->allocator, 2 * count, sizeof *sides);
    if (!sides) return foi_equations_no_memory(e);
    for (size_t i = 0; i < count; i++)
        sides[2 * i] = list[i].left, sides[2 * i + 1] = list[i].right;
    bool good = foi_graph_replace_all(&e->g, sides, 2 * count, with_numbers, w);
    for (size_t i = 0; i < count && good; i++)
        if (!list[i].removed && list[i].assigns == FOI_NOTHING && list[i].initial == FOI_NO_NODE)
            put_in(w, &list[i], &sides[2 * i], more);
    foi_free(e->allocator, sides);
    return good ? FO_OK : foi_equations_no_memory(e);
}

fo_status foi_put_numbers(foi_equations *e, bool *more)
{
    numbers w = {.e = e, .of = foi_new(e->allocator, e->variable_count, sizeof *w.of)};
    w.set = foi_new(e->allocator, e->variable_count, sizeof *w.set);
    fo_status status = w.of && w.set ? FO_OK : foi_equations_no_memory(e);
    *more = false;
    if (status == FO_OK) memset(w.of, 0xFF, e->variable_count * sizeof *w.of);
    if (status == FO_OK && find_numbers(&w))
        status = put_everywhere(&w, e->equations, e->equation_count, more);
    foi_free(e->allocator, w.of);
    foi_free(e->allocator, w.set);
    return status;
}
