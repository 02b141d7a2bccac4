/// Equations that depend on each other in a way that their structure does not show. In
///
///     C (y1' - y2') = f1(y),    -C (y1' - y2') = f2(y)
///
/// each equation has an unknown of its own, y1' and y2', but their sum has none: it is a
/// constraint, 0 = f1 + f2. Index reduction looks at structure only and would take them for
/// differential equations, which have no solution. So equations that are linear in their unknowns,
/// with coefficients that are the same at all times, go through Gaussian elimination before it; one
/// of which nothing is left but what is known takes the place of the original.
///
/// Whether coefficients cancel must be known exactly: a small difference of large conductances is
/// none to be dropped. So the elimination happens modulo two primes, in which every number has its
/// exact image, a double being an integer times a power of two; parameters have random images, and
/// so has what other functions make of them. An expression that is zero in both fields is zero, but
/// for one chance in 2^60 (J. Schwartz, J. ACM 27, 1980). Only what is to be replaced is worked out
/// as expressions; numbers are there to choose large pivots.
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "equations/reduce.h"

enum { FIELDS = 2, MOST_WORK = 4000000 };
static const uint64_t prime[FIELDS] = {2147483647, 2147483629};

/// A coefficient: its images, about how large it is for the parameters as they are, and how large
/// the terms were that it is the sum of.
typedef struct number {
    uint64_t image[FIELDS];
    double size, mass;
} number;

/// An entry of a row: a coefficient in numbers, and as an expression.
typedef struct entry {
    uint32_t column;
    number value;
    foi_node node;
} entry;

/// A linear equation: sum of entries * columns + rest = 0.
typedef struct row {
    uint32_t equation;
    uint32_t first, count;     ///< its entries as they were
    uint32_t left, left_count; ///< its entries after the elimination
    uint32_t ops, op_count;    ///< the rows that were taken off it, in their order
    uint32_t pivot;            ///< the column that it is solved for, or FOI_NOTHING
    foi_node rest;             ///< after the elimination
    bool vanished, needed;
} row;

typedef struct work {
    foi_equations *e;
    row *rows;
    size_t row_count, row_room;
    entry *entries;
    size_t entry_count, entry_room;
    uint32_t *ops; ///< rows
    size_t op_count, op_room;
    uint32_t *pivot_row; ///< per variable: the row with its pivot there, or FOI_NOTHING
    number *sum;         ///< per variable
    foi_node *node;      ///< per variable
    uint32_t *touched;   ///< variables with a sum
    uint32_t touched_count;
    bool *is_touched;
    number *value; ///< per node of the graph
    size_t value_room;
    number *parameter; ///< per variable, where it is known
    bool *known;
    bool *shown; ///< per equation: the structure shows that it is to be differentiated
    bool open;   ///< values of parameters left no quotient somewhere
    uint64_t done;
} work;

// ---------------------------------------------------------------------------------------- numbers

static uint64_t power(uint64_t base, uint64_t exponent, uint64_t p)
{
    uint64_t result = 1;
    for (base %= p; exponent; exponent /= 2, base = base * base % p)
        if (exponent % 2) result = result * base % p;
    return result;
}

// Fermat: a^(p - 1) = 1.
static uint64_t inverse(uint64_t a, uint64_t p)
{
    if (a == 1 || a == p - 1) return a; // most coefficients are 1 or -1
    return power(a, p - 2, p);
}

// m 2^e with an integer m of 53 bits.
static number of_double(double value)
{
    number n = {.size = value, .mass = fabs(value)};
    int e;
    if (fabs(value) < 0x1p53 && value == floor(value)) { // itself
        for (int f = 0; f < FIELDS; f++) {
            n.image[f] = (uint64_t)fabs(value) % prime[f];
            if (value < 0 && n.image[f]) n.image[f] = prime[f] - n.image[f];
        }
        return n;
    }
    double m = ldexp(frexp(fabs(value), &e), 53);
    e -= 53;
    for (int f = 0; f < FIELDS; f++) {
        uint64_t p = prime[f], two = power(2, (uint64_t)(e < 0 ? -e : e), p);
        n.image[f] = (uint64_t)m % p * (e < 0 ? inverse(two, p) : two) % p;
        if (value < 0 && n.image[f]) n.image[f] = p - n.image[f];
    }
    return n;
}

static uint64_t scramble(uint64_t x)
{
    x ^= x >> 30, x *= 0xBF58476D1CE4E5B9u;
    x ^= x >> 27, x *= 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

// What has no image of its own: a parameter, or a function of numbers with images.
static number of_hash(uint64_t seed, double size)
{
    number n = {.size = size, .mass = fabs(size)};
    for (int f = 0; f < FIELDS; f++) n.image[f] = scramble(seed + (uint64_t)f) % prime[f];
    return n;
}

// Its value only says how large it is: see ask_for_values.
static number of_parameter(const foi_equations *e, uint32_t v)
{
    double value = 1;
    const foi_flat_variable *flat = e->variables[v].flat;
    const foi_flat_expr *from = flat->binding ? flat->binding : flat->start;
    if (from && !foi_flat_evaluate(from, false, &value)) value = 1;
    bool number_only =
        e->variables[v].role == FOI_ROLE_COMPUTED && flat->variability == FOI_CONSTANT;
    return number_only ? of_double(value) : of_hash(((uint64_t)v + 1) << 32, value);
}

static number minus(number a, number b)
{
    for (int f = 0; f < FIELDS; f++) a.image[f] = (a.image[f] + prime[f] - b.image[f]) % prime[f];
    a.size -= b.size, a.mass += b.mass;
    return a;
}

static number times(number a, number b)
{
    for (int f = 0; f < FIELDS; f++) a.image[f] = a.image[f] * b.image[f] % prime[f];
    a.mass = a.mass * fabs(b.size) + fabs(a.size) * (b.mass - fabs(b.size));
    a.size *= b.size;
    return a;
}

static bool is_zero(const number *a)
{
    bool zero = true;
    for (int f = 0; f < FIELDS; f++) zero &= a->image[f] == 0;
    return zero;
}

// Where one of the images is zero by chance there is no quotient; nor is there one for parameters
// that make the number zero, but for rounding: a joint's axis along x has no part along y.
static bool can_divide_by(const number *a)
{
    bool can = fabs(a->size) > 64 * DBL_EPSILON * a->mass;
    for (int f = 0; f < FIELDS; f++) can &= a->image[f] != 0;
    return can;
}

static number over(number a, number b)
{
    for (int f = 0; f < FIELDS; f++)
        a.image[f] = a.image[f] * inverse(b.image[f], prime[f]) % prime[f];
    a.size /= b.size;
    a.mass = (a.mass + fabs(a.size) * (b.mass - fabs(b.size))) / fabs(b.size);
    return a;
}

// One operation. False: it cannot be done.
static bool apply(foi_op op, const number *a, const number *b, const number *c, number *to)
{
    const number zero = {{0, 0}, 0, 0};
    switch (op) {
    case FOI_G_NEGATE: *to = minus(zero, *a); return true;
    case FOI_G_ADD: *to = minus(*a, minus(zero, *b)); return true;
    case FOI_G_SUBTRACT: *to = minus(*a, *b); return true;
    case FOI_G_MULTIPLY: *to = times(*a, *b); return true;
    case FOI_G_DIVIDE:
        if (!can_divide_by(b)) return false;
        *to = over(*a, *b);
        return true;
    default: break;
    }
    uint64_t seed = scramble((uint64_t)op + 1);
    for (int f = 0; f < FIELDS; f++)
        seed = scramble(scramble(scramble(seed + a->image[f]) + b->image[f]) + c->image[f]);
    *to = of_hash(seed, foi_op_any(op, a->size, b->size, c->size));
    return true;
}

static bool is_top(const foi_variable *v)
{
    return v->alias == FOI_NOTHING && v->derivative == FOI_NOTHING &&
           v->role == FOI_ROLE_CONTINUOUS;
}

// The formula of one may be long, as is that of a rotation matrix, and many rows have it.
static number parameter_of(work *w, uint32_t v)
{
    if (!w->known[v]) w->parameter[v] = of_parameter(w->e, v);
    w->known[v] = true;
    return w->parameter[v];
}

// A coefficient in numbers. False: it changes in the run.
static bool evaluate(work *w, foi_node root, entry *to)
{
    static const number none;
    foi_equations *e = w->e;
    foi_graph *g = &e->g;
    if (!foi_graph_reach(g, &root, 1)) return false;
    for (size_t i = 0; i < g->list_count; i++) {
        const foi_graph_node *n = &g->nodes[g->list[i]];
        if (n->op != FOI_G_LEAF) continue;
        if (n->a != FOI_LEAF_VARIABLE || e->variables[n->b].role > FOI_ROLE_COMPUTED) return false;
    }
    for (size_t i = 0; i < g->list_count; i++) {
        foi_node at = g->list[i];
        foi_graph_node n = g->nodes[at];
        bool good = true;
        if (n.op == FOI_G_CONSTANT && !isfinite(foi_constant_value(g, at))) return false;
        if (n.op == FOI_G_CONSTANT)
            w->value[at] = of_double(foi_constant_value(g, at));
        else if (n.op == FOI_G_LEAF)
            w->value[at] = parameter_of(w, n.b);
        else
            good = apply(n.op, &w->value[n.a], foi_op_arity(n.op) > 1 ? &w->value[n.b] : &none,
                         foi_op_arity(n.op) > 2 ? &w->value[n.c] : &none, &w->value[at]);
        w->open |= !good;
        if (!good) return false;
    }
    to->value = w->value[root];
    return true;
}

// ------------------------------------------------------------------------------------------- rows

// The equation, if it is linear in its unknowns. *good is false without memory.
static void add_row(work *w, uint32_t index, bool *good)
{
    foi_equations *e = w->e;
    foi_graph *g = &e->g;
    const foi_equation *q = &e->equations[index];
    row r = {.equation = index, .first = (uint32_t)w->entry_count, .pivot = FOI_NOTHING};
    *good = foi_graph_gradient(g, foi_subtract(g, q->left, q->right));
    for (size_t i = 0; i < g->list_count && *good; i++) {
        foi_node leaf = g->list[i];
        if (!foi_is_leaf(g, leaf, FOI_LEAF_VARIABLE) || !is_top(&e->variables[g->nodes[leaf].b]))
            continue;
        *good = foi_array_room(e->allocator, &w->entries, &w->entry_room, w->entry_count + 1,
                               sizeof *w->entries);
        entry found = {.column = g->nodes[leaf].b, .node = foi_gradient_at(g, leaf)};
        if (*good) w->entries[w->entry_count++] = found;
    }
    *good = *good &&
            foi_array_room(e->allocator, &w->value, &w->value_room, g->count, sizeof *w->value);
    r.count = (uint32_t)w->entry_count - r.first;
    bool linear = r.count > 0;
    for (uint32_t k = 0; k < r.count && *good && linear; k++)
        linear = evaluate(w, w->entries[r.first + k].node, &w->entries[r.first + k]);
    *good = *good &&
            foi_array_room(e->allocator, &w->rows, &w->row_room, w->row_count + 1, sizeof *w->rows);
    if (*good && linear)
        w->rows[w->row_count++] = r;
    else
        w->entry_count = r.first;
}

// Discrete unknowns are not looked at: their equations are not solved for anything else.
static bool may_depend(const foi_equations *e, const foi_equation *q)
{
    foi_graph *g = (foi_graph *)&e->g;
    foi_node roots[2] = {q->left, q->right};
    if (q->removed || q->assigns != FOI_NOTHING || q->initial != FOI_NO_NODE) return false;
    if (!foi_graph_reach(g, roots, 2)) return false;
    for (size_t i = 0; i < g->list_count; i++)
        if (foi_is_leaf(g, g->list[i], FOI_LEAF_VARIABLE) &&
            e->variables[g->nodes[g->list[i]].b].role == FOI_ROLE_DISCRETE)
            return false;
    return true;
}

// ------------------------------------------------------------------------------------ elimination

static void touch(work *w, uint32_t column)
{
    if (w->is_touched[column]) return;
    w->is_touched[column] = true;
    w->touched[w->touched_count++] = column;
    w->sum[column] = (number){{0, 0}, 0, 0};
}

// The earliest row that has its pivot where there is something.
static uint32_t next_pivot(const work *w)
{
    uint32_t found = FOI_NOTHING;
    for (uint32_t i = 0; i < w->touched_count; i++) {
        uint32_t r = w->pivot_row[w->touched[i]];
        if (r < found && !is_zero(&w->sum[w->touched[i]])) found = r;
    }
    return found;
}

static const entry *pivot_of(const work *w, const row *p)
{
    const entry *found = &w->entries[p->left];
    while (found->column != p->pivot) found++;
    return found;
}

static void take_off(work *w, const row *p)
{
    number factor = over(w->sum[p->pivot], pivot_of(w, p)->value);
    for (uint32_t k = 0; k < p->left_count; k++) {
        const entry *a = &w->entries[p->left + k];
        touch(w, a->column);
        w->sum[a->column] = minus(w->sum[a->column], times(factor, a->value));
    }
    w->done += p->left_count + w->touched_count;
}

// What is left of a row. Its largest coefficient becomes the pivot.
static bool keep_row(work *w, row *r)
{
    double best = -1;
    r->left = (uint32_t)w->entry_count;
    if (!foi_array_room(w->e->allocator, &w->entries, &w->entry_room,
                        w->entry_count + w->touched_count, sizeof *w->entries))
        return false;
    for (uint32_t i = 0; i < w->touched_count; i++) {
        uint32_t c = w->touched[i];
        const number *value = &w->sum[c];
        w->is_touched[c] = false;
        if (is_zero(value)) continue;
        w->entries[w->entry_count++] = (entry){.column = c, .value = *value, .node = FOI_NO_NODE};
        if (!can_divide_by(value) || !(fabs(value->size) > best)) continue;
        best = fabs(value->size), r->pivot = c;
    }
    w->touched_count = 0;
    r->left_count = (uint32_t)w->entry_count - r->left;
    r->vanished = r->left_count == 0;
    return true;
}

static bool eliminate(work *w, uint32_t index)
{
    row *r = &w->rows[index];
    for (uint32_t k = 0; k < r->count; k++) {
        const entry *a = &w->entries[r->first + k];
        touch(w, a->column);
        w->sum[a->column] = a->value;
    }
    r->ops = (uint32_t)w->op_count;
    for (uint32_t p; (p = next_pivot(w)) != FOI_NOTHING;) {
        if (!foi_array_room(w->e->allocator, &w->ops, &w->op_room, w->op_count + 1, sizeof *w->ops))
            return false;
        w->ops[w->op_count++] = p;
        take_off(w, &w->rows[p]);
    }
    r->op_count = (uint32_t)w->op_count - r->ops;
    if (!keep_row(w, r)) return false;
    if (r->pivot != FOI_NOTHING) w->pivot_row[r->pivot] = index;
    return true;
}

// ------------------------------------------------------------------------------------ expressions

static foi_node without_unknowns(void *self, foi_graph *g, foi_node leaf)
{
    const foi_equations *e = self;
    bool unknown =
        foi_is_leaf(g, leaf, FOI_LEAF_VARIABLE) && is_top(&e->variables[g->nodes[leaf].b]);
    return unknown ? foi_constant(g, 0) : leaf;
}

// The elimination of one row again, as expressions; those that it needs have gone before.
static void work_out(work *w, row *r)
{
    foi_graph *g = &w->e->g;
    const foi_equation *q = &w->e->equations[r->equation];
    r->rest =
        foi_graph_replace_other(g, foi_subtract(g, q->left, q->right), without_unknowns, w->e);
    for (uint32_t k = 0; k < r->count; k++)
        w->node[w->entries[r->first + k].column] = w->entries[r->first + k].node;
    for (uint32_t i = 0; i < r->op_count; i++) {
        const row *p = &w->rows[w->ops[r->ops + i]];
        foi_node factor = foi_divide(g, w->node[p->pivot], pivot_of(w, p)->node);
        for (uint32_t k = 0; k < p->left_count; k++) {
            const entry *a = &w->entries[p->left + k];
            foi_node off = foi_multiply(g, factor, a->node), *to = &w->node[a->column];
            *to = *to == FOI_NO_NODE ? foi_negate(g, off) : foi_subtract(g, *to, off);
        }
        r->rest = foi_subtract(g, r->rest, foi_multiply(g, factor, p->rest));
    }
    for (uint32_t k = 0; k < r->left_count; k++)
        w->entries[r->left + k].node = w->node[w->entries[r->left + k].column];
    for (uint32_t k = 0; k < r->count; k++) w->node[w->entries[r->first + k].column] = FOI_NO_NODE;
    for (uint32_t i = 0; i < r->op_count; i++) {
        const row *p = &w->rows[w->ops[r->ops + i]];
        for (uint32_t k = 0; k < p->left_count; k++)
            w->node[w->entries[p->left + k].column] = FOI_NO_NODE;
    }
}

// Something that flows is in it: a condition on that. Otherwise it is a mistake of the model, which
// others explain better.
static bool is_constraint(const foi_equations *e, foi_node n)
{
    foi_graph *g = (foi_graph *)&e->g;
    if (!foi_graph_reach(g, &n, 1)) return false;
    for (size_t i = 0; i < g->list_count; i++)
        if (foi_is_leaf(g, g->list[i], FOI_LEAF_VARIABLE) &&
            e->variables[g->nodes[g->list[i]].b].role == FOI_ROLE_CONTINUOUS)
            return true;
    return false;
}

static void replace_vanished(work *w)
{
    foi_equations *e = w->e;
    for (size_t i = w->row_count; i-- > 0;) {
        row *r = &w->rows[i];
        r->needed |= r->vanished && r->op_count && !w->shown[r->equation];
        for (uint32_t k = 0; k < r->op_count && r->needed; k++)
            w->rows[w->ops[r->ops + k]].needed = true;
    }
    for (size_t i = 0; i < w->row_count; i++) {
        row *r = &w->rows[i];
        if (!r->needed) continue;
        work_out(w, r);
        if (!r->vanished || w->shown[r->equation] || !is_constraint(e, r->rest)) continue;
        e->equations[r->equation].left = r->rest;
        e->equations[r->equation].right = foi_constant(&e->g, 0);
    }
}

// Equations that are too many for their unknowns as they stand. They are differentiated at any
// rate; and from a chain r2 = r1 + R a, r3 = r2 + R b, whose R is known by others, the elimination
// makes a loop.
static fo_status find_shown(work *w)
{
    foi_order o;
    fo_status status = foi_order_top(&o, w->e);
    foi_matching *p = &o.matching;
    if (status == FO_OK && foi_matching_all(p) > 0) {
        foi_matching_fresh(p);
        for (uint32_t r = 0; r < o.row_count; r++)
            if (p->column_of[r] == FOI_UNMATCHED) foi_matching_augment(p, r);
        for (uint32_t r = 0; r < o.row_count; r++)
            if (p->seen[r] == p->search) w->shown[o.rows[r].equation] = true;
    }
    foi_order_end(&o);
    return status;
}

static bool do_all(work *w)
{
    foi_equations *e = w->e;
    bool good = true;
    for (uint32_t i = 0; i < e->equation_count && good; i++) {
        if (!may_depend(e, &e->equations[i])) continue;
        add_row(w, i, &good);
        good = good && foi_may_go_on(e->allocator);
    }
    for (uint32_t i = 0; i < w->row_count && good; i++) {
        if (w->done > MOST_WORK) return true; // too much to look at: as the structure says
        good = eliminate(w, i) && foi_may_go_on(e->allocator);
    }
    if (good) replace_vanished(w);
    return good && !e->g.failed;
}

// Which row vanishes follows from the images alone, as long as all rows are there and every other
// one has a pivot: it is a sum of those before it. So values matter only where one does, for how it
// is written out. With other values rows may be missing, and of fewer rows none is such a sum.
static void ask_for_values(work *w)
{
#ifdef FOI_SMALL
    (void)w; // no program is borrowed there
#else
    foi_equations *e = w->e;
    bool matter = w->open || w->done > MOST_WORK;
    for (size_t i = 0; i < w->row_count; i++)
        matter |= w->rows[i].vanished || w->rows[i].pivot == FOI_NOTHING;
    for (size_t i = 0; i < e->flat->variable_count && matter; i++)
        e->flat->variables[i]->asked = true;
#endif
}

fo_status foi_replace_dependent(foi_equations *e)
{
    const fo_allocator *a = e->allocator;
    size_t n = e->variable_count;
    work w = {.e = e};
    w.pivot_row = foi_new(a, n, sizeof *w.pivot_row);
    w.sum = foi_new(a, n, sizeof *w.sum);
    w.node = foi_new(a, n, sizeof *w.node);
    w.touched = foi_new(a, n, sizeof *w.touched);
    w.is_touched = foi_new(a, n, sizeof *w.is_touched);
    w.parameter = foi_new(a, n, sizeof *w.parameter);
    w.known = foi_new(a, n, sizeof *w.known);
    w.shown = foi_new(a, e->equation_count + 1, sizeof *w.shown);
    bool good = w.pivot_row && w.sum && w.node && w.touched && w.is_touched;
    good = good && w.parameter && w.known && w.shown;
    if (e->as_written) good = good && find_shown(&w) == FO_OK;
    if (good) {
        memset(w.pivot_row, 0xFF, n * sizeof *w.pivot_row);
        memset(w.node, 0xFF, n * sizeof *w.node);
        good = do_all(&w);
        ask_for_values(&w);
    }
    foi_free(a, w.rows);
    foi_free(a, w.entries);
    foi_free(a, w.ops);
    foi_free(a, w.pivot_row);
    foi_free(a, w.sum);
    foi_free(a, w.node);
    foi_free(a, w.touched);
    foi_free(a, w.is_touched);
    foi_free(a, w.value);
    foi_free(a, w.parameter);
    foi_free(a, w.known);
    foi_free(a, w.shown);
    return good ? FO_OK : foi_equations_no_memory(e);
}
