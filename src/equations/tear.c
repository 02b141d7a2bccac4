/// Tearing: an algebraic loop of n equations is solved for few of its variables by Newton's method,
/// the others follow one by one. Greedy: equations with one unknown left are solved for it if that
/// is safe (only numbers other than zero are divided by) and exact to rounding; when there is none,
/// the variable that occurs in most equations becomes a tearing variable. (E. Carpanzano and R.
/// Girelli, The tearing problem, 1997.)
///
/// Exact to rounding are products. Where sums are solved for, too, far fewer variables remain; the
/// result may have lost digits by cancellation, and serves as a first solution of the whole.
///
/// A large loop is torn only if few variables are enough. Otherwise it is left as it is: sparse
/// factors do what tearing would, with pivots that are chosen by their size in the run.
#include <math.h>
#include <string.h>

#include "equations/plan.h"

enum {
    ALWAYS = 60,     ///< loops of this size are torn whatever comes out
    MOST_TEARS = 16, ///< of larger ones
};

static const double most_growth = 1000;

typedef struct work {
    foi_order *o;
    foi_tearing *t;
    const uint32_t *rows;
    uint32_t n;
    uint32_t *columns; ///< of the block
    uint32_t *local;   ///< per column of the order: its place in the block, or FOI_NOTHING
    uint32_t *left;    ///< per row of the block: unknowns without a value
    bool *row_done, *column_done;
    uint32_t *start, *user; ///< per column: rows of the block that have it
    uint32_t *queue;
    foi_node *other; ///< coefficients of one row
    double *growth;  ///< per column: the most that an error of a tearing variable grows to in it
    uint32_t queued, tears;
} work;

static void count_incidence(work *w)
{
    const foi_incidence *m = &w->o->incidence;
    for (uint32_t i = 0; i < w->n; i++)
        for (uint32_t k = m->start[w->rows[i]]; k < m->start[w->rows[i] + 1]; k++) {
            uint32_t c = w->local[m->column[k]];
            if (c != FOI_NOTHING) w->start[c + 1]++, w->left[i]++;
        }
    for (uint32_t c = 0; c < w->n; c++) w->start[c + 1] += w->start[c];
    for (uint32_t i = w->n; i-- > 0;)
        for (uint32_t k = m->start[w->rows[i]]; k < m->start[w->rows[i] + 1]; k++) {
            uint32_t c = w->local[m->column[k]];
            if (c != FOI_NOTHING) w->user[--w->start[c + 1]] = i;
        }
    // start[c + 1] now is the beginning of column c
    memmove(w->start, w->start + 1, w->n * sizeof *w->start);
}

static uint32_t uses(const work *w, uint32_t c, uint32_t total)
{
    return (c + 1 < w->n ? w->start[c + 1] : total) - w->start[c];
}

static void has_value(work *w, uint32_t c, uint32_t total)
{
    w->column_done[c] = true;
    for (uint32_t k = w->start[c], end = k + uses(w, c, total); k < end; k++) {
        uint32_t i = w->user[k];
        if (--w->left[i] == 1 && !w->row_done[i]) w->queue[w->queued++] = i;
    }
}

// Whether an expression over the loop's variables is a product or quotient: then the variable that
// it gives is as precise as those that it is made of. A sum may cancel: from v = 10 - R i with v
// near zero all other equations of v would see an error of the size of eps 10. Such an equation
// stays in the system, where v is an unknown of its own and is found to its own last digit.
static bool is_product(const work *w, foi_node n)
{
    foi_graph *g = &w->o->e->g;
    if (!foi_graph_reach(g, &n, 1)) return false;
    for (size_t i = 0; i < g->list_count; i++) { // ascending: operands come first
        foi_node at = g->list[i];
        const foi_graph_node *node = &g->nodes[at];
        const uint32_t operands[3] = {node->a, node->b, node->c};
        uint32_t c = node->op == FOI_G_LEAF ? foi_order_column_of(w->o, at) : FOI_NOTHING;
        bool inside = c != FOI_NOTHING && w->local[c] != FOI_NOTHING;
        for (uint32_t k = 0; k < foi_op_arity(node->op); k++) inside |= g->map[operands[k]];
        bool product = node->op == FOI_G_LEAF || node->op == FOI_G_NEGATE ||
                       node->op == FOI_G_MULTIPLY || node->op == FOI_G_DIVIDE;
        if (inside && !product) return false;
        g->map[at] = inside;
    }
    return true;
}

// Whether a row has its variable in one place. Where it has several, its coefficient is a sum that
// is rounded before anything else is: from (v - w)/R + v/S = 0 with R much smaller than S, v would
// be w to a last place, and v - w nothing.
static bool occurs_once(const work *w, const foi_row *row, foi_node leaf)
{
    foi_graph *g = &w->o->e->g;
    foi_node n = foi_subtract(g, row->left, row->right);
    if (!foi_graph_reach(g, &n, 1)) return false;
    for (size_t i = 0; i < g->list_count; i++) { // ascending: operands come first
        foi_node at = g->list[i];
        const foi_graph_node *node = &g->nodes[at];
        const uint32_t operands[3] = {node->a, node->b, node->c};
        uint32_t ways = at == leaf;
        for (uint32_t k = 0; k < foi_op_arity(node->op); k++) ways += g->map[operands[k]];
        g->map[at] = ways < 2 ? ways : 2;
    }
    return g->map[n] < 2;
}

// A coefficient that changes with the loop's unknowns themselves.
static bool varies(const work *w, foi_node d)
{
    foi_graph *g = &w->o->e->g;
    if (!foi_graph_reach(g, &d, 1)) return true;
    for (size_t i = 0; i < g->list_count; i++) {
        if (g->nodes[g->list[i]].op != FOI_G_LEAF) continue;
        uint32_t c = foi_order_column_of(w->o, g->list[i]);
        if (c != FOI_NOTHING && w->local[c] != FOI_NOTHING) return true;
    }
    return false;
}

// Solving a row for one variable carries the errors of the others over to it, times their
// coefficients by its own, and so on from row to row: x[i+1] = 2 x[i] + 2 x[i-1] would lose all
// digits after forty rows. So the growth since the tearing variables is limited. Coefficients are
// taken with the parameters' defaults; those that are known in the run only count as one.
static bool is_stable(work *w, uint32_t i, uint32_t c)
{
    const foi_incidence *m = &w->o->incidence;
    foi_graph *g = &w->o->e->g;
    foi_node leaf = w->o->columns[w->columns[c]];
    const foi_row *row = &w->o->rows[w->rows[i]];
    uint32_t begin = m->start[w->rows[i]], end = m->start[w->rows[i] + 1];
    if (!foi_graph_gradient(g, foi_subtract(g, row->left, row->right))) return false;
    foi_node own = foi_gradient_at(g, leaf);
    if (!foi_is_constant(g, own)) return false;
    double size = fabs(foi_constant_value(g, own)), growth = 0, d;
    for (uint32_t k = begin; k < end; k++)
        w->other[k - begin] = foi_gradient_at(g, w->o->columns[m->column[k]]);
    for (uint32_t k = begin; k < end; k++) {
        uint32_t j = w->local[m->column[k]];
        if (j == FOI_NOTHING || j == c) continue;
        if (!foi_is_constant(g, w->other[k - begin]) && varies(w, w->other[k - begin]))
            return false;
        if (!foi_default_number(w->o->e, w->other[k - begin], &d)) d = size;
        growth += fabs(d) / size * w->growth[j];
    }
    w->growth[c] = growth;
    return growth <= most_growth;
}

// Solves a row for its last unknown, where that can be.
static bool solve_row(work *w, uint32_t i, uint32_t total)
{
    const foi_incidence *m = &w->o->incidence;
    const foi_row *row = &w->o->rows[w->rows[i]];
    if (w->row_done[i] || w->left[i] != 1) return false;
    for (uint32_t k = m->start[w->rows[i]]; k < m->start[w->rows[i] + 1]; k++) {
        uint32_t c = w->local[m->column[k]];
        if (c == FOI_NOTHING || w->column_done[c]) continue;
        foi_node leaf = w->o->columns[w->columns[c]];
        foi_node solved = foi_solve(w->o->e, row->left, row->right, leaf, true);
        if (solved == FOI_NO_NODE) return false;
        bool exact = w->t->exact && is_product(w, solved) && occurs_once(w, row, leaf);
        if (!exact && (w->t->exact || !is_stable(w, i, c))) return false;
        w->row_done[i] = true;
        w->t->rows[w->t->inner] = w->rows[i];
        w->t->columns[w->t->inner] = w->columns[c];
        w->t->solved[w->t->inner++] = solved;
        has_value(w, c, total);
        return true;
    }
    return false;
}

// The variable in most of the equations that are left; states of higher order are no matter here.
static uint32_t choose(const work *w, uint32_t total)
{
    uint32_t best = FOI_NOTHING, most = 0;
    for (uint32_t c = 0; c < w->n; c++) {
        uint32_t open = 0;
        if (w->column_done[c]) continue;
        for (uint32_t k = w->start[c], end = k + uses(w, c, total); k < end; k++)
            open += !w->row_done[w->user[k]];
        if (best == FOI_NOTHING || open > most) best = c, most = open;
    }
    return best;
}

// As the matching says: nothing follows, everything is unknown.
static void leave_whole(work *w)
{
    w->t->inner = 0;
    for (uint32_t i = 0; i < w->n; i++) w->t->rows[i] = w->rows[i];
    for (uint32_t i = 0; i < w->n; i++) w->t->columns[i] = w->columns[i];
}

static void tear(work *w)
{
    const foi_incidence *m = &w->o->incidence;
    uint32_t total = 0, at = 0;
    for (uint32_t i = 0; i < w->n; i++)
        for (uint32_t k = m->start[w->rows[i]]; k < m->start[w->rows[i] + 1]; k++)
            total += w->local[m->column[k]] != FOI_NOTHING;
    for (uint32_t i = 0; i < w->n; i++)
        if (w->left[i] == 1) w->queue[w->queued++] = i;
    for (;;) {
        while (at < w->queued) solve_row(w, w->queue[at++], total);
        uint32_t c = choose(w, total);
        if (c == FOI_NOTHING) break;
        w->growth[c] = 1;
        if (++w->tears > MOST_TEARS && w->n > ALWAYS) {
            leave_whole(w);
            return;
        }
        w->t->columns[w->n - w->tears] = w->columns[c];
        has_value(w, c, total);
    }
    uint32_t residual = w->t->inner;
    for (uint32_t i = 0; i < w->n; i++)
        if (!w->row_done[i]) w->t->rows[residual++] = w->rows[i];
}

fo_status foi_tearing_begin(foi_tearing *t, foi_order *o, const uint32_t *rows, uint32_t count,
                            bool exact)
{
    const fo_allocator *a = o->e->allocator;
    const foi_incidence *m = &o->incidence;
    size_t total = 0, n = count;
    for (uint32_t i = 0; i < count; i++) total += m->start[rows[i] + 1] - m->start[rows[i]];
    *t = (foi_tearing){.count = count, .exact = exact, .allocator = a};
    t->rows = foi_new(a, n, sizeof *t->rows);
    t->columns = foi_new(a, n, sizeof *t->columns);
    t->solved = foi_new(a, n, sizeof *t->solved);
    uint32_t *numbers = foi_new(a, 4 * n + 1 + 2 * total, sizeof *numbers);
    bool *flags = foi_new(a, 2 * n, sizeof *flags);
    foi_node *others = foi_new(a, total, sizeof *others);
    double *growth = foi_new(a, n, sizeof *growth);
    bool good = t->rows && t->columns && t->solved && numbers && flags && others && growth;
    if (good) {
        work w = {.o = o, .t = t, .rows = rows, .n = count, .other = others, .growth = growth};
        w.columns = numbers, w.left = w.columns + n, w.start = w.left + n;
        w.user = w.start + n + 1, w.queue = w.user + total, w.local = o->place;
        w.row_done = flags, w.column_done = flags + n;
        for (uint32_t i = 0; i < count; i++) {
            w.columns[i] = o->matching.column_of[rows[i]];
            w.local[w.columns[i]] = i;
        }
        count_incidence(&w);
        // an equation alone is here because it cannot be solved for its variable
        if (count == 1 || (o->whole && count <= ALWAYS))
            leave_whole(&w);
        else
            tear(&w);
        for (uint32_t i = 0; i < count; i++) w.local[w.columns[i]] = FOI_NOTHING;
    }
    foi_free(a, numbers);
    foi_free(a, flags);
    foi_free(a, others);
    foi_free(a, growth);
    return good && !o->e->g.failed ? FO_OK : foi_equations_no_memory(o->e);
}

void foi_tearing_end(foi_tearing *t)
{
    foi_free(t->allocator, t->rows);
    foi_free(t->allocator, t->columns);
    foi_free(t->allocator, t->solved);
    *t = (foi_tearing){.allocator = t->allocator};
}
