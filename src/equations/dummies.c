/// The choice of dummy derivatives, from the highest derivatives down:
///
///     level 0:  g = the differentiated equations, z = the derivatives in them; choose as many of z
///               as there are equations in g, so that dg/dz for these is regular;
///     then      g = the equations that were differentiated to get g, if they are derivatives
///               themselves, z = the integrals of those that were chosen, if they are derivatives;
///               and again.
///
/// A derivative that is chosen is a plain variable from then on, and its integral follows from the
/// equation that was differentiated: it is no state.
///
/// Gaussian elimination on dg/dz. Pivots that are the same at all times (x' = v: the coefficient of
/// x'') are taken first, and what they choose is chosen once and for all; higher derivatives come
/// before lower ones, and those that the model wants as states last. What is left are equations
/// with coefficients that change, like 2 x x'' + 2 y y'' for a pendulum. If they leave a choice, it
/// is made in the run, by pivots over all of them (program/choice.c): here only the first one is
/// made, at the start values, for the sake of the initial system. The integrals of all the
/// derivatives that may be chosen become states of the program, candidates, and the equations
/// that were differentiated to get these become constraints between them. Nothing else depends on
/// the choice: the highest derivatives follow from the others by equations of their own.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "equations/reduce.h"
#include "math/math.h"

/// When an entry of dg/dz changes.
typedef enum change { NEVER, BY_PARAMETERS, IN_THE_RUN } change;

/// An entry of dg/dz that may be something else than zero.
typedef struct entry {
    uint32_t column;
    foi_node node; ///< as an expression, until it is evaluated
    change change;
    double a; ///< at the start values
} entry;

/// One row of dg/dz: its entries in ascending columns.
typedef struct line {
    entry *entries;
    uint32_t count;
    size_t room;
} line;

/// The best pivot of a row.
typedef struct best {
    int class; ///< -1: there is none
    double size;
    uint32_t column;
} best;

/// The rows that have an entry in a column, and perhaps some that had one; some of them twice.
typedef struct owners {
    uint32_t *rows;
    uint32_t count;
    size_t room;
} owners;

typedef struct choice {
    foi_equations *e;
    uint32_t *rows, *columns; ///< equations and variables
    uint32_t *above;          ///< per column: the candidate of the last level that must be computed
                              ///< for this to be there; FOI_NOTHING: it is there at any rate
    uint32_t row_count, column_count, level;
    uint32_t *column_of; ///< per variable, or FOI_NOTHING
    line *lines;         ///< dg/dz, row by row
    owners *owners;      ///< per column
    line scratch;
    bool *used_row, *used;
    bool *open;     ///< per column: it occurs in a row that is left to the run
    best *best;     ///< per row
    uint32_t *heap; ///< rows, that with the best of all pivots first
    uint32_t *place;
    uint32_t heap_count;
    uint32_t *chosen; ///< per column: the level's candidate + 1, 0: none
    double *value;    ///< per node of the graph
    size_t values;
    double *given;  ///< per variable: the value or start value that the model gives, NAN: none
    double *number; ///< per variable: what a constraint makes of it at the start values, or NAN
    bool *vague;    ///< per variable: its start value does not fit to a constraint
    bool beside;    ///< not at the start values but somewhere beside them
    bool singular;  ///< found: at the start values there is no choice
    foi_dummy *dummy;
} choice;

// ----------------------------------------------------------------------------------------- values

static double value_of(const foi_equations *e, uint32_t v)
{
    foi_flat_variable *flat = e->variables[v].flat;
    double value;
    return flat && foi_flat_default(flat, &value) ? value : NAN;
}

static bool is_given(const choice *c, uint32_t v, double *value)
{
    bool given = !isnan(c->given[v]);
    if (given) *value = c->given[v];
    return given;
}

static double nominal_of(const foi_equations *e, uint32_t v)
{
    double value;
    while (!e->variables[v].flat) v = e->variables[v].integral;
    const foi_flat_expr *nominal = e->variables[v].flat->nominal;
    bool given = nominal && foi_flat_evaluate(nominal, false, &value);
    return given && isfinite(value) && value != 0 ? fabs(value) : 1;
}

// Start values where they are given, or what follows from them, otherwise some number of its own:
// structure counts then. Beside the start values: only those that hold.
static double number_of(const choice *c, uint32_t v)
{
    double value = 0, own = 0.3 + 0.1 * (double)((v * 2654435761u) >> 24) / 256;
    const foi_variable *about = &c->e->variables[v];
    bool given = is_given(c, v, &value);
    if (c->beside && about->role == FOI_ROLE_CONTINUOUS && !about->fixed)
        return value + own * (value != 0 ? fabs(value) : nominal_of(c->e, v));
    if (given) return value;
    return isnan(c->number[v]) ? own : c->number[v];
}

static change change_of(const foi_equations *e, const foi_graph_node *n)
{
    if (n->op != FOI_G_LEAF) return NEVER;
    if (n->a != FOI_LEAF_VARIABLE) return IN_THE_RUN;
    foi_role role = e->variables[n->b].role;
    return role == FOI_ROLE_PARAMETER || role == FOI_ROLE_COMPUTED ? BY_PARAMETERS : IN_THE_RUN;
}

// The value of an expression at the start values.
static double evaluate(choice *c, foi_node root, change *changes)
{
    foi_graph *g = &c->e->g;
    *changes = NEVER;
    if (!foi_graph_reach(g, &root, 1)) return 0;
    for (size_t i = 0; i < g->list_count; i++) {
        foi_node at = g->list[i];
        foi_graph_node n = g->nodes[at];
        change here = change_of(c->e, &n);
        if (here > *changes) *changes = here;
        if (n.op == FOI_G_CONSTANT)
            c->value[at] = foi_constant_value(g, at);
        else if (n.op == FOI_G_LEAF)
            c->value[at] = n.a == FOI_LEAF_VARIABLE ? number_of(c, n.b) : 0;
        else if (n.op == FOI_G_OUTSIDE)
            c->value[at] = foi_outside_number(c->e, at, c->value);
        else
            c->value[at] = foi_op_any(n.op, c->value[n.a], c->value[n.b], c->value[n.c]);
    }
    return isfinite(c->value[root]) ? c->value[root] : 0;
}

static bool value_room(choice *c)
{
    return foi_array_room(c->e->allocator, &c->value, &c->values, c->e->g.count, sizeof *c->value);
}

static bool add_owner(choice *c, uint32_t column, uint32_t row)
{
    owners *o = &c->owners[column];
    if (!foi_array_room(c->e->allocator, &o->rows, &o->room, (size_t)o->count + 1, sizeof *o->rows))
        return false;
    o->rows[o->count++] = row;
    return true;
}

static bool add_entry(choice *c, line *l, entry x)
{
    if (!foi_array_room(c->e->allocator, &l->entries, &l->room, (size_t)l->count + 1,
                        sizeof *l->entries))
        return false;
    l->entries[l->count++] = x;
    return true;
}

static int by_column(const void *a, const void *b)
{
    uint32_t x = ((const entry *)a)->column, y = ((const entry *)b)->column;
    return (x > y) - (x < y);
}

static bool gradient_of(choice *c, uint32_t row)
{
    foi_graph *g = &c->e->g;
    const foi_equation *q = &c->e->equations[c->rows[row]];
    line *l = &c->lines[row];
    if (!foi_graph_gradient(g, foi_subtract(g, q->left, q->right))) return false;
    for (size_t i = 0; i < g->list_count; i++) {
        foi_node leaf = g->list[i];
        if (!foi_is_leaf(g, leaf, FOI_LEAF_VARIABLE)) continue;
        uint32_t j = c->column_of[g->nodes[leaf].b];
        foi_node slope = j == FOI_NOTHING ? FOI_NO_NODE : foi_gradient_at(g, leaf);
        if (slope == FOI_NO_NODE) continue;
        if (!add_entry(c, l, (entry){.column = j, .node = slope}) || !add_owner(c, j, row))
            return false;
    }
    if (l->count) qsort(l->entries, l->count, sizeof *l->entries, by_column);
    return !g->failed;
}

static fo_status fill(choice *c)
{
    foi_equations *e = c->e;
    memset(c->column_of, 0xFF, e->variable_count * sizeof *c->column_of);
    for (uint32_t j = 0; j < c->column_count; j++) c->column_of[c->columns[j]] = j;
    for (uint32_t i = 0; i < c->row_count; i++)
        if (!gradient_of(c, i)) return foi_equations_no_memory(e);
    if (!value_room(c)) return foi_equations_no_memory(e);
    for (uint32_t i = 0; i < c->row_count; i++)
        for (uint32_t k = 0; k < c->lines[i].count; k++) {
            entry *x = &c->lines[i].entries[k];
            x->a = evaluate(c, x->node, &x->change);
        }
    return FO_OK;
}

// --------------------------------------------------------------------------------- start values
//
// A start value that the model gives is worth more than the zero of a variable without one: what
// has a start value is rather a state. That helps only if the constraint can be solved for the
// rest: x^2 + y^2 = 1 with x = 0.6 can, with x = 1.5 it cannot.

// The one variable of an expression that has no number yet; FOI_NOTHING: none, or several.
static uint32_t open_variable(const choice *c, foi_node *leaf)
{
    const foi_graph *g = &c->e->g;
    uint32_t found = FOI_NOTHING;
    double value;
    for (size_t i = 0; i < g->list_count; i++) {
        if (!foi_is_leaf(g, g->list[i], FOI_LEAF_VARIABLE)) continue;
        uint32_t v = g->nodes[g->list[i]].b;
        if (is_given(c, v, &value) || !isnan(c->number[v])) continue;
        if (found != FOI_NOTHING) return FOI_NOTHING;
        found = v, *leaf = g->list[i];
    }
    return found;
}

// Where the constraint cannot be solved, no start value in it is better than another.
static void mark_vague(choice *c, foi_node residual)
{
    const foi_graph *g = &c->e->g;
    if (!foi_graph_reach(&c->e->g, &residual, 1)) return;
    for (size_t i = 0; i < g->list_count; i++)
        if (foi_is_leaf(g, g->list[i], FOI_LEAF_VARIABLE)) c->vague[g->nodes[g->list[i]].b] = true;
}

// Newton's method for the only open variable of a constraint. True: something was found out.
static bool complete(choice *c, uint32_t equation)
{
    foi_graph *g = &c->e->g;
    const foi_equation *q = &c->e->equations[equation];
    foi_node residual = foi_subtract(g, q->left, q->right), leaf = FOI_NO_NODE;
    change changes;
    if (!foi_graph_reach(g, &residual, 1)) return false;
    uint32_t v = open_variable(c, &leaf);
    if (v == FOI_NOTHING || c->vague[v] || !foi_graph_gradient(g, residual)) return false;
    foi_node slope = foi_gradient_at(g, leaf);
    if (slope == FOI_NO_NODE || !value_room(c)) return false;
    double x = number_of(c, v), step = INFINITY;
    for (int turn = 0; turn < 40 && !(fabs(step) <= 1e-9 * fabs(x)); turn++) {
        c->number[v] = x;
        step = evaluate(c, residual, &changes) / evaluate(c, slope, &changes);
        x -= step;
        if (!isfinite(x)) break;
    }
    bool solved = isfinite(x) && fabs(step) <= 1e-9 * fabs(x);
    c->number[v] = solved ? x : NAN;
    if (!solved) mark_vague(c, residual);
    return true;
}

// The constraints themselves, before they were differentiated.
static void complete_starts(choice *c)
{
    const foi_equations *e = c->e;
    bool more = true;
    for (int turn = 0; turn < 8 && more; turn++) {
        more = false;
        for (uint32_t i = 0; i < c->row_count; i++) {
            uint32_t q = c->rows[i];
            while (e->equations[q].integral != FOI_NOTHING) q = e->equations[q].integral;
            more |= complete(c, q);
        }
    }
}

// A start value of zero says no more than none.
static bool lacks_start(const choice *c, uint32_t v)
{
    bool zero = c->given[v] == 0;
    return c->e->variables[v].start == FOI_NO_NODE || c->vague[v] || zero;
}

// Large: rather a dummy, as it has no start value; that of a velocity counts more than that of its
// position, which is bound to it.
static int lack_of(const choice *c, uint32_t column)
{
    uint32_t v = c->e->variables[column].integral, below = c->e->variables[v].integral;
    return 2 * lacks_start(c, v) + lacks_start(c, below == FOI_NOTHING ? v : below);
}

// ----------------------------------------------------------------------------------------- choice

static int order_of(const foi_equations *e, uint32_t v)
{
    int order = 0;
    for (; e->variables[v].integral != FOI_NOTHING; v = e->variables[v].integral) order++;
    return order;
}

// Large: the model would rather have the integral computed than as a state. What a reinit sets is
// a state whatever it says (specification, 8.3.6).
static int wish_of(const foi_equations *e, uint32_t v)
{
    const foi_variable *state = &e->variables[e->variables[v].integral];
    if (state->set) return 0;
    switch (state->flat ? state->flat->select : FOI_SELECT_NEVER) {
    case FOI_SELECT_ALWAYS: return 0;
    case FOI_SELECT_PREFER: return 1;
    case FOI_SELECT_DEFAULT: return 2;
    case FOI_SELECT_AVOID: return 3;
    case FOI_SELECT_NEVER: break;
    }
    return 4;
}

// Large: to be a dummy rather than others.
static int eagerness(const foi_equations *e, uint32_t v)
{
    bool free = !e->variables[e->variables[v].integral].fixed; // fixed start values want to be
                                                               // states
    return 100 * order_of(e, v) + 10 * wish_of(e, v) + free;
}

static bool is_zero(const entry *x)
{
    return x->a == 0 && x->change == NEVER;
}

/// The entry of a row in a column, NULL: zero.
static entry *entry_in(const line *l, uint32_t column)
{
    uint32_t low = 0, high = l->count;
    while (low < high) {
        uint32_t m = low + (high - low) / 2;
        if (l->entries[m].column < column)
            low = m + 1;
        else
            high = m;
    }
    bool found = low < l->count && l->entries[low].column == column && !is_zero(&l->entries[low]);
    return found ? &l->entries[low] : NULL;
}

/// Which pivots are looked for.
typedef enum stage {
    STANDING, ///< the same at all times, of the row's highest derivatives, and not wanted as states
    FORCED,   ///< of rows in which nothing changes
    ANY,      ///< at the start values
} stage;

static bool row_allows(const choice *c, uint32_t i, stage s, int *highest)
{
    change most = NEVER;
    *highest = 0;
    if (c->used_row[i]) return false;
    for (uint32_t k = 0; k < c->lines[i].count; k++) {
        const entry *x = &c->lines[i].entries[k];
        if (c->used[x->column] || is_zero(x)) continue;
        int order = order_of(c->e, c->columns[x->column]);
        if (x->change > most) most = x->change;
        if (order > *highest) *highest = order;
    }
    return s != FORCED || most < IN_THE_RUN;
}

// The elimination leaves rounding errors where zeros would be: 1e-9 of the row is none of these.
static best best_of_row(const choice *c, uint32_t i, stage s)
{
    const line *l = &c->lines[i];
    best found = {.class = -1};
    double most = 0;
    int highest, lack = 0;
    if (!row_allows(c, i, s, &highest)) return found;
    for (uint32_t k = 0; k < l->count; k++) most = foi_fmax(most, fabs(l->entries[k].a));
    for (uint32_t k = 0; k < l->count; k++) {
        change changes = l->entries[k].change;
        uint32_t j = l->entries[k].column;
        double size = fabs(l->entries[k].a);
        if (c->used[j] || !(size > 1e-9 * most)) continue;
        if (s != ANY && (changes == IN_THE_RUN || c->above[j] != FOI_NOTHING)) continue;
        if (c->above[j] != FOI_NOTHING && !c->e->candidates[c->above[j]].first) continue;
        if (s == STANDING &&
            (wish_of(c->e, c->columns[j]) < 2 || order_of(c->e, c->columns[j]) < highest))
            continue;
        // start values choose within the row, not which row comes first
        int class = 2 * eagerness(c->e, c->columns[j]) + (changes == NEVER);
        int more = changes != IN_THE_RUN || size > 0.1 * most ? lack_of(c, c->columns[j]) : 0;
        if (class < found.class || (class == found.class && more < lack)) continue;
        if (class == found.class && more == lack && size <= found.size) continue;
        found.class = class, found.size = size, found.column = j, lack = more;
    }
    return found;
}

// The best pivots of all rows lie in a heap. Of equal ones that of the first row comes first.

static bool comes_before(const choice *c, uint32_t row, uint32_t other)
{
    const best *x = &c->best[row], *y = &c->best[other];
    if (x->class != y->class) return x->class > y->class;
    return x->size != y->size ? x->size > y->size : row < other;
}

static void put(choice *c, uint32_t at, uint32_t row)
{
    c->heap[at] = row, c->place[row] = at;
}

static void sift(choice *c, uint32_t at)
{
    uint32_t row = c->heap[at];
    for (; at > 0 && comes_before(c, row, c->heap[(at - 1) / 2]); at = (at - 1) / 2)
        put(c, at, c->heap[(at - 1) / 2]);
    for (uint32_t child; (child = 2 * at + 1) < c->heap_count; at = child) {
        if (child + 1 < c->heap_count && comes_before(c, c->heap[child + 1], c->heap[child]))
            child++;
        if (!comes_before(c, c->heap[child], row)) break;
        put(c, at, c->heap[child]);
    }
    put(c, at, row);
}

static void begin_stage(choice *c, stage s)
{
    c->heap_count = 0;
    for (uint32_t i = 0; i < c->row_count; i++) {
        if (c->used_row[i]) continue;
        c->best[i] = best_of_row(c, i, s);
        put(c, c->heap_count++, i);
    }
    for (uint32_t at = c->heap_count / 2; at-- > 0;) sift(c, at);
}

// Takes the best pivot of all. False: there is none.
static bool take_pivot(choice *c, uint32_t *row, uint32_t *column)
{
    if (c->heap_count == 0 || c->best[c->heap[0]].class < 0) return false;
    *row = c->heap[0], *column = c->best[*row].column;
    put(c, 0, c->heap[--c->heap_count]);
    if (c->heap_count) sift(c, 0);
    return true;
}

static change later(change a, change b)
{
    return a > b ? a : b;
}

// Row `to` minus a multiple of the pivot's row, without the pivot's column. What changes with
// either changes.
static bool subtract_row(choice *c, uint32_t target, const line *row, const entry *pivot)
{
    line *to = &c->lines[target];
    const entry *mine = entry_in(to, pivot->column);
    double f = mine->a / pivot->a;
    change by = later(mine->change, pivot->change);
    c->scratch.count = 0;
    for (uint32_t i = 0, k = 0; i < to->count || k < row->count;) {
        uint32_t at = i < to->count ? to->entries[i].column : UINT32_MAX;
        uint32_t other = k < row->count ? row->entries[k].column : UINT32_MAX;
        uint32_t column = at < other ? at : other;
        entry x = {.column = column, .node = FOI_NO_NODE, .change = NEVER};
        if (at == column) x = to->entries[i++];
        if (other == column) {
            const entry *p = &row->entries[k++];
            if (!is_zero(p)) x.a -= f * p->a, x.change = later(x.change, later(by, p->change));
        }
        if (column == pivot->column || is_zero(&x)) continue;
        if (!add_entry(c, &c->scratch, x)) return false;
        if (at != column && !add_owner(c, column, target)) return false;
    }
    line old = *to;
    *to = c->scratch, c->scratch = old;
    return true;
}

static bool eliminate(choice *c, uint32_t row, uint32_t column, stage s)
{
    const line *pivot_row = &c->lines[row];
    const entry *pivot = entry_in(pivot_row, column);
    const owners *o = &c->owners[column];
    c->used_row[row] = c->used[column] = true;
    for (uint32_t k = 0; k < o->count; k++) {
        uint32_t i = o->rows[k];
        if (c->used_row[i] || !entry_in(&c->lines[i], column)) continue;
        if (!subtract_row(c, i, pivot_row, pivot)) return false;
        c->best[i] = best_of_row(c, i, s);
        sift(c, c->place[i]);
    }
    return true;
}

// Rows that are left to the run, and the columns that occur in them.
static uint32_t open_rows(const choice *c)
{
    uint32_t rows = 0;
    for (uint32_t i = 0; i < c->row_count; i++) rows += !c->used_row[i];
    return rows;
}

static uint32_t open_columns(choice *c)
{
    uint32_t columns = 0;
    memset(c->open, 0, c->column_count * sizeof *c->open);
    for (uint32_t i = 0; i < c->row_count; i++)
        for (uint32_t k = 0; !c->used_row[i] && k < c->lines[i].count; k++) {
            const entry *x = &c->lines[i].entries[k];
            if (!c->used[x->column] && !is_zero(x)) c->open[x->column] = true;
        }
    for (uint32_t j = 0; j < c->column_count; j++) columns += c->open[j];
    return columns;
}

// There is a choice where there are more columns than rows, or where a column may not be there.
static bool has_choice(choice *c)
{
    uint32_t rows = open_rows(c), columns = open_columns(c);
    bool open = rows && columns > rows;
    for (uint32_t j = 0; rows && j < c->column_count; j++)
        open |= c->above[j] != FOI_NOTHING && c->open[j];
    return open;
}

// Wishes of the model count as much as a pivot that is so much larger.
static double weight_of(const foi_equations *e, uint32_t column, int highest)
{
    static const double wishes[] = {1e-3, 0.1, 1, 10, 1e3};
    double weight = nominal_of(e, e->variables[column].integral);
    int wish = e->variables[e->variables[column].integral].flat ? wish_of(e, column) : 2;
    for (int order = order_of(e, column); order < highest; order++) weight *= 1e-3;
    return weight * wishes[wish];
}

// Leaves the open rows to the run: their columns are candidates.
static fo_status leave_open(choice *c)
{
    foi_equations *e = c->e;
    int highest = 0;
    size_t rows = open_rows(c), columns = open_columns(c);
    for (uint32_t j = 0; j < c->column_count; j++)
        if (c->open[j] && order_of(e, c->columns[j]) > highest)
            highest = order_of(e, c->columns[j]);
    if (!foi_array_room(e->allocator, &e->candidates, &e->candidate_room,
                        e->candidate_count + columns, sizeof *e->candidates) ||
        !foi_array_room(e->allocator, &e->constraints, &e->constraint_room,
                        e->constraint_count + rows, sizeof *e->constraints))
        return foi_equations_no_memory(e);
    for (uint32_t j = 0; j < c->column_count; j++) {
        if (!c->open[j]) continue;
        foi_candidate k = {.variable = e->variables[c->columns[j]].integral,
                           .level = c->level,
                           .above = c->above[j],
                           .weight = weight_of(e, c->columns[j], highest)};
        e->candidates[e->candidate_count++] = k;
        c->chosen[j] = (uint32_t)e->candidate_count;
    }
    for (uint32_t i = 0; i < c->row_count; i++) {
        if (c->used_row[i]) continue;
        uint32_t q = e->equations[c->rows[i]].integral;
        e->equations[q].constraint = true;
        e->constraints[e->constraint_count++] = (foi_constraint){.equation = q, .level = c->level};
    }
    return FO_OK;
}

static fo_status no_pivot(choice *c)
{
    char text[200];
    uint32_t row = 0;
    c->singular = !c->beside && (c->e->as_written || c->e->all_candidates);
    if (c->singular) return FO_ERROR_MODEL; // it is tried once more
    while (c->used_row[row]) row++;
    const foi_equation *q = &c->e->equations[c->rows[row]];
    c->e->entangled = true;
    return foi_equations_fail(c->e, q->place, FO_ERROR_MODEL,
                              "the constraint whose derivative is %s leaves no choice of states at "
                              "the start values; others may help",
                              foi_equation_text(c->e, q, text, sizeof text));
}

static fo_status pick(choice *c)
{
    foi_equations *e = c->e;
    uint32_t row, column;
    stage first = e->all_candidates ? ANY : STANDING;
    for (stage s = first; s < ANY; s++) {
        begin_stage(c, s);
        while (take_pivot(c, &row, &column)) {
            if (!eliminate(c, row, column, s)) return foi_equations_no_memory(e);
            c->dummy[c->columns[column]] = FOI_DUMMY;
        }
    }
    bool open = has_choice(c);
    fo_status status = open ? leave_open(c) : FO_OK;
    begin_stage(c, ANY);
    for (uint32_t left = open_rows(c); left > 0 && status == FO_OK; left--) {
        if (!take_pivot(c, &row, &column)) return no_pivot(c);
        if (!eliminate(c, row, column, ANY)) return foi_equations_no_memory(e);
        c->dummy[c->columns[column]] = open ? FOI_DUMMY_FIRST : FOI_DUMMY;
        if (open) e->candidates[c->chosen[column] - 1].first = true;
    }
    return status;
}

// ----------------------------------------------------------------------------------------- levels

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
        uint32_t v = c->columns[j], from = e->variables[v].integral, open = c->chosen[j];
        if ((c->dummy[v] != FOI_DUMMY && !open) || !is_derivative(e, from)) continue;
        c->above[columns] = open ? open - 1 : FOI_NOTHING;
        c->columns[columns++] = from;
    }
    c->row_count = rows, c->column_count = columns;
    c->level++;
}

static fo_status choose_level(choice *c)
{
    foi_equations *e = c->e;
    uint32_t rows = c->row_count, columns = c->column_count;
    c->lines = foi_new(e->allocator, rows, sizeof *c->lines);
    c->owners = foi_new(e->allocator, columns, sizeof *c->owners);
    c->heap = foi_new(e->allocator, rows, sizeof *c->heap);
    c->place = foi_new(e->allocator, rows, sizeof *c->place);
    c->open = foi_new(e->allocator, c->column_count, sizeof *c->open);
    c->used_row = foi_new(e->allocator, c->row_count, sizeof *c->used_row);
    c->best = foi_new(e->allocator, c->row_count, sizeof *c->best);
    c->used = foi_new(e->allocator, c->column_count, sizeof *c->used);
    c->chosen = foi_new(e->allocator, c->column_count, sizeof *c->chosen);
    bool good = c->lines && c->owners && c->heap && c->place && c->open && c->used_row && c->used &&
                c->chosen && c->best;
    fo_status status = good ? fill(c) : foi_equations_no_memory(e);
    if (status == FO_OK) status = pick(c);
    if (status == FO_OK) go_down(c);
    for (uint32_t i = 0; c->lines && i < rows; i++) foi_free(e->allocator, c->lines[i].entries);
    for (uint32_t j = 0; c->owners && j < columns; j++) foi_free(e->allocator, c->owners[j].rows);
    foi_free(e->allocator, c->owners);
    foi_free(e->allocator, c->heap);
    foi_free(e->allocator, c->place);
    foi_free(e->allocator, c->scratch.entries);
    c->scratch = (line){0};
    foi_free(e->allocator, c->lines);
    foi_free(e->allocator, c->open);
    foi_free(e->allocator, c->used_row);
    foi_free(e->allocator, c->best);
    foi_free(e->allocator, c->used);
    foi_free(e->allocator, c->chosen);
    return status;
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
        if (!top || !is_derivative(e, v)) continue;
        c->above[c->column_count] = FOI_NOTHING;
        c->columns[c->column_count++] = v;
    }
    complete_starts(c);
    while (c->row_count && status == FO_OK) status = choose_level(c);
    return status;
}

// Start values are guesses but for those that are fixed: a crank at its dead centre, or joints that
// all have the angle zero and do not fit together so, may leave no choice, where a mechanism in any
// other position does. Only which variables the initial system is solved for depends on it.
static fo_status choose_again(choice *c)
{
    foi_equations *e = c->e;
    c->beside = true, c->row_count = c->column_count = c->level = 0;
    e->candidate_count = e->constraint_count = 0;
    for (size_t v = 0; v < e->variable_count; v++) c->dummy[v] = FOI_NO_DUMMY;
    for (size_t i = 0; i < e->equation_count; i++) e->equations[i].constraint = false;
    return choose_all(c);
}

fo_status foi_choose_dummies(foi_equations *e, foi_dummy *dummy)
{
    choice c = {.e = e, .dummy = dummy};
    c.rows = foi_new(e->allocator, e->equation_count, sizeof *c.rows);
    c.columns = foi_new(e->allocator, e->variable_count, sizeof *c.columns);
    c.above = foi_new(e->allocator, e->variable_count, sizeof *c.above);
    c.column_of = foi_new(e->allocator, e->variable_count, sizeof *c.column_of);
    c.number = foi_new(e->allocator, e->variable_count + 1, sizeof *c.number);
    c.given = foi_new(e->allocator, e->variable_count + 1, sizeof *c.given);
    c.vague = foi_new(e->allocator, e->variable_count + 1, sizeof *c.vague);
    bool good = c.rows && c.columns && c.above && c.column_of && c.number && c.given && c.vague;
    for (uint32_t v = 0; good && v < e->variable_count; v++)
        c.number[v] = NAN, c.given[v] = value_of(e, v);
    fo_status status = good ? choose_all(&c) : foi_equations_no_memory(e);
    if (c.singular) status = choose_again(&c);
    foi_free(e->allocator, c.rows);
    foi_free(e->allocator, c.columns);
    foi_free(e->allocator, c.above);
    foi_free(e->allocator, c.column_of);
    foi_free(e->allocator, c.number);
    foi_free(e->allocator, c.given);
    foi_free(e->allocator, c.vague);
    foi_free(e->allocator, c.value);
    return status;
}
