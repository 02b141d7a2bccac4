// Whole numbers that are kept between moments.
#include "diagram/nodes/whole.h"

#include <float.h>

#define LARGE \
    0x1p52 ///< numbers from here on are whole: u is its own cell until it is below half of it

void foi_wholes_wanted(const foi_build *b, foi_node *n, uint32_t count)
{
    n->guard_count = foi_guards_wanted(b, n, count);
    n->own_count = FOI_WHOLE_KEPT * n->guard_count;
}

// The double before or after an end that does not belong to the cell.
static foi_scalar beside(const foi_run *r, foi_scalar end, foi_op way)
{
    foi_scalar ulp = foi_by(r, FOI_G_MULTIPLY, foi_do_1(r, FOI_G_ABS, end), 0.55 * DBL_EPSILON);
    return foi_do_2(r, way, end, foi_by(r, FOI_G_ADD, ulp, 1e-300));
}

// The ends of the cell of k towards zero belong to it, and those away from zero do not, if k is
// rounded towards zero; and so on.
static foi_scalar first_of(const foi_run *r, int which, foi_scalar k)
{
    if (which == FOI_FLOOR) return k;
    foi_scalar end = foi_by(r, FOI_G_SUBTRACT, k, which == FOI_ROUND ? 0.5 : 1);
    foi_scalar after = beside(r, end, FOI_G_ADD);
    if (which == FOI_CEIL) return after;
    return foi_if(r, foi_is_above(r, k, 0), which == FOI_ROUND ? end : k, after);
}

static foi_scalar last_of(const foi_run *r, int which, foi_scalar k)
{
    if (which == FOI_CEIL) return k;
    foi_scalar end = foi_by(r, FOI_G_ADD, k, which == FOI_ROUND ? 0.5 : 1);
    foi_scalar before = beside(r, end, FOI_G_SUBTRACT);
    if (which == FOI_FLOOR) return before;
    return foi_if(r, foi_is_below(r, k, 0), which == FOI_ROUND ? end : k, before);
}

static double rounded(const foi_run *r, int which, double u)
{
    return foi_rounded_by(r, which, foi_const(r, u)).number;
}

void foi_whole_keep(double *own, double whole, double u, double t)
{
    own[FOI_WHOLE] = whole, own[FOI_WHOLE_INPUT] = u, own[FOI_WHOLE_WHEN] = t;
}

bool foi_whole_is_near(const double *own, double u, double t)
{
    double few = 64 * DBL_EPSILON;
    return fabs(u - own[FOI_WHOLE_INPUT]) <= few * fabs(u) &&
           fabs(t - own[FOI_WHOLE_WHEN]) <= few * fabs(t);
}

static void find_anew(const foi_node *n, foi_run *r, uint32_t i, double whole, double u)
{
    double *own = &foi_own(n, r)[FOI_WHOLE_KEPT * i];
    if (!r->starting && foi_whole_is_near(own, u, r->t)) return;
    if (r->starting || whole != own[FOI_WHOLE])
        foi_whole_keep(own, whole, u, r->starting ? -INFINITY : r->t);
}

// Gives the guard its value: that in the cell, where k is not too large for cells, which it
// returns.
static foi_scalar watch(const foi_node *n, foi_run *r, uint32_t i, foi_scalar k, foi_scalar u,
                        foi_scalar in_cell)
{
    foi_scalar is_large = foi_by(r, FOI_G_GREATER_EQUAL, foi_do_1(r, FOI_G_ABS, k), LARGE);
    foi_scalar away = foi_by(r, FOI_G_SUBTRACT, foi_do_1(r, FOI_G_ABS, u), LARGE / 2);
    foi_side_of(n, r, i, foi_if(r, is_large, away, in_cell));
    return is_large;
}

foi_scalar foi_whole_of(const foi_node *n, foi_run *r, uint32_t i, int which, foi_scalar u)
{
    if (!n->guard_count) return foi_rounded_by(r, which, u);
    if (!r->lower && (r->refresh || r->starting))
        find_anew(n, r, i, rounded(r, which, u.number), u.number);
    foi_scalar k = foi_kept_of(n, r, FOI_WHOLE_KEPT * i);
    foi_scalar above = foi_minus(r, u, first_of(r, which, k));
    foi_scalar below = foi_minus(r, last_of(r, which, k), u);
    foi_scalar is_large = watch(n, r, i, k, u, foi_times(r, above, below));
    return foi_if(r, is_large, foi_rounded_by(r, which, u), k);
}

// The cell to whose end u is nearer.
static double next_to(const foi_run *r, int which, double u, double k)
{
    double above = u - first_of(r, which, foi_const(r, k)).number;
    double below = last_of(r, which, foi_const(r, k)).number - u;
    return above < below ? k - 1 : k + 1;
}

void foi_whole_beyond(const foi_node *n, foi_run *r, uint32_t index, int which, double u)
{
    double *own = &foi_own(n, r)[FOI_WHOLE_KEPT * index];
    foi_whole_keep(own, next_to(r, which, u, own[FOI_WHOLE]), u, r->t);
}

// u has left the cell: by its value, or by the end that it is nearer to, where rounding errors have
// put it inside. (FO_EITHER: it goes on to the next one from there.) The moment that told this one
// to turn with others may have come before its own.
static bool fires(const foi_node *n, foi_run *r, uint32_t index, fo_direction direction, int which,
                  double u, double whole)
{
    double *own = &foi_own(n, r)[FOI_WHOLE_KEPT * index], k = own[FOI_WHOLE];
    r->memory[2 + n->guard + index] = 1;
    if (direction == FO_RISING || (direction == FO_FALLING && foi_whole_is_near(own, u, r->t)))
        return false;
    if (whole == k) {
        // a jump has carried u out of the cell, and another one back
        if (r->slack == 0 && direction != FO_EITHER) return false;
        whole = next_to(r, which, u, k);
    }
    foi_whole_keep(own, whole, u, r->t);
    return true;
}

bool foi_whole_fires(const foi_node *n, foi_run *r, uint32_t index, fo_direction direction,
                     int which, double u)
{
    return fires(n, r, index, direction, which, u, rounded(r, which, u));
}

// ------------------------------------------------------------------------------------- remainders

// The whole part of p/q. The quotient is rounded by a quarter at most: it may be the next whole
// number already where the remainder still says that p/q is short of it.
static double whole_part(const foi_node *n, double p, double q)
{
    double u = p / q, whole = trunc(u);
    bool exact = n->inputs[1]->fixed; // see in_cell
    if (exact && u == whole && fabs(u) <= LARGE && fabs(fmod(p, q) / q) > 0.5)
        whole -= u < 0 ? -1 : 1;
    return whole + 0.0; // no -0
}

/// A number as the sum of two of half as many digits.
typedef struct halves {
    foi_scalar high, low;
} halves;

static halves halves_of(const foi_run *r, foi_scalar a)
{
    foi_scalar c = foi_by(r, FOI_G_MULTIPLY, a, 0x1p27 + 1);
    foi_scalar high = foi_minus(r, c, foi_minus(r, c, a));
    return (halves){high, foi_minus(r, a, high)};
}

// p - q k rounded once, for |k| below LARGE where p is not far from q k (T. J. Dekker, A
// floating-point technique for extending the available precision, 1971): p less the rounded product
// is exact, and so is what the product was rounded by. Where k is the whole part the remainder is a
// double. With a power of two in front nothing overflows, nor is lost below the least doubles.
static foi_scalar less_product(const foi_run *r, foi_scalar p, foi_scalar q, foi_scalar k)
{
    foi_scalar size = foi_do_1(r, FOI_G_ABS, q), one = foi_const(r, 1);
    foi_scalar many = foi_if(r, foi_is_below(r, size, 0x1p-900), foi_const(r, 0x1p200), one);
    foi_scalar by = foi_if(r, foi_is_above(r, size, 0x1p900), foi_const(r, 0x1p-100), many);
    foi_scalar a = foi_times(r, q, by), product = foi_times(r, a, k);
    halves x = halves_of(r, a), y = halves_of(r, k);
    foi_scalar off = foi_minus(r, foi_times(r, x.high, y.high), product);
    off = foi_plus(r, off, foi_times(r, x.high, y.low));
    off = foi_plus(r, off, foi_times(r, x.low, y.high));
    off = foi_plus(r, off, foi_times(r, x.low, y.low));
    foi_scalar rest = foi_minus(r, foi_minus(r, foi_times(r, p, by), product), off);
    return foi_if(r, foi_by(r, FOI_G_EQUAL, k, 0), p, foi_over(r, rest, by));
}

// Where q stays the guard is by the remainder in units of q, which knows the cell better than the
// rounded quotient: it is from 0 on and below 1 where k is positive, and so on. Of a q that moves
// intervals of its halves would be far too wide.
static foi_scalar in_cell(const foi_node *n, const foi_run *r, foi_scalar k, foi_scalar u,
                          foi_scalar part)
{
    foi_scalar zero = foi_const(r, 0);
    foi_scalar most = foi_const(r, 1 - DBL_EPSILON / 2), least = foi_const(r, DBL_EPSILON / 2 - 1);
    if (!n->inputs[1]->fixed)
        return foi_times(r, foi_minus(r, u, first_of(r, FOI_FIX, k)),
                         foi_minus(r, last_of(r, FOI_FIX, k), u));
    return foi_times(r, foi_minus(r, part, foi_if(r, foi_is_above(r, k, 0), zero, least)),
                     foi_minus(r, foi_if(r, foi_is_below(r, k, 0), zero, most), part));
}

foi_scalar foi_remainder_of(const foi_node *n, foi_run *r, uint32_t i, foi_scalar p, foi_scalar q)
{
    foi_scalar u = foi_over(r, p, q);
    if (!r->lower && (r->refresh || r->starting))
        find_anew(n, r, i, whole_part(n, p.number, q.number), u.number);
    foi_scalar k = foi_kept_of(n, r, FOI_WHOLE_KEPT * i), rest = less_product(r, p, q, k);
    foi_scalar is_large = watch(n, r, i, k, u, in_cell(n, r, k, u, foi_over(r, rest, q)));
    return foi_if(r, is_large, foi_do_2(r, FOI_G_REM, p, q), rest);
}

bool foi_remainder_fires(const foi_node *n, foi_run *r, uint32_t index, fo_direction direction,
                         double p, double q)
{
    return fires(n, r, index, direction, FOI_FIX, p / q, whole_part(n, p, q));
}

void foi_whole_signs(const foi_node *n, foi_run *r, uint8_t *signs)
{
    (void)r;
    for (uint32_t i = 0; i < n->guard_count; i++) signs[i] = FO_ABOVE | FO_AT_ZERO;
}
