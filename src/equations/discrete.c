/// What determines variables that are no Reals.
///
/// A Real that is equal to an Integer follows from it, but not the other way: i = 2.5*time has no
/// Integer as its solution, and 2*i = 5 has none, either. So each Integer that no when and no
/// algorithm assigns needs an equation of Integers of its own in which it stands by itself: i =
/// ..., or as a term of a sum.
///
/// They change in moments only (Modelica 3.6, section 3.8): a relation whose turn makes a moment is
/// such a change. One in noEvent() or in a function is not; what follows from it is computed all
/// the time, as a Real would be, unless the model asks for what it was before (pre) or a when
/// watches it: then these relations make moments, too.
#include "equations/equations.h"
#include "equations/matching.h"

typedef struct search {
    foi_equations *e;
    uint32_t *column; ///< per variable, or FOI_NOTHING
    uint32_t *variable;
    uint32_t columns;
    uint32_t *equation; ///< per row
    foi_incidence incidence;
} search;

// The unknown Integers that a side of an equation can be solved for. `zero`: it is what the
// branches of an if-equation differ by, which are Reals then.
static bool add_terms(search *s, const foi_flat_expr *x, bool zero)
{
    for (;;) {
        bool real = x->op == FOI_OP_CALL && x->builtin == FOI_FN_REAL;
        if (x->op == FOI_OP_VARIABLE) {
            if (x->variable->local || x->variable->index >= s->e->flat->variable_count) return true;
            uint32_t c = s->column[x->variable->index];
            return c == FOI_NOTHING || foi_incidence_add(&s->incidence, c);
        }
        if (x->op == FOI_OP_NEGATE || (real && zero && x->arguments[0]->op == FOI_OP_SUBTRACT)) {
            x = x->arguments[0];
        } else if (x->op == FOI_OP_IF) {
            if (!add_terms(s, x->arguments[2], zero)) return false;
            x = x->arguments[1];
        } else if ((x->op == FOI_OP_ADD || x->op == FOI_OP_SUBTRACT) && x->type == FOI_INTEGER) {
            if (!add_terms(s, x->arguments[1], zero)) return false;
            x = x->arguments[0];
        } else {
            return true;
        }
    }
}

static bool is_zero(const foi_flat_expr *x)
{
    return x->op == FOI_OP_LITERAL && x->number == 0;
}

static bool add_rows(search *s)
{
    const foi_flat *flat = s->e->flat;
    s->incidence = (foi_incidence){.columns = s->columns, .allocator = s->e->allocator};
    for (uint32_t i = 0; i < flat->equation_count; i++) {
        const foi_flat_equation *q = &flat->equations[i];
        bool zero = q->left->type == FOI_REAL && is_zero(q->left);
        if (q->left->type != FOI_INTEGER && !zero) continue;
        s->equation[s->incidence.rows] = i;
        if (!add_terms(s, q->left, zero) || !add_terms(s, q->right, zero) ||
            !foi_incidence_row(&s->incidence))
            return false;
    }
    return true;
}

// Numbers the Integers that need an equation.
static void add_columns(search *s)
{
    foi_equations *e = s->e;
    for (uint32_t v = 0; v < e->flat->variable_count; v++) s->column[v] = FOI_NOTHING;
    for (size_t i = e->flat->equation_count; i < e->equation_count; i++) {
        const foi_graph_node *left = &e->g.nodes[e->equations[i].left];
        if (foi_is_leaf(&e->g, e->equations[i].left, FOI_LEAF_VARIABLE) &&
            left->b < e->flat->variable_count)
            s->column[left->b] = 0; // assigned
    }
    for (uint32_t v = 0; v < e->flat->variable_count; v++) {
        foi_role role = e->variables[v].role;
        bool unknown = role == FOI_ROLE_DISCRETE || role == FOI_ROLE_CONTINUOUS;
        bool open = unknown && e->flat->variables[v]->type == FOI_INTEGER;
        if (!open || s->column[v] != FOI_NOTHING) {
            s->column[v] = FOI_NOTHING;
            continue;
        }
        s->variable[s->columns] = v;
        s->column[v] = s->columns++;
    }
}

// The equation that would have to determine it; none: what is missing is said elsewhere.
static fo_status explain(foi_equations *e, uint32_t v)
{
    foi_node leaf = foi_leaf_of(&e->g, FOI_LEAF_VARIABLE, v);
    for (uint32_t i = 0; i < e->flat->equation_count; i++) {
        const foi_equation *q = &e->equations[i];
        foi_node sides[2] = {q->left, q->right};
        if (!foi_graph_reach(&e->g, sides, 2)) return foi_equations_no_memory(e);
        for (size_t k = 0; k < e->g.list_count; k++)
            if (e->g.list[k] == leaf)
                return foi_equations_fail(
                    e, q->place, FO_ERROR_MODEL,
                    "the Integer `%s` does not follow from this equation: that needs `%s = ...` "
                    "with an Integer, and integer(...) makes one of a Real",
                    e->flat->variables[v]->name, e->flat->variables[v]->name);
    }
    return FO_OK;
}

static fo_status match(search *s, uint32_t *determines)
{
    foi_matching m;
    if (!foi_matching_begin(&m, &s->incidence, s->incidence.rows))
        return foi_equations_no_memory(s->e);
    foi_matching_all(&m);
    fo_status status = FO_OK;
    for (uint32_t c = 0; c < s->columns && status == FO_OK; c++)
        if (m.row_of[c] == FOI_UNMATCHED)
            status = explain(s->e, s->variable[c]);
        else
            determines[s->equation[m.row_of[c]]] = s->variable[c];
    foi_matching_end(&m);
    return status;
}

// Which Integer each equation determines, in `determines`.
static fo_status check_integers(foi_equations *e, uint32_t *determines)
{
    search s = {.e = e};
    size_t n = (size_t)e->flat->variable_count + 1;
    s.column = foi_new(e->allocator, n, sizeof *s.column);
    s.variable = foi_new(e->allocator, n, sizeof *s.variable);
    s.equation = foi_new(e->allocator, (size_t)e->flat->equation_count + 1, sizeof *s.equation);
    fo_status status = s.column && s.variable && s.equation ? FO_OK : foi_equations_no_memory(e);
    if (status == FO_OK) add_columns(&s);
    if (s.columns) {
        status = add_rows(&s) ? match(&s, determines) : foi_equations_no_memory(e);
        foi_incidence_end(&s.incidence);
    }
    foi_free(e->allocator, s.column);
    foi_free(e->allocator, s.variable);
    foi_free(e->allocator, s.equation);
    return status;
}

// ------------------------------------------------------------------- between moments

/// Where nodes are used: by other nodes, and as sides of equations.
typedef struct uses {
    uint32_t *start, *list;  ///< per node: other nodes
    uint32_t *begin, *sides; ///< per node: equations
    foi_node *queue;         ///< nodes that change between moments
    size_t count, nodes;
    bool *flows;      ///< per node
    bool *kept;       ///< per variable: it is discrete whatever happens
    uint32_t *by;     ///< per variable: the equation by which it flows, or FOI_NOTHING
    uint32_t *wanted; ///< variables that must change in moments
    size_t wanted_count;
    const uint32_t *determines; ///< per equation: an Integer, or FOI_NOTHING
} uses;

static void end_uses(uses *u, const fo_allocator *a)
{
    foi_free(a, u->start), foi_free(a, u->list), foi_free(a, u->begin), foi_free(a, u->sides);
    foi_free(a, u->queue), foi_free(a, u->flows), foi_free(a, u->kept);
    foi_free(a, u->by), foi_free(a, u->wanted);
}

static bool begin_uses(uses *u, const foi_equations *e)
{
    const fo_allocator *a = e->allocator;
    size_t n = e->g.count;
    u->start = foi_new(a, n + 2, sizeof *u->start);
    u->list = foi_new(a, 3 * n + 1, sizeof *u->list);
    u->begin = foi_new(a, n + 2, sizeof *u->begin);
    u->sides = foi_new(a, 2 * e->equation_count + 1, sizeof *u->sides);
    u->queue = foi_new(a, n + 1, sizeof *u->queue);
    u->flows = foi_new(a, n + 1, sizeof *u->flows);
    u->kept = foi_new(a, e->variable_count + 1, sizeof *u->kept);
    u->by = foi_new(a, e->variable_count + 1, sizeof *u->by);
    u->wanted = foi_new(a, e->variable_count + 1, sizeof *u->wanted);
    for (size_t v = 0; u->by && v < e->variable_count; v++) u->by[v] = FOI_NOTHING;
    return u->start && u->list && u->begin && u->sides && u->queue && u->flows && u->kept &&
           u->by && u->wanted;
}

// Counts first: start[n + 2] is how many uses n has; then start[n + 1] is where they end.
static void list_uses(uses *u, const foi_equations *e)
{
    size_t n = e->g.count;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < n; i++) {
            const foi_graph_node *x = &e->g.nodes[i];
            const uint32_t arguments[] = {x->a, x->b, x->c};
            for (uint32_t k = 0; k < foi_op_arity(x->op); k++) {
                if (pass == 0)
                    u->start[arguments[k] + 2]++;
                else
                    u->list[u->start[arguments[k] + 1]++] = (uint32_t)i;
            }
        }
        for (size_t i = 0; i < e->equation_count; i++) {
            const foi_node roots[] = {e->equations[i].left, e->equations[i].right};
            for (int k = 0; k < 2; k++) {
                if (pass == 0)
                    u->begin[roots[k] + 2]++;
                else
                    u->sides[u->begin[roots[k] + 1]++] = (uint32_t)i;
            }
        }
        for (size_t i = 1; pass == 0 && i < n + 2; i++)
            u->start[i] += u->start[i - 1], u->begin[i] += u->begin[i - 1];
    }
}

static void add_flowing(uses *u, foi_node n)
{
    if (u->flows[n]) return;
    u->flows[n] = true;
    u->queue[u->count++] = n;
}

static bool flows_leaf(const foi_equations *e, const foi_graph_node *n)
{
    if (n->op != FOI_G_LEAF) return false;
    if (n->a == FOI_LEAF_TIME) return true;
    if (n->a != FOI_LEAF_VARIABLE) return false;
    const foi_variable *v = &e->variables[n->b];
    return v->role == FOI_ROLE_CONTINUOUS ||
           (v->role == FOI_ROLE_INPUT && v->flat->type == FOI_REAL);
}

// An equation of a tick: its Reals change with it.
static bool ticks(const foi_equations *e, const foi_flat_equation *q)
{
    bool left = q->left->op == FOI_OP_CALL && q->left->builtin == FOI_FN_NO_EVENT;
    bool right = q->right->op == FOI_OP_CALL && q->right->builtin == FOI_FN_NO_EVENT;
    return e->flat->clocked && (left || right);
}

// May equation i determine a variable that is no Real and computed all the time? `known`: an
// Integer that it determines.
static bool is_open(const foi_equations *e, uint32_t i, uint32_t known)
{
    if (i >= e->flat->equation_count) return e->equations[i].always;
    const foi_flat_equation *q = &e->flat->equations[i];
    return (known != FOI_NOTHING || q->left->type != FOI_REAL) && !ticks(e, q);
}

// What a when assigns is discrete.
static void keep_discretes(uses *u, const foi_equations *e)
{
    for (uint32_t i = 0; i < e->equation_count; i++)
        if (e->equations[i].assigns != FOI_NOTHING && !e->equations[i].always)
            u->kept[e->equations[i].assigns] = true;
}

// A side of the equation flows: so does the variable that it determines.
static void follow(uses *u, foi_equations *e, uint32_t i)
{
    const foi_equation *q = &e->equations[i];
    foi_node other = u->flows[q->left] ? q->right : q->left;
    uint32_t known = i < e->flat->equation_count ? u->determines[i] : FOI_NOTHING;
    if (known != FOI_NOTHING) other = foi_leaf_of(&e->g, FOI_LEAF_VARIABLE, known);
    if (other >= u->nodes || u->flows[other] || !is_open(e, i, known) ||
        !foi_is_leaf(&e->g, other, FOI_LEAF_VARIABLE))
        return;
    uint32_t v = e->g.nodes[other].b;
    const foi_variable *about = &e->variables[v];
    if (about->role != FOI_ROLE_DISCRETE || u->kept[v] || !about->flat ||
        about->flat->type == FOI_REAL)
        return;
    u->by[v] = i;
    add_flowing(u, other);
}

static void find_flowing(uses *u, foi_equations *e)
{
    u->count = 0;
    for (size_t n = 0; n < u->nodes; n++) u->flows[n] = false;
    for (size_t v = 0; v < e->variable_count; v++) u->by[v] = FOI_NOTHING;
    for (size_t n = 0; n < u->nodes; n++)
        if (flows_leaf(e, &e->g.nodes[n])) add_flowing(u, (foi_node)n);
    for (size_t at = 0; at < u->count; at++) {
        foi_node n = u->queue[at];
        for (uint32_t k = u->start[n]; k < u->start[n + 1]; k++) add_flowing(u, u->list[k]);
        for (uint32_t k = u->begin[n]; k < u->begin[n + 1]; k++) follow(u, e, u->sides[k]);
    }
}

static void want(uses *u, uint32_t v)
{
    if (u->by[v] == FOI_NOTHING || u->kept[v]) return;
    u->kept[v] = true;
    u->wanted[u->wanted_count++] = v;
}

// What flows in what the last walk has found.
static void want_found(uses *u, const foi_graph *g)
{
    for (size_t k = 0; k < g->list_count; k++)
        if (foi_is_leaf(g, g->list[k], FOI_LEAF_VARIABLE)) want(u, g->nodes[g->list[k]].b);
}

// What the model asks for as it was before the moment, and what the conditions of whens depend on.
static bool find_wanted(uses *u, foi_equations *e)
{
    foi_graph *g = &e->g;
    for (size_t n = 0; n < u->nodes; n++) {
        bool used = u->start[n + 1] > u->start[n] || u->begin[n + 1] > u->begin[n];
        if (used && foi_is_leaf(g, (foi_node)n, FOI_LEAF_PRE)) want(u, g->nodes[n].b);
    }
    foi_node *nodes = foi_new(e->allocator, e->condition_count + 1, sizeof *nodes);
    if (!nodes) return false;
    for (size_t i = 0; i < e->condition_count; i++) nodes[i] = e->conditions[i].now;
    bool good = foi_graph_reach(g, nodes, e->condition_count);
    if (good) want_found(u, g);
    foi_free(e->allocator, nodes);
    return good;
}

// A variable that must change in moments: its relations make them, and so do those of the
// variables that it follows from.
static fo_status make_moments(uses *u, foi_equations *e, uint32_t v)
{
    foi_equation *q = &e->equations[u->by[v]];
    foi_node sides[2] = {q->left, q->right};
    bool moves[2];
    if (!foi_graph_reach(&e->g, sides, 2)) return foi_equations_no_memory(e);
    want_found(u, &e->g);
    fo_status status = foi_lower_watched(e, q->place, &sides[0], &moves[0]);
    if (status == FO_OK) status = foi_lower_watched(e, q->place, &sides[1], &moves[1]);
    if (status != FO_OK) return status;
    if (moves[0] || moves[1])
        return foi_equations_fail(e, q->place, FO_ERROR_UNFIT,
                                  "`%s` changes without a moment, but a when or pre() asks for it: "
                                  "its equation has more relations in functions than are watched "
                                  "(%d), or external code",
                                  e->flat->variables[v]->name, FOI_MOST_WATCHED);
    q->left = sides[0], q->right = sides[1];
    return FO_OK;
}

static fo_status let_flow(uses *u, foi_equations *e)
{
    fo_status status = FO_OK;
    list_uses(u, e);
    keep_discretes(u, e);
    find_flowing(u, e);
    if (!find_wanted(u, e)) return foi_equations_no_memory(e);
    for (size_t i = 0; i < u->wanted_count && status == FO_OK; i++)
        status = make_moments(u, e, u->wanted[i]);
    if (u->wanted_count) find_flowing(u, e);
    for (uint32_t v = 0; v < e->variable_count && status == FO_OK; v++) {
        if (u->by[v] == FOI_NOTHING) continue;
        foi_equation *q = &e->equations[u->by[v]];
        e->variables[v].role = FOI_ROLE_CONTINUOUS;
        e->variables[v].fixed = false; // that was its pre(), for which nobody asks
        if (q->always) q->assigns = FOI_NOTHING;
    }
    return status;
}

static fo_status free_flowing(foi_equations *e, const uint32_t *determines)
{
    bool some = false;
    for (uint32_t i = 0; i < e->equation_count && !some; i++) some = is_open(e, i, FOI_NOTHING);
    if (!some) return FO_OK;
    uses u = {.determines = determines, .nodes = e->g.count};
    fo_status status = begin_uses(&u, e) ? let_flow(&u, e) : foi_equations_no_memory(e);
    end_uses(&u, e->allocator);
    foi_facts_forget(e);
    return status;
}

fo_status foi_settle_discrete(foi_equations *e)
{
    size_t n = (size_t)e->flat->equation_count + 1;
    uint32_t *determines = e->g.failed ? NULL : foi_new(e->allocator, n, sizeof *determines);
    if (!determines) return foi_equations_no_memory(e);
    for (size_t i = 0; i < n; i++) determines[i] = FOI_NOTHING;
    fo_status status = check_integers(e, determines);
    if (status == FO_OK) status = free_flowing(e, determines);
    foi_free(e->allocator, determines);
    return status;
}
