// Nonlinear nodes. Where one switches there is a guard: the switching is located, not stepped over.
#include <string.h>

#include "diagram/nodes/node_doc.h"
#include "diagram/nodes/scalar.h"
#include "diagram/nodes/whole.h"
#include "math/math.h"

#define SET "Nonlinear"

/// Of the numbers that a distance is made of: more than rounding errors of it can close again.
#define ROUNDING 0x1p-50

static fo_status type_guarded(foi_build *b, foi_node *n, uint32_t guards)
{
    fo_status status = foi_type_elementwise(b, n);
    n->guard_count = foi_guards_wanted(b, n, guards * foi_array_size(&n->outputs[0].shape));
    return status;
}

static fo_status type_one_guard(foi_build *b, foi_node *n)
{
    return type_guarded(b, n, 1);
}

static fo_status type_two_guards(foi_build *b, foi_node *n)
{
    return type_guarded(b, n, 2);
}

// ------------------------------------------------------------------------------------- backlash
//
// Own memory: the output at the last look, and how it is driven: 1 upward, -1 downward, 0 not at
// all. With events, while it is driven its guard is the slope of the input in that direction: it
// lets go where the input turns round. While it is not driven its guards are for the sides of the
// gap, of u - w/2 - y and its slope the smaller one, and of y - u - w/2 and its slope: it is driven
// from where the input is there and goes on.
//
// The slope is that of the rates, and the input goes along the dense output, which turns round some
// tolerances earlier or later: so it may pass a side while its slope leads away from there already.

enum { LAST, WAY };

static fo_status prepare_backlash(foi_build *b, foi_node *n)
{
    const foi_array *width = foi_value(n, 0);
    for (uint32_t i = 0; i < foi_array_size(width); i++)
        if (!(width->data[i] >= 0))
            return foi_node_refuse(
                b, n, "the width of the dead band must not be negative, it is %g", width->data[i]);
    return FO_OK;
}

static fo_status type_backlash(foi_build *b, foi_node *n)
{
    fo_status status = type_guarded(b, n, 2);
    n->own_count = 2 * foi_array_size(&n->outputs[0].shape);
    n->steps = !n->guard_count;
    if (n->guard_count) foi_slopes_want(b);
    return status;
}

static void start_backlash(const foi_node *n, foi_run *r)
{
    for (uint32_t i = 0; i < n->own_count / 2; i++)
        foi_own(n, r)[2 * i + LAST] = foi_real_at(foi_value(n, 1), i);
}

// A gap that rounding cannot close.
static double least_gap(const double *own, double x, double half)
{
    return ROUNDING * (half + fabs(x) + fabs(own[LAST]));
}

// The input may have jumped: then it has pushed the output along, and whether it goes on to drive
// it is seen by where it goes from there. Where it has jumped by no more than the time of a moment
// is unsure (|u| where u passes zero), letting go and meeting a side are moments of its own.
static void look_again(double *own, double x, double half)
{
    double up = x - half, down = x + half, driven = own[WAY] > 0 ? up : down;
    double gap = least_gap(own, x, half), past = foi_fmax(up - own[LAST], own[LAST] - down);
    if (!(fabs(driven - own[LAST]) <= 0x1p20 * gap)) own[WAY] = 0;
    if (own[WAY] == 0 && past <= 4 * gap) return;
    own[LAST] = foi_fmin(foi_fmax(own[LAST], up), down);
}

// With events what drives it counts, and each step that goes by: that is no expression.
static void output_backlash(const foi_node *n, foi_run *r)
{
    foi_view u = foi_view_in(n, r, 0);
    bool pushed = r->mover && r->mover != n;
    if (n->guard_count && foi_no_terms(r)) return;
    for (uint32_t i = 0; i < foi_size_of(n); i++) {
        foi_scalar half = foi_const(r, foi_real_at(foi_value(n, 0), i) / 2), x = foi_at(r, &u, i);
        foi_scalar last = foi_kept_of(n, r, 2 * i + LAST);
        if (n->guard_count && (foi_found_anew(r) || pushed))
            look_again(foi_own(n, r) + 2 * i, x.number, half.number);
        double way = n->guard_count ? foi_own(n, r)[2 * i + WAY] : 0;
        foi_scalar up = foi_do_2(r, FOI_G_MAX, last, foi_minus(r, x, half));
        foi_scalar down = foi_do_2(r, FOI_G_MIN, last, foi_plus(r, x, half));
        if (!n->guard_count)
            foi_put(n, r, i, foi_do_2(r, FOI_G_MIN, up, foi_plus(r, x, half)));
        else if (foi_found_anew(r))
            foi_put(n, r, i, foi_kept_of(n, r, 2 * i + LAST));
        else
            foi_put(n, r, i, way > 0 ? up : way < 0 ? down : last);
    }
}

static void watch_backlash(const foi_node *n, foi_run *r)
{
    if (foi_no_terms(r)) return;
    foi_array u = foi_in(n, r, 0);
    for (uint32_t i = 0; i < n->own_count / 2 && !r->beside; i++) {
        double half = foi_real_at(foi_value(n, 0), i) / 2, x = foi_real_at(&u, i);
        const double *own = foi_own(n, r) + 2 * i;
        double gap = least_gap(own, x, half); // having let go, it does not touch at once
        double up = x - half - own[LAST], down = own[LAST] - x - half, slope = foi_slope(n, r, i);
        double free[2] = {foi_fmin(up - gap, slope), foi_fmin(down - gap, -slope)};
        foi_side(n, r, 2 * i, own[WAY] > 0 ? slope : own[WAY] < 0 ? -slope : free[0]);
        foi_side(n, r, 2 * i + 1, own[WAY] != 0 ? -1 : free[1]);
    }
}

// What it keeps of its guards: so a slope that rounding hid where it met the side is seen later.
static void signs_backlash(const foi_node *n, foi_run *r, uint8_t *signs)
{
    for (uint32_t i = 0; i < n->own_count / 2; i++) {
        signs[2 * i] = FO_AT_ZERO | (foi_own(n, r)[2 * i + WAY] != 0 ? FO_ABOVE : FO_BELOW);
        signs[2 * i + 1] = FO_AT_ZERO | FO_BELOW;
    }
}

static void let_go(const foi_node *n, foi_run *r, uint32_t i)
{
    foi_own(n, r)[2 * i + LAST] = foi_out(n, r, 0).data[i];
    foi_own(n, r)[2 * i + WAY] = 0;
}

static bool fire_backlash(const foi_node *n, foi_run *r, uint32_t index, fo_direction direction)
{
    uint32_t i = index / 2;
    double *own = foi_own(n, r) + 2 * i;
    bool first = index % 2 == 0, rising = direction == FO_RISING;
    if (own[WAY] == 0) {
        if (rising) own[WAY] = first ? 1 : -1;
        return rising;
    }
    // the end of the step may have seen that it meets this side: the rates have changed
    if (!first || rising) return rising && (own[WAY] > 0) == first;
    let_go(n, r, i);
    return true;
}

static void update_backlash(const foi_node *n, foi_run *r)
{
    foi_array y = foi_out(n, r, 0);
    for (uint32_t i = 0; i < n->own_count / 2; i++) foi_own(n, r)[2 * i + LAST] = y.data[i];
}

static const foi_node_type backlash = {
    .name = "Backlash",
    .set = SET,
    .about = "Play between gears: while the input pushes upward the output is input - width/2, "
             "while it pushes downward input + width/2, and in between it stays. Where it meets a "
             "side of the gap and where it lets go are located.",
    .inputs = "u",
    .outputs = "y",
    .parameters = (const foi_parameter[]){{"Dead-Band Width", FOI_PARAMETER_REAL, "1", NULL, ""},
                                          {"Initial Output", FOI_PARAMETER_REAL, "0", NULL, ""},
                                          {0}},
    PROPERTIES(REAL_ONLY, "yes", INHERITED, SUPPORTED, ANY_DIMENSION),
    .example = {"Dead-Band Width=1", "Clock", 2, 0, "1.5"},
    .steps = true,
    .prepare = prepare_backlash,
    .type = type_backlash,
    .start = start_backlash,
    .expressed = true,
    .output = output_backlash,
    .update = update_backlash,
    .watch = watch_backlash,
    .fire = fire_backlash,
    .signs = signs_backlash,
    .pushed = true,
};

// ------------------------------------------------------------------------------------- friction

static void output_friction(const foi_node *n, foi_run *r)
{
    foi_view u = foi_view_in(n, r, 0);
    for (uint32_t i = 0; i < foi_size_of(n); i++) {
        foi_scalar x = foi_at(r, &u, i), side = foi_side_of(n, r, i, x);
        foi_scalar coulomb = foi_parameter_of(n, r, 0, i), viscous = foi_parameter_of(n, r, 1, i);
        foi_put(n, r, i, foi_plus(r, foi_times(r, viscous, x), foi_times(r, side, coulomb)));
    }
}

static const foi_node_type friction = {
    .name = "Coulomb and Viscous Friction",
    .set = SET,
    .about = "sign(u) * (viscous * |u| + coulomb).",
    .inputs = "u",
    .outputs = "force",
    .parameters =
        (const foi_parameter[]){
            {"Coulomb Friction Value", FOI_PARAMETER_REAL, "2 1 4", NULL, ""},
            {"Coefficients of Viscous Friction", FOI_PARAMETER_REAL, "1", NULL, ""},
            {0}},
    PROPERTIES(REAL_ONLY, "yes", INHERITED, SUPPORTED, ANY_DIMENSION),
    .example = {NULL, "-3", 0, 0, "-5 -4 -7"},
    .type = type_one_guard,
    .expressed = true,
    .output = output_friction,
};

// --------------------------------------------------------------------- dead zone and saturation

// Element by element parameter `lower` must not be above parameter `upper`.
static fo_status check_limits(foi_build *b, foi_node *n, uint32_t lower, uint32_t upper)
{
    const foi_array *low = foi_value(n, lower), *high = foi_value(n, upper);
    const foi_parameter *p = n->type->parameters;
    uint32_t count[2] = {foi_array_size(low), foi_array_size(high)};
    if (count[0] != 1 && count[1] != 1 && count[0] != count[1])
        return foi_node_refuse(b, n, "'%s' and '%s' have %u and %u elements", p[lower].name,
                               p[upper].name, count[0], count[1]);
    for (uint32_t i = 0; i < count[0] || i < count[1]; i++)
        if (!(foi_real_at(low, i) <= foi_real_at(high, i)))
            return foi_node_refuse(b, n, "'%s' is %g, above '%s', %g", p[lower].name,
                                   foi_real_at(low, i), p[upper].name, foi_real_at(high, i));
    return FO_OK;
}

static fo_status prepare_dead_zone(foi_build *b, foi_node *n)
{
    return check_limits(b, n, 0, 1);
}

// Of a Saturation and a Rate Limiter, and the points of a Relay: the upper one comes first.
static fo_status prepare_limits(foi_build *b, foi_node *n)
{
    return check_limits(b, n, 1, 0);
}

static void output_dead_zone(const foi_node *n, foi_run *r)
{
    foi_view u = foi_view_in(n, r, 0);
    for (uint32_t i = 0; i < foi_size_of(n); i++) {
        foi_scalar x = foi_at(r, &u, i);
        foi_scalar below = foi_minus(r, x, foi_parameter_of(n, r, 0, i));
        foi_scalar above = foi_minus(r, x, foi_parameter_of(n, r, 1, i));
        foi_scalar low = foi_side_of(n, r, 2 * i, below);
        foi_scalar high = foi_side_of(n, r, 2 * i + 1, above);
        foi_scalar inside = foi_if(r, foi_is_below(r, low, 0), below, foi_const(r, 0));
        foi_put(n, r, i, foi_if(r, foi_is_above(r, high, 0), above, inside));
    }
}

static const foi_node_type dead_zone = {
    .name = "Dead Zone",
    .set = SET,
    .about = "0 between the limits, beyond them the distance to the nearer one.",
    .inputs = "u",
    .outputs = "y",
    .parameters =
        (const foi_parameter[]){
            {"Start of Dead Zone", FOI_PARAMETER_REAL, "-1", NULL, "the lower limit"},
            {"End of Dead Zone", FOI_PARAMETER_REAL, "1", NULL, "the upper limit"},
            {0}},
    PROPERTIES(REAL_ONLY, "yes", INHERITED, SUPPORTED, ANY_DIMENSION),
    .example = {NULL, "-3 0.5 4", 0, 0, "-2 0 3"},
    .prepare = prepare_dead_zone,
    .type = type_two_guards,
    .expressed = true,
    .output = output_dead_zone,
};

static void output_saturation(const foi_node *n, foi_run *r)
{
    foi_view u = foi_view_in(n, r, 0);
    for (uint32_t i = 0; i < foi_size_of(n); i++) {
        foi_scalar upper = foi_parameter_of(n, r, 0, i), lower = foi_parameter_of(n, r, 1, i);
        foi_put(n, r, i, foi_limited(n, r, i, foi_at(r, &u, i), upper, lower));
    }
}

static const foi_node_type saturation = {
    .name = "Saturation",
    .set = SET,
    .about = "Its input, kept between the limits.",
    .inputs = "u",
    .outputs = "y",
    .parameters = (const foi_parameter[]){{"Upper Limit", FOI_PARAMETER_REAL, "1", NULL, ""},
                                          {"Lower Limit", FOI_PARAMETER_REAL, "-1", NULL, ""},
                                          {0}},
    PROPERTIES(REAL_ONLY, "yes", INHERITED, SUPPORTED, ANY_DIMENSION),
    .example = {NULL, "-3 0.5 4", 0, 0, "-1 0.5 1"},
    .prepare = prepare_limits,
    .type = type_two_guards,
    .expressed = true,
    .relative = true,
    .output = output_saturation,
};

// ------------------------------------------------------------------------------------- quantizer
//
// The level k of each element is kept; its cell is from (k - 1/2) q to (k + 1/2) q, each a little
// further out: what has just gone over one does not come back by rounding. Its guard is positive in
// there.

static fo_status prepare_quantizer(foi_build *b, foi_node *n)
{
    for (uint32_t i = 0; i < foi_array_size(foi_value(n, 0)); i++)
        if (!(foi_value(n, 0)->data[i] > 0))
            return foi_node_refuse(b, n, "the quantization interval must be positive");
    return FO_OK;
}

static fo_status type_quantizer(foi_build *b, foi_node *n)
{
    fo_status status = type_guarded(b, n, 1);
    if (n->outputs[0].shape.kind == FOI_SIGNAL_COMPLEX) n->guard_count = 0;
    n->own_count = FOI_WHOLE_KEPT * n->guard_count;
    return status;
}

// How far the input goes from a level before it changes, in intervals: half of one, and more than
// rounding can take back.
static foi_scalar edge(const foi_run *r, foi_scalar k)
{
    foi_scalar more = foi_by(r, FOI_G_MULTIPLY, foi_do_1(r, FOI_G_ABS, k), ROUNDING);
    return foi_by(r, FOI_G_ADD, more, 0.5 + ROUNDING);
}

static foi_scalar level(const foi_node *n, foi_run *r, uint32_t i, foi_scalar u, foi_scalar q)
{
    if (!n->guard_count) return foi_rounded(r, foi_over(r, u, q));
    if (foi_found_anew(r) || r->starting) {
        double *own = &foi_own(n, r)[FOI_WHOLE_KEPT * i], k = own[FOI_WHOLE];
        double far = 0.5 + ROUNDING * (1 + fabs(k));
        bool beyond = fabs(u.number - k * q.number) > far * q.number;
        bool stays = !r->starting && (!beyond || foi_whole_is_near(own, u.number, r->t));
        double when = r->starting ? -INFINITY : r->t;
        if (!stays) foi_whole_keep(own, foi_rounded(r, foi_over(r, u, q)).number, u.number, when);
    }
    foi_scalar k = foi_kept_of(n, r, FOI_WHOLE_KEPT * i);
    foi_scalar far = edge(r, k);
    foi_scalar upper = foi_times(r, foi_plus(r, k, far), q);
    foi_scalar lower = foi_times(r, foi_minus(r, k, far), q);
    foi_scalar below = foi_over(r, foi_minus(r, upper, u), q);
    foi_side_of(n, r, i, foi_times(r, foi_over(r, foi_minus(r, u, lower), q), below));
    return k;
}

static void output_quantizer(const foi_node *n, foi_run *r)
{
    foi_view u = foi_view_in(n, r, 0);
    for (uint32_t i = 0; i < foi_size_of(n); i++) {
        foi_scalar q = foi_parameter_of(n, r, 0, i), im = foi_imaginary_at(r, &u, i);
        foi_scalar re = foi_times(r, q, level(n, r, i, foi_at(r, &u, i), q));
        if (u.is_complex) im = foi_times(r, q, foi_rounded(r, foi_over(r, im, q)));
        foi_put_at(n, r, 0, i, re, im);
    }
}

// It is past the edge by more than rounding, or all but there, and rounding errors hide that: then
// it is at the edge of the level that is kept. The end of the step may have seen that already.
static bool fire_quantizer(const foi_node *n, foi_run *r, uint32_t index, fo_direction direction)
{
    r->memory[2 + n->guard + index] = 1;
    if (direction == FO_RISING) return false;
    foi_array u = foi_in(n, r, 0);
    double *own = &foi_own(n, r)[FOI_WHOLE_KEPT * index], k = own[FOI_WHOLE];
    foi_scalar x = foi_const(r, foi_real_at(&u, index));
    foi_scalar levels = foi_over(r, x, foi_parameter_of(n, r, 0, index));
    double whole = foi_rounded(r, levels).number, way = levels.number > k ? 1 : -1;
    double beyond = way * (levels.number - k) - 0.5;
    if (foi_whole_is_near(own, x.number, r->t)) return false;
    if (whole == k && fabs(beyond) <= 4 * ROUNDING * (1 + fabs(k))) whole += way;
    foi_whole_keep(own, whole, x.number, r->t);
    return true;
}

static void beyond_quantizer(const foi_node *n, foi_run *r, uint32_t index)
{
    foi_array u = foi_in(n, r, 0);
    double *own = &foi_own(n, r)[FOI_WHOLE_KEPT * index], k = own[FOI_WHOLE];
    double x = foi_real_at(&u, index), q = foi_parameter_of(n, r, 0, index).number;
    foi_whole_keep(own, x > k * q ? k + 1 : k - 1, x, r->t);
}

static const foi_node_type quantizer = {
    .name = "Quantizer",
    .set = SET,
    .about = "q * round(u / q): stairs with steps of q.",
    .inputs = "u",
    .outputs = "y",
    .parameters =
        (const foi_parameter[]){{"Quantization Interval", FOI_PARAMETER_REAL, "0.5", NULL, "q"},
                                {0}},
    PROPERTIES("input: real, complex; parameter: real", "yes", INHERITED, SUPPORTED, ANY_DIMENSION),
    .example = {NULL, "0.7 -1.3 2", 0, 0, "0.5 -1.5 2"},
    .accepts = FOI_NUMBERS,
    .prepare = prepare_quantizer,
    .type = type_quantizer,
    .expressed = true,
    .output = output_quantizer,
    .fire = fire_quantizer,
    .signs = foi_whole_signs,
    .beyond = beyond_quantizer,
};

// ---------------------------------------------------------------------------------- rate limiter

static fo_status type_limiter(foi_build *b, foi_node *n)
{
    fo_status status = foi_type_elementwise(b, n);
    n->own_count = foi_array_size(&n->outputs[0].shape);
    return status;
}

static void output_limiter(const foi_node *n, foi_run *r)
{
    foi_array u = foi_in(n, r, 0), y = foi_out(n, r, 0);
    const double *before = foi_own(n, r);
    for (uint32_t i = 0; i < foi_array_size(&y); i++) {
        double x = foi_real_at(&u, i), rate = (x - before[i]) / n->period;
        double rise = foi_real_at(foi_value(n, 0), i), fall = foi_real_at(foi_value(n, 1), i);
        if (r->count && rate > rise) x = before[i] + n->period * rise;
        if (r->count && rate < fall) x = before[i] + n->period * fall;
        y.data[i] = x;
    }
}

static void update_limiter(const foi_node *n, foi_run *r)
{
    foi_array y = foi_out(n, r, 0);
    memcpy(foi_own(n, r), y.data, n->own_count * sizeof(double));
}

static const foi_node_type rate_limiter = {
    .name = "Rate Limiter",
    .set = SET,
    .about =
        "Follows its input, but from step to step not faster than the slew rates allow; after a "
        "jump until it is reached.",
    .inputs = "u",
    .outputs = "y",
    .parameters =
        (const foi_parameter[]){
            {"Rising Slew Rate", FOI_PARAMETER_REAL, "1", NULL, "[1/s]"},
            {"Falling Slew Rate", FOI_PARAMETER_REAL, "-1", NULL, "negative [1/s]"},
            {0}},
    PROPERTIES(REAL_ONLY, "yes", INHERITED, SUPPORTED, ANY_DIMENSION),
    .example = {"Rising Slew Rate=0.5", "Clock", 1, 0, "0.5"},
    .steps = true,
    .held = true,
    .prepare = prepare_limits,
    .type = type_limiter,
    .output = output_limiter,
    .update = update_limiter,
};

// ----------------------------------------------------------------------------------------- relay
//
// Own memory: whether each element is on. The guard is the distance to the point at which it would
// switch next.

enum { ON_POINT, OFF_POINT, ON_OUTPUT, OFF_OUTPUT };

static fo_status type_relay(foi_build *b, foi_node *n)
{
    fo_status status = type_guarded(b, n, 1);
    n->own_count = foi_array_size(&n->outputs[0].shape);
    n->steps = !n->guard_count;
    return status;
}

// Between its points it stays as it is; on and off are 1 and 0.
static foi_scalar switched(const foi_run *r, foi_scalar x, foi_scalar up, foi_scalar down,
                           foi_scalar on)
{
    foi_scalar off = foi_do_2(r, FOI_G_LESS_EQUAL, x, down);
    return foi_if(r, foi_do_2(r, FOI_G_GREATER_EQUAL, x, up), foi_const(r, 1),
                  foi_if(r, off, foi_const(r, 0), on));
}

static void output_relay(const foi_node *n, foi_run *r)
{
    foi_view u = foi_view_in(n, r, 0);
    for (uint32_t i = 0; i < foi_size_of(n); i++) {
        foi_scalar x = foi_at(r, &u, i), on = foi_kept_of(n, r, i);
        foi_scalar up = foi_parameter_of(n, r, ON_POINT, i);
        foi_scalar down = foi_parameter_of(n, r, OFF_POINT, i);
        if (!n->guard_count || foi_found_anew(r)) on = switched(r, x, up, down, on);
        if (foi_found_anew(r)) foi_own(n, r)[i] = on.number;
        foi_scalar is_on = foi_is_above(r, on, 0);
        if (n->guard_count)
            foi_side_of(n, r, i, foi_if(r, is_on, foi_minus(r, x, down), foi_minus(r, x, up)));
        foi_put(n, r, i,
                foi_if(r, is_on, foi_parameter_of(n, r, ON_OUTPUT, i),
                       foi_parameter_of(n, r, OFF_OUTPUT, i)));
    }
}

static bool fire_relay(const foi_node *n, foi_run *r, uint32_t index, fo_direction direction)
{
    foi_own(n, r)[index] = direction == FO_RISING;
    return true;
}

// Between points that are apart it stays as it was: what has turned it at an instant, some rounding
// errors before its point, is not taken back there.
static bool relay_stays(const foi_node *n)
{
    for (uint32_t i = 0; i < foi_size_of(n); i++) {
        double up = foi_real_at(foi_value(n, ON_POINT), i);
        double down = foi_real_at(foi_value(n, OFF_POINT), i);
        if (!(up - down > 0x1p-20 * foi_fmax(fabs(up), fabs(down)))) return false;
    }
    return true;
}

static const foi_node_type relay = {
    .name = "Relay",
    .set = SET,
    .about = "Switches on where its input reaches the upper point and off where it reaches the "
             "lower one; in between it stays as it is.",
    .inputs = "u",
    .outputs = "y",
    .parameters = (const foi_parameter[]){{"Switch on Point", FOI_PARAMETER_REAL, "1", NULL, ""},
                                          {"Switch off Point", FOI_PARAMETER_REAL, "-1", NULL, ""},
                                          {"Output when on", FOI_PARAMETER_REAL, "1", NULL, ""},
                                          {"Output when off", FOI_PARAMETER_REAL, "0", NULL, ""},
                                          {0}},
    PROPERTIES(REAL_ONLY, "yes", INHERITED, SUPPORTED, ANY_DIMENSION),
    .example = {"Output when on=7;Output when off=-7", "2 0 -2", 0, 0, "7 -7 -7"},
    .prepare = prepare_limits,
    .type = type_relay,
    .expressed = true,
    .output = output_relay,
    .fire = fire_relay,
    .stays = relay_stays,
};

const foi_node_type *const foi_nodes_nonlinear[] = {
    &backlash,  &friction,     &dead_zone, &foi_manual_switch, &foi_multi_port_switch,
    &quantizer, &rate_limiter, &relay,     &saturation,        &foi_switch,
    NULL};
