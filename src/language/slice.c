/// Slices that move: x[i : i + 2] in a loop that stays one, where i is known in the run only. How
/// many elements there are must be known: the two ends differ by a number. The slice is then the
/// array of x[i], x[i + 1] and x[i + 2].
///
/// And numbers of the run that choose one of what is counted: an element of an expression, a
/// literal of an enumeration.
#include <string.h>

#include "language/session.h"

enum { DEEPEST = 20 };

static bool same(const foi_flat_expr *a, const foi_flat_expr *b, int depth)
{
    if (a == b) return true;
    if (depth > DEEPEST || a->op != b->op || a->count != b->count) return false;
    if (a->op == FOI_OP_VARIABLE) return a->variable == b->variable;
    if (a->op == FOI_OP_LITERAL) return a->number == b->number;
    if (a->op == FOI_OP_CALL || a->op == FOI_OP_RESULT || a->op == FOI_OP_ELEMENT) return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (!same(a->arguments[i], b->arguments[i], depth + 1)) return false;
    return a->count > 0;
}

// e = *rest + number.
static double split(const foi_flat_expr *e, const foi_flat_expr **rest)
{
    double sum = 0;
    for (int depth = 0; depth < DEEPEST; depth++) {
        bool plus = e->op == FOI_OP_ADD, minus = e->op == FOI_OP_SUBTRACT;
        if ((plus || minus) && e->arguments[1]->op == FOI_OP_LITERAL) {
            sum += plus ? e->arguments[1]->number : -e->arguments[1]->number;
            e = e->arguments[0];
        } else if (plus && e->arguments[0]->op == FOI_OP_LITERAL) {
            sum += e->arguments[0]->number;
            e = e->arguments[1];
        } else {
            break;
        }
    }
    *rest = e;
    return sum;
}

// The number of elements of a range that moves; false: it does not, or it is not known.
static bool moves(foi_session *s, const foi_context *ctx, const foi_ast *e, uint32_t *count)
{
    foi_value ends[2];
    const foi_flat_expr *a, *b;
    double known;
    if (e->kind != FOI_AST_RANGE || e->count != 2) return false;
    foi_context inside = *ctx;
    inside.end_value = 1; // some number: only by how much the two differ is asked
    for (int i = 0; i < 2; i++) {
        if (!foi_expand(s, &inside, e->items[i], &ends[i])) return false;
        if (ends[i].record || ends[i].rank || ends[i].type != FOI_INTEGER) return false;
    }
    if (foi_known(s, ends[0].one, false, &known) || foi_known(s, ends[1].one, false, &known))
        return false;
    double first = split(ends[0].one, &a), last = split(ends[1].one, &b);
    if (!same(a, b, 0) || !(last - first < FOI_MOST_ELEMENTS) || last < first) return false;
    *count = (uint32_t)(last - first) + 1;
    return true;
}

static foi_ast *moved(foi_session *s, foi_ast *first, uint32_t by)
{
    foi_ast *number = foi_arena_new(&s->arena, 1, sizeof *number);
    foi_ast *sum = foi_arena_new(&s->arena, 1, sizeof *sum);
    foi_ast **items = foi_arena_new(&s->arena, 2, sizeof *items);
    if (!number || !sum || !items) return NULL;
    *number = (foi_ast){.kind = FOI_AST_INTEGER, .place = first->place, .number = by};
    items[0] = first, items[1] = number;
    *sum = (foi_ast){.kind = FOI_AST_BINARY, .op = FOI_OP_ADD, .place = first->place, .count = 2};
    sum->items = items, sum->depth = first->depth + 1;
    return sum;
}

// The reference with subscript `at` of its last part replaced.
static bool one(foi_session *s, const foi_context *ctx, const foi_ref *ref, uint32_t at,
                foi_ast *subscript, foi_value *value)
{
    foi_part *parts = foi_arena_new(&s->arena, ref->count, sizeof *parts);
    const foi_part *last = &ref->parts[ref->count - 1];
    foi_ast **subscripts = foi_arena_new(&s->arena, last->count, sizeof *subscripts);
    if (!parts || !subscripts || !subscript) return false;
    memcpy(parts, ref->parts, ref->count * sizeof *parts);
    memcpy(subscripts, last->subscripts, last->count * sizeof *subscripts);
    subscripts[at] = subscript;
    parts[ref->count - 1].subscripts = subscripts;
    foi_ref changed = *ref;
    changed.parts = parts;
    return foi_expand_ref(s, ctx, &changed, value);
}

bool foi_moving_slice(foi_session *s, const foi_context *ctx, const foi_ref *ref, bool *handled,
                      foi_value *value)
{
    const foi_part *last = &ref->parts[ref->count - 1];
    uint32_t at = 0, n = 0;
    *handled = false;
    if (!ctx->frame) return true;
    while (at < last->count && last->subscripts[at]->kind != FOI_AST_RANGE) {
        if (last->subscripts[at]->kind == FOI_AST_COLON) return true;
        at++;
    }
    if (at == last->count || !moves(s, ctx, last->subscripts[at], &n)) return true;
    *handled = true;
    foi_value *all = foi_arena_new(&s->arena, n, sizeof *all);
    if (!all) return false;
    for (uint32_t i = 0; i < n; i++)
        if (!one(s, ctx, ref, at, moved(s, last->subscripts[at]->items[0], i), &all[i]))
            return false;
    return foi_stack(s, ref->place, all, n, value);
}

const foi_flat_expr *foi_number_within(foi_session *s, const char *name, uint32_t size,
                                       const foi_flat_expr *i)
{
    foi_arena *arena = &s->flat->arena;
    foi_flat_array *array = foi_arena_new(arena, 1, sizeof *array);
    foi_flat_variable **elements = foi_arena_new(arena, size, sizeof *elements);
    foi_flat_variable *all = foi_arena_new(arena, size, sizeof *all);
    uint32_t *dims = foi_arena_new(arena, 1, sizeof *dims);
    const foi_flat_expr **arguments = foi_arena_new(arena, 1, sizeof *arguments);
    foi_flat_expr *e = foi_arena_new(arena, 1, sizeof *e);
    name = foi_arena_text(arena, name, strlen(name));
    if (!array || !elements || !all || !dims || !arguments || !e || !name) return NULL;
    for (uint32_t k = 0; k < size; k++) {
        const char *own = foi_arena_print(arena, "%s[%u]", name, k + 1);
        const foi_flat_expr *number = foi_flat_integer(s->flat, k + 1.0);
        if (!own || !number) return NULL;
        foi_flat_variable **slot =
            foi_arena_add(&s->arena, &s->variables, &s->variable_count, sizeof *slot);
        if (!slot) return NULL;
        all[k] = (foi_flat_variable){.name = own, .type = FOI_INTEGER, .binding = number};
        all[k].variability = FOI_CONSTANT, all[k].index = s->variable_count - 1;
        *slot = elements[k] = &all[k];
    }
    *dims = size, *arguments = i;
    *array = (foi_flat_array){name, elements, dims, 1, size};
    *e = (foi_flat_expr){.op = FOI_OP_ELEMENT, .type = FOI_INTEGER, .count = 1};
    e->size = 1 + i->size, e->array = array, e->arguments = arguments;
    return e;
}

bool foi_literal_of_number(foi_session *s, const foi_context *ctx, const foi_ast *e, foi_class *c,
                           foi_value *value)
{
    const foi_flat_expr *i;
    double known;
    if (e->count != 1 || e->names)
        return foi_error(s, e->place, "'%s(...)' needs the number of a literal", c->name);
    if (!foi_expand_scalar(s, ctx, e->items[0], FOI_INTEGER, "the number of a literal", &i))
        return false;
    uint32_t count = c->builtin->literal_count;
    if (!foi_known(s, i, false, &known))
        i = foi_work(s, e->place, count) ? foi_number_within(s, c->name, count, i) : NULL;
    else if (!(known >= 1 && known <= count))
        return foi_error(s, e->items[0]->place, "'%s' has %u literals, and none is number %.0f",
                         c->name, count, known);
    *value = foi_scalar(i);
    value->literals = c->builtin;
    return i;
}
