/// Units: what is added, compared, equated, assigned or handed over must have one dimension.
///
/// What has no unit is unknown: a number, a variable without the attribute, a result of a function
/// that has none, sin(x) (which is often meant as 1 V of it), time (which x = time takes for a
/// number), a unit that cannot be read. A product with something unknown is unknown; a sum has the
/// unit of what is known of it. Only where both sides are known is there something to say, and only
/// in what the user has written: libraries have constants in the manner of unitTorque.
///
/// A variable without a unit gets the one that an equation gives it: v = F, der(x) = v, v = F + G,
/// where the rest is known and has a dimension. Nothing is inferred through a product, since
/// numbers may have units that are not said, nor for parameters, nor in an algorithm, where one
/// variable may be used for this and that, nor through connections: one source of signals may drive
/// inputs of several kinds.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "language/dimension.h"
#include "language/session.h"

enum { MOST_NODES = 5000, DEEPEST = 200 };

typedef foi_dimension unit;

/// Two units that must be one and are not; the first that were found in an expression.
typedef struct clash {
    const foi_session *s;
    bool found;
    unit a, b;
    const char *where;
    const foi_flat_variable *formal; ///< of a function, which is called with it; otherwise NULL
    const foi_flat_function *function;
} clash;

static const char in_sum[] = "in one sum or choice", in_relation[] = "in one relation";

static bool is_own(const foi_session *s, foi_place place)
{
    return place.line && place.file < s->source_count && !s->sources[place.file].library;
}

// ------------------------------------------------------------------------- units of expressions

static unit joined(unit a, unit b, const char *where, clash *c)
{
    if (a.known && b.known && !foi_same_dimension(&a, &b) && !c->found)
        c->found = true, c->a = a, c->b = b, c->where = where;
    return a.known ? a : b;
}

static unit product(unit a, unit b, double power)
{
    unit u = {.known = a.known && b.known};
    for (int i = 0; i < FOI_UNIT_BASES; i++) u.e[i] = a.e[i] + power * b.e[i];
    return u;
}

static unit raised(unit a, double power)
{
    for (int i = 0; i < FOI_UNIT_BASES; i++) a.e[i] *= power;
    a.text = NULL;
    return a;
}

static const unit second = {.known = true, .e = {0, 0, 1}};

static bool has_unit(const foi_flat_variable *v)
{
    return v->unit && *v->unit;
}

static const char *own_unit(const foi_flat_variable *v)
{
    return has_unit(v) ? v->unit : v->inferred;
}

static unit unit_of(const foi_flat_expr *x, int depth, clash *c);

static unit of_all(const foi_flat_expr *x, const char *where, int depth, clash *c)
{
    unit u = {0};
    for (uint32_t i = 0; i < x->count; i++)
        u = joined(u, unit_of(x->arguments[i], depth, c), where, c);
    return u;
}

// What is not compared may have in it what is.
static unit unknown(const foi_flat_expr *x, int depth, clash *c)
{
    for (uint32_t i = 0; i < x->count; i++) unit_of(x->arguments[i], depth, c);
    return (unit){0};
}

static unit of_builtin(const foi_flat_expr *x, int depth, clash *c)
{
    switch (x->builtin) {
    case FOI_FN_DER: return product(unit_of(x->arguments[0], depth, c), second, -1);
    case FOI_FN_PRE:
    case FOI_FN_NO_EVENT:
    case FOI_FN_DELAY:
    case FOI_FN_HOMOTOPY:
    case FOI_FN_ABS: return unit_of(x->arguments[0], depth, c);
    case FOI_FN_SMOOTH: return unit_of(x->arguments[1], depth, c);
    case FOI_FN_SQRT: return raised(unit_of(x->arguments[0], depth, c), 0.5);
    case FOI_FN_MIN:
    case FOI_FN_MAX: return of_all(x, in_sum, depth, c);
    default: return unknown(x, depth, c);
    }
}

// A call of a function of the model. A formal without a unit takes anything.
static unit of_result(const foi_flat_expr *x, int depth, clash *c)
{
    const foi_flat_call *call = x->call;
    const foi_flat_function *f = call->function;
    bool looked_at = f->locals && is_own(c->s, call->place); // no locals: its body is wrong
    for (uint32_t i = 0; i < f->input_count; i++) {
        unit given = unit_of(call->arguments[i], depth, c), wanted = {0};
        if (!looked_at || c->found || f->locals[i]->type != FOI_REAL) continue;
        wanted = foi_read_unit(f->locals[i]->unit);
        joined(given, wanted, NULL, c);
        if (c->found) c->formal = f->locals[i], c->function = f;
    }
    if (!f->locals) return (unit){0};
    return foi_read_unit(f->locals[f->input_count + x->result]->unit);
}

static unit of_element(const foi_flat_expr *x, int depth, clash *c)
{
    const foi_flat_array *a = x->array;
    unit u = {0};
    unknown(x, depth, c); // of the subscripts
    for (uint32_t i = 0; i < a->count; i++) {
        unit one = foi_read_unit(own_unit(a->elements[i]));
        if (!one.known || (i && !foi_same_dimension(&u, &one))) return (unit){0};
        u = one;
    }
    return u;
}

static unit unit_of(const foi_flat_expr *x, int depth, clash *c)
{
    const foi_flat_expr *const *a = x->arguments;
    if (++depth > DEEPEST) return (unit){0};
    if (x->op >= FOI_OP_LESS && x->op <= FOI_OP_NOT_EQUAL)
        return of_all(x, in_relation, depth, c), (unit){0};
    if (x->op == FOI_OP_RESULT) return of_result(x, depth, c);
    if (x->type != FOI_REAL) return unknown(x, depth, c);
    switch (x->op) {
    case FOI_OP_VARIABLE: return foi_read_unit(own_unit(x->variable));
    case FOI_OP_ELEMENT: return of_element(x, depth, c);
    case FOI_OP_NEGATE: return unit_of(a[0], depth, c);
    case FOI_OP_ADD:
    case FOI_OP_SUBTRACT: return of_all(x, in_sum, depth, c);
    case FOI_OP_MULTIPLY: return product(unit_of(a[0], depth, c), unit_of(a[1], depth, c), 1);
    case FOI_OP_DIVIDE: return product(unit_of(a[0], depth, c), unit_of(a[1], depth, c), -1);
    case FOI_OP_POWER:
        if (a[1]->op != FOI_OP_LITERAL) return unknown(x, depth, c);
        return raised(unit_of(a[0], depth, c), a[1]->number);
    case FOI_OP_IF:
        unit_of(a[0], depth, c);
        return joined(unit_of(a[1], depth, c), unit_of(a[2], depth, c), in_sum, c);
    case FOI_OP_CALL: return of_builtin(x, depth, c);
    default: return (unit){0};
    }
}

// ---------------------------------------------------------------------------------------- checks

/// Two sides that must have one unit; `right` NULL: only what is in the left one is looked at.
typedef foi_alike sides;

static bool is_looked_at(const foi_session *s, const sides *e)
{
    return is_own(s, e->place) && e->left->size + (e->right ? e->right->size : 0) <= MOST_NODES;
}

// A variable whose unit follows from another equation; NULL: there is none.
static const foi_flat_variable *inferred_in(const foi_flat_expr *x, int depth)
{
    const foi_flat_variable *v = x && x->op == FOI_OP_VARIABLE ? x->variable : NULL;
    if (v) return v->inferred && !has_unit(v) ? v : NULL;
    for (uint32_t i = 0; x && ++depth <= DEEPEST && i < x->count && !v; i++)
        v = inferred_in(x->arguments[i], depth);
    return v;
}

static bool report(foi_session *s, const sides *e, const clash *c)
{
    char one[80], other[80], why[200] = "";
    const foi_flat_variable *v = inferred_in(e->left, 0);
    if (!v) v = inferred_in(e->right, 0);
    if (v)
        snprintf(why, sizeof why, "; `%.60s` has no unit of its own: line %u gives it '%.60s'",
                 v->name, (unsigned)v->inferred_by, v->inferred);
    const char *a = foi_unit_text(&c->a, one, sizeof one);
    const char *b = foi_unit_text(&c->b, other, sizeof other);
    if (c->formal)
        return foi_error(s, e->place,
                         "units do not fit: the argument '%.60s' of '%.80s' has '%s', it is called "
                         "with '%s'%s",
                         c->formal->name, c->function->name, b, a, why);
    if (c->where)
        return foi_error(s, e->place, "units do not fit: '%s' and '%s' %s%s", a, b, c->where, why);
    if (!e->equation && e->left->op == FOI_OP_VARIABLE)
        return foi_error(s, e->place, "units do not fit: '%.80s' has '%s', its %s '%s'%s",
                         e->left->variable->name, a, e->what, b, why);
    return foi_error(s, e->place,
                     "units do not fit: the left side of this %s has '%s', the right '%s'%s",
                     e->what, a, b, why);
}

static bool check(foi_session *s, const sides *e)
{
    clash c = {.s = s};
    if (!is_looked_at(s, e)) return true;
    unit a = unit_of(e->left, 0, &c), b = e->right ? unit_of(e->right, 0, &c) : (unit){0};
    joined(a, b, NULL, &c);
    return !c.found || report(s, e, &c);
}

// What is said to be alike while the model is made: values of declarations and their attributes,
// and the branches of if-equations, one by one: a switch has a voltage in one and a current in
// another, and the parameter of a curve is that in one and this in another, which is why they give
// no unit.
bool foi_note_alike(foi_session *s, const foi_flat_expr *left, const foi_flat_expr *right,
                    foi_place place, const char *what)
{
    if (s->def->no_units || left->type != FOI_REAL || !is_own(s, place)) return true;
    foi_alike *slot = foi_arena_add(&s->arena, &s->alike, &s->alike_count, sizeof *slot);
    if (slot) *slot = (foi_alike){left, right, place, what ? what : "equation", !what};
    return slot;
}

// ---------------------------------------------------------------------- variables without a unit

static bool give(foi_session *s, const foi_flat_expr *x, unit u, foi_place place, int depth);

static bool give_both(foi_session *s, const foi_flat_expr *const *a, unit u, foi_place place,
                      int depth)
{
    bool first = give(s, a[0], u, place, depth);
    return give(s, a[1], u, place, depth) || first;
}

// Gives a unit to the variables that an expression has its unit from. Whether one got it.
static bool give(foi_session *s, const foi_flat_expr *x, unit u, foi_place place, int depth)
{
    static const unit none = {0};
    const foi_flat_expr *const *a = x->arguments;
    char text[80];
    if (++depth > DEEPEST || x->type != FOI_REAL || foi_same_dimension(&u, &none)) return false;
    switch (x->op) {
    case FOI_OP_VARIABLE:
        if (own_unit(x->variable) || x->variable->variability < FOI_DISCRETE) return false;
        x->variable->inferred =
            foi_arena_print(&s->flat->arena, "%s", foi_unit_text(&u, text, sizeof text));
        x->variable->inferred_by = place.line;
        return true;
    case FOI_OP_NEGATE: return give(s, a[0], u, place, depth);
    case FOI_OP_ADD:
    case FOI_OP_SUBTRACT: return give_both(s, a, u, place, depth);
    case FOI_OP_IF: return give_both(s, a + 1, u, place, depth);
    case FOI_OP_CALL: break;
    default: return false;
    }
    switch (x->builtin) {
    case FOI_FN_DER: return give(s, a[0], product(u, second, 1), place, depth);
    case FOI_FN_PRE:
    case FOI_FN_NO_EVENT:
    case FOI_FN_ABS: return give(s, a[0], u, place, depth);
    default: return false;
    }
}

static bool infer(foi_session *s, const sides *e)
{
    if (e->left->type != FOI_REAL || !is_looked_at(s, e)) return false;
    clash c = {.s = s};
    unit a = unit_of(e->left, 0, &c), b = unit_of(e->right, 0, &c);
    const foi_flat_expr *both[] = {e->left, e->right}; // also what else is in a sum
    if (!a.known && !b.known) return false;
    return give_both(s, both, a.known ? a : b, e->place, 0);
}

static bool infer_all(foi_session *s)
{
    const foi_flat *f = s->flat;
    const foi_flat_equation *const lists[] = {f->equations, f->initial};
    const uint32_t counts[] = {f->equation_count, f->initial_count};
    bool any = false;
    for (int k = 0; k < 2; k++)
        for (uint32_t i = 0; i < counts[k]; i++) {
            const foi_flat_equation *e = &lists[k][i];
            if (!e->branched && !e->connected)
                any |= infer(s, &(sides){e->left, e->right, e->place, "", true});
        }
    return any;
}

// ----------------------------------------------------------------------------------------- walks

static bool check_equations(foi_session *s, const foi_flat_equation *list, uint32_t count)
{
    bool right = true;
    for (uint32_t i = 0; i < count; i++)
        if (!list[i].branched)
            right &=
                check(s, &(sides){list[i].left, list[i].right, list[i].place, "equation", true});
    return right;
}

static bool check_one(foi_session *s, const foi_flat_expr *e, foi_place place)
{
    return !e || check(s, &(sides){e, NULL, place, "", true});
}

static bool check_block(foi_session *s, const foi_flat_block *b);

static bool check_list(foi_session *s, const foi_flat_branch *list, uint32_t count)
{
    bool right = true;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < list[i].condition_count; k++)
            right &= check_one(s, list[i].conditions[k], list[i].place);
        right &= check_block(s, &list[i].body);
    }
    return right;
}

static bool check_block(foi_session *s, const foi_flat_block *b)
{
    bool right = true;
    for (uint32_t i = 0; i < b->count; i++) {
        const foi_flat_statement *st = b->statements[i];
        bool sets = st->action == FOI_DO_REINIT;
        const char *what = sets ? "new value" : "assignment";
        for (uint32_t k = 0; k < st->count; k++)
            right &= check(s, &(sides){st->targets[k], st->values[k], st->place, what, !sets});
        right &= check_one(s, st->condition, st->place) && check_one(s, st->first, st->place) &&
                 check_one(s, st->last, st->place);
        right &= check_list(s, st->branches, st->branch_count) && check_block(s, &st->body);
    }
    return right;
}

static bool check_everything(foi_session *s)
{
    const foi_flat *f = s->flat;
    bool right = true;
    for (uint32_t i = 0; i < s->alike_count; i++) right &= check(s, &s->alike[i]);
    right &= check_equations(s, f->equations, f->equation_count);
    right &= check_equations(s, f->initial, f->initial_count);
    for (uint32_t i = 0; i < f->when_count; i++)
        right &= check_list(s, f->whens[i].branches, f->whens[i].branch_count);
    for (uint32_t i = 0; i < f->algorithm_count; i++)
        right &= check_block(s, &f->algorithms[i].body);
    for (uint32_t i = 0; i < f->assert_count; i++)
        right &= check_one(s, f->asserts[i].condition, f->asserts[i].place);
    for (uint32_t i = 0; i < s->special_count; i++) {
        const foi_special *special = s->specials[i];
        bool called = !s->review || special->called_in == s->look;
        if (called && special->function->ready && !special->broken)
            right &= check_block(s, &special->function->body);
    }
    return right;
}

bool foi_check_units(foi_session *s)
{
    enum { PASSES = 16 };
    if (s->def->no_units) return true;
    for (int i = 0; i < PASSES && infer_all(s); i++) {
    } // what one gives to the next
    return check_everything(s) && !s->flat->arena.failed;
}
