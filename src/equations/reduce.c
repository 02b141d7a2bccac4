/// Index reduction. Where constraints between states hide (x^2 + y^2 = l^2), the equations of the
/// highest derivatives have no solution by themselves. Pantelides' algorithm finds the equations
/// that must be differentiated (C. Pantelides, SIAM J. Sci. Stat. Comput. 9, 1988); as each of
/// them adds an equation, as many derivatives become plain variables, "dummy derivatives", so that
/// all constraints hold exactly (S. Mattsson and G. Söderlind, SIAM J. Sci. Comput. 14, 1993).
/// Which ones, is decided by pivots of the Jacobian: once and for all where they are constant, anew
/// in the run where they are not (dummies.c).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "equations/reduce.h"

// Every variable whose derivative occurs is a state, unless that derivative is a dummy.
static void choose_states(foi_equations *e, const foi_dummy *dummy)
{
    for (size_t i = 0; i < e->variable_count; i++) {
        foi_variable *v = &e->variables[i];
        uint32_t d = v->derivative;
        v->state = v->alias == FOI_NOTHING && d != FOI_NOTHING && !(dummy && dummy[d] == FOI_DUMMY);
        v->dependent = v->state && dummy && dummy[d] == FOI_DUMMY_FIRST;
    }
}

// ------------------------------------------------------------------------------------ Pantelides

static bool is_top(const foi_variable *v)
{
    if (v->alias != FOI_NOTHING || v->derivative != FOI_NOTHING) return false;
    return v->role == FOI_ROLE_DISCRETE || v->role == FOI_ROLE_CONTINUOUS;
}

// Does an equation have something that flows among its unknowns?
static bool flows(foi_equations *e, const foi_equation *q)
{
    foi_graph *g = &e->g;
    foi_node roots[2] = {q->left, q->right};
    if (!foi_graph_reach(g, roots, 2)) return true;
    for (size_t i = 0; i < g->list_count; i++)
        if (foi_is_leaf(g, g->list[i], FOI_LEAF_VARIABLE) &&
            e->variables[g->nodes[g->list[i]].b].role == FOI_ROLE_CONTINUOUS)
            return true;
    return false;
}

// Equations of discrete variables alone determine these: such variables are constants between
// moments, and their equations have nothing to differentiate. True in set[i] for those equations,
// unless there are not as many of them as of the variables.
static fo_status find_discrete(foi_equations *e, const bool *assigned, bool *set, bool *found)
{
    size_t unknowns = 0, equations = 0;
    for (uint32_t v = 0; v < e->variable_count; v++)
        unknowns +=
            is_top(&e->variables[v]) && e->variables[v].role == FOI_ROLE_DISCRETE && !assigned[v];
    for (uint32_t i = 0; unknowns && i < e->equation_count; i++) {
        const foi_equation *q = &e->equations[i];
        bool open = !q->removed && q->derivative == FOI_NOTHING && q->assigns == FOI_NOTHING;
        set[i] = open && q->integral == FOI_NOTHING && !flows(e, q);
        equations += set[i];
    }
    *found = unknowns && unknowns == equations;
    return e->g.failed ? foi_equations_no_memory(e) : FO_OK;
}

static fo_status order_some(foi_order *o, foi_equations *e, bool *assigned, bool *discrete,
                            bool without)
{
    bool found = false;
    fo_status status = FO_OK;
    for (uint32_t i = 0; i < e->equation_count; i++)
        if (!e->equations[i].removed && e->equations[i].assigns != FOI_NOTHING)
            assigned[e->equations[i].assigns] = true;
    if (without) status = find_discrete(e, assigned, discrete, &found);
    for (uint32_t v = 0; v < e->variable_count && status == FO_OK; v++) {
        if (!is_top(&e->variables[v]) || assigned[v]) continue;
        if (found && e->variables[v].role == FOI_ROLE_DISCRETE) continue;
        status = foi_order_column(o, v, false);
    }
    for (uint32_t i = 0; i < e->equation_count && status == FO_OK; i++) {
        const foi_equation *q = &e->equations[i];
        if (q->removed || q->derivative != FOI_NOTHING || q->assigns != FOI_NOTHING) continue;
        if (found && discrete[i]) continue;
        status = foi_order_row(o, (foi_row){q->left, q->right, q->place, i, FOI_NOTHING});
    }
    return status;
}

// The equations that are not differentiated, over the variables that are not. What a when or an
// algorithm assigns, or the start finds, is a constant between moments: no constraint determines
// it, and its own equation, v = pre(v) there, has nothing to differentiate. `without`: the same of
// discrete variables that have equations of their own.
static fo_status order_top(foi_order *o, foi_equations *e, bool without)
{
    fo_status status = foi_order_begin(o, e);
    bool *assigned = foi_new(e->allocator, e->variable_count + 1, sizeof *assigned);
    bool *discrete = foi_new(e->allocator, e->equation_count + 1, sizeof *discrete);
    if (status == FO_OK && (!assigned || !discrete)) status = foi_equations_no_memory(e);
    if (status == FO_OK) status = order_some(o, e, assigned, discrete, without);
    foi_free(e->allocator, assigned);
    foi_free(e->allocator, discrete);
    if (status == FO_OK && !foi_matching_begin(&o->matching, &o->incidence, (uint32_t)o->row_count))
        status = foi_equations_no_memory(e);
    return status;
}

fo_status foi_order_top(foi_order *o, foi_equations *e)
{
    return order_top(o, e, true);
}

// A variable and its derivatives count as one: what has no matching then, has no solution at all.
static fo_status check_structure(foi_equations *e)
{
    foi_order o;
    fo_status status = foi_order_begin(&o, e);
    for (uint32_t v = 0; v < e->variable_count && status == FO_OK; v++) {
        const foi_variable *about = &e->variables[v];
        bool known = about->role != FOI_ROLE_DISCRETE && about->role != FOI_ROLE_CONTINUOUS;
        if (known || about->alias != FOI_NOTHING) continue;
        if (about->integral == FOI_NOTHING)
            status = foi_order_column(&o, v, false);
        else
            o.variable_column[v] = o.variable_column[about->integral];
    }
    for (uint32_t i = 0; i < e->equation_count && status == FO_OK; i++) {
        const foi_equation *q = &e->equations[i];
        if (!q->removed)
            status = foi_order_row(&o, (foi_row){q->left, q->right, q->place, i, FOI_NOTHING});
    }
    if (status == FO_OK && !foi_matching_begin(&o.matching, &o.incidence, (uint32_t)o.row_count))
        status = foi_equations_no_memory(e);
    if (status == FO_OK) foi_matching_all(&o.matching);
    if (status == FO_OK) status = foi_order_explain(&o);
    foi_order_end(&o);
    return status;
}

fo_status foi_differentiate(foi_equations *e, uint32_t index)
{
    char text[200];
    foi_equation q = e->equations[index];
    q.left = foi_total_derivative(e, q.left);
    q.right = foi_total_derivative(e, q.right);
    if (q.left == FOI_NO_NODE || q.right == FOI_NO_NODE)
        return foi_equations_fail(e, q.place, FO_ERROR_MODEL,
                                  "the equation %s must be differentiated (index reduction), but "
                                  "an input, delay() or external code has no derivative",
                                  foi_equation_text(e, &e->equations[index], text, sizeof text));
    q.integral = index, q.derivative = FOI_NOTHING;
    if (q.assigns == FOI_NOTHING) q.initial = FOI_NO_NODE;
    if (!foi_array_room(e->allocator, &e->equations, &e->equation_room, e->equation_count + 1,
                        sizeof q))
        return foi_equations_no_memory(e);
    e->equations[index].derivative = (uint32_t)e->equation_count;
    e->equations[e->equation_count++] = q;
    return e->g.failed ? foi_equations_no_memory(e) : FO_OK;
}

// Differentiates every equation that the searches in vain have seen, and its variables.
static fo_status differentiate_seen(foi_equations *e, foi_order *o)
{
    foi_matching *p = &o->matching;
    fo_status status = FO_OK;
    foi_matching_fresh(p);
    for (uint32_t r = 0; r < o->row_count; r++)
        if (p->column_of[r] == FOI_UNMATCHED) foi_matching_augment(p, r);
    for (uint32_t r = 0; r < o->row_count; r++) {
        uint32_t c = p->column_of[r];
        if (p->seen[r] != p->search || c == FOI_UNMATCHED) continue;
        uint32_t v = e->g.nodes[o->columns[c]].b;
        if (e->variables[v].role == FOI_ROLE_CONTINUOUS) foi_derivative_of(e, v);
    }
    for (uint32_t r = 0; r < o->row_count && status == FO_OK; r++)
        if (p->seen[r] == p->search) status = foi_differentiate(e, o->rows[r].equation);
    return status;
}

static fo_status pantelides(foi_equations *e)
{
    for (int round = 0; round < 64; round++) {
        foi_order o;
        fo_status status = order_top(&o, e, true);
        uint32_t left = status == FO_OK ? foi_matching_all(&o.matching) : 0;
        if (left) status = differentiate_seen(e, &o);
        foi_order_end(&o);
        if (status != FO_OK || !left) return status;
    }
    return foi_equations_fail(e, (foi_place){0}, FO_ERROR_MODEL,
                              "the index of the equations is too high to be reduced");
}

// Whether every equation has an unknown of the highest derivatives as it is.
static fo_status is_full(foi_equations *e, bool *full)
{
    foi_order o;
    fo_status status = order_top(&o, e, false);
    *full = status == FO_OK && foi_matching_all(&o.matching) == 0 && o.row_count == o.column_count;
    foi_order_end(&o);
    return status;
}

// Constraints that the structure does not show, unless the structure with them were wrong: then it
// is for the run to find out what is wrong.
static fo_status show_constraints(foi_equations *e)
{
    fo_message why = {0}, *outer = e->why;
    size_t size = e->equation_count * sizeof *e->equations;
    foi_equation *before = foi_new(e->allocator, e->equation_count, sizeof *before);
    if (!before) return foi_equations_no_memory(e);
    if (size) memcpy(before, e->equations, size);
    fo_status status = foi_replace_dependent(e);
    if (status == FO_OK && size && memcmp(before, e->equations, size) != 0) {
        e->why = &why;
        status = check_structure(e);
        e->why = outer;
        if (status == FO_ERROR_MODEL) {
            memcpy(e->equations, before, size);
            status = FO_OK;
        } else if (status != FO_OK) {
            foi_equations_no_memory(e);
        }
    }
    foi_free(e->allocator, before);
    return status;
}

fo_status foi_reduce(foi_equations *e)
{
    bool full;
    choose_states(e, NULL);
    fo_status status = is_full(e, &full);
    if (status == FO_OK && !full) status = check_structure(e);
    if (status == FO_OK) status = show_constraints(e);
    if (status == FO_OK) status = is_full(e, &full);
    size_t before = e->equation_count;
    if (status == FO_OK && !full) status = pantelides(e);
    if (status == FO_OK) status = foi_differentiate_wanted(e);
    if (status != FO_OK || (full && e->equation_count == before)) return status;
    foi_dummy *dummy = foi_new(e->allocator, e->variable_count, sizeof *dummy);
    if (!dummy) return foi_equations_no_memory(e);
    status = foi_choose_dummies(e, dummy);
    if (status == FO_OK && e->flat->slide.mu > 0)
        status = foi_slide(e, dummy);
    else if (status == FO_OK)
        choose_states(e, dummy);
    foi_free(e->allocator, dummy);
    return status;
}
