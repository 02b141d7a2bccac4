/// States that the model wants and nothing differentiates.
///
/// A variable that is to be preferred as a state (`StateSelect.prefer` or `always`) may be one also
/// where only an equation like v = der(x) or w = w_b - w_a names it, as the relative speed of a
/// spring. What a `reinit` leaves as it is depends on it. So its derivative is made, and with it
/// the equations
///
///     v' = x'',    x' = x_b' - x_a'  once more,    x_b'' = v_b',  ...
///
/// until derivatives are reached that are there. The number of states stays what it is: with every
/// equation one derivative more is there to be chosen among (dummies.c). That is done where all
/// equations on the way are linear with coefficients that stand: these have derivatives at all
/// times, where a law of a force may jump.
#include "base/array.h"
#include "equations/reduce.h"

typedef struct wanted {
    foi_equations *e;
    foi_order *o;
    bool *bad;       ///< per row: it is not to be differentiated, or leads to one that is not
    bool *taken;     ///< per row: it will be
    uint32_t *rows;  ///< rows by column: rows[start[c] .. start[c + 1])
    uint32_t *start; ///< per column, and one more
    uint32_t *stack; ///< rows
    size_t stacked;
} wanted;

static bool stands(const foi_equations *e, foi_node n)
{
    if (e->g.nodes[n].op == FOI_G_CONSTANT) return true;
    if (!foi_is_leaf(&e->g, n, FOI_LEAF_VARIABLE)) return false;
    foi_role role = e->variables[e->g.nodes[n].b].role;
    return role == FOI_ROLE_PARAMETER || role == FOI_ROLE_COMPUTED;
}

static bool is_linear_node(const foi_equations *e, foi_node at)
{
    const foi_graph_node n = e->g.nodes[at];
    switch (n.op) {
    case FOI_G_CONSTANT:
    case FOI_G_ADD:
    case FOI_G_SUBTRACT:
    case FOI_G_NEGATE: return true;
    case FOI_G_MULTIPLY: return stands(e, n.a) || stands(e, n.b);
    case FOI_G_DIVIDE: return stands(e, n.b);
    default:
        return stands(e, at) || (foi_is_leaf(&e->g, at, FOI_LEAF_VARIABLE) &&
                                 e->variables[n.b].role == FOI_ROLE_CONTINUOUS);
    }
}

static bool is_linear(foi_equations *e, const foi_row *row)
{
    foi_node roots[2] = {row->left, row->right};
    if (!foi_graph_reach(&e->g, roots, 2)) return false;
    for (size_t i = 0; i < e->g.list_count; i++)
        if (!is_linear_node(e, e->g.list[i])) return false;
    return true;
}

// The rows in which a column occurs, for all columns.
static void turn_round(wanted *w)
{
    const foi_incidence *m = &w->o->incidence;
    for (size_t k = 0; k < m->count; k++) w->start[m->column[k] + 1]++;
    for (uint32_t c = 0; c < m->columns; c++) w->start[c + 1] += w->start[c];
    for (uint32_t r = m->rows; r-- > 0;)
        for (uint32_t k = m->start[r]; k < m->start[r + 1]; k++)
            w->rows[--w->start[m->column[k] + 1]] = r;
    for (uint32_t c = 0; c < m->columns; c++) w->start[c] = w->start[c + 1];
    w->start[m->columns] = (uint32_t)m->count;
}

static void mark(wanted *w, bool *marks, uint32_t row)
{
    if (marks[row]) return;
    marks[row] = true;
    w->stack[w->stacked++] = row;
}

// A row that holds what a bad row is solved for is bad.
static void find_bad(wanted *w)
{
    const foi_matching *p = &w->o->matching;
    const foi_incidence *m = &w->o->incidence;
    for (uint32_t r = 0; r < m->rows; r++)
        if (!is_linear(w->e, &w->o->rows[r])) mark(w, w->bad, r);
    for (uint32_t c = 0; c < m->columns; c++)
        for (uint32_t k = w->start[c]; k < w->start[c + 1] && p->row_of[c] == FOI_UNMATCHED; k++)
            mark(w, w->bad, w->rows[k]);
    while (w->stacked) {
        uint32_t c = p->column_of[w->stack[--w->stacked]];
        if (c == FOI_UNMATCHED) continue;
        for (uint32_t k = w->start[c]; k < w->start[c + 1]; k++) mark(w, w->bad, w->rows[k]);
    }
}

static bool is_wanted(const wanted *w, uint32_t row)
{
    uint32_t c = w->o->matching.column_of[row];
    if (c == FOI_UNMATCHED || w->bad[row]) return false;
    const foi_variable *v = &w->e->variables[w->e->g.nodes[w->o->columns[c]].b];
    return v->flat && v->integral == FOI_NOTHING && v->flat->select >= FOI_SELECT_PREFER;
}

// With a row all rows that determine what is in it.
static void take(wanted *w)
{
    const foi_incidence *m = &w->o->incidence;
    for (uint32_t r = 0; r < m->rows; r++)
        if (is_wanted(w, r)) mark(w, w->taken, r);
    while (w->stacked) {
        uint32_t r = w->stack[--w->stacked];
        for (uint32_t k = m->start[r]; k < m->start[r + 1]; k++)
            mark(w, w->taken, w->o->matching.row_of[m->column[k]]);
    }
}

static fo_status differentiate_taken(wanted *w)
{
    fo_status status = FO_OK;
    for (uint32_t r = 0; r < w->o->row_count && status == FO_OK; r++)
        if (w->taken[r]) status = foi_differentiate(w->e, w->o->rows[r].equation);
    return status;
}

static fo_status find_and_take(wanted *w)
{
    foi_equations *e = w->e;
    size_t rows = w->o->row_count + 1, columns = w->o->column_count + 2;
    if (foi_matching_all(&w->o->matching)) return FO_OK;
    w->bad = foi_new(e->allocator, rows, sizeof *w->bad);
    w->taken = foi_new(e->allocator, rows, sizeof *w->taken);
    w->stack = foi_new(e->allocator, rows, sizeof *w->stack);
    w->start = foi_new(e->allocator, columns, sizeof *w->start);
    w->rows = foi_new(e->allocator, w->o->incidence.count + 1, sizeof *w->rows);
    bool good = w->bad && w->taken && w->stack && w->start && w->rows;
    if (good) turn_round(w), find_bad(w), take(w);
    fo_status status = good && !e->g.failed ? differentiate_taken(w) : foi_equations_no_memory(e);
    foi_free(e->allocator, w->bad);
    foi_free(e->allocator, w->taken);
    foi_free(e->allocator, w->stack);
    foi_free(e->allocator, w->start);
    foi_free(e->allocator, w->rows);
    return status;
}

static bool any_wanted(const foi_equations *e)
{
    for (size_t i = 0; i < e->variable_count; i++) {
        const foi_variable *v = &e->variables[i];
        if (v->flat && v->role == FOI_ROLE_CONTINUOUS && v->alias == FOI_NOTHING &&
            v->derivative == FOI_NOTHING && v->flat->select >= FOI_SELECT_PREFER)
            return true;
    }
    return false;
}

fo_status foi_differentiate_wanted(foi_equations *e)
{
    foi_order o;
    if (!any_wanted(e)) return FO_OK;
    fo_status status = foi_order_top(&o, e);
    wanted w = {.e = e, .o = &o};
    if (status == FO_OK) status = find_and_take(&w);
    foi_order_end(&o);
    return status;
}
