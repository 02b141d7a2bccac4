/// Derivatives through algebraic loops, by the implicit function theorem: where F(z, x) = 0 gives
/// z(x),
///
///     dF/dz dz/dx_s = -dF/dx_s    for every state s that the loop depends on.
///
/// For one unknown that is a division. For more of them it is a linear loop of its own, solved
/// where the derivative is needed: J v + b = 0 with J = dF/dz at the solution and b = dF/dx_s. F
/// may hold solutions of earlier loops, whose derivatives are known by then.
#include <string.h>

#include "base/array.h"
#include "equations/plan.h"

enum { MOST_WORK = 100000 }; ///< entries of all those linear loops together

typedef struct implicit {
    foi_plan *p;
    foi_entries pairs;   ///< of one gradient: (leaf, -, derivative)
    foi_entries terms;   ///< derivatives of solutions: (-, state, derivative), unknown by unknown
    size_t *begin, *end; ///< per unknown: its terms
    bool *needed;        ///< per loop
    foi_node *sum;       ///< per state: the derivative in work, or FOI_NO_NODE
    uint32_t *touched;   ///< states that have one
    uint32_t touched_count;
    size_t unknowns, loops; ///< how many there were before
} implicit;

static bool add(const foi_plan *p, foi_entries *list, foi_entry entry)
{
    if (!foi_array_room(p->e->allocator, &list->list, &list->room, list->count + 1, sizeof entry))
        return false;
    list->list[list->count++] = entry;
    return true;
}

static void add_to_state(implicit *m, uint32_t state, foi_node d)
{
    foi_graph *g = &m->p->e->g;
    if (foi_is_number(g, d, 0)) return;
    if (m->sum[state] == FOI_NO_NODE) m->touched[m->touched_count++] = state;
    m->sum[state] = m->sum[state] == FOI_NO_NODE ? d : foi_add(g, m->sum[state], d);
}

// d root / dx for all states, in `sum`; what depends on the own loop's solution is put into `row`.
static bool derive(implicit *m, foi_node root, const foi_loop *own, foi_node *row)
{
    foi_graph *g = &m->p->e->g;
    for (uint32_t i = 0; i < m->touched_count; i++) m->sum[m->touched[i]] = FOI_NO_NODE;
    m->touched_count = 0, m->pairs.count = 0;
    bool good = foi_graph_gradient(g, root);
    for (size_t i = 0; good && i < g->list_count; i++)
        if (g->nodes[g->list[i]].op == FOI_G_LEAF)
            good = add(m->p, &m->pairs, (foi_entry){g->list[i], 0, foi_gradient_at(g, g->list[i])});
    for (size_t i = 0; good && i < m->pairs.count; i++) {
        foi_node leaf = m->pairs.list[i].row, d = m->pairs.list[i].node;
        uint32_t index = g->nodes[leaf].b;
        if (foi_is_leaf(g, leaf, FOI_LEAF_STATE)) add_to_state(m, index, d);
        if (!foi_is_leaf(g, leaf, FOI_LEAF_SOLVED)) continue;
        if (own && index - own->first < own->count) {
            row[index - own->first] = d;
            continue;
        }
        for (size_t k = m->begin[index]; k < m->end[index]; k++) {
            foi_entry term = m->terms.list[k];
            add_to_state(m, term.column, foi_multiply(g, d, term.node));
        }
    }
    return good && !g->failed;
}

static foi_node is_solved(void *self, foi_graph *g, foi_node leaf)
{
    (void)self;
    bool unknown = foi_is_leaf(g, leaf, FOI_LEAF_UNKNOWN);
    return unknown ? foi_leaf_of(g, FOI_LEAF_SOLVED, g->nodes[leaf].b) : leaf;
}

// v of J v + b = 0 as the solution of a loop.
static bool add_linear_loop(implicit *m, const foi_loop *of, const foi_node *J, const foi_node *b,
                            foi_node *v)
{
    foi_plan *p = m->p;
    foi_graph *g = &p->e->g;
    uint32_t n = of->count;
    foi_loop l = {.first = (uint32_t)p->unknown_count, .count = n, .place = of->place};
    l.helper = FOI_NOTHING;
    l.residual = foi_arena_new(&p->arena, n, sizeof *l.residual);
    if (!l.residual ||
        !foi_array_room(p->e->allocator, &p->loops, &p->loop_room, p->loop_count + 1, sizeof l) ||
        !foi_array_room(p->e->allocator, &p->unknowns, &p->unknown_room, p->unknown_count + n,
                        sizeof *p->unknowns))
        return false;
    for (uint32_t j = 0; j < n; j++) {
        foi_unknown u = {.variable = p->unknowns[of->first + j].variable,
                         .loop = (uint32_t)p->loop_count,
                         .guess = FOI_NOTHING};
        p->unknowns[p->unknown_count++] = u;
        v[j] = foi_leaf_of(g, FOI_LEAF_UNKNOWN, l.first + j);
    }
    for (uint32_t i = 0; i < n; i++) {
        l.residual[i] = b[i];
        for (uint32_t j = 0; j < n; j++)
            if (!foi_is_number(g, J[i * n + j], 0))
                l.residual[i] = foi_add(g, l.residual[i], foi_multiply(g, J[i * n + j], v[j]));
    }
    if (foi_loop_jacobian(p, &l) != FO_OK) return false;
    for (uint32_t j = 0; j < n; j++) v[j] = foi_leaf_of(g, FOI_LEAF_SOLVED, l.first + j);
    p->loops[p->loop_count++] = l;
    return !g->failed;
}

/// The derivatives of one loop's residuals: J by its solution, b by the states.
typedef struct loop_work {
    foi_node *J;      ///< n * n
    foi_node *b;      ///< n per state of the loop
    foi_node *v;      ///< n per state: the derivatives of the solution
    uint32_t *states; ///< of the loop
    uint32_t *place;  ///< per state of the system: where it stands there
    uint32_t count;   ///< states
} loop_work;

// The rows of J and b, one residual after the other.
static bool derive_loop(implicit *m, const foi_loop *l, loop_work *w)
{
    foi_graph *g = &m->p->e->g;
    uint32_t n = l->count;
    foi_node zero = foi_constant(g, 0);
    for (uint32_t k = 0; k < n * n; k++) w->J[k] = zero;
    for (uint32_t i = 0; i < n; i++) {
        foi_node residual = foi_graph_replace(g, l->residual[i], is_solved, NULL);
        if (!derive(m, residual, l, w->J + (size_t)i * n)) return false;
        for (uint32_t k = 0; k < m->touched_count; k++) {
            uint32_t s = m->touched[k];
            if (w->place[s] == FOI_NOTHING) {
                w->place[s] = w->count;
                for (uint32_t j = 0; j < n; j++) w->b[(size_t)w->count * n + j] = zero;
                w->states[w->count++] = s;
            }
            w->b[(size_t)w->place[s] * n + i] = m->sum[s];
        }
    }
    return true;
}

static bool solve_loop(implicit *m, uint32_t index, loop_work *w)
{
    foi_graph *g = &m->p->e->g;
    const foi_loop l = m->p->loops[index];
    uint32_t n = l.count;
    bool good = derive_loop(m, &l, w);
    for (uint32_t k = 0; good && k < w->count; k++) {
        foi_node *b = w->b + (size_t)k * n, *v = w->v + (size_t)k * n;
        if (n == 1)
            v[0] = foi_negate(g, foi_divide(g, b[0], w->J[0]));
        else
            good = add_linear_loop(m, &l, w->J, b, v);
    }
    for (uint32_t j = 0; good && j < n; j++) {
        m->begin[l.first + j] = m->terms.count;
        for (uint32_t k = 0; good && k < w->count; k++)
            good = add(m->p, &m->terms, (foi_entry){0, w->states[k], w->v[(size_t)k * n + j]});
        m->end[l.first + j] = m->terms.count;
    }
    for (uint32_t k = 0; k < w->count; k++) w->place[w->states[k]] = FOI_NOTHING;
    return good;
}

// J, b and v are large only where a loop is.
static bool do_loop(implicit *m, uint32_t index, uint32_t *states, uint32_t *place)
{
    const fo_allocator *a = m->p->e->allocator;
    size_t n = m->p->loops[index].count, all = m->p->state_count;
    loop_work w = {.states = states, .place = place};
    w.J = foi_new(a, n * n, sizeof *w.J);
    w.b = foi_new(a, n * all, sizeof *w.b);
    w.v = foi_new(a, n * all, sizeof *w.v);
    bool good = w.J && w.b && w.v && solve_loop(m, index, &w);
    foi_free(a, w.J);
    foi_free(a, w.b);
    foi_free(a, w.v);
    return good;
}

// Loops below the roots; false without memory.
static bool mark_loops(implicit *m, const foi_node *roots, size_t count)
{
    foi_graph *g = &m->p->e->g;
    if (!foi_graph_reach(g, roots, count)) return false;
    for (size_t i = 0; i < g->list_count; i++)
        if (foi_is_leaf(g, g->list[i], FOI_LEAF_SOLVED))
            m->needed[m->p->unknowns[g->nodes[g->list[i]].b].loop] = true;
    return true;
}

static bool find_loops(implicit *m, size_t *work)
{
    const foi_plan *p = m->p;
    bool good = mark_loops(m, p->rates, p->state_count);
    *work = 0;
    for (size_t l = m->loops; good && l-- > 0;) {
        size_t n = p->loops[l].count;
        if (!m->needed[l]) continue;
        size_t entries = n == 1 ? 1 : p->loops[l].start[n] + n * n / 20; // those that are not zero
        *work += entries * p->state_count;
        good = mark_loops(m, p->loops[l].residual, n);
    }
    return good;
}

static bool all_rows(implicit *m, foi_entries *entries)
{
    bool good = true;
    for (uint32_t i = 0; good && i < m->p->state_count; i++) {
        good = derive(m, m->p->rates[i], NULL, NULL);
        for (uint32_t k = 0; good && k < m->touched_count; k++)
            good = add(m->p, entries, (foi_entry){i, m->touched[k], m->sum[m->touched[k]]});
    }
    return good;
}

fo_status foi_plan_implicit(foi_plan *p, foi_entries *entries, bool *known)
{
    const fo_allocator *a = p->e->allocator;
    implicit m = {.p = p, .unknowns = p->unknown_count, .loops = p->loop_count};
    m.begin = foi_new(a, m.unknowns, sizeof *m.begin);
    m.end = foi_new(a, m.unknowns, sizeof *m.end);
    m.needed = foi_new(a, m.loops, sizeof *m.needed);
    m.sum = foi_new(a, p->state_count, sizeof *m.sum);
    m.touched = foi_new(a, p->state_count, sizeof *m.touched);
    uint32_t *states = foi_new(a, p->state_count, sizeof *states);
    uint32_t *place = foi_new(a, p->state_count, sizeof *place);
    size_t work = 0;
    bool good = m.begin && m.end && m.needed && m.sum && m.touched && states && place;
    if (good) {
        memset(m.sum, 0xFF, p->state_count * sizeof *m.sum);
        memset(place, 0xFF, p->state_count * sizeof *place);
        good = find_loops(&m, &work);
    }
    *known = good && work <= MOST_WORK;
    for (uint32_t l = 0; good && *known && l < m.loops; l++)
        if (m.needed[l]) good = do_loop(&m, l, states, place);
    if (good && *known) good = all_rows(&m, entries);
    foi_free(a, m.pairs.list);
    foi_free(a, m.terms.list);
    foi_free(a, m.begin);
    foi_free(a, m.end);
    foi_free(a, m.needed);
    foi_free(a, m.sum);
    foi_free(a, m.touched);
    foi_free(a, states);
    foi_free(a, place);
    return good ? FO_OK : foi_equations_no_memory(p->e);
}
