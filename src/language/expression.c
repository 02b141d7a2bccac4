/// Written expressions become arrays of flat ones.
#include <math.h>
#include <string.h>

#include "language/session.h"

static bool expand_items(foi_session *s, const foi_context *ctx, const foi_ast *e,
                         foi_value **values)
{
    *values = foi_arena_new(&s->arena, e->count, sizeof **values);
    if (!*values) return false;
    for (uint32_t i = 0; i < e->count; i++)
        if (!foi_expand(s, ctx, e->items[i], &(*values)[i])) return false;
    return true;
}

bool foi_expand_scalar(foi_session *s, const foi_context *ctx, const foi_ast *e, foi_flat_type type,
                       const char *what, const foi_flat_expr **out)
{
    foi_value v;
    if (!foi_expand(s, ctx, e, &v)) return false;
    if (v.rank == 0 && !foi_convert(s, e->place, &v, type, NULL, what)) return false;
    if (v.rank) {
        foi_value wanted = {.type = type};
        return foi_error(s, e->place, "%s must be %s, not %s", what, foi_type_text(s, &wanted),
                         foi_type_text(s, &v));
    }
    *out = v.one;
    return true;
}

bool foi_expand_known(foi_session *s, const foi_context *ctx, const foi_ast *e, foi_flat_type type,
                      const char *what, double *value)
{
    const foi_flat_expr *x;
    if (!foi_expand_scalar(s, ctx, e, type, what, &x)) return false;
    if (foi_known(s, x, true, value)) return true;
    if (s->unvalued && foi_lacks(s)) return false;
    return foi_error(s, e->place, "%s is not known before the run: use parameters and constants",
                     what);
}

// The numbers first : step : last, when they are known.
static bool expand_range(foi_session *s, const foi_context *ctx, const foi_ast *e, foi_value *value)
{
    foi_value v[3];
    double x[3] = {0};
    bool real = false;
    for (uint32_t i = 0; i < e->count; i++) {
        if (!foi_expand(s, ctx, e->items[i], &v[i])) return false;
        if (v[i].record || v[i].rank || v[i].type == FOI_STRING)
            return foi_error(s, e->items[i]->place, "a range needs numbers, not %s",
                             foi_type_text(s, &v[i]));
        bool known = foi_known(s, v[i].one, true, &x[i]);
        if (!known && s->unvalued && foi_lacks(s)) return false;
        if (!known)
            return foi_error(s, e->items[i]->place, "the range is not known before the run");
        real |= v[i].type == FOI_REAL;
    }
    double step = e->count == 3 ? x[1] : 1, last = x[e->count - 1];
    if (step == 0) return foi_error(s, e->items[1]->place, "the step of the range is zero");
    double n = floor((last - x[0]) / step + (real ? 1e-10 : 0)) + 1;
    if (!(n <= FOI_MOST_ELEMENTS))
        return foi_error(s, e->place, "the range has more than %d elements", FOI_MOST_ELEMENTS);
    uint32_t count = n > 0 ? (uint32_t)n : 0;
    const foi_flat_expr **list;
    if (!foi_new_array(s, e->place, real ? FOI_REAL : v[0].type, 1, &count, value, &list))
        return false;
    value->literals = v[0].literals;
    for (uint32_t i = 0; i < count; i++) {
        foi_flat_expr *item = foi_flat_real(s->flat, x[0] + i * step);
        if (!item) return false;
        item->type = value->type;
        list[i] = item;
    }
    return true;
}

// The name of the enumeration, or of Boolean, that an array is declared over: Real x[Colour].
static const foi_ast *declared_over(const foi_context *ctx, const foi_ast *range)
{
    const foi_ast *size = range->items[1];
    if (size->kind != FOI_AST_CALL || size->items[0]->ref->count != 1) return range;
    const foi_component *c = foi_seen(ctx, size->items[0]->ref->parts[0].name);
    uint32_t k = (uint32_t)size->items[1]->number - 1;
    if (!c || k >= c->member->declaration->rank) return range;
    const foi_ast *dim = c->member->declaration->dims[k];
    return dim->kind == FOI_AST_REF ? dim : range;
}

// A loop over all literals of an enumeration: for c in Colour.
static bool literals_range(foi_session *s, const foi_context *ctx, const foi_ast *e,
                           foi_value *value, bool *found)
{
    *found = false;
    if (e->kind == FOI_AST_RANGE && e->elementwise) e = declared_over(ctx, e);
    if (e->kind != FOI_AST_REF || foi_seen(ctx, e->ref->parts[0].name)) return true;
    foi_found f = foi_lookup(s, ctx->lexical, e->ref->parts[0].name);
    for (uint32_t i = 1; f.c && i < e->ref->count; i++)
        f.c = foi_find_in_class(s, f.c, e->ref->parts[i].name);
    if (f.c == s->boolean) { // false, then true
        uint32_t two = 2;
        const foi_flat_expr **both;
        if (!foi_new_array(s, e->place, FOI_BOOLEAN, 1, &two, value, &both)) return false;
        both[0] = foi_flat_boolean(s->flat, false), both[1] = foi_flat_boolean(s->flat, true);
        return *found = both[0] && both[1];
    }
    if (!f.c || !foi_analyse(s, f.c) || !f.c->builtin || !f.c->builtin->literal_count) return true;
    uint32_t count = f.c->builtin->literal_count;
    const foi_flat_expr **list;
    if (!foi_new_array(s, e->place, FOI_INTEGER, 1, &count, value, &list)) return false;
    value->literals = f.c->builtin;
    for (uint32_t i = 0; i < count; i++)
        if (!(list[i] = foi_flat_integer(s->flat, i + 1))) return false;
    return *found = true;
}

// Where the loop has no range of its own, all arrays that its variable is a subscript of have one
// size (Modelica 3.6, section 11.2.2.1).
bool foi_check_ranges(foi_session *s, const foi_context *ctx, const foi_iterator *it)
{
    foi_value one, other;
    for (uint32_t i = 0; i < it->other_count; i++) {
        const foi_ref *first = it->range->items[1]->items[0]->ref;
        const foi_ref *ref = it->others[i]->items[1]->items[0]->ref;
        const char *name = ref->parts[0].name;
        bool known = foi_in_scope(ctx, name) || foi_seen(ctx, name);
        if (ref->count > 1 || !known) continue; // parts of parts, and what is not declared
        if (!foi_expand(s, ctx, it->range, &one) || !foi_expand(s, ctx, it->others[i], &other))
            return false;
        if (one.count == other.count) continue;
        return foi_error(s, it->place,
                         "the loop over '%s' needs a range: '%s' has %u elements there, '%s' %u",
                         it->name, first->parts[first->count - 1].name, one.count,
                         ref->parts[ref->count - 1].name, other.count);
    }
    return true;
}

bool foi_iterator_values(foi_session *s, const foi_context *ctx, const foi_iterator *it,
                         foi_value *values)
{
    if (!foi_check_ranges(s, ctx, it)) return false;
    if (!it->range)
        return foi_error(s, it->place, "the loop over '%s' needs a range: '%s in ...'", it->name,
                         it->name);
    bool found;
    if (!literals_range(s, ctx, it->range, values, &found) || found) return found;
    if (!foi_expand(s, ctx, it->range, values)) return false;
    if (values->rank == 1) return true;
    return foi_error(s, it->range->place, "the loop over '%s' needs a vector, not %s", it->name,
                     foi_type_text(s, values));
}

bool foi_loop(foi_session *s, const foi_context *ctx, const foi_iterator *iterators, uint32_t count,
              foi_loop_body *act, void *data)
{
    if (count == 0) return act(s, ctx, data);
    foi_value values;
    if (!foi_iterator_values(s, ctx, iterators, &values)) return false;
    bool right = true;
    for (uint32_t i = 0; i < values.dims[0]; i++) {
        if (!foi_work(s, iterators->place, 1)) return false;
        foi_scope scope = {.name = iterators->name, .outer = ctx->scope};
        foi_context inside = *ctx;
        inside.scope = &scope;
        if (!foi_part_of(s, iterators->place, &values, &i, 1, &scope.value)) return false;
        right &= foi_loop(s, &inside, iterators + 1, count - 1, act, data);
        if (!right && s->messages->full) return false;
    }
    return right;
}

// {e for i in A, j in B} is {{e for i in A} for j in B}, of which there are `copies`: all of one
// size, so that it is known before they are made whether there are too many.
static bool comprehension(foi_session *s, const foi_context *ctx, const foi_ast *e,
                          uint32_t iterators, uint64_t copies, foi_value *value)
{
    if (iterators == 0) return foi_expand(s, ctx, e->items[0], value);
    const foi_iterator *it = &e->iterators[iterators - 1];
    foi_value range;
    if (!foi_iterator_values(s, ctx, it, &range)) return false;
    copies *= range.count ? range.count : 1;
    if (copies > FOI_MOST_ELEMENTS)
        return foi_error(s, e->place, "an array has at most %d elements", FOI_MOST_ELEMENTS);
    foi_value *items = foi_arena_new(&s->arena, range.count, sizeof *items);
    if (!items || !foi_work(s, e->place, range.count)) return false;
    for (uint32_t i = 0; i < range.dims[0]; i++) {
        foi_scope scope = {.name = it->name, .outer = ctx->scope};
        foi_context inside = *ctx;
        inside.scope = &scope;
        if (!foi_part_of(s, it->place, &range, &i, 1, &scope.value)) return false;
        if (!comprehension(s, &inside, e, iterators - 1, copies, &items[i])) return false;
    }
    return foi_stack(s, e->place, items, range.dims[0], value);
}

static bool expand_array(foi_session *s, const foi_context *ctx, const foi_ast *e, foi_value *value)
{
    if (e->iterator_count) return comprehension(s, ctx, e, e->iterator_count, 1, value);
    foi_value *items;
    return expand_items(s, ctx, e, &items) && foi_stack(s, e->place, items, e->count, value);
}

// Scalars and vectors as matrices: a vector is a column. Of more dimensions the first two are
// meant.
static bool promote(foi_session *s, foi_place place, foi_value *v)
{
    if (v->record)
        return foi_error(s, place, "a matrix is made of numbers, not of %s", foi_type_text(s, v));
    if (v->rank > 2) return true;
    if (v->rank == 0) {
        const foi_flat_expr **list = foi_arena_new(&s->arena, 1, sizeof *list);
        if (!list) return false;
        list[0] = v->one;
        v->list = list, v->dims[0] = 1;
    }
    if (v->rank < 2) v->dims[1] = 1;
    v->rank = 2;
    return true;
}

// Puts matrices beside each other (along 1) or one under the other (along 0).
static bool join_matrices(foi_session *s, foi_place place, const foi_value *parts, uint32_t count,
                          int along, foi_value *value)
{
    uint32_t dims[FOI_MOST_RANK], rank = parts[0].rank, inner = 1;
    foi_value like = parts[0];
    memcpy(dims, parts[0].dims, sizeof dims);
    for (uint32_t i = 2; i < rank; i++) inner *= dims[i];
    for (uint32_t i = 1; i < count; i++) {
        bool fits = parts[i].rank == rank && parts[i].dims[!along] == dims[!along];
        for (uint32_t k = 2; fits && k < rank; k++) fits = parts[i].dims[k] == dims[k];
        if (!fits)
            return foi_error(s, place, "the sizes of the matrix's elements do not match: %s and %s",
                             foi_type_text(s, &parts[0]), foi_type_text(s, &parts[i]));
        dims[along] += parts[i].dims[along];
        if (parts[i].type == FOI_REAL && like.type == FOI_INTEGER && !like.literals)
            like.type = FOI_REAL;
    }
    const foi_flat_expr **list;
    if (!foi_new_like(s, place, &like, rank, dims, value, &list)) return false;
    uint32_t row = 0, column = 0;
    for (uint32_t i = 0; i < count; i++) {
        foi_value part = parts[i];
        if (!foi_convert(s, place, &part, like.type, like.literals, "an element of the matrix"))
            return false;
        for (uint32_t k = 0; k < part.count; k++) {
            uint32_t at = k / inner;
            at = (row + at / part.dims[1]) * dims[1] + column + at % part.dims[1];
            list[at * inner + k % inner] = part.list[k];
        }
        row += along ? 0 : part.dims[0];
        column += along ? part.dims[1] : 0;
    }
    return true;
}

static bool expand_matrix(foi_session *s, const foi_context *ctx, const foi_ast *e,
                          foi_value *value)
{
    foi_value *rows = foi_arena_new(&s->arena, e->count, sizeof *rows);
    if (!rows) return false;
    for (uint32_t i = 0; i < e->count; i++) {
        foi_value *items;
        if (!expand_items(s, ctx, e->items[i], &items)) return false;
        for (uint32_t k = 0; k < e->items[i]->count; k++)
            if (!promote(s, e->items[i]->items[k]->place, &items[k])) return false;
        if (!join_matrices(s, e->items[i]->place, items, e->items[i]->count, 1, &rows[i]))
            return false;
    }
    return join_matrices(s, e->place, rows, e->count, 0, value);
}

bool foi_merge(foi_session *s, foi_place place, const foi_flat_expr *condition, const foi_value *a,
               const foi_value *b, foi_value *out)
{
    foi_value other = *b;
    if (!foi_as_record(s, place, a->record, &other)) return false;
    b = &other;
    bool numbers = !a->record && !b->record && !a->literals && !b->literals &&
                   a->type <= FOI_INTEGER && b->type <= FOI_INTEGER;
    bool same =
        foi_same_record(a->record, b->record) && a->literals == b->literals && a->type == b->type;
    bool texts = !a->record && a->type == FOI_STRING;
    double decided;
    if (texts && foi_known(s, condition, true, &decided)) return *out = decided ? *a : *b, true;
    if (!foi_same_size(a, b) || !(numbers || same)) {
        double known;
        if (foi_known(s, condition, true, &known)) return *out = known ? *a : *b, true;
        return foi_error(
            s, place,
            "the values of the if-expression must have the same type and size, not %s and %s",
            foi_type_text(s, a), foi_type_text(s, b));
    }
    if (a->record) {
        foi_value *fields = foi_arena_new(&s->arena, a->record->member_count, sizeof *fields);
        if (!fields) return false;
        for (uint32_t i = 0; i < a->record->member_count; i++)
            if (!foi_merge(s, place, condition, &a->fields[i], &b->fields[i], &fields[i]))
                return false;
        *out = *a;
        out->fields = fields;
        return true;
    }
    const foi_flat_expr **list;
    if (!foi_new_like(s, place, a, a->rank, a->dims, out, &list)) return false;
    if (b->type == FOI_REAL) out->type = FOI_REAL;
    for (uint32_t i = 0; i < out->count; i++)
        if (!(list[i] = foi_flat_if(s->flat, condition, foi_item(a, i), foi_item(b, i))))
            return false;
    if (out->rank == 0) out->one = list[0];
    return true;
}

// Does the value depend on literals and structural parameters only?
static bool is_structural(const foi_flat_expr *e)
{
    if (e->op == FOI_OP_LITERAL) return true;
    if (e->op == FOI_OP_VARIABLE)
        return e->variable->structural || e->variable->variability == FOI_CONSTANT;
    if (e->op == FOI_OP_ELEMENT || e->op == FOI_OP_TIME || e->op == FOI_OP_RESULT) return false;
    for (uint32_t i = 0; i < e->count; i++)
        if (!is_structural(e->arguments[i])) return false;
    return true;
}

const foi_flat_expr *foi_decided(foi_session *s, const foi_flat_expr *condition)
{
    double known;
    if (condition->op == FOI_OP_LITERAL || condition->size > 1000 || !is_structural(condition) ||
        !foi_known(s, condition, false, &known))
        return condition;
    const foi_flat_expr *literal = foi_flat_boolean(s->flat, known != 0);
    return literal ? literal : condition;
}

/// Where a session is before something that may have subscripts which are not there.
typedef struct tried {
    size_t said, errors, beyond;
    uint32_t depth;
} tried;

static tried begin(const foi_session *s)
{
    return (tried){s->messages->count, s->messages->errors, s->beyond, s->depth};
}

// A branch that could not be expanded, by such subscripts alone, is forgotten where a parameter
// decides that it is not taken; that parameter's value is then for good.
static bool is_left_out(foi_session *s, const tried *before, const foi_flat_expr *condition,
                        bool other)
{
    size_t more = s->messages->errors - before->errors;
    double known;
    if (s->arena.failed || !more || s->beyond - before->beyond != more ||
        !foi_known(s, condition, true, &known) || (known != 0) != other)
        return false;
    foi_messages_forget(s->messages, before->said);
    s->depth = before->depth, s->beyond = before->beyond;
    return true;
}

static bool expand_if(foi_session *s, const foi_context *ctx, const foi_ast *e, uint32_t at,
                      foi_value *value)
{
    if (at + 1 == e->count) return foi_expand(s, ctx, e->items[at], value);
    const foi_flat_expr *condition;
    if (!foi_expand_scalar(s, ctx, e->items[at], FOI_BOOLEAN, "the condition", &condition))
        return false;
    // a branch that cannot be taken may have subscripts that are not there
    condition = foi_decided(s, condition);
    if (condition->op == FOI_OP_LITERAL)
        return condition->number ? foi_expand(s, ctx, e->items[at + 1], value)
                                 : expand_if(s, ctx, e, at + 2, value);
    foi_value a, b;
    const tried before = begin(s);
    if (!foi_expand(s, ctx, e->items[at + 1], &a))
        return is_left_out(s, &before, condition, false) && expand_if(s, ctx, e, at + 2, value);
    if (!foi_enter(s, e->place)) return false;
    bool right = expand_if(s, ctx, e, at + 2, &b);
    s->depth--;
    if (!right) return is_left_out(s, &before, condition, true) && (*value = a, true);
    return foi_merge(s, e->items[at + 1]->place, condition, &a, &b, value);
}

static bool flows(const foi_value *v)
{
    if (v->record) return false;
    for (uint32_t i = 0; i < v->count; i++)
        if (foi_variability_of(foi_item(v, i)) == FOI_CONTINUOUS) return true;
    return false;
}

// What flows is equal to a number for an instant only, and rounding decides whether any point of
// the run is that instant (Modelica 3.6, section 3.5).
static bool check_equality(foi_session *s, const foi_context *ctx, const foi_ast *e,
                           const foi_value *a, const foi_value *b)
{
    bool reals = (!a->record && a->type == FOI_REAL && !a->literals) ||
                 (!b->record && b->type == FOI_REAL && !b->literals);
    if ((e->op != FOI_OP_EQUAL && e->op != FOI_OP_NOT_EQUAL) || !reals) return true;
    if ((ctx->frame && ctx->frame->function) || (!flows(a) && !flows(b))) return true;
    bool equal = e->op == FOI_OP_EQUAL;
    return foi_error(s, e->place,
                     "'%s' of Reals that vary all the time depends on rounding: write a relation "
                     "that stays true, as 'time >= 1', or 'abs(a - b) %s eps'",
                     equal ? "==" : "<>", equal ? "<" : ">=");
}

static bool expand_binary(foi_session *s, const foi_context *ctx, const foi_ast *e,
                          foi_value *value)
{
    foi_value a, b;
    if (!foi_expand(s, ctx, e->items[0], &a)) return false;
    // what cannot be reached is not looked at: i > 1 and x[i - 1] > 0
    bool is_and = e->op == FOI_OP_AND, logic = is_and || e->op == FOI_OP_OR;
    if (logic && !a.record && a.rank == 0 && a.type == FOI_BOOLEAN) a.one = foi_decided(s, a.one);
    if (logic && !a.record && a.rank == 0 && a.type == FOI_BOOLEAN && a.one->op == FOI_OP_LITERAL &&
        (a.one->number != 0) != is_and)
        return *value = a, true;
    return foi_expand(s, ctx, e->items[1], &b) && check_equality(s, ctx, e, &a, &b) &&
           foi_binary(s, e->place, e->op, e->elementwise, &a, &b, value);
}

static bool literal(const foi_flat_expr *e, foi_value *value)
{
    *value = foi_scalar(e);
    return e;
}

static bool expand_text(foi_session *s, const foi_ast *e, foi_value *value)
{
    const char *text = foi_arena_text(&s->flat->arena, e->text, strlen(e->text));
    return text && literal(foi_flat_text(s->flat, text), value);
}

// (a)[i]: as a name that stands for the value of a.
static bool expand_pick(foi_session *s, const foi_context *ctx, const foi_ast *e, foi_value *value)
{
    foi_scope scope = {.name = "(...)", .outer = ctx->scope};
    foi_part part = {.name = scope.name, .place = e->place};
    part.subscripts = e->items + 1, part.count = e->count - 1;
    foi_ref ref = {.parts = &part, .count = 1, .place = e->place};
    foi_context in = *ctx;
    in.scope = &scope;
    return foi_expand(s, ctx, e->items[0], &scope.value) && foi_expand_ref(s, &in, &ref, value);
}

static bool expand_inside(foi_session *s, const foi_context *ctx, const foi_ast *e,
                          foi_value *value)
{
    foi_value a;
    switch (e->kind) {
    case FOI_AST_REAL: return literal(foi_flat_real(s->flat, e->number), value);
    case FOI_AST_INTEGER: return literal(foi_flat_integer(s->flat, e->number), value);
    case FOI_AST_BOOLEAN: return literal(foi_flat_boolean(s->flat, e->number != 0), value);
    case FOI_AST_STRING: return expand_text(s, e, value);
    case FOI_AST_REF: return foi_expand_ref(s, ctx, e->ref, value);
    case FOI_AST_CALL: return foi_expand_call(s, ctx, e, value);
    case FOI_AST_ARRAY: return expand_array(s, ctx, e, value);
    case FOI_AST_MATRIX: return expand_matrix(s, ctx, e, value);
    case FOI_AST_RANGE: return expand_range(s, ctx, e, value);
    case FOI_AST_IF: return expand_if(s, ctx, e, 0, value);
    case FOI_AST_PICK: return expand_pick(s, ctx, e, value);
    case FOI_AST_BINARY: return expand_binary(s, ctx, e, value);
    case FOI_AST_UNARY:
        return foi_expand(s, ctx, e->items[0], &a) && foi_unary(s, e->place, e->op, &a, value);
    case FOI_AST_END:
        if (!ctx->end_value) return foi_error(s, e->place, "'end' is allowed only in subscripts");
        return literal(foi_flat_integer(s->flat, ctx->end_value - 1.0), value);
    case FOI_AST_TUPLE:
        return foi_error(s, e->place,
                         "'(a, b, ...)' is allowed only for the results of a function");
    case FOI_AST_FUNCTION:
        return foi_error(s, e->place, "a function is no value here: only an argument can be one");
    case FOI_AST_COLON:
    case FOI_AST_ROW: break;
    }
    return foi_error(s, e->place, "':' is allowed only as a subscript");
}

bool foi_expand(foi_session *s, const foi_context *ctx, const foi_ast *e, foi_value *value)
{
    if (!foi_enter(s, e->place)) return false;
    const foi_instance *around = s->within;
    if (ctx->self) s->within = ctx->self;
    bool right = expand_inside(s, ctx, e, value);
    s->within = around;
    s->depth--;
    return right;
}
