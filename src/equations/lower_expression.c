/// Expressions of the flat model as nodes. Without recursion: a sum may have as many terms as an
/// array has elements.
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "equations/equations.h"
#include "math/math.h"

typedef enum stage {
    BEGIN,  ///< nothing is done yet
    CHOOSE, ///< of an if: its condition is on the stack of values
    SECOND, ///< of and, or: the first argument is
    FINISH, ///< all arguments are
} stage;

/// An expression that is waited for.
typedef struct task {
    const foi_flat_expr *expr;
    bool events;
    bool smooth; ///< it has a derivative where its relations turn, see in_smooth
    stage stage;
    foi_node where; ///< it is evaluated where this is true
} task;

typedef struct value {
    foi_node node;
    bool continuous; ///< changes between moments
} value;

typedef struct lowering {
    foi_equations *e;
    foi_place place;
    task *tasks;
    size_t task_count, task_room;
    value *values;
    size_t value_count, value_room;
} lowering;

static bool push_task(lowering *l, const foi_flat_expr *expr, const task *of, stage at)
{
    if (!foi_array_room(l->e->allocator, &l->tasks, &l->task_room, l->task_count + 1, sizeof(task)))
        return false;
    l->tasks[l->task_count++] = (task){expr, of->events, of->smooth, at, of->where};
    return true;
}

static bool push_value(lowering *l, foi_node node, bool continuous)
{
    if (!foi_array_room(l->e->allocator, &l->values, &l->value_room, l->value_count + 1,
                        sizeof(value)))
        return false;
    l->values[l->value_count++] = (value){node, continuous};
    return true;
}

static const foi_op direct[] = {
    [FOI_OP_NEGATE] = FOI_G_NEGATE,
    [FOI_OP_NOT] = FOI_G_NOT,
    [FOI_OP_ADD] = FOI_G_ADD,
    [FOI_OP_SUBTRACT] = FOI_G_SUBTRACT,
    [FOI_OP_MULTIPLY] = FOI_G_MULTIPLY,
    [FOI_OP_DIVIDE] = FOI_G_DIVIDE,
    [FOI_OP_POWER] = FOI_G_POWER,
    [FOI_OP_AND] = FOI_G_AND,
    [FOI_OP_OR] = FOI_G_OR,
    [FOI_OP_LESS] = FOI_G_LESS,
    [FOI_OP_LESS_EQUAL] = FOI_G_LESS_EQUAL,
    [FOI_OP_GREATER] = FOI_G_GREATER,
    [FOI_OP_GREATER_EQUAL] = FOI_G_GREATER_EQUAL,
    [FOI_OP_EQUAL] = FOI_G_EQUAL,
    [FOI_OP_NOT_EQUAL] = FOI_G_NOT_EQUAL,
    [FOI_OP_IF] = FOI_G_IF,
};

static const foi_op functions[FOI_FN_COUNT] = {
    [FOI_FN_ABS] = FOI_G_ABS,       [FOI_FN_SQRT] = FOI_G_SQRT,   [FOI_FN_MIN] = FOI_G_MIN,
    [FOI_FN_MAX] = FOI_G_MAX,       [FOI_FN_MOD] = FOI_G_MOD,     [FOI_FN_REM] = FOI_G_REM,
    [FOI_FN_DIV] = FOI_G_QUOTIENT,  [FOI_FN_FLOOR] = FOI_G_FLOOR, [FOI_FN_CEIL] = FOI_G_CEIL,
    [FOI_FN_INTEGER] = FOI_G_FLOOR, [FOI_FN_SIN] = FOI_G_SIN,     [FOI_FN_COS] = FOI_G_COS,
    [FOI_FN_TAN] = FOI_G_TAN,       [FOI_FN_ASIN] = FOI_G_ASIN,   [FOI_FN_ACOS] = FOI_G_ACOS,
    [FOI_FN_ATAN] = FOI_G_ATAN,     [FOI_FN_ATAN2] = FOI_G_ATAN2, [FOI_FN_SINH] = FOI_G_SINH,
    [FOI_FN_COSH] = FOI_G_COSH,     [FOI_FN_TANH] = FOI_G_TANH,   [FOI_FN_EXP] = FOI_G_EXP,
    [FOI_FN_LOG] = FOI_G_LOG,       [FOI_FN_LOG10] = FOI_G_LOG10, [FOI_FN_SIGN] = FOI_G_SIGN,
    [FOI_FN_ALONG] = FOI_G_ALONG,   [FOI_FN_AMONG] = FOI_G_AMONG,
};

// a > b as b < a says it.
static foi_op mirrored(foi_op op)
{
    switch (op) {
    case FOI_G_LESS: return FOI_G_GREATER;
    case FOI_G_LESS_EQUAL: return FOI_G_GREATER_EQUAL;
    case FOI_G_GREATER: return FOI_G_LESS;
    case FOI_G_GREATER_EQUAL: return FOI_G_LESS_EQUAL;
    default: return op;
    }
}

// The relation that is true where this one is false.
static foi_op opposite(foi_op op)
{
    switch (op) {
    case FOI_G_LESS: return FOI_G_GREATER_EQUAL;
    case FOI_G_LESS_EQUAL: return FOI_G_GREATER;
    case FOI_G_GREATER: return FOI_G_LESS_EQUAL;
    case FOI_G_GREATER_EQUAL: return FOI_G_LESS;
    default: return op;
    }
}

// What an earlier relation i says of `op left right`: its leaf, where it is the same or the same
// turned round; not its leaf, where it is the opposite; otherwise nothing. *turned: it compares the
// same two the other way round.
static foi_node as_before(foi_equations *e, size_t i, foi_op op, foi_node left, foi_node right,
                          bool *turned)
{
    const foi_relation *r = &e->relations[i];
    bool swapped = r->left == right && r->right == left && op != FOI_G_FLOOR && left != right;
    if (!swapped && (r->left != left || r->right != right)) return FOI_NO_NODE;
    if ((r->op == FOI_G_FLOOR) != (op == FOI_G_FLOOR)) return FOI_NO_NODE;
    *turned |= swapped;
    foi_op as = swapped ? mirrored(op) : op;
    foi_node leaf = foi_leaf_of(&e->g, FOI_LEAF_HELD, (uint32_t)i);
    if (r->op == as) return leaf;
    return r->op == opposite(as) ? foi_make(&e->g, FOI_G_NOT, leaf, 0, 0) : FOI_NO_NODE;
}

// The leaf of a relation whose change is a moment. Equal relations are one, and so are opposite
// ones: a > b beside a <= b must never be both true or both false, not even for no time. Those that
// compare the same two compare them the same way round, so that their guards have the same bits.
static foi_node held(lowering *l, foi_op op, foi_node left, foi_node right)
{
    foi_equations *e = l->e;
    foi_node zero = foi_constant(&e->g, 0);
    foi_node whole = foi_make(&e->g, op, left, op == FOI_G_FLOOR ? zero : right, 0);
    bool turned = false;
    if (foi_is_constant(&e->g, whole)) return whole;
    for (size_t i = e->relation_count; i-- > 0 && e->relation_count - i < 64;) {
        foi_node known = as_before(e, i, op, left, right, &turned);
        if (known != FOI_NO_NODE) return known;
    }
    if (e->scope && e->scope->in_when) return whole;
    if (!foi_array_room(e->allocator, &e->relations, &e->relation_room, e->relation_count + 1,
                        sizeof *e->relations)) {
        e->g.failed = true;
        return 0;
    }
    e->relations[e->relation_count] = turned ? (foi_relation){mirrored(op), right, left, l->place}
                                             : (foi_relation){op, left, right, l->place};
    return foi_leaf_of(&e->g, FOI_LEAF_HELD, (uint32_t)e->relation_count++);
}

// a - k b, rounded once, with a k that is held. (The product with a power of two is exact itself.)
// Where k is so large that it is not the whole part of a/b itself, the remainder as it stands.
static foi_node rest_of(foi_graph *g, foi_op op, foi_node a, foi_node b, foi_node k)
{
    foi_node rest = foi_subtract(g, a, foi_multiply(g, k, b));
    int exponent;
    if (foi_is_constant(g, b) && fabs(frexp(foi_constant_value(g, b), &exponent)) == 0.5)
        return rest;
    foi_node far = foi_make(g, FOI_G_GREATER_EQUAL, foi_make(g, FOI_G_ABS, k, 0, 0),
                            foi_constant(g, FOI_FAR), 0);
    rest = foi_subtract(g, rest, foi_make(g, FOI_G_LOST, k, b, 0));
    return foi_make(g, FOI_G_IF, far, foi_make(g, op, a, b, 0), rest);
}

// floor, ceil, div, mod, rem and sign of continuous expressions, by held floors and relations:
//   ceil(a) = -floor(-a), div(a, b) = if q >= 0 then floor(q) else ceil(q) with q = a/b,
//   mod(a, b) = a - floor(q) b, rem(a, b) = a - div(a, b) b.
static foi_node held_rounding(lowering *l, foi_op op, foi_node a, foi_node b)
{
    foi_graph *g = &l->e->g;
    foi_node zero = foi_constant(g, 0), one = foi_constant(g, 1);
    if (op == FOI_G_FLOOR) return held(l, FOI_G_FLOOR, a, zero);
    if (op == FOI_G_CEIL) return foi_negate(g, held(l, FOI_G_FLOOR, foi_negate(g, a), zero));
    if (op == FOI_G_SIGN) {
        foi_node negative =
            foi_make(g, FOI_G_IF, held(l, FOI_G_LESS, a, zero), foi_constant(g, -1), zero);
        return foi_make(g, FOI_G_IF, held(l, FOI_G_GREATER, a, zero), one, negative);
    }
    foi_node q = foi_divide(g, a, b);
    foi_node down = held(l, FOI_G_FLOOR, q, zero);
    bool alone = op != FOI_G_QUOTIENT && g->nodes[down].op == FOI_G_FLOOR; // nobody holds it
    if (alone) return foi_make(g, op, a, b, 0);
    if (op == FOI_G_MOD) return rest_of(g, op, a, b, down);
    foi_node up = foi_negate(g, held(l, FOI_G_FLOOR, foi_negate(g, q), zero));
    foi_node whole = foi_make(g, FOI_G_IF, held(l, FOI_G_GREATER_EQUAL, q, zero), down, up);
    if (op == FOI_G_QUOTIENT) return whole;
    return rest_of(g, op, a, b, whole);
}

// Whether all that it depends on is time and what is constant between moments.
static bool by_time_alone(foi_equations *e, foi_node n)
{
    foi_graph *g = &e->g;
    if (!foi_graph_reach(g, &n, 1)) return false;
    for (size_t i = 0; i < g->list_count; i++) {
        const foi_graph_node *x = &g->nodes[g->list[i]];
        if (foi_leaf_flows(e, x) && x->a != FOI_LEAF_TIME) return false;
    }
    return true;
}

// What turns in a function that has a derivative there. Of time alone it is held as anywhere else.
// Otherwise it is computed wherever rates are, so that its sides are no modes: nothing slides along
// it, and rounding errors that turn it change nothing. Its guard ends steps all the same: what
// begins at one relation and is over at the next is not stepped over.
static value in_smooth(lowering *l, foi_op op, foi_node a, foi_node b)
{
    foi_node whole = foi_make(&l->e->g, op, a, b, 0);
    foi_node kept = foi_rounds(op) ? held_rounding(l, op, a, b) : held(l, op, a, b);
    if (by_time_alone(l->e, whole)) return (value){kept, op == FOI_G_MOD || op == FOI_G_REM};
    return (value){whole, true};
}

static foi_node sampler(lowering *l, foi_node start, foi_node interval)
{
    foi_equations *e = l->e;
    if (!foi_array_room(e->allocator, &e->samplers, &e->sampler_room, e->sampler_count + 1,
                        sizeof *e->samplers)) {
        e->g.failed = true;
        return 0;
    }
    e->samplers[e->sampler_count] = (foi_sampler){start, interval, l->place};
    return foi_leaf_of(&e->g, FOI_LEAF_SAMPLE, (uint32_t)e->sampler_count++);
}

// pre and der of an element that is chosen in the run are not offered by languages.
static fo_status lower_pre(lowering *l, const foi_flat_expr *of)
{
    foi_equations *e = l->e;
    if (of->op != FOI_OP_VARIABLE)
        return foi_equations_fail(e, l->place, FO_ERROR_UNFIT,
                                  "pre() takes the name of a variable");
    uint32_t v = of->variable->index;
    foi_role role = e->variables[v].role;
    bool moves = role == FOI_ROLE_CONTINUOUS, state = e->variables[v].derivative != FOI_NOTHING;
    foi_node n = foi_leaf_of(&e->g, moves ? FOI_LEAF_VARIABLE : FOI_LEAF_PRE, v);
    if (role == FOI_ROLE_COMPUTED) n = foi_leaf_of(&e->g, FOI_LEAF_VARIABLE, v);
    if (role == FOI_ROLE_INPUT || role == FOI_ROLE_PARAMETER || (moves && !state))
        n = foi_lower_before(e, v);
    return n != FOI_NO_NODE && push_value(l, n, moves) ? FO_OK : foi_equations_no_memory(e);
}

static fo_status lower_der(lowering *l, value of)
{
    foi_equations *e = l->e;
    foi_node d = foi_total_derivative(e, of.node);
    if (d == FOI_NO_NODE)
        return foi_equations_fail(
            e, l->place, FO_ERROR_MODEL, "der() of an expression with %s no derivative",
            foi_has_leaf(e, of.node, FOI_LEAF_FRAME) ? "external code, which has"
            : foi_has_delay(e, of.node)              ? "delay(), which has"
                                                     : "an input: inputs have");
    return push_value(l, d, true) ? FO_OK : foi_equations_no_memory(e);
}

// A variable: inside of statements what it is worth there, otherwise its leaf.
static value variable_value(foi_equations *e, const foi_flat_variable *variable)
{
    foi_node n = e->scope ? foi_scope_value(e, variable) : FOI_NO_NODE;
    double number;
    if (!variable->local && n == FOI_NO_NODE && foi_folded_value(e, variable, &number))
        return (value){foi_constant(&e->g, number), false};
    bool constant = n != FOI_NO_NODE && foi_is_constant(&e->g, n);
    if (variable->local) return (value){n, !constant && variable->type == FOI_REAL};
    const foi_variable *v = &e->variables[variable->index];
    bool continuous = !constant && (v->role == FOI_ROLE_CONTINUOUS ||
                                    (v->role == FOI_ROLE_INPUT && variable->type == FOI_REAL));
    if (n == FOI_NO_NODE) n = foi_leaf_of(&e->g, FOI_LEAF_VARIABLE, variable->index);
    return (value){n, continuous};
}

// elements[offset] as a chain of choices; of a subscript that is outside of the array, by which the
// run ends, the last.
static foi_node element(lowering *l, const foi_flat_array *array, const foi_node *subscripts,
                        bool *continuous)
{
    foi_graph *g = &l->e->g;
    foi_node offset = foi_constant(g, 0), one = foi_constant(g, 1);
    for (uint32_t k = 0; k < array->rank; k++) {
        foi_node s = foi_subtract(g, subscripts[k], one);
        offset = foi_add(g, foi_multiply(g, offset, foi_constant(g, array->dims[k])), s);
    }
    if (foi_is_constant(g, offset)) {
        double at = foi_constant_value(g, offset), last = array->count - 1.0;
        value of =
            variable_value(l->e, array->elements[at >= 0 && at < last ? (size_t)at : (size_t)last]);
        *continuous |= of.continuous;
        return of.node;
    }
    foi_node chosen = FOI_NO_NODE;
    for (uint32_t i = array->count; i-- > 0;) {
        foi_node here = foi_make(g, FOI_G_EQUAL, offset, foi_constant(g, i), 0);
        value of = variable_value(l->e, array->elements[i]);
        *continuous |= of.continuous;
        chosen = chosen == FOI_NO_NODE ? of.node : foi_make(g, FOI_G_IF, here, of.node, chosen);
    }
    return chosen;
}

static fo_status finish_element(lowering *l, const task *t, const value *v, value *result)
{
    const foi_flat_array *array = t->expr->array;
    if (!array->count)
        return foi_equations_fail(l->e, l->place, FO_ERROR_MODEL, "%s has no element", array->name);
    foi_node *subscripts = foi_new(l->e->allocator, array->rank, sizeof *subscripts);
    if (!subscripts) return foi_equations_no_memory(l->e);
    for (uint32_t k = 0; k < array->rank; k++) subscripts[k] = v[k].node;
    fo_status status = foi_lower_within(l->e, array, subscripts, t->where, l->place);
    if (status == FO_OK) result->node = element(l, array, subscripts, &result->continuous);
    foi_free(l->e->allocator, subscripts);
    return status;
}

// The results of one call have its arguments in common: they are lowered for the first of them. The
// key says which call it is, and where, in the present epoch.
enum { ARGUMENTS_KEY = 6 };

static void arguments_key(const foi_equations *e, const foi_flat_call *call, const task *t,
                          uint32_t *key)
{
    uintptr_t name = (uintptr_t)call;
    key[0] = UINT32_MAX; // no function has this index
    key[1] = (uint32_t)name, key[2] = (uint32_t)((uint64_t)name >> 32);
    key[3] = e->epoch, key[4] = t->where;
    key[5] = (t->events ? 1U : 0U) | (e->scope && e->scope->in_when ? 2U : 0U) |
             (e->scope && e->scope->at_start ? 4U : 0U) | (t->smooth ? 8U : 0U);
}

static fo_status push_result(lowering *l, const foi_flat_expr *x, const task *t,
                             const foi_node *arguments, bool continuous)
{
    foi_node node;
    uint32_t key[ARGUMENTS_KEY];
    arguments_key(l->e, x->call, t, key);
    key[0] = UINT32_MAX - 3; // nor this one
    key[5] |= (l->e->only_start ? 16U : 0U) | (l->e->silent ? 32U : 0U);
    fo_status status =
        foi_lower_result(l->e, x->call, key, ARGUMENTS_KEY, arguments, x->result, t->where, &node);
    if (status != FO_OK) return status;
    return push_value(l, node, continuous) ? FO_OK : foi_equations_no_memory(l->e);
}

static fo_status finish_result(lowering *l, const foi_flat_expr *x, const task *t, const value *v)
{
    foi_equations *e = l->e;
    uint32_t count = x->call->function->input_count, key[ARGUMENTS_KEY];
    foi_node *arguments = foi_new(e->allocator, (size_t)count + 1, sizeof *arguments);
    bool continuous = false;
    if (!arguments) return foi_equations_no_memory(e);
    for (uint32_t i = 0; i < count; i++) arguments[i] = v[i].node, continuous |= v[i].continuous;
    arguments[count] = continuous;
    arguments_key(e, x->call, t, key);
    fo_status status = FO_OK;
    if (x->call->function->output_count > 1 &&
        !foi_memo_keep(&e->memo, e, key, ARGUMENTS_KEY, arguments, count + 1))
        status = foi_equations_no_memory(e);
    l->value_count -= count;
    if (status == FO_OK) status = push_result(l, x, t, arguments, continuous);
    foi_free(e->allocator, arguments);
    return status;
}

static fo_status finish_builtin(lowering *l, const task *t, const value *v, value *result)
{
    const foi_flat_expr *x = t->expr;
    foi_equations *e = l->e;
    foi_op op = functions[x->builtin];
    foi_node b = x->count > 1 ? v[1].node : 0;
    if (op == FOI_G_CONSTANT)
        return foi_equations_fail(e, l->place, FO_ERROR_UNFIT, "%s() is not supported yet",
                                  foi_flat_builtin_name(x->builtin));
    if (foi_rounds(op) && t->events && result->continuous && t->smooth) {
        *result = in_smooth(l, op, v[0].node, b);
    } else if (foi_rounds(op) && t->events && result->continuous) {
        result->node = held_rounding(l, op, v[0].node, b);
        result->continuous = op == FOI_G_MOD || op == FOI_G_REM;
    } else {
        result->node = foi_make(&e->g, op, v[0].node, b, 0);
    }
    return FO_OK;
}

// All arguments are on the stack: makes the node of the expression.
static fo_status finish(lowering *l, const task *t)
{
    foi_equations *e = l->e;
    const foi_flat_expr *x = t->expr;
    bool events = t->events;
    uint32_t count = x->op == FOI_OP_RESULT ? x->call->function->input_count : x->count;
    if (x->op == FOI_OP_CALL && x->builtin == FOI_FN_SMOOTH) count = 1;
    // a function without inputs may come first of all, before there are any values
    value *v = count ? l->values + (l->value_count - count) : NULL, result = {0, false};
    for (uint32_t i = 0; i < count; i++) result.continuous |= v[i].continuous;
    fo_status status = FO_OK;
    if (x->op == FOI_OP_RESULT) return finish_result(l, x, t, v);
    if (x->op == FOI_OP_ELEMENT) {
        status = finish_element(l, t, v, &result);
    } else if (x->op == FOI_OP_CALL && x->builtin == FOI_FN_DER) {
        l->value_count--;
        return lower_der(l, *v);
    } else if (x->op == FOI_OP_CALL && x->builtin == FOI_FN_SAMPLE) {
        result.node = sampler(l, v[0].node, v[1].node);
    } else if (x->op == FOI_OP_CALL && x->builtin == FOI_FN_HOMOTOPY) {
        result.node = foi_homotopy(e, v[0].node, v[1].node);
    } else if (x->op == FOI_OP_CALL && x->builtin == FOI_FN_DELAY) {
        status = foi_lower_delay(e, v[0].node, v[1].node, v[2].node, l->place, &result.node);
        result.continuous = true;
    } else if (x->op == FOI_OP_CALL && x->builtin == FOI_FN_CONTENTS) {
        uint32_t which = (uint32_t)x->arguments[3]->number;
        status = foi_lower_contents(e, v[0].node, v[1].node, v[2].node, &e->flat->contents[which],
                                    x->arguments[4]->number != 0, l->place, &result.node);
        result.continuous = true;
    } else if (x->op == FOI_OP_CALL && (x->builtin == FOI_FN_NO_EVENT ||
                                        x->builtin == FOI_FN_SMOOTH || x->builtin == FOI_FN_REAL)) {
        result = v[0];
    } else if (x->op == FOI_OP_CALL) {
        status = finish_builtin(l, t, v, &result);
    } else if (x->op >= FOI_OP_LESS && x->op <= FOI_OP_GREATER_EQUAL && events &&
               result.continuous) {
        foi_op op = direct[x->op];
        result = t->smooth ? in_smooth(l, op, v[0].node, v[1].node)
                           : (value){held(l, op, v[0].node, v[1].node), false};
    } else {
        foi_node c = count > 2 ? v[2].node : 0;
        result.node = foi_make(&e->g, direct[x->op], v[0].node, count > 1 ? v[1].node : 0, c);
    }
    if (status != FO_OK) return status;
    l->value_count -= count;
    return push_value(l, result.node, result.continuous) ? FO_OK : foi_equations_no_memory(e);
}

// An expression without arguments.
static fo_status lower_leaf(lowering *l, const foi_flat_expr *x, bool *done)
{
    foi_equations *e = l->e;
    foi_graph *g = &e->g;
    foi_node n;
    bool continuous = false;
    *done = true;
    if (x->op == FOI_OP_LITERAL) {
        n = foi_constant(g, x->number);
    } else if (x->op == FOI_OP_VARIABLE) {
        value of = variable_value(e, x->variable);
        n = of.node, continuous = of.continuous;
    } else if (x->op == FOI_OP_TIME) {
        n = foi_leaf_of(g, FOI_LEAF_TIME, 0);
        continuous = true;
    } else if (x->op == FOI_OP_STRING) {
        return foi_equations_fail(e, l->place, FO_ERROR_UNFIT,
                                  "a text is only possible in a message, not in an equation");
    } else if (x->op == FOI_OP_CALL && x->builtin == FOI_FN_PRE) {
        return lower_pre(l, x->arguments[0]);
    } else if (x->op == FOI_OP_CALL && x->builtin == FOI_FN_INITIAL) {
        n = foi_leaf_of(g, FOI_LEAF_INITIAL, 0);
    } else if (x->op == FOI_OP_CALL && x->builtin == FOI_FN_TERMINAL) {
        n = foi_leaf_of(g, FOI_LEAF_TERMINAL, 0);
    } else {
        *done = false;
        return FO_OK;
    }
    return push_value(l, n, continuous) ? FO_OK : foi_equations_no_memory(e);
}

static fo_status begin_task(lowering *l, task t)
{
    const foi_flat_expr *x = t.expr;
    bool done, good = true;
    fo_status status = lower_leaf(l, x, &done);
    if (status != FO_OK || done) return status;
    const foi_flat_expr *const *arguments = x->arguments;
    uint32_t count = x->count;
    if (x->op == FOI_OP_IF || x->op == FOI_OP_AND || x->op == FOI_OP_OR) {
        good = push_task(l, x, &t, x->op == FOI_OP_IF ? CHOOSE : SECOND) &&
               push_task(l, arguments[0], &t, BEGIN);
        return good ? FO_OK : foi_equations_no_memory(l->e);
    }
    if (x->op == FOI_OP_RESULT) {
        uint32_t key[ARGUMENTS_KEY];
        arguments = x->call->arguments, count = x->call->function->input_count;
        arguments_key(l->e, x->call, &t, key);
        const foi_node *known = foi_memo_find(&l->e->memo, key, ARGUMENTS_KEY);
        if (known) return push_result(l, x, &t, known, known[count] != 0);
    }
    if (x->op == FOI_OP_CALL && x->builtin == FOI_FN_SMOOTH) {
        if (arguments[0]->number >= 1) t.smooth = true;
        arguments++, count = 1;
    }
    if (x->op == FOI_OP_CALL && x->builtin == FOI_FN_NO_EVENT) t.events = false;
    good = push_task(l, x, &t, FINISH);
    static const foi_flat_expr no_number = {.op = FOI_OP_LITERAL}; // of a text: see foi_lower_call
    for (uint32_t i = count; i-- > 0 && good;) {
        bool text = x->op == FOI_OP_RESULT && arguments[i]->type == FOI_STRING;
        task argument = t;
        // what is simplified is there for the start alone, where no relation is watched
        if (x->op == FOI_OP_CALL && x->builtin == FOI_FN_HOMOTOPY && i == 1)
            argument.events = false;
        good = push_task(l, text ? &no_number : arguments[i], &argument, BEGIN);
    }
    return good ? FO_OK : foi_equations_no_memory(l->e);
}

// Where the condition of an if is known only one branch is worked out: the other may be a call that
// would never end.
static fo_status choose(lowering *l, task t)
{
    const foi_flat_expr *const *arguments = t.expr->arguments;
    foi_node condition = l->values[l->value_count - 1].node;
    bool good;
    if (foi_is_constant(&l->e->g, condition)) {
        l->value_count--;
        bool yes = foi_constant_value(&l->e->g, condition) != 0;
        good = push_task(l, arguments[yes ? 1 : 2], &t, BEGIN);
    } else {
        foi_graph *g = &l->e->g;
        task yes = t, no = t;
        yes.where = foi_make(g, FOI_G_AND, t.where, condition, 0);
        no.where = foi_make(g, FOI_G_AND, t.where, foi_make(g, FOI_G_NOT, condition, 0, 0), 0);
        good = push_task(l, t.expr, &t, FINISH) && push_task(l, arguments[2], &no, BEGIN) &&
               push_task(l, arguments[1], &yes, BEGIN);
    }
    return good ? FO_OK : foi_equations_no_memory(l->e);
}

// The second argument of `and` is evaluated where the first is true, that of `or` where it is not.
static fo_status second(lowering *l, task t)
{
    foi_graph *g = &l->e->g;
    foi_node first = l->values[l->value_count - 1].node;
    task rest = t;
    if (t.expr->op == FOI_OP_OR) first = foi_make(g, FOI_G_NOT, first, 0, 0);
    rest.where = foi_make(g, FOI_G_AND, t.where, first, 0);
    bool good =
        push_task(l, t.expr, &t, FINISH) && push_task(l, t.expr->arguments[1], &rest, BEGIN);
    return good ? FO_OK : foi_equations_no_memory(l->e);
}

fo_status foi_lower(foi_equations *e, const foi_flat_expr *expr, bool events, foi_place place,
                    foi_node *node)
{
    lowering l = {.e = e, .place = place};
    task whole = {.events = events, .where = e->where};
    fo_status status = push_task(&l, expr, &whole, BEGIN) ? FO_OK : foi_equations_no_memory(e);
    while (status == FO_OK && l.task_count) {
        task t = l.tasks[--l.task_count];
        status = t.stage == FINISH   ? finish(&l, &t)
                 : t.stage == CHOOSE ? choose(&l, t)
                 : t.stage == SECOND ? second(&l, t)
                                     : begin_task(&l, t);
    }
    *node = status == FO_OK ? l.values[0].node : 0;
    foi_free(e->allocator, l.tasks);
    foi_free(e->allocator, l.values);
    if (status == FO_OK && e->g.failed) status = foi_equations_no_memory(e);
    return status;
}

// ------------------------------------------------------------------------------ what is watched

/// One node of what is watched, in one pass upwards.
typedef struct watched_node {
    foi_node node, becomes;
    bool moves; ///< changes between moments
} watched_node;

// They are in ascending order, and few of a graph that may be large.
static const watched_node *watched_at(const watched_node *list, size_t count, foi_node n)
{
    size_t low = 0;
    while (count > 1) {
        size_t half = count / 2;
        if (list[low + half].node <= n) low += half;
        count -= half;
    }
    return &list[low];
}

// What a node becomes, of the first `before` of which its arguments are.
static foi_node watched(lowering *l, const watched_node *list, size_t before)
{
    foi_graph *g = &l->e->g;
    foi_node n = list[before].node;
    foi_graph_node x = g->nodes[n];
    uint32_t arity = foi_op_arity((foi_op)x.op);
    if (x.op <= FOI_G_LEAF || !arity) return n;
    const uint32_t arguments[3] = {x.a, x.b, x.c};
    foi_node now[3] = {0};
    bool moving = false;
    for (uint32_t k = 0; k < arity; k++) {
        const watched_node *argument = watched_at(list, before, arguments[k]);
        now[k] = argument->becomes;
        if (k < 2) moving |= argument->moves;
    }
    foi_node a = now[0], b = now[1], c = now[2];
    bool relation = x.op >= FOI_G_LESS && x.op <= FOI_G_GREATER_EQUAL;
    if (relation && moving) return held(l, (foi_op)x.op, a, b);
    if (foi_rounds((foi_op)x.op) && moving) return held_rounding(l, (foi_op)x.op, a, b);
    return foi_make(g, (foi_op)x.op, a, b, c);
}

// What is held between moments, once it is watched.
static bool stands(const lowering *l, foi_op op)
{
    if (l->e->scope && l->e->scope->in_when) return false;
    if (op >= FOI_G_LESS && op <= FOI_G_GREATER_EQUAL) return true;
    if (op == FOI_G_EQUAL || op == FOI_G_NOT_EQUAL) return true; // but for no time
    return foi_rounds(op) && op != FOI_G_MOD && op != FOI_G_REM;
}

/// A walk to relations and roundings; there may be too many.
typedef struct search {
    foi_equations *e;
    uint32_t relations;
} search;

static foi_step to_relations(void *self, const foi_graph *g, foi_node n)
{
    search *s = self;
    foi_op op = (foi_op)g->nodes[n].op;
    if (!(foi_facts_of(s->e, n) & FOI_FACT_TURNS)) return FOI_STAY_ABOVE;
    s->relations += (op >= FOI_G_LESS && op <= FOI_G_GREATER_EQUAL) || foi_rounds(op);
    return s->relations > FOI_MOST_WATCHED ? FOI_GO_HOME : FOI_GO_BELOW;
}

fo_status foi_lower_watched(foi_equations *e, foi_place place, foi_node *node, bool *still)
{
    foi_graph *g = &e->g;
    lowering l = {.e = e, .place = place};
    search s = {e, 0};
    bool flows = foi_facts_of(e, *node) & FOI_FACT_FLOWS;
    if (!foi_graph_reach_guided(g, *node, to_relations, &s)) return foi_equations_no_memory(e);
    if (s.relations > FOI_MOST_WATCHED) {
        if (still) *still = flows;
        return FO_OK;
    }
    size_t count = g->list_count;
    watched_node *list = foi_new(e->allocator, count, sizeof *list);
    if (!list) return foi_equations_no_memory(e);
    for (size_t i = 0; i < count; i++) list[i].node = g->list[i];
    for (size_t i = 0; i < count; i++) {
        foi_node n = list[i].node;
        const foi_graph_node x = g->nodes[n];
        const uint32_t arguments[3] = {x.a, x.b, x.c};
        unsigned facts = foi_facts_of(e, n);
        list[i].becomes = n, list[i].moves = facts & FOI_FACT_FLOWS;
        if (!(facts & FOI_FACT_TURNS)) continue;
        bool moves = false;
        for (uint32_t k = 0; k < foi_op_arity((foi_op)x.op); k++)
            moves |= watched_at(list, i, arguments[k])->moves;
        list[i].becomes = watched(&l, list, i);
        list[i].moves = moves && !stands(&l, (foi_op)x.op);
    }
    if (still) *still = list[count - 1].moves;
    *node = list[count - 1].becomes;
    foi_free(e->allocator, list);
    return g->failed ? foi_equations_no_memory(e) : FO_OK;
}
