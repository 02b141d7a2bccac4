// Scalars: terms of the graph while a diagram is lowered, and what is more than one operation.
#include "diagram/nodes/scalar.h"

#include "diagram/run/lower.h"

// ------------------------------------------------------------------------------------- operations

static foi_scalar of_term(foi_term term)
{
    return (foi_scalar){.term = term};
}

foi_scalar foi_scalar_term(const foi_run *r, foi_op op, foi_scalar a, foi_scalar b, foi_scalar c)
{
    return of_term(foi_term_make(r->lower->terms, op, a.term, b.term, c.term));
}

#ifdef FOI_SMALL
foi_scalar foi_scalar_do(const foi_run *r, foi_op op, foi_scalar a, foi_scalar b, foi_scalar c)
{
    if (foi_makes_terms(r)) return foi_scalar_term(r, op, a, b, c);
    return (foi_scalar){.number = foi_op_any(op, a.number, b.number, c.number)};
}
#endif

foi_scalar foi_scalar_any(const foi_run *r, foi_op op, foi_scalar a, foi_scalar b)
{
    return foi_do_2(r, op, a, b);
}

foi_scalar foi_scalar_constant(const foi_run *r, double value)
{
    return of_term(foi_term_number(r->lower->terms, value));
}

foi_scalar foi_nothing(const foi_run *r)
{
    return foi_do_1(r, FOI_G_SQRT, foi_const(r, -1));
}

// u - trunc(u) is exact.
foi_scalar foi_rounded(const foi_run *r, foi_scalar u)
{
    foi_scalar whole = foi_by(r, FOI_G_QUOTIENT, u, 1);
    foi_scalar rest = foi_do_1(r, FOI_G_ABS, foi_minus(r, u, whole));
    return foi_if(r, foi_by(r, FOI_G_GREATER_EQUAL, rest, 0.5),
                  foi_plus(r, whole, foi_do_1(r, FOI_G_SIGN, u)), whole);
}

foi_scalar foi_rounded_by(const foi_run *r, int which, foi_scalar u)
{
    if (which == 0) return foi_rounded(r, u);
    if (which == 1) return foi_do_1(r, FOI_G_FLOOR, u);
    if (which == 2) return foi_do_1(r, FOI_G_CEIL, u);
    return foi_by(r, FOI_G_QUOTIENT, u, 1);
}

// ---------------------------------------------------------------------------------- what is known

bool foi_no_terms(const foi_run *r)
{
    if (r->lower) r->lower->unfit = true;
    return r->lower;
}

bool foi_too_many(const foi_run *r, uint64_t operations)
{
    return r->lower && operations > FOI_MAX_TERMS && foi_no_terms(r);
}

foi_scalar foi_scalar_time(const foi_run *r)
{
    return of_term(foi_term_time(r->lower->terms));
}

foi_scalar foi_scalar_state(const foi_run *r, uint32_t at)
{
    return of_term(foi_term_state(r->lower->terms, at));
}

foi_scalar foi_scalar_memory(const foi_run *r, uint32_t at)
{
    return of_term(foi_term_memory(r->lower->terms, at));
}

foi_scalar foi_scalar_side(const foi_node *n, const foi_run *r, uint32_t index, foi_scalar g)
{
    if (!n->guard_count) return foi_do_1(r, FOI_G_SIGN, g);
    r->lower->guards[n->guard + index] = g.term;
    return foi_scalar_memory(r, 2 + n->guard + index);
}

foi_scalar foi_limited(const foi_node *n, foi_run *r, uint32_t i, foi_scalar v, foi_scalar upper,
                       foi_scalar lower)
{
    foi_scalar high = foi_side_of(n, r, 2 * i, foi_minus(r, v, upper));
    foi_scalar low = foi_side_of(n, r, 2 * i + 1, foi_minus(r, v, lower));
    foi_scalar inside = foi_if(r, foi_is_below(r, low, 0), lower, v);
    return foi_if(r, foi_is_above(r, high, 0), upper, inside);
}

foi_scalar foi_scalar_at(const foi_run *r, const foi_view *v, size_t at)
{
    if (!v->signal) return foi_const(r, v->data[at]);
    if (v->signal->fixed) return foi_const(r, v->signal->fixed[at]);
    return of_term(r->lower->signals[v->signal->offset + at]);
}

// --------------------------------------------------------------------------------------- by choice

foi_place foi_place_of(const foi_run *r, foi_scalar u, const double *thresholds, uint32_t count)
{
    foi_place p = {.u = u, .thresholds = thresholds, .count = count};
    uint32_t beyond = count;
    while (!r->lower && beyond - p.index > 1) {
        uint32_t middle = p.index + (beyond - p.index) / 2;
        if (u.number >= thresholds[middle - 1])
            p.index = middle;
        else
            beyond = middle;
    }
    return p;
}

// By halves, so that the depth is that of a binary search.
foi_scalar foi_scalar_pick(const foi_run *r, const foi_place *p, const double *values)
{
    if (p->count == 1) return foi_const(r, values[0]);
    uint32_t half = p->count / 2;
    foi_place low = {.u = p->u, .thresholds = p->thresholds, .count = half};
    foi_place high = {.u = p->u, .thresholds = p->thresholds + half, .count = p->count - half};
    foi_scalar below = foi_scalar_pick(r, &low, values);
    foi_scalar above = foi_scalar_pick(r, &high, values + half);
    return foi_if(r, foi_by(r, FOI_G_GREATER_EQUAL, p->u, p->thresholds[half - 1]), above, below);
}

foi_scalar foi_pick_2d(const foi_run *r, const foi_place *row, const foi_place *column,
                       const double *table, uint32_t width)
{
    if (!r->lower) return foi_pick(r, column, table + (size_t)row->index * width);
    foi_scalar chosen = foi_pick(r, column, table);
    for (uint32_t i = 1; i < row->count; i++) {
        foi_scalar here = foi_pick(r, column, table + (size_t)i * width);
        chosen =
            foi_if(r, foi_by(r, FOI_G_GREATER_EQUAL, row->u, row->thresholds[i - 1]), here, chosen);
    }
    return chosen;
}

foi_scalar foi_checked_index(const foi_node *n, foi_run *r, foi_scalar index, uint32_t first,
                             uint32_t count)
{
    double last = first + (count - 1.0);
    foi_scalar inside = foi_do_2(r, FOI_G_AND, foi_by(r, FOI_G_GREATER_EQUAL, index, first),
                                 foi_by(r, FOI_G_LESS_EQUAL, index, last));
    foi_scalar whole = foi_do_2(r, FOI_G_EQUAL, index, foi_do_1(r, FOI_G_FLOOR, index));
    foi_scalar good = foi_do_2(r, FOI_G_AND, inside, whole);
    if (!r->lower && good.number == 0)
        foi_run_refuse(r, n, "the index %g is not one of %u ... %.0f", index.number, first, last);
    return foi_if(r, good, index, foi_nothing(r));
}

foi_scalar foi_element_of(const foi_run *r, const foi_view *v, bool imaginary, foi_scalar index)
{
    if (!r->lower) {
        double i = index.number;
        if (!(i >= 0 && i < v->size) || i != floor(i)) return foi_nothing(r);
        return imaginary ? foi_imaginary_at(r, v, (uint32_t)i) : foi_at(r, v, (uint32_t)i);
    }
    foi_scalar y = foi_nothing(r);
    for (uint32_t k = 0; k < v->size; k++)
        y = foi_if(r, foi_by(r, FOI_G_EQUAL, index, k),
                   imaginary ? foi_imaginary_at(r, v, k) : foi_at(r, v, k), y);
    return y;
}

// -------------------------------------------------------------------------------------- results

void foi_scalar_put(const foi_run *r, size_t offset, foi_scalar value, bool finite)
{
    r->lower->signals[offset] = value.term;
    r->lower->checked[offset] = finite;
}

void foi_scalar_rate(const foi_run *r, uint32_t at, foi_scalar value)
{
    r->lower->rates[at] = value.term;
}

// ------------------------------------------------------------------------------- complex numbers

// What a and b are divided by before they are squared: 1 where the squares neither overflow nor
// lose digits, otherwise the greater one. So in the usual case nothing is rounded more often, and
// an interval of such numbers gives an interval as narrow.
static foi_scalar scale_of(const foi_run *r, foi_scalar a, foi_scalar b)
{
    foi_scalar size = foi_do_2(r, FOI_G_MAX, foi_do_1(r, FOI_G_ABS, a), foi_do_1(r, FOI_G_ABS, b));
    foi_scalar plain =
        foi_do_2(r, FOI_G_AND, foi_is_above(r, size, 0x1p-450), foi_is_below(r, size, 0x1p+450));
    foi_scalar one = foi_const(r, 1);
    return foi_if(r, plain, one, foi_if(r, foi_is_above(r, size, 0), size, one));
}

// With c and d divided by k: (a + ib) / (c + id) = ((ac + bd) + i (bc - ad)) / (cc + dd) / k.
foi_pair foi_pair_over(const foi_run *r, foi_pair a, foi_pair b)
{
    foi_scalar k = scale_of(r, b.re, b.im), c = foi_over(r, b.re, k), d = foi_over(r, b.im, k);
    foi_scalar below = foi_plus(r, foi_times(r, c, c), foi_times(r, d, d));
    foi_scalar re = foi_plus(r, foi_times(r, a.re, c), foi_times(r, a.im, d));
    foi_scalar im = foi_minus(r, foi_times(r, a.im, c), foi_times(r, a.re, d));
    return (foi_pair){foi_over(r, foi_over(r, re, below), k),
                      foi_over(r, foi_over(r, im, below), k)};
}

foi_scalar foi_magnitude(const foi_run *r, foi_pair z)
{
    foi_scalar k = scale_of(r, z.re, z.im), a = foi_over(r, z.re, k), b = foi_over(r, z.im, k);
    foi_scalar square = foi_plus(r, foi_times(r, a, a), foi_times(r, b, b));
    return foi_times(r, k, foi_do_1(r, FOI_G_SQRT, square));
}
