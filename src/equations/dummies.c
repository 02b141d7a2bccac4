/// The choice of dummy derivatives, from the highest derivatives down:
///
///     g = the differentiated equations, z = the derivatives in them; choose as many of z as there
///     are equations in g, so that dg/dz for these is regular; then g = the equations that were
///     differentiated to get g, if they are derivatives themselves, z = the integrals of those
///     that were chosen, if they are derivatives; and again.
///
/// Gaussian elimination on dg/dz at the start values. Higher derivatives are taken first, and those
/// that the model wants as states last; among equals the largest pivot decides.
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "equations/reduce.h"

typedef struct choice {
    foi_equations *e;
    uint32_t *rows, *columns; ///< equations and variables
    uint32_t row_count, column_count;
    double *a; ///< dg/dz, row by row
    double *value;
    bool *dummy;
} choice;

// ----------------------------------------------------------------------------------------- values

// Start values where they are given, otherwise some number of its own: structure counts then.
static double number_of(foi_equations *e, uint32_t v)
{
    double value = 0;
    for (size_t i = 0; i < e->candidate_count; i++)
        if (e->candidates[i] == v) return v == e->favourite ? 1 : 1e-3;
    const foi_variable *about = &e->variables[v];
    const foi_flat_variable *flat = about->flat;
    const foi_flat_expr *from = !flat ? NULL : flat->binding ? flat->binding : flat->start;
    if (from && foi_flat_evaluate(from, false, &value)) return value;
    return 0.3 + 0.1 * (double)((v * 2654435761u) >> 24) / 256;
}

// The value of an expression at the start values.
static double evaluate(choice *c, foi_node root)
{
    foi_graph *g = &c->e->g;
    if (!foi_graph_reach(g, &root, 1)) return 0;
    for (size_t i = 0; i < g->list_count; i++) {
        foi_node at = g->list[i];
        foi_graph_node n = g->nodes[at];
        if (n.op == FOI_G_CONSTANT)
            c->value[at] = foi_constant_value(g, at);
        else if (n.op == FOI_G_LEAF)
            c->value[at] = n.a == FOI_LEAF_VARIABLE ? number_of(c->e, n.b) : 0;
        else
            c->value[at] = foi_op_apply(n.op, c->value[n.a], c->value[n.b], c->value[n.c]);
    }
    return isfinite(c->value[root]) ? c->value[root] : 0;
}

static fo_status fill(choice *c)
{
    foi_equations *e = c->e;
    for (uint32_t i = 0; i < c->row_count; i++) {
        const foi_equation *q = &e->equations[c->rows[i]];
        foi_node residual = foi_subtract(&e->g, q->left, q->right);
        for (uint32_t j = 0; j < c->column_count; j++) {
            foi_node leaf = foi_leaf_of(&e->g, FOI_LEAF_VARIABLE, c->columns[j]);
            foi_node d = foi_graph_partial(&e->g, residual, leaf);
            foi_free(e->allocator, c->value);
            c->value = foi_new(e->allocator, e->g.count, sizeof *c->value);
            if (!c->value || e->g.failed) return foi_equations_no_memory(e);
            c->a[i * c->column_count + j] = evaluate(c, d);
        }
    }
    return FO_OK;
}

// ----------------------------------------------------------------------------------------- choice

static int order_of(const foi_equations *e, uint32_t v)
{
    int order = 0;
    for (; e->variables[v].integral != FOI_NOTHING; v = e->variables[v].integral) order++;
    return order;
}

// Large: to be a dummy rather than others.
static int eagerness(const foi_equations *e, uint32_t v)
{
    uint32_t of = e->variables[v].integral;
    const foi_variable *state = &e->variables[of];
    int select = state->flat ? (int)state->flat->select : FOI_SELECT_NEVER;
    int wish = select == FOI_SELECT_DEFAULT  ? 2
               : select == FOI_SELECT_NEVER  ? 4
               : select == FOI_SELECT_AVOID  ? 3
               : select == FOI_SELECT_PREFER ? 1
                                             : 0;
    bool free = !state->fixed && !e->candidate_count; // fixed start values want to be states
    return 100 * order_of(e, v) + 10 * wish + free;
}

static bool find_pivot(const choice *c, const bool *used_row, const bool *used, uint32_t *row,
                       uint32_t *column)
{
    int best_class = -1;
    double best = 0;
    for (uint32_t j = 0; j < c->column_count; j++) {
        if (used[j]) continue;
        int class = eagerness(c->e, c->columns[j]);
        for (uint32_t i = 0; i < c->row_count; i++) {
            double size = fabs(c->a[i * c->column_count + j]);
            if (used_row[i] || size <= 1e-9) continue;
            if (class < best_class || (class == best_class && size <= best)) continue;
            best_class = class, best = size, *row = i, *column = j;
        }
    }
    return best_class >= 0;
}

static void eliminate(choice *c, const bool *used_row, uint32_t row, uint32_t column)
{
    uint32_t n = c->column_count;
    for (uint32_t i = 0; i < c->row_count; i++) {
        if (used_row[i] || i == row) continue;
        double f = c->a[i * n + column] / c->a[row * n + column];
        for (uint32_t j = 0; j < n; j++) c->a[i * n + j] -= f * c->a[row * n + j];
    }
}

static fo_status pick(choice *c)
{
    foi_equations *e = c->e;
    char text[200];
    bool *used_row = foi_new(e->allocator, (size_t)c->row_count + c->column_count, sizeof(bool));
    bool *used = used_row ? used_row + c->row_count : NULL;
    fo_status status = used_row ? FO_OK : foi_equations_no_memory(e);
    for (uint32_t k = 0; k < c->row_count && status == FO_OK; k++) {
        uint32_t row, column;
        if (find_pivot(c, used_row, used, &row, &column)) {
            eliminate(c, used_row, row, column);
            used_row[row] = used[column] = true;
            c->dummy[c->columns[column]] = true;
            continue;
        }
        for (row = 0; used_row[row];) row++;
        const foi_equation *q = &e->equations[c->rows[row]];
        status = foi_equations_fail(e, q->place, FO_ERROR_MODEL,
                                    "the constraint whose derivative is %s leaves no choice of "
                                    "states at the start values; others may help",
                                    foi_equation_text(e, q, text, sizeof text));
    }
    foi_free(e->allocator, used_row);
    return status;
}

static bool is_derivative(const foi_equations *e, uint32_t v)
{
    return e->variables[v].integral != FOI_NOTHING;
}

// The equations that the present ones are derivatives of, as far as they are derivatives too.
static void go_down(choice *c)
{
    foi_equations *e = c->e;
    uint32_t rows = 0, columns = 0;
    for (uint32_t i = 0; i < c->row_count; i++) {
        uint32_t from = e->equations[c->rows[i]].integral;
        if (e->equations[from].integral != FOI_NOTHING) c->rows[rows++] = from;
    }
    for (uint32_t j = 0; j < c->column_count; j++) {
        uint32_t from = e->variables[c->columns[j]].integral;
        if (c->dummy[c->columns[j]] && is_derivative(e, from)) c->columns[columns++] = from;
    }
    c->row_count = rows, c->column_count = columns;
}

static uint32_t root_of(const foi_equations *e, uint32_t v)
{
    while (e->variables[v].integral != FOI_NOTHING) v = e->variables[v].integral;
    return v;
}

// One equation, several candidates: the choice is good while the coefficient of the chosen one is
// not much smaller than the others'. quality = |c| - 1/2 max |others|.
static fo_status judge(choice *c)
{
    foi_equations *e = c->e;
    foi_graph *g = &e->g;
    if (c->row_count != 1 || c->column_count < 2) return FO_OK;
    const foi_equation *q = &e->equations[c->rows[0]];
    foi_node residual = foi_subtract(g, q->left, q->right), most = foi_constant(g, 0), own = most;
    for (uint32_t j = 0; j < c->column_count; j++) {
        foi_node leaf = foi_leaf_of(g, FOI_LEAF_VARIABLE, c->columns[j]);
        foi_node size = foi_make(g, FOI_G_ABS, foi_graph_partial(g, residual, leaf), 0, 0);
        if (c->dummy[c->columns[j]])
            own = size;
        else
            most = foi_make(g, FOI_G_MAX, most, size, 0);
        if (!foi_array_room(e->allocator, &e->rivals, &e->rival_room, e->rival_count + 1,
                            sizeof *e->rivals))
            return foi_equations_no_memory(e);
        e->rivals[e->rival_count++] = root_of(e, c->columns[j]);
    }
    if (foi_is_constant(g, own) && foi_is_constant(g, most)) {
        e->rival_count = 0; // it is as good at all times
        return FO_OK;
    }
    foi_node quality = foi_subtract(g, own, foi_multiply(g, foi_constant(g, 0.5), most));
    e->quality =
        e->quality == FOI_NO_NODE ? quality : foi_make(g, FOI_G_MIN, e->quality, quality, 0);
    return FO_OK;
}

static fo_status choose_all(choice *c)
{
    foi_equations *e = c->e;
    fo_status status = FO_OK;
    for (uint32_t i = 0; i < e->equation_count; i++) {
        const foi_equation *q = &e->equations[i];
        if (q->integral != FOI_NOTHING && q->derivative == FOI_NOTHING) c->rows[c->row_count++] = i;
    }
    for (uint32_t v = 0; v < e->variable_count; v++) {
        const foi_variable *about = &e->variables[v];
        bool top = about->alias == FOI_NOTHING && about->derivative == FOI_NOTHING;
        if (top && is_derivative(e, v)) c->columns[c->column_count++] = v;
    }
    while (c->row_count && status == FO_OK) {
        size_t size = (size_t)c->row_count * c->column_count;
        c->a = foi_new(e->allocator, size, sizeof *c->a);
        status = c->a ? fill(c) : foi_equations_no_memory(e);
        if (status == FO_OK) status = pick(c);
        foi_free(e->allocator, c->a);
        if (status == FO_OK) status = judge(c);
        if (status == FO_OK) go_down(c);
    }
    return status;
}

fo_status foi_choose_dummies(foi_equations *e, bool *dummy)
{
    choice c = {.e = e, .dummy = dummy};
    c.rows = foi_new(e->allocator, e->equation_count, sizeof *c.rows);
    c.columns = foi_new(e->allocator, e->variable_count, sizeof *c.columns);
    fo_status status = c.rows && c.columns ? choose_all(&c) : foi_equations_no_memory(e);
    foi_free(e->allocator, c.rows);
    foi_free(e->allocator, c.columns);
    foi_free(e->allocator, c.value);
    return status;
}
