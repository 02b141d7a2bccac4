/// Alias elimination: v = w and v = -w leave one variable.
#include "base/array.h"
#include "equations/equations.h"

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
    keep->fixed |= drop->fixed;
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

// Every expression of the model sees the variable that stays.
static fo_status replace_everywhere(foi_equations *e)
{
    size_t most = 3 * e->equation_count + 2 * e->initial_count + 2 * e->relation_count +
                  e->condition_count + 3 * e->action_count + 4 * e->delay_count + e->word_count,
           n = 0;
    foi_node **list = foi_new(e->allocator, most, sizeof *list);
    if (!list) return foi_equations_no_memory(e);
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

fo_status foi_alias(foi_equations *e)
{
    bool any = false, *zero = foi_new(e->allocator, e->variable_count, sizeof *zero);
    uint32_t v, w;
    if (!zero) return foi_equations_no_memory(e);
    for (size_t i = 0; i < e->equation_count; i++)
        if (is_zero(e, &e->equations[i], &v)) zero[v] = true;
    for (size_t i = 0; i < e->equation_count; i++) {
        bool negative;
        if (!is_alias(e, &e->equations[i], zero, &v, &w, &negative)) continue;
        v = behind(e, v, &negative), w = behind(e, w, &negative);
        if (v == w || derived(e, v) || derived(e, w)) continue;
        join(e, v, w, negative);
        e->equations[i].removed = any = true;
    }
    foi_free(e->allocator, zero);
    if (any) shorten(e);
    for (size_t i = 0; i < e->action_count && any; i++) {
        foi_action *a = &e->actions[i];
        bool negative = false;
        if (a->variable == FOI_NOTHING) continue;
        a->variable = behind(e, a->variable, &negative);
        if (negative) a->value = foi_negate(&e->g, a->value);
    }
    return any ? replace_everywhere(e) : FO_OK;
}
