/// Alias elimination: v = w and v = -w leave one variable. And what is zero by an equation of its
/// own is zero as a factor of a derivative: c = 0 and i = c der(v) leave v no state.
#include <string.h>

#include "base/array.h"
#include "equations/equations.h"

enum { MOST_TURNS = 8 }; // what is known makes more known

// The variable behind aliases, and whether with the other sign.
static uint32_t behind(const foi_equations *e, uint32_t v, bool *negative)
{
    while (e->variables[v].alias != FOI_NOTHING) {
        *negative ^= e->variables[v].negative;
        v = e->variables[v].alias;
    }
    return v;
}

// Which of two equal variables stays: the one with more to say about itself. A wish to be no state
// says less than none.
static int weight(const foi_variable *v)
{
    int select = v->flat && v->flat->select >= FOI_SELECT_PREFER ? (int)v->flat->select : 0;
    return (v->derivative != FOI_NOTHING) * 64 + select * 8 + v->fixed * 4 +
           (v->start != FOI_NO_NODE) * 2 + (v->flat != NULL);
}

static bool plain(const foi_equations *e, foi_node n, uint32_t *v, bool *negative)
{
    const foi_graph *g = &e->g;
    if (g->nodes[n].op == FOI_G_NEGATE) n = g->nodes[n].a, *negative ^= true;
    if (!foi_is_leaf(g, n, FOI_LEAF_VARIABLE)) return false;
    *v = g->nodes[n].b;
    return e->variables[*v].role == FOI_ROLE_CONTINUOUS;
}

// v = 0, as a heat flow of an insulated volume is.
static bool is_zero(const foi_equations *e, const foi_equation *q, uint32_t *v)
{
    bool negative = false;
    if (q->assigns != FOI_NOTHING || q->initial != FOI_NO_NODE) return false;
    return (foi_is_number(&e->g, q->right, 0) && plain(e, q->left, v, &negative)) ||
           (foi_is_number(&e->g, q->left, 0) && plain(e, q->right, v, &negative));
}

static bool is_sum(const foi_equations *e, foi_node n)
{
    return e->g.nodes[n].op == FOI_G_ADD || e->g.nodes[n].op == FOI_G_SUBTRACT;
}

// A sum of three without a term that is zero by an equation of its own.
static foi_node without_zero(const foi_equations *e, foi_node sum, const bool *zero)
{
    const foi_graph_node n = e->g.nodes[sum];
    uint32_t v;
    bool negative = false;
    if (!is_sum(e, sum)) return sum;
    if (is_sum(e, n.a) && plain(e, n.b, &v, &negative) && zero[v]) return n.a;
    if (n.op == FOI_G_ADD && is_sum(e, n.b) && plain(e, n.a, &v, &negative) && zero[v]) return n.b;
    return sum;
}

// v = w, v = -w, or v + w = 0 and v - w = 0.
static bool is_alias(const foi_equations *e, const foi_equation *q, const bool *zero, uint32_t *v,
                     uint32_t *w, bool *negative)
{
    const foi_graph *g = &e->g;
    *negative = false;
    if (q->assigns != FOI_NOTHING || q->initial != FOI_NO_NODE) return false;
    if (plain(e, q->left, v, negative) && plain(e, q->right, w, negative)) return true;
    foi_node sum = foi_is_number(g, q->right, 0)  ? q->left
                   : foi_is_number(g, q->left, 0) ? q->right
                                                  : FOI_NO_NODE;
    if (sum == FOI_NO_NODE) return false;
    sum = without_zero(e, sum, zero);
    *negative = g->nodes[sum].op == FOI_G_ADD;
    if (!*negative && g->nodes[sum].op != FOI_G_SUBTRACT) return false;
    return plain(e, g->nodes[sum].a, v, negative) && plain(e, g->nodes[sum].b, w, negative);
}

// A derivative that is equal to a plain variable stays: x' = v makes v no alias of x'.
static bool derived(const foi_equations *e, uint32_t v)
{
    return e->variables[v].integral != FOI_NOTHING;
}

static foi_node start_of(foi_equations *e, const foi_variable *v, bool negative)
{
    foi_node start = v->start == FOI_NO_NODE ? foi_constant(&e->g, 0) : v->start;
    return negative ? foi_negate(&e->g, start) : start;
}

// Both start values hold: they have to be alike.
static fo_status agree(foi_equations *e, uint32_t v, uint32_t w, bool negative)
{
    foi_node one = start_of(e, &e->variables[v], false);
    foi_node other = start_of(e, &e->variables[w], negative);
    bool both = e->variables[v].fixed && e->variables[w].fixed;
    if (!both || one == other || !e->variables[w].flat) return FO_OK;
    return foi_assert_start(e, w, one, other);
}

static void join(foi_equations *e, uint32_t v, uint32_t w, bool negative)
{
    foi_variable *keep = &e->variables[v], *drop = &e->variables[w];
    if (weight(drop) > weight(keep)) {
        foi_variable *other = keep;
        keep = drop, drop = other;
        uint32_t index = v;
        v = w, w = index;
    }
    drop->alias = v, drop->negative = negative;
    if (drop->derivative != FOI_NOTHING) { // both have one: they are equal too
        e->variables[drop->derivative].alias = keep->derivative;
        e->variables[drop->derivative].negative = negative;
        keep->wanted |= drop->wanted;
    }
    if (keep->start == FOI_NO_NODE && drop->start != FOI_NO_NODE)
        keep->start = negative ? foi_negate(&e->g, drop->start) : drop->start;
    else if (drop->fixed && !keep->fixed)
        keep->start = negative ? foi_negate(&e->g, drop->start) : drop->start;
    keep->fixed |= drop->fixed, keep->first |= drop->first;
}

static foi_node without_aliases(void *self, foi_graph *g, foi_node leaf)
{
    foi_equations *e = self;
    if (!foi_is_leaf(g, leaf, FOI_LEAF_VARIABLE)) return leaf;
    return foi_variable_leaf(e, g->nodes[leaf].b);
}

static fo_status replace_in(foi_equations *e, foi_node **list, size_t count)
{
    foi_node *roots = foi_new(e->allocator, count, sizeof *roots);
    if (!roots) return foi_equations_no_memory(e);
    for (size_t i = 0; i < count; i++) roots[i] = *list[i];
    bool good = foi_graph_replace_all(&e->g, roots, count, without_aliases, e);
    for (size_t i = 0; i < count && good; i++) *list[i] = roots[i];
    foi_free(e->allocator, roots);
    return good ? FO_OK : foi_equations_no_memory(e);
}

static void note(foi_node **list, size_t *n, foi_node *what)
{
    if (*what != FOI_NO_NODE) list[(*n)++] = what;
}

foi_node **foi_every_expression(foi_equations *e, size_t *count)
{
    size_t most = 3 * e->equation_count + 2 * e->initial_count + 2 * e->relation_count +
                  e->condition_count + 3 * e->action_count + 4 * e->delay_count + e->word_count,
           n = 0;
    foi_node **list = foi_new(e->allocator, most, sizeof *list);
    if (!list) return NULL;
    for (size_t i = 0; i < e->equation_count; i++) {
        foi_equation *q = &e->equations[i];
        if (q->removed) continue;
        note(list, &n, &q->left), note(list, &n, &q->right), note(list, &n, &q->initial);
    }
    for (size_t i = 0; i < e->initial_count; i++)
        note(list, &n, &e->initial[i].left), note(list, &n, &e->initial[i].right);
    for (size_t i = 0; i < e->relation_count; i++)
        note(list, &n, &e->relations[i].left), note(list, &n, &e->relations[i].right);
    for (size_t i = 0; i < e->condition_count; i++) note(list, &n, &e->conditions[i].now);
    for (size_t i = 0; i < e->action_count; i++) {
        foi_action *a = &e->actions[i];
        note(list, &n, &a->active), note(list, &n, &a->initial), note(list, &n, &a->value);
    }
    for (size_t i = 0; i < e->delay_count; i++) {
        foi_delay *d = &e->delays[i];
        note(list, &n, &d->of), note(list, &n, &d->lag);
        note(list, &n, &d->most), note(list, &n, &d->start);
    }
    for (size_t i = 0; i < e->word_count; i++) note(list, &n, &e->words[i].value);
    *count = n;
    return list;
}

// All of them see the variable that stays.
static fo_status replace_everywhere(foi_equations *e)
{
    size_t n = 0;
    foi_node **list = foi_every_expression(e, &n);
    if (!list) return foi_equations_no_memory(e);
    fo_status status = replace_in(e, list, n);
    foi_free(e->allocator, list);
    return status;
}

// A chain of aliases leads to its end at once: x[1] = x[2], x[2] = x[3], ... would be followed for
// every variable otherwise.
static void shorten(foi_equations *e)
{
    for (uint32_t i = 0; i < e->variable_count; i++) {
        bool negative = false;
        uint32_t end = behind(e, i, &negative);
        for (uint32_t v = i; v != end;) {
            foi_variable *at = &e->variables[v];
            uint32_t next = at->alias;
            bool rest = negative ^ at->negative; // from the next one on
            at->alias = end, at->negative = negative;
            v = next, negative = rest;
        }
    }
}

// ------------------------------------------------------------------------------- zero capacities

/// Variables that are zero by an equation of their own.
typedef struct zeros {
    const foi_equations *e;
    bool *zero; ///< per variable
} zeros;

static foi_node without_zeros(void *self, foi_graph *g, foi_node leaf)
{
    const zeros *z = self;
    if (!foi_is_leaf(g, leaf, FOI_LEAF_VARIABLE) || !z->zero[g->nodes[leaf].b]) return leaf;
    return foi_constant(g, 0);
}

static bool is_zero_leaf(const zeros *z, foi_node n)
{
    const foi_graph *g = &z->e->g;
    return foi_is_leaf(g, n, FOI_LEAF_VARIABLE) && z->zero[g->nodes[n].b];
}

static bool is_rate(const foi_equations *e, foi_node n)
{
    return foi_is_leaf(&e->g, n, FOI_LEAF_VARIABLE) &&
           e->variables[e->g.nodes[n].b].integral != FOI_NOTHING;
}

// Whether a derivative, or an expression with one in it, is multiplied by one of them.
static bool has_zero_factor(foi_equations *e, const zeros *z, const foi_equation *q)
{
    foi_graph *g = &e->g;
    foi_node sides[2] = {q->left, q->right};
    if (!foi_graph_reach(g, sides, 2)) return false;
    for (size_t i = 0; i < g->list_count; i++) {
        foi_node at = g->list[i];
        foi_graph_node n = g->nodes[at];
        uint32_t arity = foi_op_arity((foi_op)n.op);
        g->map[at] = is_rate(e, at) || (arity > 0 && g->map[n.a]) || (arity > 1 && g->map[n.b]) ||
                     (arity > 2 && g->map[n.c]);
        if (n.op != FOI_G_MULTIPLY) continue;
        if ((is_zero_leaf(z, n.a) && g->map[n.b]) || (is_zero_leaf(z, n.b) && g->map[n.a]))
            return true;
    }
    return false;
}

// A derivative that stands nowhere any more wants no state.
static void forget_rate(foi_equations *e, uint32_t v)
{
    foi_variable *of = &e->variables[v], *rate = &e->variables[of->derivative];
    bool set = of->fixed || (of->flat && of->flat->select >= FOI_SELECT_PREFER);
    for (size_t i = 0; i < e->action_count; i++) set |= e->actions[i].variable == v;
    if (set || rate->derivative != FOI_NOTHING || rate->flat) return;
    rate->integral = FOI_NOTHING, rate->alias = v; // so it is no unknown; nobody sees it
    of->derivative = FOI_NOTHING, of->wanted = false;
}

static fo_status forget_rates(foi_equations *e)
{
    size_t n = 0;
    foi_node **list = foi_every_expression(e, &n), *roots = foi_new(e->allocator, n, sizeof *roots);
    bool *used = foi_new(e->allocator, e->variable_count, sizeof *used);
    bool good = list && roots && used;
    for (size_t i = 0; i < n && good; i++) roots[i] = *list[i];
    good = good && foi_graph_reach(&e->g, roots, n);
    for (size_t i = 0; i < e->g.list_count && good; i++)
        if (foi_is_leaf(&e->g, e->g.list[i], FOI_LEAF_VARIABLE))
            used[e->g.nodes[e->g.list[i]].b] = true;
    for (uint32_t v = 0; v < e->variable_count && good; v++) {
        uint32_t rate = e->variables[v].derivative;
        if (e->variables[v].alias == FOI_NOTHING && rate != FOI_NOTHING && !used[rate])
            forget_rate(e, v);
    }
    foi_free(e->allocator, list);
    foi_free(e->allocator, roots);
    foi_free(e->allocator, used);
    return good ? FO_OK : foi_equations_no_memory(e);
}

static fo_status drop_zero_factors(foi_equations *e, bool *zero)
{
    zeros z = {e, zero};
    bool any = false, dropped = false;
    uint32_t v;
    memset(zero, 0, e->variable_count * sizeof *zero);
    for (size_t i = 0; i < e->equation_count; i++)
        if (!e->equations[i].removed && is_zero(e, &e->equations[i], &v)) any = zero[v] = true;
    for (size_t i = 0; i < e->equation_count && any; i++) {
        foi_equation *q = &e->equations[i];
        if (q->removed || q->assigns != FOI_NOTHING || !has_zero_factor(e, &z, q)) continue;
        foi_node left = foi_graph_replace(&e->g, q->left, without_zeros, &z);
        foi_node right = foi_graph_replace(&e->g, q->right, without_zeros, &z);
        if (e->g.failed) return foi_equations_no_memory(e);
        if (left == right) continue; // it would say nothing any more
        q->left = left, q->right = right, dropped = true;
    }
    return dropped ? forget_rates(e) : FO_OK;
}

// --------------------------------------------------------------------------------------- all of it

static fo_status join_aliases(foi_equations *e, bool *zero, bool *found)
{
    bool any = false;
    uint32_t v, w;
    for (size_t i = 0; i < e->equation_count; i++)
        if (is_zero(e, &e->equations[i], &v)) zero[v] = true;
    for (size_t i = 0; i < e->equation_count; i++) {
        bool negative;
        if (e->equations[i].removed) continue;
        if (!is_alias(e, &e->equations[i], zero, &v, &w, &negative)) continue;
        v = behind(e, v, &negative), w = behind(e, w, &negative);
        if (v == w || derived(e, v) || derived(e, w)) continue;
        fo_status status = agree(e, v, w, negative);
        if (status != FO_OK) return status;
        join(e, v, w, negative);
        e->equations[i].removed = any = true;
    }
    if (any) shorten(e);
    for (size_t i = 0; i < e->action_count && any; i++) {
        foi_action *a = &e->actions[i];
        bool negative = false;
        if (a->variable == FOI_NOTHING) continue;
        a->variable = behind(e, a->variable, &negative);
        if (negative) a->value = foi_negate(&e->g, a->value);
    }
    *found = any;
    return any ? replace_everywhere(e) : FO_OK;
}

// Numbers in the place of variables make more aliases, and these more numbers.
static fo_status put_numbers(foi_equations *e, bool *zero)
{
    fo_status status = FO_OK;
    bool more = true, any = false;
    for (int turn = 0; turn < MOST_TURNS && more && status == FO_OK; turn++) {
        status = foi_put_numbers(e, &more);
        any |= more;
        if (status == FO_OK && more) status = join_aliases(e, zero, &more);
    }
    return status == FO_OK && any ? forget_rates(e) : status;
}

fo_status foi_alias(foi_equations *e)
{
    bool *zero = foi_new(e->allocator, e->variable_count, sizeof *zero);
    if (!zero) return foi_equations_no_memory(e);
    bool any;
    fo_status status = join_aliases(e, zero, &any);
    if (status == FO_OK && e->as_written) status = put_numbers(e, zero);
    if (status == FO_OK) status = drop_zero_factors(e, zero);
    foi_free(e->allocator, zero);
    return status;
}
