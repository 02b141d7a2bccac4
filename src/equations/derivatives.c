/// The Jacobian of the rates by the states, and the guards' derivatives along the solution.
#include "base/array.h"
#include "equations/plan.h"

// One row of the Jacobian. *known becomes false where a loop lies between state and rate.
static fo_status add_row(foi_plan *p, foi_entries *all, uint32_t row, bool *known)
{
    foi_graph *g = &p->e->g;
    if (!foi_graph_gradient(g, p->rates[row])) return foi_equations_no_memory(p->e);
    for (size_t i = 0; i < g->list_count; i++) {
        foi_node leaf = g->list[i], d = foi_gradient_at(g, leaf);
        if (foi_is_leaf(g, leaf, FOI_LEAF_SOLVED)) *known = false;
        if (!foi_is_leaf(g, leaf, FOI_LEAF_STATE) || foi_is_number(g, d, 0)) continue;
        if (!foi_array_room(p->e->allocator, &all->list, &all->room, all->count + 1,
                            sizeof *all->list))
            return foi_equations_no_memory(p->e);
        all->list[all->count++] = (foi_entry){row, g->nodes[leaf].b, d};
    }
    return FO_OK;
}

// Rows come in ascending order, so that counting by columns keeps them so.
static fo_status by_columns(foi_plan *p, const foi_entries *all, bool known)
{
    uint32_t n = p->state_count;
    uint32_t *start = foi_arena_new(&p->arena, (size_t)n + 2, sizeof *start);
    p->row = foi_arena_new(&p->arena, all->count, sizeof *p->row);
    if (known) p->entries = foi_arena_new(&p->arena, all->count, sizeof *p->entries);
    if (!start || !p->row || (known && !p->entries)) return foi_equations_no_memory(p->e);
    for (size_t i = 0; i < all->count; i++) start[all->list[i].column + 2]++;
    for (uint32_t c = 0; c < n; c++) start[c + 2] += start[c + 1];
    for (size_t i = 0; i < all->count; i++) {
        uint32_t at = start[all->list[i].column + 1]++;
        p->row[at] = all->list[i].row;
        if (known) p->entries[at] = all->list[i].node;
    }
    p->column_start = start;
    p->entry_count = all->count;
    return FO_OK;
}

/// Which states the loops and the rates depend on, loops first: a later loop may need an earlier.
typedef struct search {
    foi_plan *p;
    foi_entries found;  ///< (row: loop, or after these rate; column: state)
    size_t *loop_begin; ///< per loop: its first entry; one more at the end
    uint32_t *mark;     ///< per state: the last row that has it
    uint32_t row;
} search;

static bool add_state(search *s, uint32_t state)
{
    foi_entries *f = &s->found;
    if (s->mark[state] == s->row) return true;
    s->mark[state] = s->row;
    if (!foi_array_room(s->p->e->allocator, &f->list, &f->room, f->count + 1, sizeof *f->list))
        return false;
    f->list[f->count++] = (foi_entry){s->row, state, FOI_NO_NODE};
    return true;
}

static bool add_below(search *s, const foi_node *roots, size_t count)
{
    foi_graph *g = &s->p->e->g;
    bool good = foi_graph_reach(g, roots, count);
    for (size_t i = 0; i < g->list_count && good; i++) {
        uint32_t index = g->nodes[g->list[i]].b;
        if (foi_is_leaf(g, g->list[i], FOI_LEAF_STATE)) good = add_state(s, index);
        if (!foi_is_leaf(g, g->list[i], FOI_LEAF_SOLVED)) continue;
        uint32_t l = s->p->unknowns[index].loop;
        for (size_t k = s->loop_begin[l]; k < s->loop_begin[l + 1] && good; k++)
            good = add_state(s, s->found.list[k].column);
    }
    return good;
}

static bool search_all(search *s)
{
    foi_plan *p = s->p;
    bool good = s->loop_begin && s->mark;
    for (uint32_t l = 0; l < p->loop_count && good; l++) {
        s->row = l + 1;
        good = add_below(s, p->loops[l].residual, p->loops[l].count);
        s->loop_begin[l + 1] = s->found.count;
    }
    for (uint32_t i = 0; i < p->state_count && good; i++) {
        s->row = (uint32_t)p->loop_count + i + 1;
        good = add_below(s, &p->rates[i], 1);
    }
    return good;
}

// Through large loops the derivatives are left to differences, but where they are zero is known.
static fo_status pattern_only(foi_plan *p)
{
    const fo_allocator *a = p->e->allocator;
    search s = {.p = p};
    s.loop_begin = foi_new(a, p->loop_count + 1, sizeof *s.loop_begin);
    s.mark = foi_new(a, p->state_count, sizeof *s.mark);
    fo_status status = search_all(&s) ? FO_OK : foi_equations_no_memory(p->e);
    if (status == FO_OK) {
        size_t loops = s.loop_begin[p->loop_count];
        foi_entries rows = {s.found.list, s.found.count - loops, 0};
        if (loops) rows.list += loops;
        for (size_t i = 0; i < rows.count; i++) rows.list[i].row -= (uint32_t)p->loop_count + 1;
        status = by_columns(p, &rows, false);
    }
    foi_free(a, s.found.list);
    foi_free(a, s.loop_begin);
    foi_free(a, s.mark);
    return status;
}

// Thousands of rates that all depend on all states have a Jacobian of many millions of expressions:
// hundreds of bytes for each, and seconds. It is left to differences then. A flow that somebody
// else has made (program/flow.c) has few states.
static bool is_too_large(foi_plan *p)
{
    enum { MOST = 40000000 };
    return p->e->flat && foi_graph_visits(&p->e->g, p->rates, p->state_count, MOST) > MOST;
}

static fo_status jacobian(foi_plan *p)
{
    if (is_too_large(p)) return p->e->g.failed ? foi_equations_no_memory(p->e) : FO_OK;
    foi_entries all = {0};
    bool known = true;
    fo_status status = FO_OK;
    for (uint32_t i = 0; i < p->state_count && status == FO_OK && known; i++)
        status = add_row(p, &all, i, &known);
    if (status == FO_OK && known) status = by_columns(p, &all, true);
    if (status == FO_OK && !known) {
        all.count = 0;
        status = foi_plan_implicit(p, &all, &known);
        if (status == FO_OK) status = known ? by_columns(p, &all, true) : pattern_only(p);
    }
    foi_free(p->e->allocator, all.list);
    return status;
}

static foi_node rate_of(void *self, foi_graph *g, foi_node leaf)
{
    (void)self;
    switch ((foi_leaf)g->nodes[leaf].a) {
    case FOI_LEAF_TIME: return foi_constant(g, 1);
    case FOI_LEAF_STATE: return foi_leaf_of(g, FOI_LEAF_RATE, g->nodes[leaf].b);
    case FOI_LEAF_INPUT:
    case FOI_LEAF_DELAYED:
    case FOI_LEAF_SOLVED: return FOI_NO_NODE;
    default: return foi_constant(g, 0);
    }
}

fo_status foi_plan_derivatives(foi_plan *p)
{
    foi_graph *g = &p->e->g;
    for (size_t r = 0; r < p->e->relation_count; r++) p->guard_rates[r] = p->guards[r];
    for (size_t i = 0; i < p->e->delay_count; i++) p->delay_rates[i] = p->delay_of[i];
    if (!foi_graph_derive_all(g, p->guard_rates, p->e->relation_count, rate_of, NULL) ||
        !foi_graph_derive_all(g, p->delay_rates, p->e->delay_count, rate_of, NULL))
        return foi_equations_no_memory(p->e);
    // where states are chosen in the run, these are not those that the solver sees
    return p->e->constraint_count ? FO_OK : jacobian(p);
}
