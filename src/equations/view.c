/// What everything is worth in one view: block by block, in the order of solution.
#include <string.h>

#include "base/array.h"
#include "equations/plan.h"

// ---------------------------------------------------------------------------------------- leaves

static foi_node known(void *self, foi_graph *g, foi_node leaf)
{
    foi_view *v = self;
    uint32_t index = g->nodes[leaf].b;
    switch ((foi_leaf)g->nodes[leaf].a) {
    case FOI_LEAF_VARIABLE: {
        bool negative = false;
        const foi_variable *all = v->p->e->variables;
        for (; all[index].alias != FOI_NOTHING; index = all[index].alias)
            negative ^= all[index].negative;
        foi_node value = v->value[index];
        if (value == FOI_NO_NODE) return leaf;
        return negative ? foi_negate(g, value) : value;
    }
    case FOI_LEAF_PRE:
        if (v->kind == FOI_VIEW_START) return v->pre_value[index];
        return foi_leaf_of(g, v->kind == FOI_VIEW_FLOW ? FOI_LEAF_DISCRETE : FOI_LEAF_PRE,
                           v->p->slot[index]);
    case FOI_LEAF_HELD: return v->held && v->held[index] != FOI_NO_NODE ? v->held[index] : leaf;
    case FOI_LEAF_INITIAL: return foi_constant(g, v->kind == FOI_VIEW_START);
    case FOI_LEAF_LAMBDA:
        if (v->kind != FOI_VIEW_START) return foi_constant(g, 1);
        return foi_leaf_of(g, FOI_LEAF_START, v->p->state_count + v->p->discrete_count);
    case FOI_LEAF_TERMINAL:
    case FOI_LEAF_SAMPLE:
    case FOI_LEAF_WAS: return v->kind == FOI_VIEW_MOMENT ? leaf : foi_constant(g, 0);
    default: return leaf;
    }
}

foi_node foi_view_of(foi_view *v, foi_node n)
{
    return foi_graph_replace(&v->p->e->g, n, known, v);
}

// They have much in common, which is looked at once.
fo_status foi_view_of_all(foi_view *v, foi_node *list, size_t count)
{
    foi_equations *e = v->p->e;
    foi_node *all = foi_new(e->allocator, count, sizeof *all);
    size_t n = 0;
    if (!all) return foi_equations_no_memory(e);
    for (size_t i = 0; i < count; i++)
        if (list[i] != FOI_NO_NODE) all[n++] = list[i];
    bool good = foi_graph_replace_all(&e->g, all, n, known, v);
    n = 0;
    for (size_t i = 0; i < count && good; i++)
        if (list[i] != FOI_NO_NODE) list[i] = all[n++];
    foi_free(e->allocator, all);
    return good ? FO_OK : foi_equations_no_memory(e);
}

static void give(foi_view *v, uint32_t column, foi_node value)
{
    const foi_graph_node *n = &v->p->e->g.nodes[v->o->columns[column]];
    if (n->a == FOI_LEAF_PRE)
        v->pre_value[n->b] = value;
    else
        v->value[n->b] = value;
}

static foi_node worth(const foi_view *v, uint32_t column)
{
    const foi_graph_node *n = &v->p->e->g.nodes[v->o->columns[column]];
    return n->a == FOI_LEAF_PRE ? v->pre_value[n->b] : v->value[n->b];
}

static const foi_variable *variable_of(const foi_view *v, uint32_t column)
{
    return &v->p->e->variables[v->p->e->g.nodes[v->o->columns[column]].b];
}

// ----------------------------------------------------------------------------------------- loops

static fo_status add_unknown(foi_view *v, uint32_t column)
{
    foi_plan *p = v->p;
    foi_equations *e = p->e;
    const foi_graph_node n = e->g.nodes[v->o->columns[column]];
    if (!foi_array_room(e->allocator, &p->unknowns, &p->unknown_room, p->unknown_count + 1,
                        sizeof *p->unknowns))
        return foi_equations_no_memory(e);
    if (p->guess_of[n.b] == FOI_NOTHING) p->guess_of[n.b] = p->guess_count++;
    uint32_t u = (uint32_t)p->unknown_count++;
    p->unknowns[u] =
        (foi_unknown){n.b, (uint32_t)p->loop_count, p->guess_of[n.b], n.a == FOI_LEAF_PRE};
    give(v, column, foi_leaf_of(&e->g, FOI_LEAF_UNKNOWN, u));
    return FO_OK;
}

static foi_node is_solved(void *self, foi_graph *g, foi_node leaf)
{
    const foi_loop *l = self;
    uint32_t u = g->nodes[leaf].b;
    bool own = foi_is_leaf(g, leaf, FOI_LEAF_UNKNOWN) && u - l->first < l->count;
    return own ? foi_leaf_of(g, FOI_LEAF_SOLVED, u) : leaf;
}

static fo_status no_loop_of_discretes(foi_view *v, const uint32_t *rows, uint32_t count)
{
    char name[160];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t c = v->o->matching.column_of[rows[i]];
        const foi_variable *about = variable_of(v, c);
        if (about->role == FOI_ROLE_COMPUTED)
            return foi_equations_fail(v->p->e, v->o->rows[rows[i]].place, FO_ERROR_MODEL,
                                      "the parameter `%s` depends on itself", about->flat->name);
        if (about->role != FOI_ROLE_DISCRETE) continue;
        // at the start a number is found by iteration as any other
        if (v->kind == FOI_VIEW_START && about->flat->type == FOI_REAL) continue;
        const char *text = foi_order_name(v->o, c, name, sizeof name);
        if (count == 1)
            return foi_equations_fail(v->p->e, v->o->rows[rows[i]].place, FO_ERROR_MODEL,
                                      "the equation cannot be solved for the discrete variable %s; "
                                      "write it as %s = ...",
                                      text, text);
        return foi_equations_fail(v->p->e, v->o->rows[rows[i]].place, FO_ERROR_MODEL,
                                  "the discrete variable %s depends on itself in one moment, "
                                  "through %u equations; pre() breaks such a loop",
                                  text, count);
    }
    return FO_OK;
}

static fo_status residuals(foi_view *v, const foi_tearing *t, foi_loop *l)
{
    foi_equations *e = v->p->e;
    for (uint32_t i = 0; i < t->inner; i++) {
        l->inner[i] = foi_view_of(v, t->solved[i]);
        l->variable[i] = e->g.nodes[v->o->columns[t->columns[i]]].b;
        give(v, t->columns[i], l->inner[i]);
    }
    for (uint32_t i = 0; i < l->count; i++) {
        const foi_row *row = &v->o->rows[t->rows[t->inner + i]];
        l->residual[i] = foi_view_of(v, foi_subtract(&e->g, row->left, row->right));
        l->place[i] = row->place;
        if (!foi_may_go_on(e->allocator)) return foi_equations_no_memory(e);
    }
    return foi_loop_jacobian(v->p, l);
}

// A loop of the tearing variables.
static fo_status make_loop(foi_view *v, const foi_tearing *t, foi_loop *l)
{
    foi_plan *p = v->p;
    uint32_t n = t->count - t->inner;
    *l = (foi_loop){.first = (uint32_t)p->unknown_count,
                    .count = n,
                    .inner_count = t->inner,
                    .helper = FOI_NOTHING};
    l->first_values = v->kind == FOI_VIEW_START;
    l->residual = foi_arena_new(&p->arena, n, sizeof *l->residual);
    l->place = foi_arena_new(&p->arena, n, sizeof *l->place);
    l->inner = foi_arena_new(&p->arena, t->inner, sizeof *l->inner);
    l->variable = foi_arena_new(&p->arena, t->inner, sizeof *l->variable);
    if (p->arena.failed ||
        !foi_array_room(p->e->allocator, &p->loops, &p->loop_room, p->loop_count + 1, sizeof *l))
        return foi_equations_no_memory(p->e);
    fo_status status = FO_OK;
    for (uint32_t i = 0; i < n && status == FO_OK; i++)
        status = add_unknown(v, t->columns[t->inner + i]);
    return status == FO_OK ? residuals(v, t, l) : status;
}

// The same equations with fewer unknowns, where that pays: a first solution of the whole.
static fo_status make_helper(foi_view *v, const uint32_t *rows, const foi_tearing *whole,
                             uint32_t *helper, foi_node **from)
{
    foi_plan *p = v->p;
    foi_tearing t;
    foi_loop l;
    uint32_t n = whole->count - whole->inner;
    if (!foi_loop_is_helped(n, 1)) return FO_OK;
    fo_status status = foi_tearing_begin(&t, v->o, rows, whole->count, false);
    uint32_t tears = t.count - t.inner;
    if (status == FO_OK && tears > 0 && foi_loop_is_helped(n, tears)) {
        *from = foi_arena_new(&p->arena, n, sizeof **from);
        status = *from ? make_loop(v, &t, &l) : foi_equations_no_memory(p->e);
        for (uint32_t i = 0; i < n && status == FO_OK; i++)
            (*from)[i] = worth(v, whole->columns[whole->inner + i]);
        // made here, it stands between this loop and the next in the order of evaluation
        if (status == FO_OK) foi_leaf_of(&p->e->g, FOI_LEAF_SOLVED, l.first);
        if (status == FO_OK) {
            l.helps = true, *helper = (uint32_t)p->loop_count;
            p->loops[p->loop_count++] = l;
        }
    }
    foi_tearing_end(&t);
    return status;
}

static fo_status solve_loop(foi_view *v, const uint32_t *rows, const foi_tearing *t)
{
    foi_plan *p = v->p;
    foi_equations *e = p->e;
    foi_loop l;
    uint32_t helper = FOI_NOTHING;
    foi_node *from = NULL, *values = foi_new(e->allocator, t->count, sizeof *values);
    fo_status status = values ? FO_OK : foi_equations_no_memory(e);
    if (status == FO_OK && v->kind != FOI_VIEW_START)
        status = make_helper(v, rows, t, &helper, &from);
    if (status == FO_OK) status = make_loop(v, t, &l);
    if (status == FO_OK) {
        l.helper = helper, l.from = from;
        p->loops[p->loop_count++] = l;
        for (uint32_t i = 0; i < t->count; i++) values[i] = worth(v, t->columns[i]);
        if (!foi_graph_replace_all(&e->g, values, t->count, is_solved, &l))
            status = foi_equations_no_memory(e);
    }
    for (uint32_t i = 0; i < t->count && status == FO_OK; i++) give(v, t->columns[i], values[i]);
    foi_free(e->allocator, values);
    return status;
}

// R i = v with an R that parameters make zero says nothing about i but that v is zero: what depends
// on what is decided by that number. A number that the user may set himself stays one.
static void look_at_divisor(foi_equations *e, foi_node divisor)
{
    double value;
    bool formula = false;
    if (foi_is_constant(&e->g, divisor) || !foi_graph_reach(&e->g, &divisor, 1)) return;
    for (size_t i = 0; i < e->g.list_count; i++) {
        foi_node n = e->g.list[i];
        if (!foi_is_leaf(&e->g, n, FOI_LEAF_VARIABLE)) continue;
        formula |= e->variables[e->g.nodes[n].b].role == FOI_ROLE_COMPUTED;
    }
    if (!formula || !foi_default_number(e, divisor, &value) || value != 0) return;
    if (!foi_graph_reach(&e->g, &divisor, 1)) return;
    for (size_t i = 0; i < e->g.list_count; i++) {
        foi_node n = e->g.list[i];
        if (!foi_is_leaf(&e->g, n, FOI_LEAF_VARIABLE)) continue;
        foi_flat_variable *v = e->flat->variables[e->g.nodes[n].b];
        const foi_flat_expr x = {.op = FOI_OP_VARIABLE, .type = v->type, .size = 1, .variable = v};
        e->froze |= foi_flat_evaluate(&x, true, &value);
    }
}

// The same for the factors of what a loop is solved for.
static fo_status look_at_factors(foi_equations *e, const foi_row *row)
{
    foi_node sides[2] = {row->left, row->right};
    if (!foi_graph_reach(&e->g, sides, 2)) return foi_equations_no_memory(e);
    size_t count = 0;
    foi_node *factors = foi_new(e->allocator, 2 * e->g.list_count, sizeof *factors);
    if (!factors) return foi_equations_no_memory(e);
    for (size_t i = 0; i < e->g.list_count; i++) {
        foi_graph_node n = e->g.nodes[e->g.list[i]];
        if (n.op != FOI_G_MULTIPLY) continue;
        if (foi_is_leaf(&e->g, n.a, FOI_LEAF_VARIABLE)) factors[count++] = n.a;
        if (foi_is_leaf(&e->g, n.b, FOI_LEAF_VARIABLE)) factors[count++] = n.b;
    }
    for (size_t i = 0; i < count; i++)
        if (e->variables[e->g.nodes[factors[i]].b].role == FOI_ROLE_COMPUTED)
            look_at_divisor(e, factors[i]);
    foi_free(e->allocator, factors);
    return FO_OK;
}

static fo_status block_loop(foi_view *v, const uint32_t *rows, uint32_t count)
{
    foi_tearing t;
    fo_status status = no_loop_of_discretes(v, rows, count);
    for (uint32_t i = 0; i < count && status == FO_OK && v->kind == FOI_VIEW_FLOW; i++)
        status = look_at_factors(v->p->e, &v->o->rows[rows[i]]);
    if (status != FO_OK) return status;
    status = foi_tearing_begin(&t, v->o, rows, count, true);
    if (status == FO_OK && t.inner == t.count)
        status = foi_equations_fail(v->p->e, v->o->rows[rows[0]].place, FO_ERROR_MODEL,
                                    "the equations of a loop are no condition on each other");
    if (status == FO_OK) status = solve_loop(v, rows, &t);
    foi_tearing_end(&t);
    return status;
}

// One equation with one unknown: by itself where it can be solved, otherwise by iteration.
static fo_status block_single(foi_view *v, uint32_t r)
{
    foi_equations *e = v->p->e;
    const foi_row *row = &v->o->rows[r];
    uint32_t column = v->o->matching.column_of[r];
    e->inverts = e->checked && row->equation != FOI_NOTHING && e->checked[row->equation];
    foi_node solved = foi_solve(e, row->left, row->right, v->o->columns[column], false);
    e->inverts = false;
    if (solved == FOI_NO_NODE) return block_loop(v, &r, 1);
    if (v->kind == FOI_VIEW_FLOW) look_at_divisor(e, e->g.divisor);
    give(v, column, foi_view_of(v, solved));
    return e->g.failed ? foi_equations_no_memory(e) : FO_OK;
}

static bool held_here(const foi_view *v, uint32_t row)
{
    if (v->kind != FOI_VIEW_FLOW) return false;
    return variable_of(v, v->o->matching.column_of[row])->role == FOI_ROLE_DISCRETE;
}

static fo_status all_blocks(foi_view *v)
{
    const foi_blocks *b = &v->o->blocks;
    fo_status status = FO_OK;
    for (uint32_t i = 0; i < b->count && status == FO_OK; i++) {
        const uint32_t *rows = b->rows + b->start[i];
        uint32_t count = b->start[i + 1] - b->start[i];
        if (count == 1 && held_here(v, rows[0])) continue;
        for (uint32_t k = 0; k < count && status == FO_OK; k++)
            status = foi_view_decide(
                v, (foi_node[]){v->o->rows[rows[k]].left, v->o->rows[rows[k]].right}, 2);
        if (status != FO_OK) break;
        status = count == 1 ? block_single(v, rows[0]) : block_loop(v, rows, count);
    }
    return status;
}

// What is given from the beginning.
static void given(foi_view *v)
{
    foi_plan *p = v->p;
    foi_graph *g = &p->e->g;
    for (uint32_t i = 0; i < p->e->variable_count; i++) {
        const foi_variable *about = &p->e->variables[i];
        if (about->alias != FOI_NOTHING) continue;
        if (about->role == FOI_ROLE_PARAMETER)
            v->value[i] = foi_leaf_of(g, FOI_LEAF_PARAMETER, p->slot[i]);
        else if (about->role == FOI_ROLE_INPUT)
            v->value[i] = foi_leaf_of(g, FOI_LEAF_INPUT, p->slot[i]);
        else if (about->state && v->kind != FOI_VIEW_START)
            v->value[i] = foi_leaf_of(g, FOI_LEAF_STATE, p->slot[i]);
        else if (about->role == FOI_ROLE_DISCRETE && v->kind == FOI_VIEW_FLOW)
            v->value[i] = foi_leaf_of(g, FOI_LEAF_DISCRETE, p->slot[i]);
    }
}

fo_status foi_view_begin(foi_view *v, foi_plan *p, foi_order *o, foi_view_kind kind)
{
    size_t n = p->e->variable_count;
    *v = (foi_view){.p = p, .o = o, .kind = kind};
    p->e->g.plain = true; // who has made a value is of no more use in what is computed
    v->value = foi_new(p->e->allocator, n, sizeof *v->value);
    v->pre_value = foi_new(p->e->allocator, n, sizeof *v->pre_value);
    if (!v->value || !v->pre_value) return foi_equations_no_memory(p->e);
    if (kind == FOI_VIEW_MOMENT) {
        size_t relations = p->e->relation_count;
        v->held = foi_new(p->e->allocator, relations, sizeof *v->held);
        v->asked = foi_new(p->e->allocator, relations, sizeof *v->asked);
        if (!v->held || !v->asked) return foi_equations_no_memory(p->e);
        memset(v->held, 0xFF, relations * sizeof *v->held);
    }
    memset(v->value, 0xFF, n * sizeof *v->value);
    memset(v->pre_value, 0xFF, n * sizeof *v->pre_value);
    given(v);
    return all_blocks(v);
}

void foi_view_end(foi_view *v)
{
    foi_free(v->p->e->allocator, v->value);
    foi_free(v->p->e->allocator, v->pre_value);
    foi_free(v->p->e->allocator, v->held);
    foi_free(v->p->e->allocator, v->asked);
}
