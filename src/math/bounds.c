/// Enclosures of functions over intervals.
#include "math/bounds.h"

#include <stdbool.h>

#include "math/math.h"
#include "math/trig.h"

foi_bounds foi_exp_bounds(double lo, double hi)
{
    double a = foi_below(foi_exp(lo), FOI_STEPS_FINE), b = foi_above(foi_exp(hi), FOI_STEPS_FINE);
    return (foi_bounds){a < 0 ? 0 : a, b};
}

foi_bounds foi_log_bounds(double lo, double hi)
{
    return (foi_bounds){foi_below(foi_log(lo), FOI_STEPS_FINE),
                        foi_above(foi_log(hi), FOI_STEPS_FINE)};
}

// Where x stands on the circle behind row `from` of the table, in [0, 128). The reduction is exact
// enough that also the sign of what is left of a multiple of pi/64 is right.
static double position(double x, int from)
{
    foi_trig_parts p = foi_trig_split(x);
    if (p.bad) p = foi_trig_far(x);
    double at = (double)((p.k - (uint64_t)from) & 127) + p.r * FOI_TRIG_PER;
    return at < 0 ? at + 128 : at;
}

// Whether row `at` lies between lo and hi, which are less than a turn apart: then hi is a turn
// further than its place says. Less than 3 apart, 61.2 places, the two need not be told apart by
// their places: b - a is at most that, or a - b at least what is left of a turn.
static bool passes(double lo, double hi, int at)
{
    double a = position(lo, at), b = position(hi, at);
    return hi - lo < 3 ? a - b > 64 : !(a < b);
}

// `top` and `bottom`: the rows where the function is 1 and -1.
static foi_bounds wave(double lo, double hi, double at_lo, double at_hi, int top, int bottom)
{
    if (!(foi_magnitude(lo) <= DBL_MAX && foi_magnitude(hi) <= DBL_MAX) || hi - lo > 6.28)
        return (foi_bounds){-1, 1};
    double least = foi_below(at_lo < at_hi ? at_lo : at_hi, FOI_STEPS_FINE);
    double most = foi_above(at_lo < at_hi ? at_hi : at_lo, FOI_STEPS_FINE);
    if (passes(lo, hi, top) || most > 1) most = 1;
    if (passes(lo, hi, bottom) || least < -1) least = -1;
    return (foi_bounds){least, most};
}

foi_bounds foi_sin_bounds(double lo, double hi)
{
    return wave(lo, hi, foi_sin(lo), foi_sin(hi), 32, 96);
}

foi_bounds foi_cos_bounds(double lo, double hi)
{
    return wave(lo, hi, foi_cos(lo), foi_cos(hi), 0, 64);
}
