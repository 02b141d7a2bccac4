/// Operations on scalars and arrays.
#include <math.h>
#include <string.h>

#include "language/session.h"

static const char *sign_of(foi_flat_op op)
{
    switch (op) {
    case FOI_OP_ADD: return "+";
    case FOI_OP_NEGATE:
    case FOI_OP_SUBTRACT: return "-";
    case FOI_OP_MULTIPLY: return "*";
    case FOI_OP_DIVIDE: return "/";
    case FOI_OP_POWER: return "^";
    case FOI_OP_AND: return "and";
    case FOI_OP_OR: return "or";
    case FOI_OP_NOT: return "not";
    case FOI_OP_LESS: return "<";
    case FOI_OP_LESS_EQUAL: return "<=";
    case FOI_OP_GREATER: return ">";
    case FOI_OP_GREATER_EQUAL: return ">=";
    case FOI_OP_EQUAL: return "==";
    case FOI_OP_NOT_EQUAL: return "<>";
    default: return "?";
    }
}

static bool is_number(const foi_value *v)
{
    return !v->record && !v->literals && v->type <= FOI_INTEGER;
}

static bool is_logic(foi_flat_op op)
{
    return op == FOI_OP_AND || op == FOI_OP_OR || op == FOI_OP_NOT;
}

static bool is_relation(foi_flat_op op)
{
    return op >= FOI_OP_LESS && op <= FOI_OP_NOT_EQUAL;
}

static bool unfit(foi_session *s, foi_place place, foi_flat_op op, const foi_value *a,
                  const foi_value *b)
{
    return foi_error(s, place, "'%s' cannot be applied to %s and %s", sign_of(op),
                     foi_type_text(s, a), foi_type_text(s, b));
}

bool foi_unary(foi_session *s, foi_place place, foi_flat_op op, const foi_value *a, foi_value *out)
{
    if (op == FOI_OP_NEGATE && foi_is_complex(a)) return foi_complex_unary(s, place, op, a, out);
    if (op == FOI_OP_ADD && foi_is_complex(a)) return *out = *a, true;
    bool handled, done = foi_overloaded_unary(s, place, op, a, &handled, out);
    if (handled) return done;
    bool right = op == FOI_OP_NOT ? !a->record && a->type == FOI_BOOLEAN : is_number(a);
    if (!right)
        return foi_error(s, place, "'%s' needs %s, not %s", sign_of(op),
                         op == FOI_OP_NOT ? "Boolean" : "a number", foi_type_text(s, a));
    *out = *a;
    if (op == FOI_OP_ADD) return true;
    if (a->rank == 0) return (out->one = foi_flat_unary(s->flat, op, a->one)) != NULL;
    const foi_flat_expr **list;
    if (!foi_new_like(s, place, a, a->rank, a->dims, out, &list)) return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (!(list[i] = foi_flat_unary(s->flat, op, a->list[i]))) return false;
    return true;
}

// Texts are known before the run: their comparison is too.
static bool texts(foi_session *s, foi_place place, foi_flat_op op, const foi_value *a,
                  const foi_value *b, foi_value *out)
{
    if (a->type != b->type || a->rank || b->rank || (op != FOI_OP_ADD && !is_relation(op)))
        return unfit(s, place, op, a, b);
    bool known = a->one->op == FOI_OP_STRING && b->one->op == FOI_OP_STRING;
    if (op == FOI_OP_ADD) {
        const char *joined = NULL;
        if (known) joined = foi_arena_print(&s->flat->arena, "%s%s", a->one->text, b->one->text);
        const foi_flat_expr *e =
            known ? foi_flat_text(s->flat, joined) : foi_flat_binary(s->flat, op, a->one, b->one);
        *out = foi_scalar(e);
        return e;
    }
    if (!known && (op == FOI_OP_EQUAL || op == FOI_OP_NOT_EQUAL))
        return foi_compare_texts(s, place, op == FOI_OP_EQUAL, a->one, b->one, out);
    if (!known)
        return foi_error(s, place,
                         "Strings can be compared only when they are known before the run");
    double order = strcmp(a->one->text, b->one->text), value = 0;
    foi_flat_op_value(op, order, 0, &value);
    *out = foi_scalar(foi_flat_boolean(s->flat, value != 0));
    return out->one;
}

static bool check_types(foi_session *s, foi_place place, foi_flat_op op, const foi_value *a,
                        const foi_value *b)
{
    if (a->record || b->record) return unfit(s, place, op, a, b);
    if (is_logic(op)) {
        if (a->type == FOI_BOOLEAN && b->type == FOI_BOOLEAN) return true;
        return foi_error(s, place, "'%s' needs Boolean on both sides, not %s and %s", sign_of(op),
                         foi_type_text(s, a), foi_type_text(s, b));
    }
    if (is_number(a) && is_number(b)) return true;
    bool alike = a->type == b->type && a->literals == b->literals;
    if (is_relation(op) && alike) return true;
    return unfit(s, place, op, a, b);
}

static bool each_element(foi_session *s, foi_place place, foi_flat_op op, const foi_value *a,
                         const foi_value *b, foi_value *out)
{
    const foi_value *shape = a->rank ? a : b;
    const foi_flat_expr **list;
    if (!foi_new_like(s, place, shape, shape->rank, shape->dims, out, &list)) return false;
    for (uint32_t i = 0; i < out->count; i++) {
        const foi_flat_expr *x = a->rank ? a->list[i] : a->one, *y = b->rank ? b->list[i] : b->one;
        if (!(list[i] = foi_flat_binary(s->flat, op, x, y))) return false;
    }
    if (a->type == FOI_REAL || b->type == FOI_REAL || op == FOI_OP_DIVIDE || op == FOI_OP_POWER)
        out->type = FOI_REAL;
    if (is_relation(op)) out->type = FOI_BOOLEAN, out->literals = NULL;
    return true;
}

// sum over k of a[i, k] b[k, j]; a and b seen as matrices of sizes (n, m) and (m, p)
static bool matrix_product(foi_session *s, foi_place place, const foi_value *a, const foi_value *b,
                           foi_value *out)
{
    if (a->rank > 2 || b->rank > 2) return unfit(s, place, FOI_OP_MULTIPLY, a, b);
    uint32_t n = a->rank == 2 ? a->dims[0] : 1, m = a->dims[a->rank - 1];
    uint32_t p = b->rank == 2 ? b->dims[1] : 1;
    if (b->dims[0] != m)
        return foi_error(s, place, "sizes do not match in the product of %s and %s",
                         foi_type_text(s, a), foi_type_text(s, b));
    uint32_t dims[2], rank = 0;
    if (a->rank == 2) dims[rank++] = n;
    if (b->rank == 2) dims[rank++] = p;
    foi_flat_type type = a->type == FOI_REAL || b->type == FOI_REAL ? FOI_REAL : FOI_INTEGER;
    const foi_flat_expr **list, **terms = foi_arena_new(&s->arena, m, sizeof *terms);
    if (!terms || !foi_work(s, place, (uint64_t)n * m * p)) return false;
    if (!foi_new_array(s, place, type, rank, dims, out, &list)) return false;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < p; j++) {
            for (uint32_t k = 0; k < m; k++)
                terms[k] = foi_flat_binary(s->flat, FOI_OP_MULTIPLY, a->list[i * m + k],
                                           b->list[k * p + j]);
            const foi_flat_expr *sum =
                m ? foi_join(s, FOI_OP_ADD, terms, m) : foi_flat_real(s->flat, 0);
            if (!sum) return false;
            if (sum->size > FOI_LARGEST_EXPRESSION)
                return foi_error(s, place, "the product grows too large");
            list[i * p + j] = sum;
        }
    if (rank == 0) out->one = list[0];
    return true;
}

static bool matrix_power(foi_session *s, foi_place place, const foi_value *a, const foi_value *b,
                         foi_value *out)
{
    double n;
    bool square = a->rank == 2 && a->dims[0] == a->dims[1] && b->rank == 0;
    if (!square || b->type != FOI_INTEGER || !foi_known(s, b->one, true, &n) || n < 0 || n > 64)
        return foi_error(s, place,
                         "a power of an array needs a square matrix and a known exponent "
                         "from 0 to 64");
    const foi_flat_expr **list;
    if (!foi_new_like(s, place, a, 2, a->dims, out, &list)) return false;
    for (uint32_t i = 0; i < out->count; i++)
        if (!(list[i] = foi_flat_integer(s->flat, i % (a->dims[0] + 1) == 0))) return false;
    if (!foi_convert(s, place, out, FOI_REAL, NULL, "the power")) return false;
    for (int i = 0; i < (int)n; i++) {
        foi_value next;
        if (!(i ? matrix_product(s, place, out, a, &next) : (next = *a, true))) return false;
        *out = next;
    }
    return true;
}

static bool arrays(foi_session *s, foi_place place, foi_flat_op op, bool elementwise,
                   const foi_value *a, const foi_value *b, foi_value *out)
{
    bool both = a->rank && b->rank;
    if (elementwise || is_logic(op)) {
        if (both && !foi_same_size(a, b)) return unfit(s, place, op, a, b);
        return each_element(s, place, op, a, b, out);
    }
    switch (op) {
    case FOI_OP_ADD:
    case FOI_OP_SUBTRACT:
        if (foi_same_size(a, b)) return each_element(s, place, op, a, b, out);
        if (!both)
            return foi_error(s, place,
                             "'%s' cannot be applied to %s and %s; '.%s' works element by element",
                             sign_of(op), foi_type_text(s, a), foi_type_text(s, b), sign_of(op));
        break;
    case FOI_OP_MULTIPLY:
        if (!both) return each_element(s, place, op, a, b, out);
        return matrix_product(s, place, a, b, out);
    case FOI_OP_DIVIDE:
        if (!b->rank) return each_element(s, place, op, a, b, out);
        break;
    case FOI_OP_POWER: return matrix_power(s, place, a, b, out);
    default: break;
    }
    return unfit(s, place, op, a, b);
}

bool foi_binary(foi_session *s, foi_place place, foi_flat_op op, bool elementwise,
                const foi_value *a, const foi_value *b, foi_value *out)
{
    if (!a->record && !b->record && (a->type == FOI_STRING || b->type == FOI_STRING))
        return texts(s, place, op, a, b, out);
    bool complex = foi_is_complex(a) || foi_is_complex(b);
    if (complex && (foi_is_complex(a) || is_number(a)) && (foi_is_complex(b) || is_number(b)))
        return foi_complex_binary(s, place, op, elementwise, a, b, out);
    bool handled, done = foi_overloaded_binary(s, place, op, elementwise, a, b, &handled, out);
    if (handled) return done;
    if (!check_types(s, place, op, a, b)) return false;
    if (a->rank || b->rank) return arrays(s, place, op, elementwise, a, b, out);
    if (op == FOI_OP_DIVIDE && b->one->op == FOI_OP_LITERAL && b->one->number == 0)
        return foi_error(s, place, "division by zero");
    *out = foi_scalar(foi_flat_binary(s->flat, op, a->one, b->one));
    if (out->one && out->one->size > FOI_LARGEST_EXPRESSION)
        return foi_error(s, place, "the expression grows too large");
    return out->one;
}
