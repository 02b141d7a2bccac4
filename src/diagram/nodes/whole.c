// Whole numbers that are kept between moments.
#include "diagram/nodes/whole.h"

#include <float.h>

#define LARGE \
    0x1p52 ///< numbers from here on are whole: u is its own cell until it is below half of it

enum { WHOLE, INPUT, WHEN, KEPT }; ///< own memory of an element: k, the u that it was found for

void foi_wholes_wanted(const foi_build *b, foi_node *n, uint32_t count)
{
    n->guard_count = foi_guards_wanted(b, n, count);
    n->own_count = KEPT * n->guard_count;
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

static void keep(double *own, double whole, double u, double t)
{
    own[WHOLE] = whole, own[INPUT] = u, own[WHEN] = t;
}

// Where u has just left the cell it is at its end but for rounding errors, which may put it inside
// once more: k stays until u is farther from where it was found, or some time has gone by.
static bool is_near(const double *own, double u, double t)
{
    double few = 64 * DBL_EPSILON;
    return fabs(u - own[INPUT]) <= few * fabs(u) && fabs(t - own[WHEN]) <= few * fabs(t);
}

static void find_anew(const foi_node *n, foi_run *r, uint32_t i, int which, double u)
{
    double *own = &foi_own(n, r)[KEPT * i];
    if (!r->starting && is_near(own, u, r->t)) return;
    double whole = rounded(r, which, u);
    if (r->starting || whole != own[WHOLE]) keep(own, whole, u, r->starting ? -INFINITY : r->t);
}

foi_scalar foi_whole_of(const foi_node *n, foi_run *r, uint32_t i, int which, foi_scalar u)
{
    if (!n->guard_count) return foi_rounded_by(r, which, u);
    if (!r->lower && (r->refresh || r->starting)) find_anew(n, r, i, which, u.number);
    foi_scalar k = foi_kept_of(n, r, KEPT * i);
    foi_scalar above = foi_minus(r, u, first_of(r, which, k));
    foi_scalar below = foi_minus(r, last_of(r, which, k), u);
    foi_scalar is_large = foi_by(r, FOI_G_GREATER_EQUAL, foi_do_1(r, FOI_G_ABS, k), LARGE);
    foi_scalar away = foi_by(r, FOI_G_SUBTRACT, foi_do_1(r, FOI_G_ABS, u), LARGE / 2);
    foi_side_of(n, r, i, foi_if(r, is_large, away, foi_times(r, above, below)));
    return foi_if(r, is_large, foi_rounded_by(r, which, u), k);
}

// u has left the cell: by its value, or by the end that it is nearer to, where rounding errors have
// put it inside. (FO_EITHER: it goes on to the next one from there.) The moment that told this one
// to turn with others may have come before its own.
bool foi_whole_fires(const foi_node *n, foi_run *r, uint32_t index, fo_direction direction,
                     int which, double u)
{
    double *own = &foi_own(n, r)[KEPT * index], k = own[WHOLE];
    r->memory[2 + n->guard + index] = 1;
    if (direction == FO_RISING || (direction == FO_FALLING && is_near(own, u, r->t))) return false;
    double whole = rounded(r, which, u);
    if (whole == k) {
        // a jump has carried u out of the cell, and another one back
        if (r->slack == 0 && direction != FO_EITHER) return false;
        double above = u - first_of(r, which, foi_const(r, k)).number;
        double below = last_of(r, which, foi_const(r, k)).number - u;
        whole = above < below ? k - 1 : k + 1;
    }
    keep(own, whole, u, r->t);
    return true;
}

void foi_whole_signs(const foi_node *n, foi_run *r, uint8_t *signs)
{
    (void)r;
    for (uint32_t i = 0; i < n->guard_count; i++) signs[i] = FO_ABOVE | FO_AT_ZERO;
}
