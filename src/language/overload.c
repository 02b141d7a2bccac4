/// Operators of operator records (Modelica 3.6, chapter 14): the function that fits the operands is
/// called. An operand that is none of the record becomes one where a constructor takes it; what
/// fits no function as an array is worked out element by element.
#include <string.h>

#include "language/session.h"

enum { MOST_FUNCTIONS = 32 };

typedef struct functions {
    foi_class *list[MOST_FUNCTIONS];
    uint32_t count;
} functions;

static bool is_overloaded(const foi_value *v)
{
    return v->record && v->record->is_operator && !foi_is_complex(v);
}

// The functions of an operator: one of its name, or all in an operator of its name.
static bool find_functions(foi_session *s, foi_class *record, const char *name, functions *f)
{
    foi_class *c = foi_find_in_class(s, record, foi_name(s, name));
    f->count = 0;
    if (!c) return true;
    if (c->kind == FOI_CLASS_FUNCTION) f->list[f->count++] = c;
    for (uint32_t i = 0; c->kind == FOI_CLASS_OPERATOR && i < c->class_count; i++) {
        foi_class *inner = foi_find_in_class(s, c, c->classes[i]->name);
        if (inner && inner->kind == FOI_CLASS_FUNCTION && f->count < MOST_FUNCTIONS)
            f->list[f->count++] = inner;
    }
    for (uint32_t i = 0; i < f->count; i++)
        if (!foi_analyse(s, f->list[i])) return false;
    return true;
}

static bool fits_input(foi_session *s, const foi_member *m, const foi_value *v)
{
    foi_declaration *d = m->declaration;
    if (!d->resolved) d->resolved = foi_find_class(s, d->owner, d->type, "type");
    if (!d->resolved || !foi_analyse(s, d->resolved) || d->rank != v->rank) return false;
    if (v->record) return !d->resolved->builtin && foi_same_record(d->resolved, v->record);
    if (!d->resolved->builtin || v->literals) return false;
    return d->resolved->type == v->type ||
           (d->resolved->type == FOI_REAL && v->type == FOI_INTEGER);
}

// Does the function take these values for its first inputs, and nothing else?
static bool takes(foi_session *s, const foi_class *f, const foi_value *values, uint32_t count)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < f->member_count; i++) {
        const foi_member *m = &f->members[i];
        foi_context there = {0};
        if (m->declaration->causality != FOI_INPUT) continue;
        if (at < count ? !fits_input(s, m, &values[at]) : !foi_default_value(s, NULL, m, &there))
            return false;
        at++;
    }
    return at >= count;
}

static foi_class *fitting(foi_session *s, foi_class *record, const char *name,
                          const foi_value *values, uint32_t count)
{
    functions f;
    if (!find_functions(s, record, name, &f)) return NULL;
    for (uint32_t i = 0; i < f.count; i++)
        if (takes(s, f.list[i], values, count)) return f.list[i];
    return NULL;
}

static bool call(foi_session *s, foi_place place, foi_class *f, const foi_value *values,
                 uint32_t count, foi_value *out)
{
    const foi_value *results;
    uint32_t result_count;
    foi_context ctx = {.lexical = f};
    if (!foi_call_values(s, &ctx, place, f, values, count, &results, &result_count)) return false;
    if (result_count != 1) return foi_error(s, place, "an operator must have exactly one result");
    *out = results[0];
    return true;
}

static const char *name_of(foi_flat_op op)
{
    switch (op) {
    case FOI_OP_ADD: return "'+'";
    case FOI_OP_SUBTRACT:
    case FOI_OP_NEGATE: return "'-'";
    case FOI_OP_MULTIPLY: return "'*'";
    case FOI_OP_DIVIDE: return "'/'";
    case FOI_OP_POWER: return "'^'";
    case FOI_OP_EQUAL: return "'=='";
    case FOI_OP_NOT_EQUAL: return "'<>'";
    case FOI_OP_LESS: return "'<'";
    case FOI_OP_LESS_EQUAL: return "'<='";
    case FOI_OP_GREATER: return "'>'";
    case FOI_OP_GREATER_EQUAL: return "'>='";
    case FOI_OP_AND: return "'and'";
    case FOI_OP_OR: return "'or'";
    case FOI_OP_NOT: return "'not'";
    default: return "";
    }
}

// An operand as the record, by a constructor.
static bool as_record(foi_session *s, foi_place place, foi_class *record, foi_value *v)
{
    foi_class *f = v->record ? NULL : fitting(s, record, "'constructor'", v, 1);
    foi_value made;
    if (!f || !call(s, place, f, v, 1, &made)) return false;
    *v = made;
    return true;
}

static bool try_pair(foi_session *s, foi_place place, const char *name, const foi_value *pair,
                     bool *found, foi_value *out)
{
    for (int i = 0; i < 2; i++) {
        foi_class *f = is_overloaded(&pair[i]) ? fitting(s, pair[i].record, name, pair, 2) : NULL;
        *found = f != NULL;
        if (f) return call(s, place, f, pair, 2, out);
    }
    return true;
}

// Element by element: two arrays of one size, or one and a scalar.
static bool each(foi_session *s, foi_place place, foi_flat_op op, bool elementwise,
                 const foi_value *a, const foi_value *b, foi_value *out)
{
    const foi_value *shape = a->rank ? a : b;
    uint32_t n = shape->dims[0];
    if (a->rank && b->rank && a->dims[0] != b->dims[0])
        return foi_error(s, place, "arrays of %u and %u elements", a->dims[0], b->dims[0]);
    foi_value *all = foi_arena_new(&s->arena, n, sizeof *all);
    if (!all || !foi_enter(s, place)) return false;
    bool right = n > 0;
    for (uint32_t i = 0; i < n && right; i++) {
        foi_value x = *a, y = *b;
        right = (!a->rank || foi_part_of(s, place, a, &i, 1, &x)) &&
                (!b->rank || foi_part_of(s, place, b, &i, 1, &y)) &&
                foi_binary(s, place, op, elementwise, &x, &y, &all[i]);
    }
    s->depth--;
    return right && foi_stack(s, place, all, n, out);
}

// Halves, so that calls are nested as deep as the logarithm.
static bool sum_of(foi_session *s, foi_place place, const foi_value *list, uint32_t count,
                   foi_value *out)
{
    foi_value a, b;
    if (count == 1) return *out = list[0], true;
    return sum_of(s, place, list, count / 2, &a) &&
           sum_of(s, place, list + count / 2, count - count / 2, &b) &&
           foi_binary(s, place, FOI_OP_ADD, false, &a, &b, out);
}

// An array without elements has the sum '0'.
static bool zero_of(foi_session *s, foi_place place, foi_class *record, foi_value *out)
{
    foi_class *f = fitting(s, record, "'0'", NULL, 0);
    return f ? call(s, place, f, NULL, 0, out)
             : foi_error(s, place, "'%s' has no operator '0' for the sum of nothing", record->name);
}

// One element of a product: row i of a and column j of b.
static bool element(foi_session *s, foi_place place, const foi_value *a, const foi_value *b,
                    uint32_t i, uint32_t j, foi_value *out)
{
    uint32_t n = b->dims[0];
    if (!n) return zero_of(s, place, is_overloaded(a) ? a->record : b->record, out);
    foi_value *terms = foi_arena_new(&s->arena, n, sizeof *terms);
    if (!terms || !foi_work(s, place, n)) return false;
    for (uint32_t k = 0; k < n; k++) {
        foi_value x, y;
        const uint32_t left[] = {i, k}, right[] = {k, j};
        if (!foi_part_of(s, place, a, left + 2 - a->rank, a->rank, &x) ||
            !foi_part_of(s, place, b, right, b->rank, &y) ||
            !foi_binary(s, place, FOI_OP_MULTIPLY, false, &x, &y, &terms[k]))
            return false;
    }
    return sum_of(s, place, terms, n, out);
}

// A matrix by a matrix or vector, or a vector by a matrix, by '*', '+' and '0' of the elements; of
// two vectors the specification leaves the product to the record (Modelica 3.6, section 14.5).
static bool product(foi_session *s, foi_place place, const foi_value *a, const foi_value *b,
                    foi_value *out)
{
    uint32_t rows = a->rank == 2 ? a->dims[0] : 1, columns = b->rank == 2 ? b->dims[1] : 1;
    if (a->dims[a->rank - 1] != b->dims[0])
        return foi_error(s, place, "%s and %s cannot be multiplied", foi_type_text(s, a),
                         foi_type_text(s, b));
    foi_value *lines = foi_arena_new(&s->arena, rows, sizeof *lines);
    foi_value *line = foi_arena_new(&s->arena, columns, sizeof *line);
    if (!lines || !line || !foi_enter(s, place)) return false;
    bool right = rows && columns;
    for (uint32_t i = 0; i < rows && right; i++) {
        for (uint32_t j = 0; j < columns && right; j++)
            right = element(s, place, a, b, i, j, &line[j]);
        lines[i] = line[0];
        if (right && b->rank == 2) right = foi_stack(s, place, line, columns, &lines[i]);
    }
    s->depth--;
    *out = lines[0];
    return right && (a->rank == 1 || foi_stack(s, place, lines, rows, out));
}

bool foi_overloaded_binary(foi_session *s, foi_place place, foi_flat_op op, bool elementwise,
                           const foi_value *a, const foi_value *b, bool *handled, foi_value *out)
{
    *handled = is_overloaded(a) || is_overloaded(b);
    if (!*handled) return true;
    foi_value pair[2] = {*a, *b};
    bool found;
    bool right = try_pair(s, place, name_of(op), pair, &found, out);
    if (found || !right) return right;
    foi_class *record = is_overloaded(a) ? a->record : b->record;
    size_t errors = s->messages->errors;
    if (as_record(s, place, record, &pair[is_overloaded(a) ? 1 : 0])) {
        right = try_pair(s, place, name_of(op), pair, &found, out);
        if (found || !right) return right;
    }
    if (s->messages->errors > errors) return false;
    bool maps = elementwise || op == FOI_OP_ADD || op == FOI_OP_SUBTRACT || !a->rank || !b->rank;
    if ((a->rank || b->rank) && maps) return each(s, place, op, elementwise, a, b, out);
    bool matrix = a->rank <= 2 && b->rank <= 2 && a->rank + b->rank >= 3;
    if (op == FOI_OP_MULTIPLY && matrix && a->count && b->count)
        return product(s, place, a, b, out);
    return foi_error(s, place, "'%s' has no operator %s for %s and %s", record->name, name_of(op),
                     foi_type_text(s, a), foi_type_text(s, b));
}

bool foi_overloaded_sum(foi_session *s, foi_place place, const foi_value *v, bool *handled,
                        foi_value *out)
{
    *handled = is_overloaded(v);
    if (!*handled) return true;
    if (!v->rank) return *out = *v, true;
    if (!v->count) return zero_of(s, place, v->record, out);
    foi_value *list = foi_arena_new(&s->arena, v->count, sizeof *list);
    if (!list || !foi_work(s, place, v->count)) return false;
    for (uint32_t i = 0; i < v->count; i++) {
        uint32_t at[FOI_MOST_RANK], rest = i;
        for (uint32_t k = v->rank; k-- > 0; rest /= v->dims[k]) at[k] = rest % v->dims[k];
        if (!foi_part_of(s, place, v, at, v->rank, &list[i])) return false;
    }
    return sum_of(s, place, list, v->count, out);
}

bool foi_overloaded_unary(foi_session *s, foi_place place, foi_flat_op op, const foi_value *a,
                          bool *handled, foi_value *out)
{
    *handled = is_overloaded(a);
    if (!*handled) return true;
    foi_class *f = fitting(s, a->record, name_of(op), a, 1);
    if (f) return call(s, place, f, a, 1, out);
    return foi_error(s, place, "'%s' has no operator %s for one value", a->record->name,
                     name_of(op));
}

// By positions and names: each argument has its input, and the other inputs their defaults.
static bool takes_call(foi_session *s, const foi_context *ctx, const foi_class *f, const foi_ast *e)
{
    uint32_t at = 0, used = 0;
    for (uint32_t i = 0; i < f->member_count; i++) {
        const foi_member *m = &f->members[i];
        foi_context there = {0};
        foi_value v;
        if (m->declaration->causality != FOI_INPUT) continue;
        const foi_ast *given = foi_call_argument(e, at++, m->declaration->name);
        if (!given && !foi_default_value(s, NULL, m, &there)) return false;
        if (!given) continue;
        used++;
        if (!foi_expand(s, ctx, given, &v) || !fits_input(s, m, &v)) return false;
    }
    return used == e->count;
}

static bool call_one(foi_session *s, const foi_context *ctx, const foi_ast *e, foi_class *f,
                     const char *what, foi_value *out)
{
    const foi_value *results;
    uint32_t count;
    if (!foi_call_function(s, ctx, e, f, NULL, &results, &count)) return false;
    if (count != 1) return foi_error(s, e->place, "%s must have exactly one result", what);
    return *out = results[0], true;
}

// String(r, ...): what is said behind the record is for the function.
bool foi_overloaded_text(foi_session *s, const foi_context *ctx, const foi_ast *e,
                         const foi_value *v, foi_value *out)
{
    functions f = {0};
    if (!v->record->is_operator) return foi_error(s, e->place, "'String' needs a scalar");
    if (!find_functions(s, v->record, "'String'", &f)) return false;
    for (uint32_t i = 0; i < f.count; i++)
        if (takes_call(s, ctx, f.list[i], e))
            return call_one(s, ctx, e, f.list[i], "'String'", out);
    return foi_error(s, e->place, "'%s' has no function 'String' for these arguments",
                     v->record->name);
}

bool foi_overloaded_construct(foi_session *s, const foi_context *ctx, const foi_ast *e,
                              foi_class *c, bool *handled, foi_value *out)
{
    functions f;
    *handled = false;
    if (!c->is_operator || foi_is_complex_class(c)) return true;
    // inside of a constructor the record is put together from its fields
    for (const foi_class *in = ctx->lexical; in; in = in->enclosing)
        if (in->name && strcmp(in->name, "'constructor'") == 0) return true;
    if (!find_functions(s, c, "'constructor'", &f)) return *handled = true, false;
    foi_class *found = NULL;
    for (uint32_t i = 0; i < f.count; i++) {
        if (!takes_call(s, ctx, f.list[i], e)) continue;
        *handled = true;
        if (found)
            return foi_error(s, e->place, "the constructors '%s' and '%s' of '%s' both fit",
                             found->name, f.list[i]->name, c->name);
        found = f.list[i];
    }
    if (!found) return true;
    return call_one(s, ctx, e, found, "a constructor", out);
}
