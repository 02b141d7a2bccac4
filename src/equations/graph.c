#include "equations/graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "equations/outside.h"

static const struct {
    uint32_t arity;
    const char *text;
} about[FOI_G_COUNT] = {{0, ""},
                        {0, ""},
#define FOI_OPS_ABOUT(name, arity, text) {arity, text},
                        FOI_OPS(FOI_OPS_ABOUT)
#undef FOI_OPS_ABOUT
};

uint32_t foi_op_arity(foi_op op)
{
    return about[op].arity;
}

const char *foi_op_text(foi_op op)
{
    return about[op].text;
}

bool foi_graph_begin(foi_graph *g, const fo_allocator *allocator)
{
    *g = (foi_graph){.allocator = allocator};
    if (!foi_array_room(allocator, &g->nodes, &g->room, 64, sizeof *g->nodes) ||
        !foi_array_room(allocator, &g->constants, &g->constant_room, 16, sizeof *g->constants)) {
        foi_graph_end(g);
        return false;
    }
    foi_constant(g, 0); // node 0, which stands for every failure
    foi_constant(g, 1); // node 1
    return !g->failed;
}

void foi_graph_end(foi_graph *g)
{
    foi_free(g->allocator, g->nodes);
    foi_free(g->allocator, g->constants);
    foi_free(g->allocator, g->table);
    foi_free(g->allocator, g->mark);
    foi_free(g->allocator, g->list);
    foi_free(g->allocator, g->map);
    foi_free(g->allocator, g->plain_of);
    *g = (foi_graph){.allocator = g->allocator, .failed = true};
}

// -------------------------------------------------------------------------------------- hashing

static uint64_t mix(uint64_t h, uint64_t v)
{
    uint64_t x = (h ^ v) * UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ (x >> 32)) * UINT64_C(0xD6E8FEB86659FD93);
    return x ^ (x >> 32);
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static bool commutes(uint32_t op)
{
    return op == FOI_G_ADD || op == FOI_G_MULTIPLY;
}

// A constant is known by its bits, everything else by its fields; a + b and b + a are one node, and
// found at one place.
static uint32_t hash_of(const foi_graph *g, const foi_graph_node *n)
{
    if (n->op == FOI_G_CONSTANT) return (uint32_t)mix(1, bits_of(g->constants[n->a]));
    bool turned = commutes(n->op) && n->a > n->b;
    uint32_t a = turned ? n->b : n->a, b = turned ? n->a : n->b;
    return (uint32_t)mix(mix(n->op, a), ((uint64_t)b << 32) | n->c);
}

static bool same(const foi_graph *g, const foi_graph_node *m, const foi_graph_node *n)
{
    if (m->op != n->op) return false;
    if (m->op == FOI_G_CONSTANT) return bits_of(g->constants[m->a]) == bits_of(g->constants[n->a]);
    if (m->a == n->a && m->b == n->b && m->c == n->c) return true;
    return commutes(m->op) && m->a == n->b && m->b == n->a && m->c == n->c;
}

// Open addressing in two stages. Where nodes are made one after the other, their arguments are
// nodes made shortly before: a node is looked for first in a window that moves with the newest
// argument, so that a large graph is built within the cache. Leaves of a kind, which are made by
// their indices, have a stretch of the table. What finds no room there (many nodes with one newest
// argument) goes where its hash says.
enum { WINDOW = 16 };

typedef struct probe {
    size_t at, mask;
    size_t next, step; ///< of the second stage; the step is odd, so that it comes everywhere
    int left;          ///< in the window
} probe;

static uint32_t newest_argument(const foi_graph_node *n)
{
    uint32_t newest = n->a > n->b ? n->a : n->b;
    return newest > n->c ? newest : n->c;
}

static probe probe_of(const foi_graph_node *n, uint32_t hash, size_t size)
{
    size_t mask = size - 1, window = 2 * (size_t)newest_argument(n) + hash % WINDOW;
    if (n->op == FOI_G_CONSTANT) window = hash; // it has no arguments
    if (n->op == FOI_G_LEAF) window = (size_t)n->a * 2654435769U + 2 * (size_t)n->b;
    return (probe){window & mask, mask, hash & mask, (hash >> 8) | 1, WINDOW};
}

static void probe_on(probe *p)
{
    p->left--;
    p->at = p->left > 0    ? (p->at + 1) & p->mask
            : p->left == 0 ? p->next
                           : (p->at + p->step) & p->mask;
}

static bool enlarge_table(foi_graph *g)
{
    size_t size = g->table_size ? g->table_size * 2 : 256;
    uint64_t *table = foi_new(g->allocator, size, sizeof *table);
    if (!table) return false;
    for (size_t i = 0; i < g->table_size; i++) {
        if (!g->table[i]) continue;
        const foi_graph_node *n = &g->nodes[(uint32_t)g->table[i] - 1];
        probe p = probe_of(n, (uint32_t)(g->table[i] >> 32), size);
        while (table[p.at]) probe_on(&p);
        table[p.at] = g->table[i];
    }
    foi_free(g->allocator, g->table);
    g->table = table, g->table_size = size;
    return true;
}

// Its place in the table: free when the node is new. Only where the hashes agree is a node looked
// at.
static size_t find(const foi_graph *g, const foi_graph_node *n, uint32_t hash)
{
    probe p = probe_of(n, hash, g->table_size);
    for (; g->table[p.at]; probe_on(&p)) {
        if (g->table[p.at] >> 32 != hash) continue;
        if (same(g, &g->nodes[(uint32_t)g->table[p.at] - 1], n)) break;
    }
    return p.at;
}

static foi_node fail(foi_graph *g)
{
    g->failed = true;
    return 0;
}

static foi_node intern(foi_graph *g, foi_graph_node n)
{
    if (g->failed) return 0;
    if (2 * (g->count + 1) > g->table_size && !enlarge_table(g)) return fail(g);
    uint32_t hash = hash_of(g, &n);
    size_t at = find(g, &n, hash);
    if (g->table[at]) return (uint32_t)g->table[at] - 1;
    if (g->count >= FOI_NO_NODE - 1 ||
        !foi_array_room(g->allocator, &g->nodes, &g->room, g->count + 1, sizeof n))
        return fail(g);
    g->nodes[g->count] = n;
    g->table[at] = ((uint64_t)hash << 32) | (uint32_t)(g->count + 1);
    if (n.op == FOI_G_CONSTANT) g->constant_count++;
    return (foi_node)g->count++;
}

foi_node foi_constant(foi_graph *g, double value)
{
    size_t count = g->constant_count;
    if (count > 1 && (value == 1 || bits_of(value) == 0)) return value == 1; // asked for often
    if (g->failed || !foi_array_room(g->allocator, &g->constants, &g->constant_room, count + 1,
                                     sizeof *g->constants))
        return fail(g);
    g->constants[count] = value; // stays only if the node is new
    return intern(g, (foi_graph_node){FOI_G_CONSTANT, (uint32_t)count, 0, 0});
}

foi_node foi_leaf_of(foi_graph *g, foi_leaf kind, uint32_t index)
{
    return intern(g, (foi_graph_node){FOI_G_LEAF, (uint32_t)kind, index, 0});
}

// ----------------------------------------------------------------------------------- simplifying

static foi_node power(foi_graph *g, foi_node a, double exponent)
{
    foi_node square;
    if (exponent == 0) return foi_constant(g, 1);
    if (exponent == 1) return a;
    if (exponent == 0.5) return foi_make(g, FOI_G_SQRT, a, 0, 0);
    if (exponent == -1) return foi_divide(g, foi_constant(g, 1), a);
    square = foi_multiply(g, a, a);
    if (exponent == 2) return square;
    if (exponent == 3) return foi_multiply(g, square, a);
    if (exponent == 4) return foi_multiply(g, square, square);
    return FOI_NO_NODE;
}

static foi_node simplify_sum(foi_graph *g, foi_op op, foi_node a, foi_node b)
{
    if (op == FOI_G_ADD) {
        if (foi_is_number(g, a, 0)) return b;
        if (foi_is_number(g, b, 0)) return a;
        if (g->nodes[b].op == FOI_G_NEGATE) return foi_subtract(g, a, g->nodes[b].a);
        if (g->nodes[a].op == FOI_G_NEGATE && g->nodes[a].a == b) return foi_constant(g, 0);
        return FOI_NO_NODE;
    }
    if (a == b) return foi_constant(g, 0);
    if (foi_is_number(g, b, 0)) return a;
    if (foi_is_number(g, a, 0)) return foi_negate(g, b);
    if (g->nodes[b].op == FOI_G_NEGATE) return foi_add(g, a, g->nodes[b].a);
    return FOI_NO_NODE;
}

static foi_node simplify_product(foi_graph *g, foi_op op, foi_node a, foi_node b)
{
    if (foi_is_number(g, a, 0)) return foi_constant(g, 0);
    if (foi_is_number(g, b, 1)) return a;
    if (foi_is_number(g, b, -1)) return foi_negate(g, a);
    if (op == FOI_G_MULTIPLY) {
        if (foi_is_number(g, b, 0)) return foi_constant(g, 0);
        if (foi_is_number(g, a, 1)) return b;
        if (foi_is_number(g, a, -1)) return foi_negate(g, b);
    }
    bool minus_a = g->nodes[a].op == FOI_G_NEGATE, minus_b = g->nodes[b].op == FOI_G_NEGATE;
    foi_node a1 = minus_a ? g->nodes[a].a : a, b1 = minus_b ? g->nodes[b].a : b;
    if (minus_a && minus_b) return foi_make(g, op, a1, b1, 0);
    if (minus_a || minus_b) return foi_negate(g, foi_make(g, op, a1, b1, 0));
    return FOI_NO_NODE;
}

static foi_node simplify_logic(foi_graph *g, foi_op op, foi_node a, foi_node b)
{
    bool a_known = foi_is_constant(g, a), b_known = foi_is_constant(g, b);
    double absorbing = op == FOI_G_OR;
    if (a == b && (a_known || g->nodes[a].op >= FOI_G_LESS)) return a;
    if ((a_known && foi_constant_value(g, a) == absorbing) ||
        (b_known && foi_constant_value(g, b) == absorbing))
        return foi_constant(g, absorbing);
    if (a_known) return b;
    if (b_known) return a;
    return FOI_NO_NODE;
}

// FOI_NO_NODE when the node is as simple as it can be.
static foi_node simplify(foi_graph *g, foi_op op, foi_node a, foi_node b, foi_node c)
{
    switch (op) {
    case FOI_G_ADD:
    case FOI_G_SUBTRACT: return simplify_sum(g, op, a, b);
    case FOI_G_MULTIPLY:
    case FOI_G_DIVIDE: return simplify_product(g, op, a, b);
    case FOI_G_AND:
    case FOI_G_OR: return simplify_logic(g, op, a, b);
    case FOI_G_NEGATE: return g->nodes[a].op == FOI_G_NEGATE ? g->nodes[a].a : FOI_NO_NODE;
    case FOI_G_POWER:
        return foi_is_constant(g, b) ? power(g, a, foi_constant_value(g, b)) : FOI_NO_NODE;
    case FOI_G_IF:
        if (b == c) return b;
        if (foi_is_constant(g, a)) return foi_constant_value(g, a) != 0 ? b : c;
        return foi_simplify_choice(g, a, b, c);
    default: return FOI_NO_NODE;
    }
}

foi_node foi_make_called(foi_graph *g, foi_node value, foi_node needed, foi_node others,
                         uint32_t which)
{
    if (foi_is_constant(g, value)) return value;
    foi_node lists = foi_make(g, FOI_G_OUTSIDE, needed, others, foi_constant(g, FOI_OUTSIDE_PASS));
    return intern(g, (foi_graph_node){FOI_G_CALLED, value, lists, which});
}

static bool fold(const foi_graph *g, foi_op op, const foi_node *v, double *value)
{
    double known[3] = {0, 0, 0};
    for (uint32_t i = 0; i < about[op].arity; i++) {
        if (!foi_is_constant(g, v[i])) return false;
        known[i] = foi_constant_value(g, v[i]);
    }
    *value = foi_op_any(op, known[0], known[1], known[2]);
    return isfinite(*value);
}

foi_node foi_make(foi_graph *g, foi_op op, foi_node a, foi_node b, foi_node c)
{
    double value;
    foi_node v[3] = {a, b, c};
    if (g->failed) return 0;
    if (op == FOI_G_CALLED) return a;
    if (fold(g, op, v, &value)) return foi_constant(g, value);
    foi_node simple = simplify(g, op, a, b, c);
    if (simple != FOI_NO_NODE) return simple;
    uint32_t arity = about[op].arity;
    return intern(g, (foi_graph_node){op, a, arity > 1 ? b : 0, arity > 2 ? c : 0});
}

// Worked out for all nodes in their order, up to this one; what is made on the way comes behind.
foi_node foi_graph_plain(foi_graph *g, foi_node n)
{
    for (; g->plain_count <= n && !g->failed; g->plain_count++) {
        size_t at = g->plain_count;
        if (!foi_array_room(g->allocator, &g->plain_of, &g->plain_room, at + 1, sizeof n))
            return fail(g);
        const foi_graph_node x = g->nodes[at];
        uint32_t arity = about[x.op].arity;
        foi_node a = arity > 0 ? g->plain_of[x.a] : x.a, b = arity > 1 ? g->plain_of[x.b] : x.b,
                 c = arity > 2 ? g->plain_of[x.c] : x.c;
        foi_node plain = (foi_node)at;
        if (x.op == FOI_G_CALLED)
            plain = a;
        else if (a != x.a || b != x.b || c != x.c)
            plain = foi_make(g, (foi_op)x.op, a, b, c);
        g->plain_of[at] = plain;
    }
    return g->failed ? 0 : g->plain_of[n];
}

// --------------------------------------------------------------------------------------- walking

static int compare_nodes(const void *a, const void *b)
{
    foi_node x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

// There is room for all.
static void see(foi_graph *g, foi_node n)
{
    if (g->mark[n] == g->walk) return;
    g->mark[n] = g->walk;
    g->list[g->list_count++] = n;
}

// Most lists are those of one equation.
static void sort_few(foi_node *list, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        foi_node n = list[i];
        size_t k = i;
        for (; k && list[k - 1] > n; k--) list[k] = list[k - 1];
        list[k] = n;
    }
}

// A comparison of the sort takes some ten times as long as a look at a mark.
static void sort_list(foi_graph *g)
{
    enum { FEW = 32 };
    foi_node low = UINT32_MAX, high = 0;
    size_t work = 0;
    if (g->list_count <= FEW) {
        sort_few(g->list, g->list_count);
        return;
    }
    for (size_t i = 0; i < g->list_count; i++) {
        if (g->list[i] < low) low = g->list[i];
        if (g->list[i] > high) high = g->list[i];
    }
    for (size_t n = g->list_count; n > 1; n /= 2) work += 10 * g->list_count;
    if (work < high - low) {
        qsort(g->list, g->list_count, sizeof *g->list, compare_nodes);
        return;
    }
    size_t k = 0;
    for (size_t i = low; i <= high; i++)
        if (g->mark[i] == g->walk) g->list[k++] = (foi_node)i;
}

/// What a walk sees of a node CALLED.
typedef enum sight {
    VALUES, ///< its value alone
    WHOLE,  ///< that and all arguments
    NEEDED, ///< the arguments that its derivative may need, and nothing else
} sight;

static void see_called(foi_graph *g, foi_graph_node n, sight as, const bool *plain)
{
    if (as == NEEDED && plain && plain[n.c]) as = VALUES;
    if (as != NEEDED) see(g, n.a);
    if (as != VALUES) see(g, as == WHOLE ? n.b : g->nodes[n.b].a);
}

static bool begin_walk(foi_graph *g)
{
    g->list_count = 0;
    if (g->failed ||
        !foi_array_room(g->allocator, &g->mark, &g->mark_room, g->count, sizeof *g->mark) ||
        !foi_array_room(g->allocator, &g->map, &g->map_room, g->count, sizeof *g->map) ||
        !foi_array_room(g->allocator, &g->list, &g->list_room, g->count, sizeof *g->list)) {
        g->failed = true;
        return false;
    }
    if (++g->walk == 0) {
        memset(g->mark, 0, g->mark_room * sizeof *g->mark);
        g->walk = 1;
    }
    return true;
}

// All nodes that the roots lead to, in no order.
static bool reach(foi_graph *g, const foi_node *roots, size_t count, sight as, const bool *plain)
{
    if (!begin_walk(g)) return false;
    for (size_t i = 0; i < count; i++) see(g, roots[i]);
    // the list is its own queue
    for (size_t at = 0; at < g->list_count; at++) {
        foi_graph_node n = g->nodes[g->list[at]];
        uint32_t arity = about[n.op].arity;
        if (n.op == FOI_G_CALLED && as != VALUES) {
            see_called(g, n, as, plain);
            continue;
        }
        if (arity > 0) see(g, n.a);
        if (arity > 1) see(g, n.b);
        if (arity > 2) see(g, n.c);
    }
    return true;
}

bool foi_graph_reach_guided(foi_graph *g, foi_node root, foi_guide *guide, void *self)
{
    if (!begin_walk(g)) return false;
    see(g, root);
    for (size_t at = 0; at < g->list_count; at++) {
        foi_graph_node n = g->nodes[g->list[at]];
        foi_step step = guide(self, g, g->list[at]);
        uint32_t arity = step == FOI_GO_BELOW ? about[n.op].arity : 0;
        if (step == FOI_GO_HOME) break;
        if (arity > 0) see(g, n.a);
        if (arity > 1) see(g, n.b);
        if (arity > 2) see(g, n.c);
    }
    sort_list(g);
    return true;
}

bool foi_graph_reach(foi_graph *g, const foi_node *roots, size_t count)
{
    if (!reach(g, roots, count, VALUES, NULL)) return false;
    sort_list(g);
    return true;
}

size_t foi_graph_visits(foi_graph *g, const foi_node *roots, size_t count, size_t most)
{
    size_t sum = 0;
    for (size_t i = 0; i < count && sum <= most; i++) {
        if (!reach(g, &roots[i], 1, VALUES, NULL)) return 0;
        sum += g->list_count;
    }
    return sum;
}

// A million of them take some milliseconds: what has fewer is not worth the names.
bool foi_graph_is_crowded(foi_graph *g, const foi_node *roots, size_t count)
{
    enum { TIMES = 16, FEW = 1000000 };
    if (!reach(g, roots, count, VALUES, NULL)) return false;
    size_t most = FEW + TIMES * g->list_count;
    return foi_graph_visits(g, roots, count, most) > most;
}

bool foi_graph_reach_needed(foi_graph *g, foi_node root, const bool *plain)
{
    if (!reach(g, &root, 1, NEEDED, plain)) return false;
    sort_list(g);
    return true;
}

static bool jumps(foi_op op)
{
    return (op >= FOI_G_LESS && op <= FOI_G_NOT_EQUAL) || op == FOI_G_SIGN || op == FOI_G_FLOOR ||
           op == FOI_G_CEIL || op == FOI_G_MOD || op == FOI_G_REM || op == FOI_G_QUOTIENT ||
           op == FOI_G_ALONG || op == FOI_G_AMONG;
}

bool foi_graph_jumps(foi_graph *g, const foi_node *roots, size_t count, foi_leaf_test *test,
                     const void *self)
{
    enum { APART, DEPENDS, JUMPS };
    if (!foi_graph_reach(g, roots, count)) return true;
    for (size_t i = 0; i < g->list_count; i++) {
        foi_node at = g->list[i];
        const foi_graph_node *n = &g->nodes[at];
        bool ends = n->op == FOI_G_LEAF || n->op == FOI_G_CONSTANT;
        uint32_t arity = ends ? 0 : foi_op_arity((foi_op)n->op), below[3] = {n->a, n->b, n->c};
        foi_node most = n->op == FOI_G_LEAF && test(self, g, at) ? DEPENDS : APART;
        for (uint32_t k = foi_is_held_rest(g, at) ? 2 : 0; k < arity; k++)
            if (g->map[below[k]] > most) most = g->map[below[k]];
        bool decides = n->op == FOI_G_IF && g->map[n->a] != APART;
        if (most == DEPENDS && !ends && (jumps((foi_op)n->op) || decides)) most = JUMPS;
        g->map[at] = most;
    }
    for (size_t i = 0; i < count; i++)
        if (g->map[roots[i]] == JUMPS) return true;
    return false;
}

bool *foi_graph_leads_to(foi_graph *g, foi_leaf_test *test, const void *self)
{
    bool *leads = foi_new(g->allocator, g->count, sizeof *leads);
    for (foi_node n = 0; leads && n < g->count; n++) {
        const foi_graph_node *x = &g->nodes[n];
        const foi_node below[3] = {x->a, x->b, x->c};
        if (x->op == FOI_G_LEAF) leads[n] = test(self, g, n);
        for (uint32_t k = about[x->op].arity; k-- > 0;) leads[n] |= leads[below[k]];
    }
    if (!leads) g->failed = true;
    return leads;
}

bool foi_graph_contains(foi_graph *g, foi_node root, foi_node leaf)
{
    return reach(g, &root, 1, VALUES, NULL) && g->mark[leaf] == g->walk;
}

// What becomes of a node CALLED. Where something else is put in place of leaves than what they are
// worth (`other`), it stays where its value does.
static foi_node called_again(foi_graph *g, foi_node at, bool other)
{
    foi_graph_node n = g->nodes[at];
    foi_node value = g->map[n.a];
    if (other) return value == n.a ? at : value;
    if (g->plain || foi_is_constant(g, value)) return value;
    return intern(g, (foi_graph_node){FOI_G_CALLED, value, g->map[n.b], n.c});
}

static bool replace(foi_graph *g, foi_node *roots, size_t count, foi_leaf_map *map, void *self,
                    bool other)
{
    if (!reach(g, roots, count, g->plain || other ? VALUES : WHOLE, NULL)) return false;
    sort_list(g);
    for (size_t i = 0; i < g->list_count; i++) {
        foi_node at = g->list[i];
        foi_graph_node n = g->nodes[at];
        if (n.op == FOI_G_CONSTANT)
            g->map[at] = at;
        else if (n.op == FOI_G_LEAF)
            g->map[at] = map(self, g, at);
        else if (n.op == FOI_G_CALLED)
            g->map[at] = called_again(g, at, other);
        else
            g->map[at] = foi_make(g, n.op, g->map[n.a], g->map[n.b], g->map[n.c]);
    }
    for (size_t i = 0; i < count; i++) roots[i] = g->map[roots[i]];
    return !g->failed;
}

bool foi_graph_replace_all(foi_graph *g, foi_node *roots, size_t count, foi_leaf_map *map,
                           void *self)
{
    return replace(g, roots, count, map, self, false);
}

foi_node foi_graph_replace(foi_graph *g, foi_node root, foi_leaf_map *map, void *self)
{
    return replace(g, &root, 1, map, self, false) ? root : 0;
}

foi_node foi_graph_replace_other(foi_graph *g, foi_node root, foi_leaf_map *map, void *self)
{
    return replace(g, &root, 1, map, self, true) ? root : 0;
}
