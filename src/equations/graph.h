/// The expression graph: scalar expressions as nodes in one array, each different one once.
///
/// A node refers only to nodes before it, so that the order of the array is an order of
/// evaluation, and nothing here is recursive. Equal expressions are the same node (hash-consing):
/// common subexpressions cost nothing. Making a node folds constants and simplifies what keeps
/// every bit of a finite result (x + 0, 1 x, -(-x), x^2 = x x); sums and products are never
/// reordered.
///
/// CALLED(a) is a, of which it is known that a function has made it: foi_make_called makes it, with
/// what was passed to that function. Most of what is here sees a alone, and what is made anew of it
/// by foi_make is a. It stays with what foi_graph_replace makes, until `plain` is set.
///
/// Without memory a function returns node 0 (the number 0) and `failed` stays set, so that calls
/// can be nested and checked once.
#ifndef FOI_GRAPH_H
#define FOI_GRAPH_H

#include <stddef.h>

#include "base/memory.h"
#include "equations/ops.h"

typedef uint32_t foi_node;
#define FOI_NO_NODE UINT32_MAX

/// What a leaf stands for; its index says which.
typedef enum foi_leaf {
    FOI_LEAF_VARIABLE, ///< of the equations: the program never sees these
    FOI_LEAF_PRE,      ///< a discrete variable before the moment; in programs: the discrete
    FOI_LEAF_TIME,
    FOI_LEAF_STATE,
    FOI_LEAF_RATE,      ///< dx/dt of a state
    FOI_LEAF_DISCRETE,  ///< constant between moments
    FOI_LEAF_INPUT,     ///< from outside
    FOI_LEAF_PARAMETER, ///< set before the start
    FOI_LEAF_HELD,      ///< a relation's truth, constant between moments
    FOI_LEAF_WAS,       ///< a when-condition's truth before the moment
    FOI_LEAF_SAMPLE,    ///< true in the moment of a sampler
    FOI_LEAF_START,     ///< a start value
    FOI_LEAF_INITIAL,   ///< true at the start
    FOI_LEAF_LAMBDA,    ///< of homotopy: 1, at the start between 0 and 1
    FOI_LEAF_TERMINAL,  ///< true in the moment at the end of the run
    FOI_LEAF_DELAYED,   ///< what an expression was some time ago
    FOI_LEAF_FRAME,     ///< where calls of external functions begin; see outside.h
    FOI_LEAF_UNKNOWN,   ///< iteration variable of a loop, inside of its residuals
    FOI_LEAF_SOLVED,    ///< the same outside: its solution
    FOI_LEAF_KINDS
} foi_leaf;

typedef struct foi_graph_node {
    uint32_t op;      ///< foi_op
    uint32_t a, b, c; ///< arguments; of a leaf: kind, index; of a constant: its place
} foi_graph_node;

typedef struct foi_graph {
    foi_graph_node *nodes;
    size_t count, room;
    double *constants;
    size_t constant_count, constant_room;
    uint64_t *table; ///< open addressing: hash, and node + 1; 0: free
    size_t table_size;
    uint32_t *mark; ///< of walks, per node: which walk has seen it
    size_t mark_room;
    uint32_t walk;
    foi_node *list; ///< what the last walk found
    size_t list_count, list_room;
    foi_node *map; ///< per node: result of a substitution or derivative in work
    size_t map_room;
    foi_node divisor; ///< what the last foi_solve has divided by
    bool plain;       ///< foi_graph_replace leaves out CALLED
    /// What a result of external code is by one of its inputs, where its annotation says it;
    /// FOI_NO_NODE: it does not. What it gave once, it gives again without a walk.
    foi_node (*partial)(void *self, foi_node result, uint32_t input);
    void *self;         ///< of `partial`
    foi_node *plain_of; ///< per node: itself without CALLED, of those that were asked for so far
    size_t plain_count, plain_room;
    int choices; ///< that are being simplified; see graph_choice.c
    bool failed;
    const fo_allocator *allocator;
} foi_graph;

/// False without memory.
bool foi_graph_begin(foi_graph *g, const fo_allocator *allocator);
void foi_graph_end(foi_graph *g);

foi_node foi_constant(foi_graph *g, double value);
foi_node foi_leaf_of(foi_graph *g, foi_leaf kind, uint32_t index);
/// Arguments beyond the operation's are ignored.
foi_node foi_make(foi_graph *g, foi_op op, foi_node a, foi_node b, foi_node c);

static inline foi_node foi_add(foi_graph *g, foi_node a, foi_node b)
{
    return foi_make(g, FOI_G_ADD, a, b, 0);
}
static inline foi_node foi_subtract(foi_graph *g, foi_node a, foi_node b)
{
    return foi_make(g, FOI_G_SUBTRACT, a, b, 0);
}
static inline foi_node foi_multiply(foi_graph *g, foi_node a, foi_node b)
{
    return foi_make(g, FOI_G_MULTIPLY, a, b, 0);
}
static inline foi_node foi_divide(foi_graph *g, foi_node a, foi_node b)
{
    return foi_make(g, FOI_G_DIVIDE, a, b, 0);
}
static inline foi_node foi_negate(foi_graph *g, foi_node a)
{
    return foi_make(g, FOI_G_NEGATE, a, 0, 0);
}

/// `value`, which the call number `which` has made of two lists of arguments (see outside.h): of
/// those whose derivatives the derivative of the call may need, and the others.
foi_node foi_make_called(foi_graph *g, foi_node value, foi_node needed, foi_node others,
                         uint32_t which);

/// The node without any CALLED in it. Equal expressions are then the same node, whoever made them.
foi_node foi_graph_plain(foi_graph *g, foi_node n);

/// `if a then b else c` with what a says of choices in b and c; FOI_NO_NODE where it says nothing.
foi_node foi_simplify_choice(foi_graph *g, foi_node a, foi_node b, foi_node c);

uint32_t foi_op_arity(foi_op op);
const char *foi_op_text(foi_op op);

static inline bool foi_is_constant(const foi_graph *g, foi_node n)
{
    return g->nodes[n].op == FOI_G_CONSTANT;
}
static inline double foi_constant_value(const foi_graph *g, foi_node n)
{
    return g->constants[g->nodes[n].a];
}
static inline bool foi_is_number(const foi_graph *g, foi_node n, double value)
{
    return foi_is_constant(g, n) && foi_constant_value(g, n) == value;
}
static inline bool foi_is_leaf(const foi_graph *g, foi_node n, foi_leaf kind)
{
    return g->nodes[n].op == FOI_G_LEAF && g->nodes[n].a == (uint32_t)kind;
}

/// mod or rem of something that flows, by a whole part that is held: `if far then mod(a, b) else
/// a - k b` (see rest_of in lower_expression.c).
static inline bool foi_is_held_rest(const foi_graph *g, foi_node n)
{
    const foi_graph_node *x = &g->nodes[n];
    if (x->op != FOI_G_IF || g->nodes[x->a].op != FOI_G_GREATER_EQUAL) return false;
    uint32_t op = g->nodes[x->b].op;
    return (op == FOI_G_MOD || op == FOI_G_REM) && foi_is_number(g, g->nodes[x->a].b, FOI_FAR);
}

/// Whether a leaf is one of those that are looked for.
typedef bool foi_leaf_test(const void *self, const foi_graph *g, foi_node leaf);
/// Whether something that jumps (a comparison, a whole part, a sign) depends on one of these leaves
/// in one of the roots; also without memory. What is held does not.
bool foi_graph_jumps(foi_graph *g, const foi_node *roots, size_t count, foi_leaf_test *test,
                     const void *self);

/// Per node of the graph as it is: whether one of these leaves is below it. The caller frees it;
/// NULL without memory. One walk for all who ask, however much they have in common.
bool *foi_graph_leads_to(foi_graph *g, foi_leaf_test *test, const void *self);

/// Collects everything below the roots, in ascending order, in g->list; each once.
/// False without memory.
bool foi_graph_reach(foi_graph *g, const foi_node *roots, size_t count);

/// What a walk does at a node.
typedef enum foi_step { FOI_GO_BELOW, FOI_STAY_ABOVE, FOI_GO_HOME } foi_step;
typedef foi_step foi_guide(void *self, const foi_graph *g, foi_node n);
/// The same from one root, as the guide says: FOI_GO_HOME ends it, and what was found so far is no
/// more than that.
bool foi_graph_reach_guided(foi_graph *g, foi_node root, foi_guide *guide, void *self);

/// How many nodes are below each of the roots, summed up: what looks at one root after the other
/// looks at so many. Counts no further than just beyond `most`; 0 without memory.
size_t foi_graph_visits(foi_graph *g, const foi_node *roots, size_t count, size_t most);

/// Whether that is many times as many as there are nodes below all together: the same ones would be
/// looked at again and again.
bool foi_graph_is_crowded(foi_graph *g, const foi_node *roots, size_t count);

/// As foi_graph_reach from one root, where a node CALLED leads to what its derivative may need, or,
/// where plain[which], to its value.
bool foi_graph_reach_needed(foi_graph *g, foi_node root, const bool *plain);

/// True when the leaf occurs below the node.
bool foi_graph_contains(foi_graph *g, foi_node root, foi_node leaf);

/// What stands for a leaf: itself to keep it.
typedef foi_node foi_leaf_map(void *self, foi_graph *g, foi_node leaf);

/// The expression with every leaf replaced. Each leaf is asked for once per call.
foi_node foi_graph_replace(foi_graph *g, foi_node root, foi_leaf_map *map, void *self);
/// The same for many roots in place, in one walk.
bool foi_graph_replace_all(foi_graph *g, foi_node *roots, size_t count, foi_leaf_map *map,
                           void *self);

/// The expression with leaves replaced by what they are not worth: x - 2 y at y = 0.
foi_node foi_graph_replace_other(foi_graph *g, foi_node root, foi_leaf_map *map, void *self);

/// The derivative of the expression, given that of each leaf (forward, chain rule). Relations,
/// signs and roundings have derivative 0; FOI_NO_NODE where a leaf has none (its map says so).
foi_node foi_graph_derive(foi_graph *g, foi_node root, foi_leaf_map *map, void *self);

/// The same for many roots in place, in one walk; FOI_NO_NODE among them stays. False without
/// memory.
bool foi_graph_derive_all(foi_graph *g, foi_node *roots, size_t count, foi_leaf_map *map,
                          void *self);

/// The derivative of a node CALLED, where its arguments' are in g->map; FOI_NO_NODE: there is none.
/// It may walk and make nodes. *plain: it is to be that of its value after all.
typedef foi_node foi_call_derivative(void *self, foi_node called, bool *plain);
/// The same, where nodes CALLED have derivatives of their own. plain[which], with room for all
/// calls: those whose value is differentiated.
foi_node foi_graph_derive_calls(foi_graph *g, foi_node root, foi_leaf_map *map,
                                foi_call_derivative *call, bool *plain, void *self);

/// d root / d leaf.
foi_node foi_graph_partial(foi_graph *g, foi_node root, foi_node leaf);

/// All partial derivatives of the root at once (reverse): afterwards g->list holds what is below
/// it and foi_gradient_at gives d root / d node for each of these. One walk over the expression,
/// however many leaves it has. False without memory.
bool foi_graph_gradient(foi_graph *g, foi_node root);
static inline foi_node foi_gradient_at(const foi_graph *g, foi_node n)
{
    return g->map[n];
}

/// The partial derivative of one node by its argument 0, 1 or 2.
foi_node foi_op_partial(foi_graph *g, foi_node node, uint32_t argument);

/// Writes an expression as text with as few parentheses as needed. `name` gives a leaf's text.
/// Cut with "..." when it is too long for `size`. Returns `text`.
typedef const char *foi_leaf_name(void *self, const foi_graph *g, foi_node leaf);
const char *foi_graph_print(const foi_graph *g, foi_node root, foi_leaf_name *name, void *self,
                            char *text, size_t size);

#endif
