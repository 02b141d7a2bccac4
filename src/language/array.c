/// Array functions: size, fill, sum, transpose and so on.
#include <string.h>

#include "language/session.h"

typedef bool array_function(foi_session *s, const foi_context *ctx, const foi_ast *e,
                            foi_value *out);

static bool wrong_call(foi_session *s, const foi_ast *e, const char *wanted)
{
    return foi_error(s, e->place, "'%s' needs %s", e->ref->parts[0].name, wanted);
}

static bool is_number(const foi_value *v)
{
    return !v->record && !v->literals && v->type <= FOI_INTEGER;
}

// Also of parts, which are no values.
static bool sized(foi_session *s, const foi_context *ctx, const foi_ast *e, foi_value *out)
{
    foi_component *c = NULL;
    bool plain = e->kind == FOI_AST_REF && !e->ref->global;
    for (uint32_t i = 0; plain && i < e->ref->count; i++) {
        const char *name = e->ref->parts[i].name;
        if (i == 0 && foi_in_scope(ctx, name)) break;
        if (i > 0 && (c->absent || !c->elements || c->count != 1)) break;
        c = i == 0 ? foi_seen(ctx, name) : foi_component_of(c->elements[0], name);
        if (!c || e->ref->parts[i].count || !(c = foi_named(s, c)) || foi_is_handed_over(c)) break;
        if (c->sizing == FOI_NEW && !foi_size(s, c)) return false;
        if (c->sizing != FOI_SIZED || !c->type) break;
        bool value = c->type->builtin || c->type->kind == FOI_CLASS_RECORD;
        if (i + 1 < e->ref->count || value) continue;
        if (c->absent || !c->rank) break;
        *out = (foi_value){.rank = c->rank, .count = c->count};
        memcpy(out->dims, c->dims, sizeof out->dims);
        return true;
    }
    return foi_expand(s, ctx, e, out);
}

static bool size_call(foi_session *s, const foi_context *ctx, const foi_ast *e, foi_value *out)
{
    foi_value v;
    if (e->count < 1 || e->count > 2) return wrong_call(s, e, "an array and perhaps a dimension");
    if (!sized(s, ctx, e->items[0], &v)) return false;
    if (e->count == 2) {
        double k;
        if (!foi_expand_known(s, ctx, e->items[1], FOI_INTEGER, "the dimension", &k)) return false;
        if (!(k >= 1 && k <= v.rank))
            return foi_error(s, e->items[1]->place,
                             "dimension %.0f is asked for of an array of %u dimensions", k, v.rank);
        *out = foi_scalar(foi_flat_integer(s->flat, v.dims[(int)k - 1]));
        return out->one;
    }
    const foi_flat_expr **list;
    if (!foi_new_array(s, e->place, FOI_INTEGER, 1, &v.rank, out, &list)) return false;
    for (uint32_t i = 0; i < v.rank; i++)
        if (!(list[i] = foi_flat_integer(s->flat, v.dims[i]))) return false;
    return true;
}

static bool ndims_call(foi_session *s, const foi_context *ctx, const foi_ast *e, foi_value *out)
{
    foi_value v;
    if (e->count != 1) return wrong_call(s, e, "1 argument");
    if (!sized(s, ctx, e->items[0], &v)) return false;
    *out = foi_scalar(foi_flat_integer(s->flat, v.rank));
    return out->one;
}

// Known sizes from the arguments `from`, `from` + 1, ...
static bool known_sizes(foi_session *s, const foi_context *ctx, const foi_ast *e, uint32_t from,
                        uint32_t *rank, uint32_t *dims)
{
    *rank = e->count - from;
    if (e->count <= from) return wrong_call(s, e, "the sizes of the array");
    if (*rank > FOI_MOST_RANK)
        return foi_error(s, e->place, "an array has at most %d dimensions", FOI_MOST_RANK);
    for (uint32_t i = 0; i < *rank; i++) {
        double n;
        const foi_ast *item = e->items[from + i];
        if (!foi_expand_known(s, ctx, item, FOI_INTEGER, "the size", &n)) return false;
        if (!(n >= 0 && n <= FOI_MOST_ELEMENTS))
            return foi_error(s, item->place, "the size %.0f is not from 0 to %d", n,
                             FOI_MOST_ELEMENTS);
        dims[i] = (uint32_t)n;
    }
    return true;
}

static bool filled(foi_session *s, const foi_context *ctx, const foi_ast *e, uint32_t from,
                   const foi_value *v, foi_value *out)
{
    uint32_t rank, dims[FOI_MOST_RANK];
    const foi_flat_expr **list;
    if (v->record) {
        uint32_t n = v->record->member_count;
        foi_value *fields = foi_arena_new(&s->arena, n, sizeof *fields);
        if (!fields || !known_sizes(s, ctx, e, from, &rank, dims) || !foi_enter(s, e->place))
            return false;
        bool right = rank + v->rank <= FOI_MOST_RANK;
        for (uint32_t i = 0; right && i < n; i++)
            right = filled(s, ctx, e, from, &v->fields[i], &fields[i]);
        s->depth--;
        if (!right) return false;
        *out = *v, out->fields = fields, out->rank = rank + v->rank;
        for (uint32_t i = 0; i < v->rank; i++) out->dims[rank + i] = v->dims[i];
        for (uint32_t i = 0; i < rank; i++) out->dims[i] = dims[i], out->count *= dims[i];
        return true;
    }
    if (!known_sizes(s, ctx, e, from, &rank, dims)) return false;
    for (uint32_t i = 0; i < v->rank; i++) {
        if (rank == FOI_MOST_RANK)
            return foi_error(s, e->place, "an array has at most %d dimensions", FOI_MOST_RANK);
        dims[rank++] = v->dims[i];
    }
    if (!foi_new_like(s, e->place, v, rank, dims, out, &list)) return false;
    for (uint32_t i = 0; i < out->count; i++) list[i] = foi_item(v, i % v->count);
    return true;
}

static bool fill_call(foi_session *s, const foi_context *ctx, const foi_ast *e, foi_value *out)
{
    foi_value v;
    if (e->count < 2) return wrong_call(s, e, "a value and sizes");
    return foi_expand(s, ctx, e->items[0], &v) && filled(s, ctx, e, 1, &v, out);
}

static bool zeros_call(foi_session *s, const foi_context *ctx, const foi_ast *e, foi_value *out)
{
    foi_value v = foi_scalar(foi_flat_integer(s->flat, e->ref->parts[0].name[0] == 'o'));
    return v.one && filled(s, ctx, e, 0, &v, out);
}

static bool diagonal(foi_session *s, foi_place place, const foi_value *v, uint32_t n,
                     foi_value *out)
{
    const foi_flat_expr **list;
    const uint32_t dims[] = {n, n};
    if (!foi_new_array(s, place, v->type, 2, dims, out, &list)) return false;
    for (uint32_t i = 0; i < n * n; i++) {
        foi_flat_expr *zero = foi_flat_integer(s->flat, 0);
        if (!zero) return false;
        zero->type = v->type;
        list[i] = i % (n + 1) ? zero : v->rank ? v->list[i / (n + 1)] : v->one;
    }
    return true;
}

static bool identity_call(foi_session *s, const foi_context *ctx, const foi_ast *e, foi_value *out)
{
    uint32_t rank, dims[FOI_MOST_RANK];
    if (e->count != 1 || !known_sizes(s, ctx, e, 0, &rank, dims))
        return e->count == 1 ? false : wrong_call(s, e, "1 argument");
    if (dims[0] > 4096) return foi_error(s, e->place, "the size %u is not from 0 to 4096", dims[0]);
    foi_value v = foi_scalar(foi_flat_integer(s->flat, 1));
    return v.one && diagonal(s, e->place, &v, dims[0], out);
}

static bool diagonal_call(foi_session *s, const foi_context *ctx, const foi_ast *e, foi_value *out)
{
    foi_value v;
    if (e->count != 1) return wrong_call(s, e, "1 argument");
    if (!foi_expand(s, ctx, e->items[0], &v)) return false;
    if (!is_number(&v) || v.rank != 1 || v.count > 4096)
        return wrong_call(s, e, "a vector of numbers");
    return diagonal(s, e->place, &v, v.count, out);
}

// x1 + i (x2 - x1)/(n - 1)
static bool linspace_call(foi_session *s, const foi_context *ctx, const foi_ast *e, foi_value *out)
{
    const foi_flat_expr *a, *b, **list;
    double n;
    foi_flat *f = s->flat;
    if (e->count != 3) return wrong_call(s, e, "3 arguments");
    if (!foi_expand_scalar(s, ctx, e->items[0], FOI_REAL, "the first number", &a) ||
        !foi_expand_scalar(s, ctx, e->items[1], FOI_REAL, "the last number", &b) ||
        !foi_expand_known(s, ctx, e->items[2], FOI_INTEGER, "the size", &n))
        return false;
    if (!(n >= 2 && n <= FOI_MOST_ELEMENTS))
        return foi_error(s, e->items[2]->place, "the size %.0f is not from 2 to %d", n,
                         FOI_MOST_ELEMENTS);
    uint32_t count = (uint32_t)n;
    if (!foi_new_array(s, e->place, FOI_REAL, 1, &count, out, &list)) return false;
    const foi_flat_expr *width = foi_flat_binary(f, FOI_OP_SUBTRACT, b, a);
    for (uint32_t i = 0; i < count; i++) {
        const foi_flat_expr *part = foi_flat_binary(
            f, FOI_OP_DIVIDE, foi_flat_binary(f, FOI_OP_MULTIPLY, width, foi_flat_real(f, i)),
            foi_flat_real(f, n - 1));
        list[i] = i ? foi_flat_binary(f, FOI_OP_ADD, a, part) : a;
        if (!list[i]) return false;
    }
    return true;
}

// All values of `f(e for i in ...)`, or the elements of the one argument.
static bool collect(foi_session *s, const foi_context *ctx, const foi_ast *e, foi_value *v)
{
    if (e->count != 1) return wrong_call(s, e, "an array");
    if (e->iterator_count) {
        foi_ast array = *e;
        array.kind = FOI_AST_ARRAY;
        return foi_expand(s, ctx, &array, v);
    }
    return foi_expand(s, ctx, e->items[0], v);
}

static bool sum_of_complex(foi_session *s, const foi_value *v, foi_value *out)
{
    foi_value *fields = foi_arena_new(&s->arena, 2, sizeof *fields);
    if (!fields) return false;
    for (int i = 0; i < 2; i++) {
        const foi_value *f = &v->fields[i];
        fields[i] =
            foi_scalar(f->count ? foi_join(s, FOI_OP_ADD, f->rank ? f->list : &f->one, f->count)
                                : foi_flat_real(s->flat, 0));
        if (!fields[i].one) return false;
    }
    *out = (foi_value){.record = v->record, .count = 1, .fields = fields};
    return true;
}

static bool sum_call(foi_session *s, const foi_context *ctx, const foi_ast *e, foi_value *out)
{
    foi_value v;
    bool sum = e->ref->parts[0].name[0] == 's';
    if (!collect(s, ctx, e, &v)) return false;
    if (sum && foi_is_complex(&v)) return sum_of_complex(s, &v, out);
    bool handled = false;
    if (sum && !foi_overloaded_sum(s, e->place, &v, &handled, out)) return false;
    if (handled) return true;
    if (!is_number(&v)) return wrong_call(s, e, "numbers");
    const foi_flat_expr *total;
    if (v.count == 0)
        total = foi_flat_real(s->flat, !sum);
    else
        total = foi_join(s, sum ? FOI_OP_ADD : FOI_OP_MULTIPLY, v.rank ? v.list : &v.one, v.count);
    *out = foi_scalar(total);
    return total;
}

static const foi_flat_expr *extreme(foi_session *s, foi_flat_builtin builtin,
                                    const foi_flat_expr *const *list, uint32_t count)
{
    if (count == 1) return list[0];
    const foi_flat_expr *a[] = {extreme(s, builtin, list, count / 2),
                                extreme(s, builtin, list + count / 2, count - count / 2)};
    return foi_flat_call_builtin(s->flat, builtin, 2, a);
}

static bool min_call(foi_session *s, const foi_context *ctx, const foi_ast *e, foi_value *out)
{
    foi_flat_builtin builtin = e->ref->parts[0].name[1] == 'i' ? FOI_FN_MIN : FOI_FN_MAX;
    foi_value v, w;
    if (e->count == 2 && !e->iterator_count) {
        if (!foi_expand(s, ctx, e->items[0], &v) || !foi_expand(s, ctx, e->items[1], &w))
            return false;
        bool logic = v.type == FOI_BOOLEAN && w.type == FOI_BOOLEAN && !v.record && !w.record;
        bool literals = v.literals && v.literals == w.literals;
        if ((!logic && !literals && (!is_number(&v) || !is_number(&w))) || v.rank || w.rank)
            return wrong_call(s, e, "two numbers or one array");
        if (logic)
            return foi_binary(s, e->place, builtin == FOI_FN_MIN ? FOI_OP_AND : FOI_OP_OR, false,
                              &v, &w, out);
        *out = foi_scalar(
            foi_flat_call_builtin(s->flat, builtin, 2, (const foi_flat_expr *[]){v.one, w.one}));
        out->literals = literals ? v.literals : NULL;
        return out->one;
    }
    if (!collect(s, ctx, e, &v)) return false;
    if (!v.record && v.type == FOI_BOOLEAN && v.count) {
        foi_flat_op op = builtin == FOI_FN_MIN ? FOI_OP_AND : FOI_OP_OR;
        *out = foi_scalar(foi_join(s, op, v.rank ? v.list : &v.one, v.count));
        return out->one;
    }
    bool literals = !v.record && v.literals && v.count;
    if (!is_number(&v) && !literals) return wrong_call(s, e, "numbers");
    if (v.count == 0) { // by the specification the neutral element
        *out = foi_scalar(foi_flat_real(s->flat, builtin == FOI_FN_MIN ? 1e60 : -1e60));
        return out->one;
    }
    *out = foi_scalar(extreme(s, builtin, v.rank ? v.list : &v.one, v.count));
    out->literals = v.literals;
    return out->one;
}

static bool transpose_call(foi_session *s, const foi_context *ctx, const foi_ast *e, foi_value *out)
{
    foi_value v;
    if (e->count != 1) return wrong_call(s, e, "1 argument");
    if (!foi_expand(s, ctx, e->items[0], &v)) return false;
    if (v.record || v.rank != 2) return wrong_call(s, e, "a matrix");
    const uint32_t dims[] = {v.dims[1], v.dims[0]};
    const foi_flat_expr **list;
    if (!foi_new_like(s, e->place, &v, 2, dims, out, &list)) return false;
    for (uint32_t i = 0; i < v.count; i++)
        list[i % v.dims[1] * v.dims[0] + i / v.dims[1]] = v.list[i];
    return true;
}

static const foi_flat_expr *times(foi_session *s, const foi_flat_expr *a, const foi_flat_expr *b)
{
    return foi_flat_binary(s->flat, FOI_OP_MULTIPLY, a, b);
}

static bool two_vectors(foi_session *s, const foi_context *ctx, const foi_ast *e, foi_value *a,
                        foi_value *b)
{
    if (e->count != 2) return wrong_call(s, e, "2 vectors");
    if (!foi_expand(s, ctx, e->items[0], a) || !foi_expand(s, ctx, e->items[1], b)) return false;
    bool right = is_number(a) && is_number(b) && a->rank == 1 && b->rank == 1;
    return right || wrong_call(s, e, "2 vectors");
}

static bool cross_call(foi_session *s, const foi_context *ctx, const foi_ast *e, foi_value *out)
{
    foi_value a, b;
    if (!two_vectors(s, ctx, e, &a, &b)) return false;
    if (a.count != 3 || b.count != 3) return wrong_call(s, e, "2 vectors of size 3");
    const uint32_t three = 3;
    const foi_flat_expr **list;
    if (!foi_new_array(s, e->place, FOI_REAL, 1, &three, out, &list)) return false;
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t j = (i + 1) % 3, k = (i + 2) % 3;
        list[i] = foi_flat_binary(s->flat, FOI_OP_SUBTRACT, times(s, a.list[j], b.list[k]),
                                  times(s, a.list[k], b.list[j]));
        list[i] = foi_flat_as_real(s->flat, list[i]);
        if (!list[i]) return false;
    }
    return true;
}

static bool outer_call(foi_session *s, const foi_context *ctx, const foi_ast *e, foi_value *out)
{
    foi_value a, b;
    if (!two_vectors(s, ctx, e, &a, &b)) return false;
    const uint32_t dims[] = {a.count, b.count};
    const foi_flat_expr **list;
    foi_flat_type type = a.type == FOI_REAL || b.type == FOI_REAL ? FOI_REAL : FOI_INTEGER;
    if (!foi_new_array(s, e->place, type, 2, dims, out, &list)) return false;
    for (uint32_t i = 0; i < out->count; i++)
        if (!(list[i] = times(s, a.list[i / b.count], b.list[i % b.count]))) return false;
    return true;
}

static bool skew_call(foi_session *s, const foi_context *ctx, const foi_ast *e, foi_value *out)
{
    foi_value v;
    if (e->count != 1) return wrong_call(s, e, "1 argument");
    if (!foi_expand(s, ctx, e->items[0], &v)) return false;
    if (!is_number(&v) || v.rank != 1 || v.count != 3)
        return wrong_call(s, e, "a vector of size 3");
    if (!foi_convert(s, e->place, &v, FOI_REAL, NULL, "the vector")) return false;
    static const int which[] = {0, -3, 2, 3, 0, -1, -2, 1, 0}; // +-(index + 1)
    const uint32_t dims[] = {3, 3};
    const foi_flat_expr **list;
    if (!foi_new_array(s, e->place, FOI_REAL, 2, dims, out, &list)) return false;
    for (int i = 0; i < 9; i++) {
        int k = which[i];
        list[i] = k == 0  ? foi_flat_real(s->flat, 0)
                  : k > 0 ? v.list[k - 1]
                          : foi_flat_unary(s->flat, FOI_OP_NEGATE, v.list[-k - 1]);
        if (!list[i]) return false;
    }
    return true;
}

static bool symmetric_call(foi_session *s, const foi_context *ctx, const foi_ast *e, foi_value *out)
{
    foi_value v;
    const foi_flat_expr **list;
    if (e->count != 1) return wrong_call(s, e, "1 argument");
    if (!foi_expand(s, ctx, e->items[0], &v)) return false;
    if (v.record || v.rank != 2 || v.dims[0] != v.dims[1])
        return wrong_call(s, e, "a square matrix");
    if (!foi_new_like(s, e->place, &v, 2, v.dims, out, &list)) return false;
    for (uint32_t i = 0; i < v.count; i++) {
        uint32_t row = i / v.dims[0], column = i % v.dims[0];
        list[i] = v.list[row <= column ? i : column * v.dims[0] + row];
    }
    return true;
}

// scalar(A), vector(A), matrix(A): the same elements in another shape.
static bool shape_call(foi_session *s, const foi_context *ctx, const foi_ast *e, foi_value *out)
{
    foi_value v;
    char kind = e->ref->parts[0].name[0];
    if (e->count != 1) return wrong_call(s, e, "1 argument");
    if (!foi_expand(s, ctx, e->items[0], &v)) return false;
    if (v.record) return wrong_call(s, e, "numbers");
    if (kind == 's' && v.count != 1) return wrong_call(s, e, "an array with one element");
    uint32_t rank = kind == 's' ? 0 : kind == 'v' ? 1 : 2, dims[2] = {v.count, 1};
    if (kind == 'm' && v.rank == 2) dims[0] = v.dims[0], dims[1] = v.dims[1];
    if (kind == 'm' && v.rank > 2) {
        dims[0] = v.dims[0], dims[1] = v.dims[1];
        for (uint32_t i = 2; i < v.rank; i++)
            if (v.dims[i] != 1)
                return wrong_call(s, e, "at most 2 dimensions, or further ones of size 1");
    }
    const foi_flat_expr **list;
    if (!foi_new_like(s, e->place, &v, rank, dims, out, &list)) return false;
    for (uint32_t i = 0; i < v.count; i++) list[i] = foi_item(&v, i);
    if (rank == 0) out->one = list[0];
    return true;
}

static bool array_call(foi_session *s, const foi_context *ctx, const foi_ast *e, foi_value *out)
{
    foi_ast array = *e;
    array.kind = FOI_AST_ARRAY;
    if (e->count == 0) return wrong_call(s, e, "at least one element");
    return foi_expand(s, ctx, &array, out);
}

// Arrays one after the other along dimension k; the others must agree.
static bool cat_parts(foi_session *s, const foi_ast *e, const foi_value *v, uint32_t count,
                      uint32_t k, foi_value *out)
{
    foi_value like = v[0];
    uint32_t dims[FOI_MOST_RANK];
    memcpy(dims, like.dims, sizeof dims);
    for (uint32_t i = 1; i < count; i++) {
        bool fits = !v[i].record && v[i].rank == like.rank;
        for (uint32_t d = 0; fits && d < like.rank; d++) fits = d == k || v[i].dims[d] == dims[d];
        if (!fits) return wrong_call(s, e, "arrays whose sizes are equal in all other dimensions");
        dims[k] += v[i].dims[k];
        if (v[i].type == FOI_REAL) like.type = FOI_REAL;
    }
    const foi_flat_expr **list;
    if (!foi_new_like(s, e->place, &like, like.rank, dims, out, &list)) return false;
    uint32_t inner = 1, at = 0;
    for (uint32_t d = k + 1; d < like.rank; d++) inner *= dims[d];
    for (uint32_t i = 0; i < count; i++) {
        foi_value part = v[i];
        if (!foi_convert(s, e->place, &part, like.type, like.literals, "an element")) return false;
        uint32_t width = part.dims[k] * inner;
        for (uint32_t j = 0; j < part.count; j++)
            list[j / width * dims[k] * inner + at + j % width] = part.list[j];
        at += width;
    }
    return true;
}

static bool cat_call(foi_session *s, const foi_context *ctx, const foi_ast *e, foi_value *out)
{
    double k;
    if (e->count < 2) return wrong_call(s, e, "a dimension and arrays");
    if (!foi_expand_known(s, ctx, e->items[0], FOI_INTEGER, "the dimension", &k)) return false;
    uint32_t count = e->count - 1;
    foi_value *v = foi_arena_new(&s->arena, count, sizeof *v);
    if (!v) return false;
    for (uint32_t i = 0; i < count; i++)
        if (!foi_expand(s, ctx, e->items[i + 1], &v[i])) return false;
    if (v[0].record || !(k >= 1 && k <= v[0].rank))
        return wrong_call(s, e, "a dimension of the arrays");
    return cat_parts(s, e, v, count, (uint32_t)k - 1, out);
}

bool foi_array_function(foi_session *s, const foi_context *ctx, const foi_ast *e, const char *name,
                        bool *handled, foi_value *value)
{
    static const struct {
        const char *name;
        array_function *function;
    } list[] = {{"size", size_call},
                {"ndims", ndims_call},
                {"fill", fill_call},
                {"zeros", zeros_call},
                {"ones", zeros_call},
                {"identity", identity_call},
                {"diagonal", diagonal_call},
                {"linspace", linspace_call},
                {"sum", sum_call},
                {"product", sum_call},
                {"min", min_call},
                {"max", min_call},
                {"transpose", transpose_call},
                {"cross", cross_call},
                {"outerProduct", outer_call},
                {"skew", skew_call},
                {"symmetric", symmetric_call},
                {"scalar", shape_call},
                {"vector", shape_call},
                {"matrix", shape_call},
                {"array", array_call},
                {"cat", cat_call}};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        if (strcmp(list[i].name, name) == 0) {
            *handled = true;
            if (e->names) return wrong_call(s, e, "its arguments without names");
            return list[i].function(s, ctx, e, value);
        }
    return *handled = false;
}
