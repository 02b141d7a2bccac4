/// Hidden constraints by singularly perturbed sliding manifolds (B. W. Gordon and H. Asada, ASME J.
/// Dyn. Sys. Meas. Control 122, 2000), instead of dummy derivatives.
///
/// Pantelides' algorithm has said how often each equation g = 0 is to be differentiated: k times,
/// r = k + 1 is its index. In the place of g and its derivatives there is one equation, the
/// manifold
///
///     s = (mu d/dt + 1)^k g = sum over i of (k over i) mu^i g^(i) = 0,
///
/// on which g, whatever it is at first, decays with the time mu. All that was a state stays one. s
/// is solved in a block with other equations F(a, z) = 0, for highest derivatives a and multipliers
/// z: as many as there are manifolds. With eps > 0 s is not solved but followed: z become states,
///
///     eps (ds/dz) z' = -s,    where a = a(z) from F:    F_a a' + F_z z' = 0,
///                                               eps (s_a a' + s_z z') = -s.
///
/// That is linear in (a', z') and drives s to zero as exp(-t/eps), but for what flows meanwhile: s
/// is behind by eps. (a' is what z' makes of a, not all that a changes by.) With eps = 0 s is
/// solved.
///
/// An equation that gives a derivative by itself, x' = v, and is differentiated only because x'' is
/// wanted, is no constraint: it and its derivatives stay, and x'', ... are plain variables.
///
/// The start is that of the reduced equations: g, ..., g^(k - 1) and R are zero there, and the
/// states that the first choice of dummy derivatives would compute are free.
#include <math.h>

#include "base/array.h"
#include "equations/reduce.h"

/// What is known of the equations and variables that there were before.
typedef struct sliding {
    foi_equations *e;
    double mu, eps;
    foi_dummy *dummy; ///< per variable, also of those to come: DUMMY is not integrated
    bool *slides;     ///< per equation: it is a manifold
    bool *follows;    ///< per variable: it follows its manifold
} sliding;

static fo_status add_initial(foi_equations *e, const foi_equation *q, foi_node left, foi_node right)
{
    foi_equation initial = *q;
    initial.left = left, initial.right = right;
    initial.derivative = initial.integral = FOI_NOTHING;
    initial.initial = FOI_NO_NODE;
    if (!foi_array_room(e->allocator, &e->initial, &e->initial_room, e->initial_count + 1,
                        sizeof initial))
        return foi_equations_no_memory(e);
    e->initial[e->initial_count++] = initial;
    return FO_OK;
}

// Does the equation give this derivative, x', with a constant factor?
static bool gives(foi_equations *e, const foi_equation *q, uint32_t v)
{
    foi_graph *g = &e->g;
    foi_node leaf = foi_leaf_of(g, FOI_LEAF_VARIABLE, v);
    foi_node factor =
        foi_subtract(g, foi_graph_partial(g, q->left, leaf), foi_graph_partial(g, q->right, leaf));
    return !g->failed && foi_is_constant(g, factor) && foi_constant_value(g, factor) != 0;
}

// A derivative that the equation gives and no other has given, or FOI_NOTHING.
static uint32_t given_by(const sliding *s, const foi_equation *q)
{
    foi_equations *e = s->e;
    foi_node roots[2] = {q->left, q->right};
    if (!foi_graph_reach(&e->g, roots, 2)) return FOI_NOTHING;
    size_t count = e->g.list_count;
    for (size_t i = 0; i < count; i++) {
        if (!foi_graph_reach(&e->g, roots, 2)) return FOI_NOTHING; // what follows uses the list
        foi_node leaf = e->g.list[i];
        if (!foi_is_leaf(&e->g, leaf, FOI_LEAF_VARIABLE)) continue;
        uint32_t v = e->g.nodes[leaf].b, above = e->variables[v].derivative;
        if (e->variables[v].integral == FOI_NOTHING || above == FOI_NOTHING) continue;
        if (s->dummy[above] != FOI_DUMMY && gives(e, q, v)) return v;
    }
    return FOI_NOTHING;
}

// x' is given by the equation at `index`: x'' and so on by its derivatives.
static void keep_given(sliding *s, uint32_t index, uint32_t v)
{
    foi_equations *e = s->e;
    for (uint32_t i = e->equations[index].derivative; i != FOI_NOTHING;
         i = e->equations[i].derivative) {
        v = e->variables[v].derivative;
        if (v == FOI_NOTHING) return;
        s->dummy[v] = FOI_DUMMY;
    }
}

static uint32_t chain_length(const foi_equations *e, uint32_t index)
{
    uint32_t k = 0;
    while ((index = e->equations[index].derivative) != FOI_NOTHING) k++;
    return k;
}

// The manifold takes the place of the highest derivative; the others hold at the start.
static fo_status make_manifold(sliding *s, uint32_t index)
{
    foi_equations *e = s->e;
    foi_graph *g = &e->g;
    uint32_t k = chain_length(e, index), last = index;
    foi_node sum = foi_constant(g, 0);
    double weight = 1; // (k over i) mu^i
    fo_status status = FO_OK;
    for (uint32_t i = 0, at = index; at != FOI_NOTHING && status == FO_OK; i++) {
        foi_equation *q = &e->equations[at];
        foi_node part = foi_subtract(g, q->left, q->right);
        sum = foi_add(g, sum, foi_multiply(g, foi_constant(g, weight), part));
        if (q->derivative != FOI_NOTHING)
            status = add_initial(e, q, q->left, q->initial != FOI_NO_NODE ? q->initial : q->right);
        weight *= s->mu * (k - i) / (i + 1);
        last = at, at = q->derivative;
        q->removed = at != FOI_NOTHING;
    }
    foi_equation *top = &e->equations[last];
    top->left = sum, top->right = foi_constant(g, 0), top->integral = FOI_NOTHING;
    s->slides[last] = true;
    e->manifold_count++;
    return status != FO_OK ? status : g->failed ? foi_equations_no_memory(e) : FO_OK;
}

static fo_status make_manifolds(sliding *s, size_t count)
{
    foi_equations *e = s->e;
    fo_status status = FO_OK;
    for (uint32_t i = 0; i < count && status == FO_OK; i++) {
        const foi_equation *q = &e->equations[i];
        if (q->removed || q->integral != FOI_NOTHING || q->derivative == FOI_NOTHING) continue;
        uint32_t given = given_by(s, q);
        if (given != FOI_NOTHING)
            keep_given(s, i, given);
        else
            status = make_manifold(s, i);
    }
    return e->g.failed ? foi_equations_no_memory(e) : status;
}

// Who is a state until here: variables whose derivative is integrated.
static void choose_states(sliding *s)
{
    foi_equations *e = s->e;
    for (size_t i = 0; i < e->variable_count; i++) {
        foi_variable *v = &e->variables[i];
        uint32_t d = v->derivative;
        bool plain = d != FOI_NOTHING && s->dummy[d] == FOI_DUMMY;
        v->state = v->alias == FOI_NOTHING && d != FOI_NOTHING && !plain;
    }
}

// ----------------------------------------------------------------------------- the fast dynamics

/// A block: its equations are F(a, z) = 0 and the manifolds s(a, z).
typedef struct block {
    const foi_order *o;
    const uint32_t *rows;
    uint32_t count;
    uint32_t *unknown; ///< per row: the variable that it is solved for
    uint32_t *row_of;  ///< per unknown: the equation of F that gives it, or FOI_NOTHING: one of z
    bool *seen;        ///< per row: work of a search
} block;

static bool is_manifold(const sliding *s, const block *b, uint32_t i)
{
    uint32_t equation = b->o->rows[b->rows[i]].equation;
    return equation != FOI_NOTHING && s->slides[equation];
}

static uint32_t unknown_of(const foi_order *o, uint32_t row)
{
    foi_node leaf = o->columns[o->matching.column_of[row]];
    const foi_graph *g = &o->e->g;
    if (!foi_is_leaf(g, leaf, FOI_LEAF_VARIABLE)) return FOI_NOTHING;
    uint32_t v = g->nodes[leaf].b;
    return o->e->variables[v].role == FOI_ROLE_CONTINUOUS ? v : FOI_NOTHING;
}

static bool occurs(const sliding *s, const block *b, uint32_t row, uint32_t unknown)
{
    foi_graph *g = &s->e->g;
    const foi_row *r = &b->o->rows[b->rows[row]];
    foi_node leaf = foi_leaf_of(g, FOI_LEAF_VARIABLE, b->unknown[unknown]);
    return foi_graph_contains(g, r->left, leaf) || foi_graph_contains(g, r->right, leaf);
}

// Gives an unknown to an equation of F, moving others.
static bool give(const sliding *s, block *b, uint32_t unknown)
{
    for (uint32_t row = 0; row < b->count; row++) {
        if (b->seen[row] || is_manifold(s, b, row) || !occurs(s, b, row, unknown)) continue;
        b->seen[row] = true;
        uint32_t other = 0;
        while (other < b->count && b->row_of[other] != row) other++;
        if (other < b->count && !give(s, b, other)) continue;
        b->row_of[unknown] = row;
        return true;
    }
    return false;
}

// F gives as many derivatives as it can, then others; z is what is left. (What can be given is a
// transversal matroid: taking the best first is best.)
static void choose_followers(const sliding *s, block *b)
{
    const foi_variable *all = s->e->variables;
    for (uint32_t i = 0; i < b->count; i++) b->row_of[i] = FOI_NOTHING;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < b->count; i++) {
            if ((all[b->unknown[i]].integral == FOI_NOTHING) != pass) continue;
            for (uint32_t row = 0; row < b->count; row++) b->seen[row] = false;
            give(s, b, i);
        }
}

// The rates of z are those of states; those of a are what z' makes of a, and are not integrated.
static fo_status make_rates(sliding *s, const block *b)
{
    for (uint32_t i = 0; i < b->count; i++) {
        uint32_t rate = foi_derivative_of(s->e, b->unknown[i]);
        if (rate == FOI_NOTHING) return foi_equations_no_memory(s->e);
        bool follows = b->row_of[i] == FOI_NOTHING;
        s->follows[b->unknown[i]] = follows;
        if (!follows) s->dummy[rate] = FOI_DUMMY;
    }
    return FO_OK;
}

// sum over j of dR/dy_j y_j'
static foi_node change_of(sliding *s, const block *b, foi_node residual)
{
    foi_graph *g = &s->e->g;
    foi_node sum = foi_constant(g, 0);
    for (uint32_t i = 0; i < b->count && !g->failed; i++) {
        uint32_t v = b->unknown[i], rate = s->e->variables[v].derivative;
        foi_node slope = foi_graph_partial(g, residual, foi_leaf_of(g, FOI_LEAF_VARIABLE, v));
        if (g->failed || foi_is_number(g, slope, 0)) continue;
        foi_node leaf = foi_leaf_of(g, FOI_LEAF_VARIABLE, rate);
        sum = foi_add(g, sum, foi_multiply(g, slope, leaf));
    }
    return sum;
}

// F = 0 stays, and F_a a' + F_z z' = 0 comes to it; s = 0 holds at the start and becomes
// eps (s_a a' + s_z z') + s = 0.
static fo_status follow_row(sliding *s, const block *b, uint32_t row)
{
    foi_equations *e = s->e;
    foi_graph *g = &e->g;
    uint32_t index = b->o->rows[b->rows[row]].equation;
    foi_equation q = e->equations[index];
    foi_node residual = foi_subtract(g, q.left, q.right), zero = foi_constant(g, 0);
    foi_node change = change_of(s, b, residual);
    if (g->failed) return foi_equations_no_memory(e);
    if (is_manifold(s, b, row)) {
        foi_node slow = foi_multiply(g, foi_constant(g, s->eps), change);
        e->equations[index].left = foi_add(g, slow, residual), e->equations[index].right = zero;
        return add_initial(e, &q, residual, zero);
    }
    q.left = change, q.right = zero, q.initial = FOI_NO_NODE;
    q.derivative = q.integral = FOI_NOTHING;
    if (!foi_array_room(e->allocator, &e->equations, &e->equation_room, e->equation_count + 1,
                        sizeof q))
        return foi_equations_no_memory(e);
    e->equations[e->equation_count++] = q;
    return FO_OK;
}

static fo_status follow_all(sliding *s, block *b)
{
    foi_equations *e = s->e;
    for (uint32_t i = 0; i < b->count; i++) {
        const foi_row *row = &b->o->rows[b->rows[i]];
        b->unknown[i] = unknown_of(b->o, b->rows[i]);
        if (b->unknown[i] == FOI_NOTHING || row->equation == FOI_NOTHING)
            return foi_equations_fail(e, row->place, FO_ERROR_MODEL,
                                      "this equation is solved together with a constraint, and for "
                                      "something that does not flow: it has no sliding manifold");
    }
    choose_followers(s, b);
    fo_status status = make_rates(s, b);
    for (uint32_t i = 0; i < b->count && status == FO_OK; i++) status = follow_row(s, b, i);
    return status;
}

static fo_status follow_block(sliding *s, const foi_order *o, uint32_t first, uint32_t end)
{
    const fo_allocator *a = s->e->allocator;
    block b = {.o = o, .rows = o->blocks.rows + first, .count = end - first};
    b.unknown = foi_new(a, b.count, sizeof *b.unknown);
    b.row_of = foi_new(a, b.count, sizeof *b.row_of);
    b.seen = foi_new(a, b.count, sizeof *b.seen);
    bool made = b.unknown && b.row_of && b.seen;
    fo_status status = made ? follow_all(s, &b) : foi_equations_no_memory(s->e);
    foi_free(a, b.unknown);
    foi_free(a, b.row_of);
    foi_free(a, b.seen);
    return status;
}

static bool has_manifold(const sliding *s, const foi_order *o, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++) {
        uint32_t equation = o->rows[o->blocks.rows[i]].equation;
        if (equation != FOI_NOTHING && s->slides[equation]) return true;
    }
    return false;
}

static fo_status follow(sliding *s)
{
    foi_order o;
    fo_status status = foi_order_of_run(&o, s->e);
    if (status == FO_OK) status = foi_order_sort(&o);
    for (uint32_t b = 0; status == FO_OK && b < o.blocks.count; b++) {
        uint32_t first = o.blocks.start[b], end = o.blocks.start[b + 1];
        if (has_manifold(s, &o, first, end)) status = follow_block(s, &o, first, end);
    }
    foi_order_end(&o);
    return status;
}

// ---------------------------------------------------------------------------------------------

// The start leaves open what the first choice of dummy derivatives would compute, and what follows.
static void mark_dependent(sliding *s, const foi_dummy *first, size_t known)
{
    foi_equations *e = s->e;
    for (size_t i = 0; i < e->variable_count; i++) {
        foi_variable *v = &e->variables[i];
        uint32_t d = v->derivative;
        bool computed = d != FOI_NOTHING && d < known && first[d] != FOI_NO_DUMMY;
        v->dependent = v->state && (computed || (i < known && s->follows[i]));
    }
}

fo_status foi_slide(foi_equations *e, const foi_dummy *first)
{
    size_t known = e->variable_count, equations = e->equation_count;
    sliding s = {.e = e, .mu = e->flat->slide.mu, .eps = e->flat->slide.eps};
    s.dummy = foi_new(e->allocator, 2 * known + 1, sizeof *s.dummy); // with a rate for each
    s.slides = foi_new(e->allocator, equations + 1, sizeof *s.slides);
    s.follows = foi_new(e->allocator, known + 1, sizeof *s.follows);
    e->candidate_count = e->constraint_count = 0; // of the other way
    for (size_t i = 0; i < equations; i++) e->equations[i].constraint = false;
    bool made = s.dummy && s.slides && s.follows;
    fo_status status = made ? make_manifolds(&s, equations) : foi_equations_no_memory(e);
    if (status == FO_OK) choose_states(&s);
    if (status == FO_OK && s.eps > 0) status = follow(&s);
    if (status == FO_OK) choose_states(&s);
    if (status == FO_OK) mark_dependent(&s, first, known);
    foi_free(e->allocator, s.dummy);
    foi_free(e->allocator, s.slides);
    foi_free(e->allocator, s.follows);
    return status;
}
