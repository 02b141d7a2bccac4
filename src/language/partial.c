/// Partial derivatives of functions: `function f_x = der(f, x)` (Modelica 3.6, section 12.7.2).
///
/// The derivative is a function that is written like f: beside each Real variable v stands one for
/// dv/dx, and before each assignment to v the one to it, by the rules of differentiation. So it is
/// what the text of f says, with its branches and loops, and can be differentiated again. What the
/// rules do not know is refused. NULL, as a derivative, is zero.
#include <string.h>

#include "language/session.h"

enum { DEEPEST = 200 };

/// A function while its derivative is written.
typedef struct writer {
    foi_session *s;
    foi_class *of, *to;
    const char *by;     ///< the input
    const char **names; ///< per member of `of`: what its derivative is called; NULL: it is none
    foi_class **calls;  ///< derivatives of functions that are called
    uint32_t call_count;
    int depth;
    bool failed;
} writer;

// ----------------------------------------------------------------------------- making expressions

static foi_ast *node(writer *w, foi_ast_kind kind, foi_place place, uint32_t count,
                     foi_ast *const *items)
{
    foi_ast *e = foi_arena_new(&w->s->arena, 1, sizeof *e);
    foi_ast **list = foi_arena_new(&w->s->arena, count + 1u, sizeof *list);
    if (!e || !list) return w->failed = true, NULL;
    *e = (foi_ast){.kind = kind, .place = place, .count = count, .items = list, .depth = 1};
    for (uint32_t i = 0; i < count; i++) {
        if (!items[i]) return w->failed = true, NULL;
        list[i] = items[i];
        if (list[i]->depth >= e->depth) e->depth = list[i]->depth + 1;
    }
    return e;
}

static foi_ast *number(writer *w, double value, foi_place place)
{
    foi_ast *e = node(w, FOI_AST_REAL, place, 0, NULL);
    if (e) e->number = value;
    return e;
}

static foi_ast *binary(writer *w, foi_flat_op op, const foi_ast *like, foi_ast *a, foi_ast *b)
{
    foi_ast *items[] = {a, b};
    foi_ast *e = node(w, FOI_AST_BINARY, like->place, 2, items);
    if (e) e->op = op, e->elementwise = like->elementwise;
    return e;
}

static foi_ast *times(writer *w, const foi_ast *like, foi_ast *a, foi_ast *b)
{
    return binary(w, FOI_OP_MULTIPLY, like, a, b);
}

static foi_ast *negated(writer *w, foi_ast *a)
{
    foi_ast *e = a ? node(w, FOI_AST_UNARY, a->place, 1, &a) : NULL;
    if (e) e->op = FOI_OP_NEGATE;
    return e;
}

static foi_ref *ref_to(writer *w, const char *name, const foi_part *like)
{
    foi_part *part = foi_arena_new(&w->s->arena, 1, sizeof *part);
    foi_ref *ref = foi_arena_new(&w->s->arena, 1, sizeof *ref);
    if (!part || !ref || !name) return w->failed = true, NULL;
    *part = *like, part->name = name;
    *ref = (foi_ref){.parts = part, .count = 1, .place = like->place};
    return ref;
}

static foi_ast *call_of(writer *w, const char *name, foi_place place, uint32_t count,
                        foi_ast *const *items)
{
    foi_ast *e = node(w, FOI_AST_CALL, place, count, items);
    if (e) e->ref = ref_to(w, foi_name(w->s, name), &(foi_part){.place = place});
    return e;
}

static foi_ast *unknown(writer *w, foi_place place, const char *what)
{
    if (!w->failed)
        foi_error(w->s, place, "the derivative of '%s' by '%s' is not known: %s", w->of->name,
                  w->by, what);
    w->failed = true;
    return NULL;
}

// May it be an array? Then its power is one of matrices.
static bool may_be_array(const writer *w, const foi_ast *e)
{
    if (e->kind == FOI_AST_ARRAY || e->kind == FOI_AST_MATRIX || e->kind == FOI_AST_PICK)
        return true;
    for (uint32_t i = 0; e->kind == FOI_AST_REF && i < w->of->member_count; i++) {
        const foi_declaration *d = w->of->members[i].declaration;
        if (d->name != e->ref->parts[0].name) continue;
        return e->ref->parts[0].count < d->rank || foi_type_rank(d->resolved) > 0;
    }
    for (uint32_t i = 0; e->kind != FOI_AST_CALL && i < e->count; i++)
        if (e->items[i] && may_be_array(w, e->items[i])) return true;
    return false;
}

// Zero, of the size of what has no derivative.
static foi_ast *zero_like(writer *w, foi_ast *e)
{
    const foi_ast like = {.kind = FOI_AST_BINARY, .place = e->place};
    foi_ast *zero = number(w, 0, e->place);
    bool call = e->kind == FOI_AST_CALL;
    if (call) call = foi_scalar_function(e->ref->parts[e->ref->count - 1].name) == FOI_FN_COUNT;
    return call || may_be_array(w, e) ? times(w, &like, zero, e) : zero;
}

// ------------------------------------------------------------------------------------- rules

static foi_ast *rate(writer *w, const foi_ast *e);

// The derivatives of all items, zeros for those that have none; NULL: all are zero.
static foi_ast **rates(writer *w, const foi_ast *e)
{
    foi_ast **list = foi_arena_new(&w->s->arena, e->count + 1u, sizeof *list);
    bool any = false;
    if (!list) return w->failed = true, NULL;
    for (uint32_t i = 0; i < e->count && !w->failed; i++)
        if (e->items[i] && (list[i] = rate(w, e->items[i]))) any = true;
    if (!any || w->failed) return NULL;
    for (uint32_t i = 0; i < e->count; i++)
        if (!list[i] && e->items[i]) list[i] = zero_like(w, e->items[i]);
    return list;
}

static foi_ast *rate_of_items(writer *w, const foi_ast *e)
{
    foi_ast **list = rates(w, e);
    foi_ast *d = list ? node(w, e->kind, e->place, e->count, list) : NULL;
    if (!d) return NULL;
    d->iterators = e->iterators, d->iterator_count = e->iterator_count;
    return d;
}

static foi_ast *rate_of_ref(writer *w, const foi_ast *e)
{
    const foi_part *part = &e->ref->parts[0];
    if (part->name == w->by && e->ref->count == 1) return number(w, 1, e->place);
    for (uint32_t i = 0; i < w->of->member_count; i++) {
        if (w->of->members[i].declaration->name != part->name || !w->names[i]) continue;
        foi_ast *d = node(w, FOI_AST_REF, e->place, 0, NULL);
        if (d) d->ref = ref_to(w, w->names[i], part);
        return d;
    }
    return NULL;
}

static foi_ast *rate_of_power(writer *w, const foi_ast *e)
{
    foi_ast *a = e->items[0], *b = e->items[1], *da = rate(w, a), *db = rate(w, b);
    if (w->failed || (!da && !db)) return NULL;
    if (!e->elementwise && may_be_array(w, a)) return unknown(w, e->place, "it has a matrix power");
    if (!db) { // b a^(b - 1) da
        foi_ast *less = binary(w, FOI_OP_SUBTRACT, e, b, number(w, 1, e->place));
        return times(w, e, times(w, e, b, binary(w, FOI_OP_POWER, e, a, less)), da);
    }
    foi_ast *log = call_of(w, "log", e->place, 1, &a); // a^b (db log(a) + b da/a)
    foi_ast *sum = times(w, e, db, log);
    if (da) sum = binary(w, FOI_OP_ADD, e, sum, binary(w, FOI_OP_DIVIDE, e, times(w, e, b, da), a));
    return times(w, e, binary(w, FOI_OP_POWER, e, a, b), sum);
}

static foi_ast *rate_of_binary(writer *w, const foi_ast *e)
{
    bool linear = e->op == FOI_OP_ADD || e->op == FOI_OP_SUBTRACT;
    if (e->op == FOI_OP_POWER) return rate_of_power(w, e);
    if (!linear && e->op != FOI_OP_MULTIPLY && e->op != FOI_OP_DIVIDE) return NULL;
    foi_ast *a = e->items[0], *b = e->items[1], *da = rate(w, a), *db = rate(w, b);
    if (w->failed || (!da && !db)) return NULL;
    if (linear) {
        if (e->elementwise && !da) da = zero_like(w, a); // a number may be added to each element
        if (e->elementwise && !db) db = zero_like(w, b);
        if (da && db) return binary(w, e->op, e, da, db);
        return da ? da : e->op == FOI_OP_SUBTRACT ? negated(w, db) : db;
    }
    foi_ast *first = da ? binary(w, e->op, e, da, b) : NULL, *second = NULL;
    if (db && e->op == FOI_OP_MULTIPLY) second = times(w, e, a, db);
    if (db && e->op == FOI_OP_DIVIDE) // a db/b^2 is taken off
        second = binary(w, FOI_OP_DIVIDE, e, binary(w, FOI_OP_DIVIDE, e, times(w, e, a, db), b), b);
    if (!second) return first;
    if (!first) return e->op == FOI_OP_DIVIDE ? negated(w, second) : second;
    return binary(w, e->op == FOI_OP_DIVIDE ? FOI_OP_SUBTRACT : FOI_OP_ADD, e, first, second);
}

static foi_ast *rate_of_choice(writer *w, const foi_ast *e)
{
    foi_ast **list = foi_arena_new(&w->s->arena, e->count + 1u, sizeof *list);
    bool any = false;
    for (uint32_t i = 0; list && i < e->count && !w->failed; i++) {
        bool condition = i % 2 == 0 && i + 1 < e->count;
        list[i] = condition ? e->items[i] : rate(w, e->items[i]);
        any |= !condition && list[i];
    }
    if (!list) w->failed = true;
    if (!any || w->failed) return NULL;
    for (uint32_t i = 0; i < e->count; i++)
        if (!list[i]) list[i] = zero_like(w, e->items[i]);
    return node(w, FOI_AST_IF, e->place, e->count, list);
}

// ------------------------------------------------------------------------------------- calls

static foi_ast *squared(writer *w, const foi_ast *like, foi_ast *a)
{
    return times(w, like, a, a);
}

// The derivative of a built-in function of one argument by that; NULL: it has none, or is a step.
static foi_ast *outer_rate(writer *w, foi_flat_builtin f, const foi_ast *e, foi_ast *x)
{
    const foi_ast like = {.kind = FOI_AST_BINARY, .place = e->place, .elementwise = true};
    foi_ast *one = number(w, 1, e->place), *two = number(w, 2, e->place);
    foi_ast *self = call_of(w, foi_flat_builtin_name(f), e->place, 1, &x);
    foi_ast *square = squared(w, &like, x);
    switch (f) {
    case FOI_FN_SIN: return call_of(w, "cos", e->place, 1, &x);
    case FOI_FN_COS: return negated(w, call_of(w, "sin", e->place, 1, &x));
    case FOI_FN_TAN: return binary(w, FOI_OP_ADD, &like, one, squared(w, &like, self));
    case FOI_FN_SINH: return call_of(w, "cosh", e->place, 1, &x);
    case FOI_FN_COSH: return call_of(w, "sinh", e->place, 1, &x);
    case FOI_FN_TANH: return binary(w, FOI_OP_SUBTRACT, &like, one, squared(w, &like, self));
    case FOI_FN_EXP: return self;
    case FOI_FN_LOG: return binary(w, FOI_OP_DIVIDE, &like, one, x);
    case FOI_FN_LOG10:
        return binary(w, FOI_OP_DIVIDE, &like, number(w, 0.43429448190325182, e->place), x);
    case FOI_FN_SQRT: return binary(w, FOI_OP_DIVIDE, &like, one, times(w, &like, two, self));
    case FOI_FN_ATAN:
        return binary(w, FOI_OP_DIVIDE, &like, one, binary(w, FOI_OP_ADD, &like, one, square));
    case FOI_FN_ASIN:
    case FOI_FN_ACOS: {
        foi_ast *inside = binary(w, FOI_OP_SUBTRACT, &like, one, square);
        foi_ast *d = binary(w, FOI_OP_DIVIDE, &like, one, call_of(w, "sqrt", e->place, 1, &inside));
        return f == FOI_FN_ACOS ? negated(w, d) : d;
    }
    case FOI_FN_ABS: return call_of(w, "sign", e->place, 1, &x);
    default: return NULL;
    }
}

static bool is_step(const char *name)
{
    static const char *const steps[] = {"floor", "ceil", "integer", "sign", "div", "size", "ndims"};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (strcmp(name, steps[i]) == 0) return true;
    return false;
}

static foi_ast *two_choices(writer *w, const foi_ast *e, foi_flat_op op, foi_ast *const *d)
{
    const foi_ast like = {.kind = FOI_AST_BINARY, .place = e->place};
    foi_ast *items[] = {binary(w, op, &like, e->items[0], e->items[1]), d[0], d[1]};
    return node(w, FOI_AST_IF, e->place, 3, items);
}

// What is made of arrays, and is linear in some of the arguments: those from `first` on.
static foi_ast *rate_of_arrays(writer *w, const foi_ast *e, const char *name, foi_ast *const *d)
{
    static const struct {
        const char *name;
        uint32_t first, end;
    } linear[] = {{"sum", 0, 1},    {"transpose", 0, 1}, {"noEvent", 0, 1},
                  {"vector", 0, 1}, {"scalar", 0, 1},    {"matrix", 0, 1},
                  {"skew", 0, 1},   {"diagonal", 0, 1},  {"symmetric", 0, 1},
                  {"fill", 0, 1},   {"linspace", 0, 2},  {"cat", 1, UINT32_MAX}};
    for (size_t i = 0; i < sizeof linear / sizeof *linear; i++) {
        if (strcmp(name, linear[i].name) != 0) continue;
        foi_ast **items = foi_arena_new(&w->s->arena, e->count + 1u, sizeof *items);
        for (uint32_t k = 0; items && k < e->count; k++)
            items[k] = k >= linear[i].first && k < linear[i].end ? d[k] : e->items[k];
        foi_ast *all = items ? call_of(w, name, e->place, e->count, items) : NULL;
        if (all) all->iterators = e->iterators, all->iterator_count = e->iterator_count;
        return all;
    }
    if (e->count != 2 || (strcmp(name, "cross") != 0 && strcmp(name, "outerProduct") != 0))
        return NULL;
    const foi_ast like = {.kind = FOI_AST_BINARY, .place = e->place};
    foi_ast *one[] = {d[0], e->items[1]}, *other[] = {e->items[0], d[1]};
    return binary(w, FOI_OP_ADD, &like, call_of(w, name, e->place, 2, one),
                  call_of(w, name, e->place, 2, other));
}

// x - k y, where k is a whole number of steps.
static foi_ast *rate_of_rest(writer *w, const foi_ast *e, const char *name, foi_ast *const *d)
{
    const foi_ast like = {.kind = FOI_AST_BINARY, .place = e->place, .elementwise = true};
    foi_ast *ratio = binary(w, FOI_OP_DIVIDE, &like, e->items[0], e->items[1]);
    foi_ast *steps = strcmp(name, "mod") == 0 ? call_of(w, "floor", e->place, 1, &ratio)
                                              : call_of(w, "div", e->place, 2, e->items);
    return binary(w, FOI_OP_SUBTRACT, &like, d[0], times(w, &like, steps, d[1]));
}

static foi_ast *rate_of_builtin(writer *w, const foi_ast *e, const char *name)
{
    foi_flat_builtin f = foi_scalar_function(name);
    if (is_step(name)) return NULL;
    foi_ast **d = rates(w, e);
    if (!d || w->failed) return NULL;
    const foi_ast like = {.kind = FOI_AST_BINARY, .place = e->place, .elementwise = true};
    foi_ast *arrays = e->names ? NULL : rate_of_arrays(w, e, name, d);
    if (arrays || w->failed) return arrays;
    if (strcmp(name, "smooth") == 0 && e->count == 2) return d[1];
    if (e->iterator_count || e->names) return unknown(w, e->place, "a call has no rule");
    if (e->count == 2 && (strcmp(name, "mod") == 0 || strcmp(name, "rem") == 0))
        return rate_of_rest(w, e, name, d);
    if (e->count == 2 && strcmp(name, "min") == 0) return two_choices(w, e, FOI_OP_LESS_EQUAL, d);
    if (e->count == 2 && strcmp(name, "max") == 0)
        return two_choices(w, e, FOI_OP_GREATER_EQUAL, d);
    if (e->count == 2 && strcmp(name, "atan2") == 0) { // (x dy - y dx)/(x^2 + y^2)
        foi_ast *y = e->items[0], *x = e->items[1];
        foi_ast *top =
            binary(w, FOI_OP_SUBTRACT, &like, times(w, &like, x, d[0]), times(w, &like, y, d[1]));
        return binary(w, FOI_OP_DIVIDE, &like, top,
                      binary(w, FOI_OP_ADD, &like, squared(w, &like, x), squared(w, &like, y)));
    }
    bool one = e->count == 1 && f != FOI_FN_COUNT;
    foi_ast *outer = one ? outer_rate(w, f, e, e->items[0]) : NULL;
    return outer ? times(w, &like, outer, d[0]) : unknown(w, e->place, "a call has no rule");
}

// The name of der(f, input) among the classes of what is written.
static const char *called(writer *w, const foi_ast *e, const char *input)
{
    char name[200];
    foi_class *c = foi_arena_new(&w->s->arena, 1, sizeof *c);
    foi_class **slot = foi_arena_add(&w->s->arena, &w->calls, &w->call_count, sizeof *slot);
    const char **by = foi_arena_new(&w->s->arena, 1, sizeof *by);
    foi_extends *base = foi_arena_new(&w->s->arena, 1, sizeof *base);
    if (!c || !slot || !by || !base) return w->failed = true, NULL;
    snprintf(name, sizeof name, "(derivative %u)", ++w->s->partials);
    *by = input, *base = (foi_extends){.base = e->ref, .place = e->place};
    *c = (foi_class){.kind = FOI_CLASS_FUNCTION, .name = foi_name(w->s, name), .place = e->place};
    c->is_short = true, c->extends = base, c->extends_count = 1;
    c->enclosing = w->to, c->by = by, c->by_count = 1;
    *slot = c;
    return c->name;
}

// sum of df/da da over the arguments.
static foi_ast *rate_of_function(writer *w, const foi_ast *e)
{
    foi_ast **d = rates(w, e), *sum = NULL;
    if (!d || w->failed) return NULL;
    foi_class *c = foi_find_class(w->s, w->of, e->ref, "function");
    if (!c || !foi_analyse(w->s, c)) return w->failed = true, NULL;
    if (c->kind != FOI_CLASS_FUNCTION)
        return unknown(w, e->place, "it makes a record of what depends on it");
    uint32_t at = 0;
    for (uint32_t i = 0; i < c->member_count && !w->failed; i++) {
        const foi_declaration *input = c->members[i].declaration;
        if (input->causality != FOI_INPUT) continue;
        const foi_ast *given = foi_call_argument(e, at++, input->name);
        foi_ast *da = given ? rate(w, given) : NULL;
        if (!da) continue;
        foi_ast *part = node(w, FOI_AST_CALL, e->place, e->count, e->items);
        const char *name = called(w, e, input->name);
        if (!part || !name) return NULL;
        part->names = e->names, part->ref = ref_to(w, name, &(foi_part){.place = e->place});
        const foi_ast like = {.kind = FOI_AST_BINARY, .place = e->place};
        part = times(w, &like, part, da);
        sum = sum ? binary(w, FOI_OP_ADD, &like, sum, part) : part;
    }
    return sum;
}

static foi_ast *rate_of_call(writer *w, const foi_ast *e)
{
    const foi_ref *ref = e->ref;
    const char *name = ref->parts[ref->count - 1].name;
    bool math = ref->count == 3 && strcmp(ref->parts[0].name, "Modelica") == 0 &&
                strcmp(ref->parts[1].name, "Math") == 0;
    for (uint32_t i = 0; i < e->iterator_count; i++)
        if (e->iterators[i].range && rate(w, e->iterators[i].range))
            return unknown(w, e->place, "a loop runs over what depends on it");
    if (math && foi_scalar_function(name) != FOI_FN_COUNT) return rate_of_builtin(w, e, name);
    if (ref->count > 1 || foi_lookup(w->s, w->of, name).c) return rate_of_function(w, e);
    return rate_of_builtin(w, e, name);
}

static foi_ast *rate(writer *w, const foi_ast *e)
{
    if (w->failed) return NULL;
    if (++w->depth > DEEPEST) unknown(w, e->place, "its expressions are nested too deep");
    foi_ast *d = NULL;
    if (!w->failed) switch (e->kind) {
        case FOI_AST_REF: d = rate_of_ref(w, e); break;
        case FOI_AST_CALL: d = rate_of_call(w, e); break;
        case FOI_AST_BINARY: d = rate_of_binary(w, e); break;
        case FOI_AST_IF: d = rate_of_choice(w, e); break;
        case FOI_AST_UNARY:
            d = e->op == FOI_OP_NOT ? NULL : rate(w, e->items[0]);
            if (d && e->op == FOI_OP_NEGATE) d = negated(w, d);
            break;
        case FOI_AST_TUPLE:
            if (e->count == 1) d = rate(w, e->items[0]);
            break;
        case FOI_AST_ARRAY:
            for (uint32_t i = 0; i < e->iterator_count; i++)
                if (e->iterators[i].range && rate(w, e->iterators[i].range))
                    unknown(w, e->place, "a loop runs over what depends on it");
            d = rate_of_items(w, e);
            break;
        case FOI_AST_MATRIX:
        case FOI_AST_ROW: d = rate_of_items(w, e); break;
        case FOI_AST_PICK:
        case FOI_AST_RANGE:
        case FOI_AST_FUNCTION:
            for (uint32_t i = 0; i < e->count && !w->failed; i++)
                if (e->items[i] && rate(w, e->items[i])) unknown(w, e->place, "a part has no rule");
            break;
        default: break;
        }
    w->depth--;
    return w->failed ? NULL : d;
}

// ------------------------------------------------------------------------------------ statements

/// Statements while they are made.
typedef struct list {
    foi_equation_ast **items;
    uint32_t count;
} list;

static bool add(writer *w, list *to, foi_equation_ast *e)
{
    foi_equation_ast **slot = foi_arena_add(&w->s->arena, &to->items, &to->count, sizeof *slot);
    if (!slot) return !(w->failed = true);
    *slot = e;
    return true;
}

// der(v) := de before v := e.
static bool assign_rate(writer *w, const foi_equation_ast *e, list *to)
{
    foi_ast *d = rate(w, e->right);
    if (w->failed) return false;
    if (e->left->kind != FOI_AST_REF) {
        if (d) unknown(w, e->place, "results of one call are assigned together");
        return !w->failed;
    }
    foi_ast *target = rate_of_ref(w, e->left);
    if (d && (!target || e->left->ref->count > 1)) {
        for (uint32_t i = 0; i < w->of->member_count; i++) {
            const foi_declaration *m = w->of->members[i].declaration;
            bool whole = m->resolved && m->resolved->builtin; // an Integer steps
            if (m->name == e->left->ref->parts[0].name && !whole)
                unknown(w, e->place, "a record depends on it");
        }
        return !w->failed;
    }
    if (!target) return !w->failed;
    if (!d) { // zero, of the same size
        const foi_ast like = {.kind = FOI_AST_BINARY, .place = e->place};
        d = may_be_array(w, e->left) ? times(w, &like, number(w, 0, e->place), e->right)
                                     : number(w, 0, e->place);
    }
    foi_equation_ast *more = foi_arena_new(&w->s->arena, 1, sizeof *more);
    if (!more || w->failed) return !(w->failed = true);
    *more = *e, more->left = target, more->right = d;
    return add(w, to, more);
}

static bool statements(writer *w, foi_equation_ast *const *items, uint32_t count, list *to);

static bool nested(writer *w, const foi_equation_ast *e, list *to)
{
    foi_equation_ast *copy = foi_arena_new(&w->s->arena, 1, sizeof *copy);
    foi_branch_ast *branches = foi_arena_new(&w->s->arena, e->branch_count + 1u, sizeof *branches);
    if (!copy || !branches) return !(w->failed = true);
    for (uint32_t i = 0; i < e->iterator_count; i++)
        if (e->iterators[i].range && rate(w, e->iterators[i].range))
            unknown(w, e->place, "a loop runs over what depends on it");
    for (uint32_t b = 0; b < e->branch_count && !w->failed; b++) {
        list body = {0};
        branches[b] = e->branches[b];
        if (!statements(w, e->branches[b].body, e->branches[b].count, &body)) return false;
        branches[b].body = body.items, branches[b].count = body.count;
    }
    *copy = *e, copy->branches = branches;
    return !w->failed && add(w, to, copy);
}

static bool statements(writer *w, foi_equation_ast *const *items, uint32_t count, list *to)
{
    if (++w->depth > DEEPEST) return unknown(w, items[0]->place, "it is nested too deep"), false;
    for (uint32_t i = 0; i < count && !w->failed; i++) {
        if (items[i]->branch_count) {
            nested(w, items[i], to);
        } else {
            if (items[i]->kind == FOI_EQ_EQUAL) assign_rate(w, items[i], to);
            if (!w->failed) add(w, to, items[i]);
        }
    }
    w->depth--;
    return !w->failed;
}

// ------------------------------------------------------------------------------------ the function

static bool declare(writer *w, const foi_declaration *like)
{
    foi_declaration *d = foi_arena_new(&w->s->arena, 1, sizeof *d);
    foi_declaration **slot =
        foi_arena_add(&w->s->arena, &w->to->declarations, &w->to->declaration_count, sizeof *slot);
    if (!d || !slot) return !(w->failed = true);
    *d = *like, d->owner = w->to, d->resolved = NULL;
    *slot = d;
    return true;
}

// What stands for dv/dx: a result where v is one.
static bool declare_rate(writer *w, uint32_t at)
{
    foi_declaration d = *w->of->members[at].declaration;
    const foi_ast *value = d.modifier ? d.modifier->value : NULL;
    foi_ast *dv = value ? rate(w, value) : NULL;
    foi_modifier *m = dv ? foi_arena_new(&w->s->arena, 1, sizeof *m) : NULL;
    if (m) *m = (foi_modifier){.value = dv, .place = d.modifier->place};
    if (!foi_type_rank(d.resolved))
        d.type = ref_to(w, foi_name(w->s, "Real"), &(foi_part){.place = d.place});
    d.name = w->names[at], d.modifier = d.kept = m;
    d.description = NULL, d.annotation = NULL;
    return !w->failed && declare(w, &d);
}

static bool declare_all(writer *w)
{
    for (uint32_t i = 0; i < w->of->member_count && !w->failed; i++) {
        foi_declaration d = *w->of->members[i].declaration;
        if (w->names[i] && !declare_rate(w, i)) return false;
        if (d.causality == FOI_OUTPUT) d.causality = FOI_INTERNAL, d.is_protected = true;
        declare(w, &d);
    }
    return !w->failed;
}

// Which variables have derivatives; the input must be one number.
static bool name_rates(writer *w, foi_place place)
{
    foi_class *f = w->of;
    bool found = false, result = false;
    w->names = foi_arena_new(&w->s->arena, f->member_count + 1u, sizeof *w->names);
    if (!w->names) return !(w->failed = true);
    for (uint32_t i = 0; i < f->member_count; i++) {
        foi_declaration *d = f->members[i].declaration;
        if (!d->resolved) d->resolved = foi_find_class(w->s, d->owner, d->type, "type");
        if (!d->resolved || !foi_analyse(w->s, d->resolved)) return !(w->failed = true);
        bool real = d->resolved->builtin == w->s->real && d->variability > FOI_CONSTANT;
        bool input = d->causality == FOI_INPUT;
        if (input && d->name == w->by) found = real && !d->rank && !foi_type_rank(d->resolved);
        if (!real || input) continue;
        char name[200];
        int n = snprintf(name, sizeof name, "der(%.90s, %.60s)", d->name, w->by);
        // of der(f, x, x): other ones than those which f has already
        while (foi_find_member(f, foi_name(w->s, name)) && n + 2 < (int)sizeof name)
            name[n++] = '\'', name[n] = 0;
        if (!(w->names[i] = foi_name(w->s, name))) return !(w->failed = true);
        result |= d->causality == FOI_OUTPUT;
    }
    if (!found)
        return foi_error(w->s, place, "'%s' is no input of function '%s' that is one Real", w->by,
                         f->name);
    return result || foi_error(w->s, place, "function '%s' has no result of type Real", f->name);
}

static bool write_body(writer *w)
{
    const foi_class *f = w->of;
    foi_section *section = foi_arena_new(&w->s->arena, 1, sizeof *section);
    list all = {0};
    if (!section) return false;
    for (uint32_t i = 0; i < f->section_count; i++)
        if (!statements(w, f->sections[i].items, f->sections[i].count, &all)) return false;
    *section = (foi_section){.algorithm = true, .place = w->to->place};
    section->items = all.items, section->count = all.count;
    w->to->sections = section, w->to->section_count = 1;
    return true;
}

// The derivative by one input, which is kept with what it is derived from.
static foi_class *by_input(foi_session *s, const char *name, foi_class *f, const char *by,
                           foi_place place)
{
    for (uint32_t i = 0; i < f->derivative_count; i++)
        if (f->derivatives[i].by == by) return f->derivatives[i].c;
    foi_class *c = foi_arena_new(&s->arena, 1, sizeof *c);
    if (!c) return NULL;
    *c = (foi_class){
        .kind = FOI_CLASS_FUNCTION, .name = name, .place = f->place, .enclosing = f, .origin = c};
    writer w = {.s = s, .of = f, .to = c, .by = by};
    if (!name_rates(&w, place) || !declare_all(&w) || !write_body(&w)) return NULL;
    c->classes = w.calls, c->class_count = w.call_count;
    foi_derivative *slot =
        foi_arena_add(&s->arena, &f->derivatives, &f->derivative_count, sizeof *slot);
    if (!slot) return NULL;
    *slot = (foi_derivative){by, c};
    return c;
}

// Another name for a function is that function.
static foi_class *without_names(foi_session *s, foi_class *f)
{
    for (int depth = 0; f && depth < FOI_DEEPEST_MODEL; depth++) {
        if (!foi_analyse(s, f)) return NULL;
        if (!f->is_short || f->extends_count != 1 || f->extends->modifier) return f;
        f = f->extends->resolved;
    }
    return f;
}

foi_class *foi_derivative_of_function(foi_session *s, foi_class *c, foi_class *f)
{
    foi_place place = c->extends->base->place;
    if (f->kind != FOI_CLASS_FUNCTION || c->kind != FOI_CLASS_FUNCTION)
        return foi_error(s, place, "only functions have partial derivatives"), NULL;
    // one that is written in a model has the constants of the model that inherits it
    if (c->around && !f->around && f->enclosing && f->enclosing->kind != FOI_CLASS_PACKAGE &&
        foi_as_base(c->around, f->enclosing))
        f = foi_specialise(s, f, c->around, f->overrides, f->override_count);
    for (uint32_t i = 0; f && i < c->by_count; i++) {
        if (!(f = without_names(s, f))) return NULL;
        if (f->partial || f->ancestor_count > 1 || foi_external_of(f))
            return foi_error(s, place, "the derivative of '%s' is not known: it %s", f->name,
                             f->partial              ? "is partial"
                             : f->ancestor_count > 1 ? "extends another function"
                                                     : "is external code"),
                   NULL;
        f = by_input(s, c->name, f, c->by[i], place);
    }
    return f;
}
