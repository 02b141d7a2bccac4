// Rounding to whole numbers, of the set of mathematics.
//
// With events the whole number k of each element is kept, and what it counts for is a cell of the
// input: k to the last double before k + 1 for floor. The guard of an element is
//
//     g = (u - first) (last - u)
//
// with the first and the last number of the cell: it is positive or zero in the cell, and falls
// below zero where u leaves it. So what jumps is located, and all that is behind it is continuous
// in between.
#include <float.h>

#include "diagram/nodes/node_doc.h"
#include "diagram/nodes/scalar.h"

#define LARGE \
    0x1p52 ///< numbers from here on are whole: u is its own cell until it is below half of it

enum { ROUND, FLOOR, CEIL, FIX };
enum { WHOLE, INPUT, WHEN, KEPT }; ///< own memory of an element: k, the u that it was found for

static fo_status type_rounding(foi_build *b, foi_node *n)
{
    fo_status status = foi_type_elementwise(b, n);
    const foi_array *shape = &n->outputs[0].shape;
    bool real = shape->kind == FOI_SIGNAL_REAL;
    n->guard_count = real ? foi_guards_wanted(b, n, foi_array_size(shape)) : 0;
    n->own_count = KEPT * n->guard_count;
    return status;
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
    if (which == FLOOR) return k;
    foi_scalar end = foi_by(r, FOI_G_SUBTRACT, k, which == ROUND ? 0.5 : 1);
    foi_scalar after = beside(r, end, FOI_G_ADD);
    if (which == CEIL) return after;
    return foi_if(r, foi_is_above(r, k, 0), which == ROUND ? end : k, after);
}

static foi_scalar last_of(const foi_run *r, int which, foi_scalar k)
{
    if (which == CEIL) return k;
    foi_scalar end = foi_by(r, FOI_G_ADD, k, which == ROUND ? 0.5 : 1);
    foi_scalar before = beside(r, end, FOI_G_SUBTRACT);
    if (which == FLOOR) return before;
    return foi_if(r, foi_is_below(r, k, 0), which == ROUND ? end : k, before);
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

static void find_anew(const foi_node *n, foi_run *r, uint32_t i, double u)
{
    double *own = &foi_own(n, r)[KEPT * i];
    if (!r->starting && is_near(own, u, r->t)) return;
    double whole = rounded(r, foi_choice(n, 0), u);
    if (r->starting || whole != own[WHOLE]) keep(own, whole, u, r->starting ? -INFINITY : r->t);
}

static foi_scalar whole_of(const foi_node *n, foi_run *r, uint32_t i, foi_scalar u)
{
    int which = foi_choice(n, 0);
    if (!n->guard_count) return foi_rounded_by(r, which, u);
    if (!r->lower && (foi_found_anew(r) || r->starting)) find_anew(n, r, i, u.number);
    foi_scalar k = foi_kept_of(n, r, KEPT * i);
    foi_scalar above = foi_minus(r, u, first_of(r, which, k));
    foi_scalar below = foi_minus(r, last_of(r, which, k), u);
    foi_scalar is_large = foi_by(r, FOI_G_GREATER_EQUAL, foi_do_1(r, FOI_G_ABS, k), LARGE);
    foi_scalar away = foi_by(r, FOI_G_SUBTRACT, foi_do_1(r, FOI_G_ABS, u), LARGE / 2);
    foi_side_of(n, r, i, foi_if(r, is_large, away, foi_times(r, above, below)));
    return foi_if(r, is_large, foi_rounded_by(r, which, u), k);
}

static void output_rounding(const foi_node *n, foi_run *r)
{
    foi_view u = foi_view_in(n, r, 0);
    int which = foi_choice(n, 0);
    for (uint32_t i = 0; i < foi_size_of(n); i++) {
        foi_pair x = foi_pair_at(r, &u, i);
        foi_put_at(n, r, 0, i, whole_of(n, r, i, x.re),
                   u.is_complex ? foi_rounded_by(r, which, x.im) : x.im);
    }
}

// u has left the cell: by its value, or by the end that it is nearer to, where rounding errors have
// put it inside. (FO_EITHER: it goes on to the next one from there.) The moment that told this one
// to turn with others may have come before its own.
static bool fire_rounding(const foi_node *n, foi_run *r, uint32_t index, fo_direction direction)
{
    double *own = &foi_own(n, r)[KEPT * index], k = own[WHOLE];
    foi_array input = foi_in(n, r, 0);
    double u = foi_real_at(&input, index);
    int which = foi_choice(n, 0);
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

static void signs_rounding(const foi_node *n, foi_run *r, uint8_t *signs)
{
    (void)r;
    for (uint32_t i = 0; i < n->guard_count; i++) signs[i] = FO_ABOVE | FO_AT_ZERO;
}

const foi_node_type foi_rounding_function = {
    .name = "Rounding Function",
    .set = "Math and Logic",
    .about = "Rounds to a whole number: the nearest, not greater, not smaller, or towards zero; of "
             "complex numbers both parts.",
    .inputs = "u",
    .outputs = "value",
    .parameters =
        (const foi_parameter[]){
            {"Function", FOI_PARAMETER_CHOICE, "round", "round|floor|ceil|fix", ""}, {0}},
    PROPERTIES(REAL_OR_COMPLEX, "yes", INHERITED, NOT_APPLICABLE, ANY_DIMENSION),
    .example = {"Function=fix", "2.7 -2.7 1.5-0.5i", 0, 0, "2 -2 1"},
    .accepts = FOI_NUMBERS,
    .type = type_rounding,
    .expressed = true,
    .output = output_rounding,
    .fire = fire_rounding,
    .turns = true,
    .signs = signs_rounding,
};
