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
#include <string.h>

#include "base/array.h"
#include "equations/reduce.h"
#include "math/math.h"

/// When an entry of dg/dz changes.
typedef enum change { NEVER, BY_PARAMETERS, IN_THE_RUN } change;

/// The best pivot of a row, found once and kept until the row changes.
typedef struct best {
    bool known;
    int class; ///< -1: there is none
    double size;
    uint32_t column;
} best;

typedef struct choice {
    foi_equations *e;
    uint32_t *rows, *columns; ///< equations and variables
    uint32_t *above;          ///< per column: the candidate of the last level that must be computed
                              ///< for this to be there; FOI_NOTHING: it is there at any rate
    uint32_t row_count, column_count, level;
    uint32_t *column_of; ///< per variable, or FOI_NOTHING
    double *a;           ///< dg/dz at the start values, row by row
    change *changes;     ///< of its entries
    foi_node *entries;   ///< its entries as expressions, FOI_NO_NODE: zero
    bool *used_row, *used;
    best *best;
    uint32_t *chosen; ///< per column: the level's candidate + 1, 0: none
    double *value;
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
    foi_free(c->e->allocator, c->value);
    c->value = foi_new(c->e->allocator, c->e->g.count, sizeof *c->value);
    return c->value;
}

static bool gradient_of(choice *c, uint32_t row)
{
    foi_graph *g = &c->e->g;
    const foi_equation *q = &c->e->equations[c->rows[row]];
    if (!foi_graph_gradient(g, foi_subtract(g, q->left, q->right))) return false;
    for (size_t i = 0; i < g->list_count; i++) {
        foi_node leaf = g->list[i];
        if (!foi_is_leaf(g, leaf, FOI_LEAF_VARIABLE)) continue;
        uint32_t j = c->column_of[g->nodes[leaf].b];
        if (j != FOI_NOTHING) c->entries[row * c->column_count + j] = foi_gradient_at(g, leaf);
    }
    return !g->failed;
}

static fo_status fill(choice *c)
{
    foi_equations *e = c->e;
    size_t size = (size_t)c->row_count * c->column_count;
    memset(c->column_of, 0xFF, e->variable_count * sizeof *c->column_of);
    memset(c->entries, 0xFF, size * sizeof *c->entries);
    for (uint32_t j = 0; j < c->column_count; j++) c->column_of[c->columns[j]] = j;
    for (uint32_t i = 0; i < c->row_count; i++)
        if (!gradient_of(c, i)) return foi_equations_no_memory(e);
    if (!value_room(c)) return foi_equations_no_memory(e);
    for (size_t k = 0; k < size; k++)
        if (c->entries[k] != FOI_NO_NODE) c->a[k] = evaluate(c, c->entries[k], &c->changes[k]);
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

static bool is_zero(const choice *c, uint32_t i, uint32_t j)
{
    size_t k = (size_t)i * c->column_count + j;
    return c->a[k] == 0 && c->changes[k] == NEVER;
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
    for (uint32_t j = 0; j < c->column_count; j++) {
        if (c->used[j] || is_zero(c, i, j)) continue;
        change here = c->changes[(size_t)i * c->column_count + j];
        int order = order_of(c->e, c->columns[j]);
        if (here > most) most = here;
        if (order > *highest) *highest = order;
    }
    return s != FORCED || most < IN_THE_RUN;
}

// The elimination leaves rounding errors where zeros would be: 1e-9 of the row is none of these.
static best best_of_row(const choice *c, uint32_t i, stage s)
{
    const double *a = c->a + (size_t)i * c->column_count;
    best found = {.known = true, .class = -1};
    double most = 0;
    int highest, lack = 0;
    if (!row_allows(c, i, s, &highest)) return found;
    for (uint32_t j = 0; j < c->column_count; j++) most = foi_fmax(most, fabs(a[j]));
    for (uint32_t j = 0; j < c->column_count; j++) {
        change changes = c->changes[(size_t)i * c->column_count + j];
        double size = fabs(a[j]);
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

static void forget_pivots(choice *c)
{
    for (uint32_t i = 0; i < c->row_count; i++) c->best[i].known = false;
}

// A row in which the column of the last pivot does not occur is as it was.
static bool find_pivot(choice *c, stage s, uint32_t *row, uint32_t *column)
{
    int best_class = -1;
    double size = 0;
    for (uint32_t i = 0; i < c->row_count; i++) {
        best *b = &c->best[i];
        if (c->used_row[i]) continue;
        if (!b->known) *b = best_of_row(c, i, s);
        if (b->class < best_class || b->class < 0) continue;
        if (b->class == best_class && b->size <= size) continue;
        best_class = b->class, size = b->size, *row = i, *column = b->column;
    }
    return best_class >= 0;
}

// Row i minus a multiple of the pivot's row. What changes with either changes.
static void eliminate(choice *c, uint32_t row, uint32_t column)
{
    uint32_t n = c->column_count;
    const double *p = c->a + (size_t)row * n;
    for (uint32_t i = 0; i < c->row_count; i++) {
        if (c->used_row[i] || i == row || is_zero(c, i, column)) continue;
        c->best[i].known = false;
        double *a = c->a + (size_t)i * n, f = a[column] / p[column];
        change *changes = c->changes + (size_t)i * n, by = changes[column];
        const change *own = c->changes + (size_t)row * n;
        if (own[column] > by) by = own[column];
        for (uint32_t j = 0; j < n; j++) {
            if (is_zero(c, row, j)) continue;
            a[j] -= f * p[j];
            if (by > changes[j]) changes[j] = by;
            if (own[j] > changes[j]) changes[j] = own[j];
        }
        a[column] = 0, changes[column] = NEVER;
    }
    c->used_row[row] = c->used[column] = true;
}

// Rows that are left to the run, and the columns that occur in them.
static uint32_t open_rows(const choice *c)
{
    uint32_t rows = 0;
    for (uint32_t i = 0; i < c->row_count; i++) rows += !c->used_row[i];
    return rows;
}

static bool is_open(const choice *c, uint32_t j)
{
    for (uint32_t i = 0; i < c->row_count && !c->used[j]; i++)
        if (!c->used_row[i] && !is_zero(c, i, j)) return true;
    return false;
}

static uint32_t open_columns(const choice *c)
{
    uint32_t columns = 0;
    for (uint32_t j = 0; j < c->column_count; j++) columns += is_open(c, j);
    return columns;
}

// There is a choice where there are more columns than rows, or where a column may not be there.
static bool has_choice(const choice *c)
{
    uint32_t rows = open_rows(c);
    bool open = rows && open_columns(c) > rows;
    for (uint32_t j = 0; rows && j < c->column_count; j++)
        open |= c->above[j] != FOI_NOTHING && is_open(c, j);
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
    for (uint32_t j = 0; j < c->column_count; j++)
        if (is_open(c, j) && order_of(e, c->columns[j]) > highest)
            highest = order_of(e, c->columns[j]);
    size_t rows = open_rows(c), columns = open_columns(c);
    if (!foi_array_room(e->allocator, &e->candidates, &e->candidate_room,
                        e->candidate_count + columns, sizeof *e->candidates) ||
        !foi_array_room(e->allocator, &e->constraints, &e->constraint_room,
                        e->constraint_count + rows, sizeof *e->constraints))
        return foi_equations_no_memory(e);
    for (uint32_t j = 0; j < c->column_count; j++) {
        if (!is_open(c, j)) continue;
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
    for (stage s = first; s < ANY; s++, forget_pivots(c))
        while (find_pivot(c, s, &row, &column)) {
            eliminate(c, row, column);
            c->dummy[c->columns[column]] = FOI_DUMMY;
        }
    bool open = has_choice(c);
    fo_status status = open ? leave_open(c) : FO_OK;
    for (uint32_t left = open_rows(c); left > 0 && status == FO_OK; left--) {
        if (!find_pivot(c, ANY, &row, &column)) return no_pivot(c);
        eliminate(c, row, column);
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
    size_t size = (size_t)c->row_count * c->column_count;
    c->a = foi_new(e->allocator, size, sizeof *c->a);
    c->changes = foi_new(e->allocator, size, sizeof *c->changes);
    c->entries = foi_new(e->allocator, size, sizeof *c->entries);
    c->used_row = foi_new(e->allocator, c->row_count, sizeof *c->used_row);
    c->best = foi_new(e->allocator, c->row_count, sizeof *c->best);
    c->used = foi_new(e->allocator, c->column_count, sizeof *c->used);
    c->chosen = foi_new(e->allocator, c->column_count, sizeof *c->chosen);
    bool good = c->a && c->changes && c->entries && c->used_row && c->used && c->chosen && c->best;
    fo_status status = good ? fill(c) : foi_equations_no_memory(e);
    if (status == FO_OK) status = pick(c);
    if (status == FO_OK) go_down(c);
    foi_free(e->allocator, c->a);
    foi_free(e->allocator, c->changes);
    foi_free(e->allocator, c->entries);
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
