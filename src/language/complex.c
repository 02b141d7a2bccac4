/// Arithmetic of the operator record Complex, field by field: what its operators say, written out,
/// so that equations see real and imaginary parts.
#include <string.h>

#include "language/session.h"

/// A number as two values of one shape; `im` is NULL of a real one.
typedef struct parts {
    const foi_value *re, *im;
} parts;

// The operator record Complex of the library, or what extends it: another record may say that its
// operators mean something else.
bool foi_is_complex_class(const foi_class *c)
{
    if (!c || c->member_count != 2 || strcmp(c->members[0].declaration->name, "re") != 0 ||
        strcmp(c->members[1].declaration->name, "im") != 0)
        return false;
    for (uint32_t i = 0; i < c->ancestor_count; i++) {
        const foi_class *a = c->ancestors[i];
        if (a->is_operator && strcmp(a->name, "Complex") == 0 &&
            !(a->enclosing && a->enclosing->name))
            return true;
    }
    return false;
}

bool foi_is_complex(const foi_value *v)
{
    return foi_is_complex_class(v->record);
}

static parts parts_of(const foi_value *v)
{
    return foi_is_complex(v) ? (parts){&v->fields[0], &v->fields[1]} : (parts){v, NULL};
}

static bool compose(foi_session *s, foi_class *record, const foi_value *re, const foi_value *im,
                    foi_value *out)
{
    foi_value *fields = foi_arena_new(&s->arena, 2, sizeof *fields);
    if (!fields) return false;
    fields[0] = *re, fields[1] = *im;
    *out = (foi_value){.record = record, .rank = re->rank, .count = re->count, .fields = fields};
    memcpy(out->dims, re->dims, sizeof out->dims);
    return true;
}

static bool zero_like(foi_session *s, foi_place place, const foi_value *like, foi_value *out)
{
    const foi_flat_expr **list, *zero = foi_flat_real(s->flat, 0);
    if (!zero || !foi_new_array(s, place, FOI_REAL, like->rank, like->dims, out, &list))
        return false;
    for (uint32_t i = 0; i < out->count; i++) list[i] = zero;
    if (out->rank == 0) out->one = zero;
    return true;
}

// a op b where either may lack an imaginary part: + and -.
static bool add(foi_session *s, foi_place place, foi_flat_op op, bool elementwise, parts a, parts b,
                foi_value *re, foi_value *im)
{
    if (!foi_binary(s, place, op, elementwise, a.re, b.re, re)) return false;
    if (a.im && b.im) return foi_binary(s, place, op, elementwise, a.im, b.im, im);
    if (a.im) return *im = *a.im, true;
    if (op == FOI_OP_SUBTRACT) return foi_unary(s, place, FOI_OP_NEGATE, b.im, im);
    return *im = *b.im, true;
}

// (a + j b)(c + j d) = (a c - b d) + j (a d + b c); of matrices as well.
static bool multiply(foi_session *s, foi_place place, bool elementwise, parts a, parts b,
                     foi_value *re, foi_value *im)
{
    const foi_flat_op times = FOI_OP_MULTIPLY;
    foi_value p, q;
    if (!b.im)
        return foi_binary(s, place, times, elementwise, a.re, b.re, re) &&
               foi_binary(s, place, times, elementwise, a.im, b.re, im);
    if (!a.im)
        return foi_binary(s, place, times, elementwise, a.re, b.re, re) &&
               foi_binary(s, place, times, elementwise, a.re, b.im, im);
    return foi_binary(s, place, times, elementwise, a.re, b.re, &p) &&
           foi_binary(s, place, times, elementwise, a.im, b.im, &q) &&
           foi_binary(s, place, FOI_OP_SUBTRACT, elementwise, &p, &q, re) &&
           foi_binary(s, place, times, elementwise, a.re, b.im, &p) &&
           foi_binary(s, place, times, elementwise, a.im, b.re, &q) &&
           foi_binary(s, place, FOI_OP_ADD, elementwise, &p, &q, im);
}

// a/b = a conj(b)/(b conj(b))
static bool divide(foi_session *s, foi_place place, bool elementwise, parts a, parts b,
                   foi_value *re, foi_value *im)
{
    const foi_flat_op over = FOI_OP_DIVIDE, times = FOI_OP_MULTIPLY;
    if (!b.im)
        return foi_binary(s, place, over, elementwise, a.re, b.re, re) &&
               foi_binary(s, place, over, elementwise, a.im, b.re, im);
    foi_value minus, p, q, square, x, y;
    return foi_unary(s, place, FOI_OP_NEGATE, b.im, &minus) &&
           multiply(s, place, elementwise, a, (parts){b.re, &minus}, &x, &y) &&
           foi_binary(s, place, times, elementwise, b.re, b.re, &p) &&
           foi_binary(s, place, times, elementwise, b.im, b.im, &q) &&
           foi_binary(s, place, FOI_OP_ADD, elementwise, &p, &q, &square) &&
           foi_binary(s, place, over, elementwise, &x, &square, re) &&
           foi_binary(s, place, over, elementwise, &y, &square, im);
}

static const foi_flat_expr *call(foi_session *s, foi_flat_builtin f, const foi_flat_expr *a,
                                 const foi_flat_expr *b)
{
    const foi_flat_expr *list[] = {a, b};
    return foi_flat_call_builtin(s->flat, f, b ? 2 : 1, list);
}

// a^b = exp(b log(a)), log(a) = log|a|^2 / 2 + j atan2(im, re)
static bool power(foi_session *s, foi_place place, parts a, parts b, foi_value *re, foi_value *im)
{
    foi_flat *f = s->flat;
    const foi_flat_expr *x = a.re->one, *y = a.im ? a.im->one : foi_flat_real(f, 0);
    if (a.re->rank || b.re->rank) return foi_error(s, place, "'^' of Complex needs scalars");
    const foi_flat_expr *square =
        foi_flat_binary(f, FOI_OP_ADD, foi_flat_binary(f, FOI_OP_MULTIPLY, x, x),
                        foi_flat_binary(f, FOI_OP_MULTIPLY, y, y));
    foi_value log_re = foi_scalar(foi_flat_binary(f, FOI_OP_MULTIPLY, foi_flat_real(f, 0.5),
                                                  call(s, FOI_FN_LOG, square, NULL)));
    foi_value log_im = foi_scalar(call(s, FOI_FN_ATAN2, y, x)), p, q;
    if (!log_re.one || !log_im.one) return false;
    if (!multiply(s, place, false, (parts){&log_re, &log_im}, b, &p, &q)) return false;
    const foi_flat_expr *size = call(s, FOI_FN_EXP, p.one, NULL);
    *re = foi_scalar(foi_flat_binary(f, FOI_OP_MULTIPLY, size, call(s, FOI_FN_COS, q.one, NULL)));
    *im = foi_scalar(foi_flat_binary(f, FOI_OP_MULTIPLY, size, call(s, FOI_FN_SIN, q.one, NULL)));
    return re->one && im->one;
}

static bool compare(foi_session *s, foi_place place, foi_flat_op op, parts a, parts b,
                    foi_value *out)
{
    foi_value zero_a, zero_b, p, q;
    if (!zero_like(s, place, a.re, &zero_a) || !zero_like(s, place, b.re, &zero_b)) return false;
    return foi_binary(s, place, op, true, a.re, b.re, &p) &&
           foi_binary(s, place, op, true, a.im ? a.im : &zero_a, b.im ? b.im : &zero_b, &q) &&
           foi_binary(s, place, op == FOI_OP_EQUAL ? FOI_OP_AND : FOI_OP_OR, true, &p, &q, out);
}

bool foi_complex_unary(foi_session *s, foi_place place, foi_flat_op op, const foi_value *a,
                       foi_value *out)
{
    foi_value re, im;
    return foi_unary(s, place, op, &a->fields[0], &re) &&
           foi_unary(s, place, op, &a->fields[1], &im) && compose(s, a->record, &re, &im, out);
}

bool foi_complex_binary(foi_session *s, foi_place place, foi_flat_op op, bool elementwise,
                        const foi_value *a, const foi_value *b, foi_value *out)
{
    parts x = parts_of(a), y = parts_of(b);
    foi_value re, im;
    bool right;
    switch (op) {
    case FOI_OP_ADD:
    case FOI_OP_SUBTRACT: right = add(s, place, op, elementwise, x, y, &re, &im); break;
    case FOI_OP_MULTIPLY: right = multiply(s, place, elementwise, x, y, &re, &im); break;
    case FOI_OP_DIVIDE:
        if (!x.im) { // a real over a complex number
            foi_value zero;
            if (!zero_like(s, place, x.re, &zero)) return false;
            right = divide(s, place, elementwise, (parts){x.re, &zero}, y, &re, &im);
            break;
        }
        right = divide(s, place, elementwise, x, y, &re, &im);
        break;
    case FOI_OP_POWER: right = power(s, place, x, y, &re, &im); break;
    case FOI_OP_EQUAL:
    case FOI_OP_NOT_EQUAL: return compare(s, place, op, x, y, out);
    default: return foi_error(s, place, "Complex numbers have no order");
    }
    return right && compose(s, x.im ? a->record : b->record, &re, &im, out);
}
