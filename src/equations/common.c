/// Names for what many equations have in common.
///
/// Statements are worked out symbolically, so that of
///     x[1] := time;  for i in 2:n loop x[i] := x[i - 1] + time; end for;
/// the equation of x[i] has all of i sums in it. As nodes they are shared, and all together are n.
/// But whatever goes from equation to equation, asking what each depends on, would look at n*n/2 of
/// them. So, where that is much more than there are nodes, what is used more than once and is no
/// trifle is cut off from those who use it and gets an equation of its own:
///     x[i] = x[i - 1] + time,
/// by the variable that is equal to it anyway, or otherwise by a new one, which nobody sees. After
/// that each use is seen once. The views (view.c) put all of it together again: what is computed in
/// the run has the same nodes, and the same bits.
#include <string.h>

#include "base/array.h"
#include "equations/equations.h"
#include "equations/outside.h"

enum { TRIFLE = 8 }; ///< operations that may as well be looked at by everyone who uses them

typedef enum user { OF_EQUATION = 1, OF_BINDING = 2 } user;
typedef enum leaves { OPEN = 1, DISCRETE = 2, MOVING = 4 } leaves;

typedef struct common {
    foi_equations *e;
    foi_node **places; ///< of all expressions
    size_t place_count;
    size_t nodes, variables; ///< as they were
    uint8_t *used;           ///< per node: what leads to it, as `user`; 0: nothing
    uint8_t *has;            ///< per node: what is below it, as `leaves`
    uint32_t *users;         ///< per node
    uint32_t *owner;         ///< per node: an equation that leads to it, or FOI_NOTHING
    uint8_t *size;           ///< per node: operations down to what is cut off, at most TRIFLE
    uint32_t *name;          ///< per node that is cut off: the variable; or FOI_NOTHING
    uint32_t *named;         ///< per equation: the node that it gives a name; or FOI_NOTHING
    foi_node *becomes;       ///< per node: what it is with names in it
} common;

static void end_common(common *c)
{
    const fo_allocator *a = c->e->allocator;
    foi_free(a, c->places), foi_free(a, c->used), foi_free(a, c->has), foi_free(a, c->users);
    foi_free(a, c->owner);
    foi_free(a, c->size), foi_free(a, c->name), foi_free(a, c->named), foi_free(a, c->becomes);
}

static bool begin_common(common *c)
{
    const fo_allocator *a = c->e->allocator;
    size_t n = c->nodes, m = c->e->equation_count + 1;
    c->used = foi_new(a, n, sizeof *c->used);
    c->has = foi_new(a, n, sizeof *c->has);
    c->users = foi_new(a, n, sizeof *c->users);
    c->owner = foi_new(a, n, sizeof *c->owner);
    c->size = foi_new(a, n, sizeof *c->size);
    c->name = foi_new(a, n, sizeof *c->name);
    c->named = foi_new(a, m, sizeof *c->named);
    c->becomes = foi_new(a, n, sizeof *c->becomes);
    if (!c->used || !c->has || !c->users || !c->owner || !c->size || !c->name || !c->named ||
        !c->becomes)
        return false;
    memset(c->owner, 0xFF, n * sizeof *c->owner);
    memset(c->name, 0xFF, n * sizeof *c->name);
    memset(c->named, 0xFF, m * sizeof *c->named);
    return true;
}

// The nodes below one, of a call with derivatives of its own the value and all arguments.
static uint32_t below(const foi_graph *g, foi_node n, foi_node list[3])
{
    const foi_graph_node *x = &g->nodes[n];
    list[0] = x->a, list[1] = x->b, list[2] = x->c;
    return x->op == FOI_G_CALLED ? 2 : foi_op_arity((foi_op)x->op);
}

// Arguments of calls are lists, of which only the results are values.
static bool is_value(const foi_graph *g, foi_node n)
{
    const foi_graph_node *x = &g->nodes[n];
    if (x->op == FOI_G_CONSTANT || x->op == FOI_G_LEAF) return false;
    if (x->op == FOI_G_AMONG) return false; // nor is an address
    return x->op != FOI_G_OUTSIDE || foi_is_number(g, x->c, FOI_OUTSIDE_RESULT);
}

// --------------------------------------------------------------------------------- what is common

static void find_leaves(common *c)
{
    const foi_equations *e = c->e;
    const foi_graph *g = &e->g;
    foi_node list[3];
    for (foi_node n = 0; n < c->nodes; n++) {
        for (uint32_t k = below(g, n, list); k-- > 0;) c->has[n] |= c->has[list[k]];
        if (g->nodes[n].op == FOI_G_LEAF) c->has[n] = MOVING;
        if (!foi_is_leaf(g, n, FOI_LEAF_VARIABLE)) continue;
        const foi_variable *v = &e->variables[g->nodes[n].b];
        if (v->role <= FOI_ROLE_COMPUTED) c->has[n] = 0;
        if (v->role == FOI_ROLE_DISCRETE) c->has[n] |= DISCRETE;
        if (v->role == FOI_ROLE_CONTINUOUS && !v->wanted) c->has[n] |= OPEN;
    }
}

// The relations that a turn itself may change (renew.c) are known by what they compare, which has
// to stay as it is: time, states and discretes, and at least one of the latter.
static void leave_relations(common *c)
{
    const foi_equations *e = c->e;
    size_t kept = 0;
    if (!e->relation_count) return;
    for (size_t i = 0; i < c->place_count; i++) {
        uintptr_t at = (uintptr_t)c->places[i], first = (uintptr_t)e->relations;
        if (at >= first && at < (uintptr_t)(e->relations + e->relation_count)) {
            const foi_relation *r = &e->relations[(at - first) / sizeof *r];
            uint8_t has = c->has[r->left] | c->has[r->right];
            if ((has & DISCRETE) && !(has & OPEN)) continue;
        }
        c->places[kept++] = c->places[i];
    }
    c->place_count = kept;
}

// A parameter that is a formula of others; NULL: it is none.
static foi_node *binding_of(foi_equations *e, uint32_t v)
{
    foi_variable *about = &e->variables[v];
    if (about->role != FOI_ROLE_COMPUTED || about->binding == FOI_NO_NODE) return NULL;
    return about->flat->type == FOI_STRING ? NULL : &about->binding;
}

static void use(common *c, foi_node n, unsigned by, uint32_t owner)
{
    c->used[n] |= (uint8_t)by;
    c->users[n]++;
    if (c->owner[n] == FOI_NOTHING) c->owner[n] = owner;
}

// Both the right side and that of the start count as one use by their equation.
static void count_users(common *c)
{
    const foi_equations *e = c->e;
    foi_node list[3];
    for (size_t i = 0; i < c->place_count; i++) {
        uintptr_t at = (uintptr_t)c->places[i], first = (uintptr_t)e->equations;
        uint32_t owner = FOI_NOTHING;
        if (at >= first && at < (uintptr_t)(e->equations + e->equation_count)) {
            owner = (uint32_t)((at - first) / sizeof *e->equations);
            const foi_equation *q = &e->equations[owner];
            if (c->places[i] == &q->initial && q->initial == q->right) continue;
        }
        use(c, *c->places[i], OF_EQUATION, owner);
    }
    for (uint32_t v = 0; v < c->variables; v++)
        if (binding_of(c->e, v)) use(c, *binding_of(c->e, v), OF_BINDING, FOI_NOTHING);
    for (size_t n = c->nodes; n-- > 0;) {
        if (!c->used[n]) continue;
        for (uint32_t k = below(&e->g, (foi_node)n, list); k-- > 0;)
            if (k == 0 || list[k] != list[0]) use(c, list[k], c->used[n], c->owner[n]);
    }
}

// The variable that an equation makes equal to its right side, at the start and in the run.
static uint32_t equal_variable(const foi_equations *e, const foi_equation *q)
{
    if (q->removed || q->assigns != FOI_NOTHING || !foi_is_leaf(&e->g, q->left, FOI_LEAF_VARIABLE))
        return FOI_NOTHING;
    if (q->initial != FOI_NO_NODE && q->initial != q->right) return FOI_NOTHING;
    const foi_variable *v = &e->variables[e->g.nodes[q->left].b];
    bool plain = v->role == FOI_ROLE_CONTINUOUS && v->flat && v->alias == FOI_NOTHING &&
                 v->derivative == FOI_NOTHING && v->integral == FOI_NOTHING;
    return plain ? e->g.nodes[q->left].b : FOI_NOTHING;
}

// Of parameters alone it is one itself.
static uint32_t new_variable(common *c, bool moving)
{
    foi_equations *e = c->e;
    foi_flat_variable *flat = foi_arena_new(&e->texts, 1, sizeof *flat);
    uint32_t index = (uint32_t)e->variable_count;
    if (!flat || !foi_array_room(e->allocator, &e->variables, &e->variable_room,
                                 e->variable_count + 1, sizeof *e->variables))
        return FOI_NOTHING;
    *flat = (foi_flat_variable){.name = foi_arena_print(&e->texts, "(value %u)", index),
                                .index = index,
                                .type = FOI_REAL,
                                .variability = moving ? FOI_CONTINUOUS : FOI_PARAMETER,
                                .select = FOI_SELECT_AVOID,
                                .is_protected = true};
    if (!flat->name) return FOI_NOTHING;
    e->variables[e->variable_count++] =
        (foi_variable){.flat = flat,
                       .role = moving ? FOI_ROLE_CONTINUOUS : FOI_ROLE_COMPUTED,
                       .common = true,
                       .derivative = FOI_NOTHING,
                       .integral = FOI_NOTHING,
                       .alias = FOI_NOTHING,
                       .binding = FOI_NO_NODE,
                       .start = FOI_NO_NODE};
    return index;
}

// Upwards, so that the size of what has parts that are cut off is without these.
static bool cut_off(common *c)
{
    foi_equations *e = c->e;
    foi_node list[3];
    for (uint32_t i = 0; i < e->equation_count; i++) {
        uint32_t v = equal_variable(e, &e->equations[i]);
        foi_node right = e->equations[i].right;
        if (v == FOI_NOTHING || c->name[right] != FOI_NOTHING || !(c->has[right] & MOVING))
            continue;
        c->name[right] = v, c->named[i] = right; // if it is to have one
    }
    for (uint32_t v = 0; v < c->variables; v++) {
        const foi_node *binding = binding_of(e, v);
        if (binding && !(c->has[*binding] & MOVING)) c->name[*binding] = v;
    }
    for (foi_node n = 0; n < c->nodes; n++) {
        unsigned size = is_value(&e->g, n);
        for (uint32_t k = below(&e->g, n, list); k-- > 0;) size += c->size[list[k]];
        bool moving = c->has[n] & MOVING;
        bool cut = c->users[n] > 1 && size >= TRIFLE && is_value(&e->g, n) &&
                   !((c->used[n] & OF_BINDING) && moving);
        c->size[n] = (uint8_t)(cut ? 0 : size < TRIFLE ? size : TRIFLE);
        if (!cut)
            c->name[n] = FOI_NOTHING;
        else if (c->name[n] == FOI_NOTHING)
            c->name[n] = new_variable(c, moving);
        if (cut && c->name[n] == FOI_NOTHING) return false;
    }
    return true;
}

// ------------------------------------------------------------------------------------------ names

// A node as those see it who use it.
static foi_node seen(common *c, foi_node n)
{
    return c->name[n] == FOI_NOTHING ? c->becomes[n]
                                     : foi_leaf_of(&c->e->g, FOI_LEAF_VARIABLE, c->name[n]);
}

static foi_node with_names(common *c, foi_node n)
{
    foi_graph *g = &c->e->g;
    const foi_graph_node x = g->nodes[n];
    if (x.op == FOI_G_CONSTANT || x.op == FOI_G_LEAF) return n;
    if (x.op == FOI_G_CALLED) {
        const foi_graph_node lists = g->nodes[x.b];
        return foi_make_called(g, seen(c, x.a), seen(c, lists.a), seen(c, lists.b), x.c);
    }
    uint32_t arity = foi_op_arity((foi_op)x.op);
    foi_node a = arity > 0 ? seen(c, x.a) : 0, b = arity > 1 ? seen(c, x.b) : 0;
    return foi_make(g, (foi_op)x.op, a, b, arity > 2 ? seen(c, x.c) : 0);
}

// What is cut off, as an equation of its own, unless a variable is equal to it.
static bool add_equations(common *c, size_t equations)
{
    foi_equations *e = c->e;
    for (foi_node n = 0; n < c->nodes; n++) {
        if (c->name[n] == FOI_NOTHING || !e->variables[c->name[n]].common) continue;
        if (!(c->has[n] & MOVING)) {
            e->variables[c->name[n]].binding = c->becomes[n];
            continue;
        }
        foi_equation q = {.left = foi_leaf_of(&e->g, FOI_LEAF_VARIABLE, c->name[n]),
                          .right = c->becomes[n],
                          .assigns = FOI_NOTHING,
                          .initial = FOI_NO_NODE,
                          .derivative = FOI_NOTHING,
                          .integral = FOI_NOTHING};
        if (c->owner[n] < equations) q.place = e->equations[c->owner[n]].place;
        if (!foi_array_room(e->allocator, &e->equations, &e->equation_room, e->equation_count + 1,
                            sizeof q))
            return false;
        e->equations[e->equation_count++] = q;
    }
    return true;
}

// Is it by this equation? A parameter with that formula comes first.
static bool is_name(const common *c, foi_node n, uint32_t equation)
{
    const foi_equations *e = c->e;
    return foi_is_leaf(&e->g, e->equations[equation].left, FOI_LEAF_VARIABLE) &&
           e->g.nodes[e->equations[equation].left].b == c->name[n];
}

static bool put_names(common *c)
{
    foi_equations *e = c->e;
    size_t equations = e->equation_count;
    for (foi_node n = 0; n < c->nodes; n++)
        if (c->used[n]) c->becomes[n] = with_names(c, n);
    for (size_t i = 0; i < c->place_count; i++) *c->places[i] = seen(c, *c->places[i]);
    for (uint32_t v = 0; v < c->variables; v++) {
        foi_node *binding = binding_of(e, v);
        if (!binding) continue;
        *binding = c->name[*binding] == v ? c->becomes[*binding] : seen(c, *binding);
    }
    for (uint32_t i = 0; i < equations; i++) {
        foi_node n = c->named[i];
        if (n == FOI_NOTHING || c->name[n] == FOI_NOTHING || !is_name(c, n, i)) continue;
        foi_equation *q = &e->equations[i];
        q->right = c->becomes[n];
        if (q->initial != FOI_NO_NODE) q->initial = c->becomes[n];
    }
    return add_equations(c, equations) && !e->g.failed;
}

static bool is_crowded(common *c, bool *crowded)
{
    foi_equations *e = c->e;
    foi_node *roots = foi_new(e->allocator, c->place_count + c->variables, sizeof *roots);
    size_t n = 0;
    if (!roots) return false;
    for (size_t i = 0; i < c->place_count; i++) roots[n++] = *c->places[i];
    for (uint32_t v = 0; v < c->variables; v++)
        if (binding_of(e, v)) roots[n++] = *binding_of(e, v);
    *crowded = foi_graph_is_crowded(&e->g, roots, n);
    foi_free(e->allocator, roots);
    return !e->g.failed;
}

fo_status foi_name_common(foi_equations *e)
{
    common c = {.e = e, .nodes = e->g.count, .variables = e->variable_count};
    bool crowded = false;
    c.places = foi_every_expression(e, &c.place_count);
    bool good = c.places && is_crowded(&c, &crowded);
    if (good && crowded) {
        good = begin_common(&c);
        if (good) find_leaves(&c), leave_relations(&c), count_users(&c);
        good = good && cut_off(&c) && put_names(&c);
    }
    end_common(&c);
    return good ? FO_OK : foi_equations_no_memory(e);
}
