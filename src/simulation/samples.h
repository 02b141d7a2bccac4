/// What samples tell of one guard on a segment: written once, for the guards of a search one after
/// the other (sample.c, locate.c) and for one that is alone, whose values stay in registers
/// (alone.c). The reasons stand in sample.c and locate.c.
#ifndef FOI_SAMPLES_H
#define FOI_SAMPLES_H

#include <float.h>
#include <math.h>

#include "base/inline.h"
#include "math/math.h"
#include "simulation/search.h"

/// One guard on a segment [a, a + width] of theta.
typedef struct foi_samples {
    foi_guard_side *guard; ///< at the left end
    const fo_guard *about;
    foi_finding *found;
    double a, width;
    double at_a, slope_a, quarter, middle, at_b, slope_b;
    double later; ///< if has_later
    bool has_later;
    double v[5];      ///< Bernstein coefficients of the quartic,
    int quartic_side; ///< turned so that this side is positive; 0: not known
} foi_samples;

/// Guard i on the segment on top of the stack, as far as it is known. In sample.c.
foi_samples foi_samples_of(const foi_search *f, uint32_t i);

/// Takes the value at FOI_LATER into s->later; false where that fails.
typedef bool foi_take_later(void *self, foi_samples *s);

// ------------------------------------------------------------------------------------ slopes

/// Over which part of the step they are taken; powers of two, so that to multiply with the inverse
/// gives the same bits as to divide.
#define FOI_COARSE_BASE 0x1p-24
#define FOI_RIGHT_BASE  0x1p-17

/// By one difference: exact where g is linear.
FOI_INLINE double foi_slope_coarse(double g, double near)
{
    return (near - g) * (1 / FOI_COARSE_BASE);
}

/// By two to the right: exact where g is quadratic.
FOI_INLINE double foi_slope_right(double g, double near, double far)
{
    return (4 * near - far - 3 * g) * (0.5 / FOI_RIGHT_BASE);
}

// ------------------------------------------------------------------------------------ the quartic

/// Its Bernstein coefficients, turned so that the left side is positive.
FOI_INLINE void foi_samples_quartic(foi_samples *s, int turn)
{
    double side = turn, *v = s->v;
    v[0] = s->guard->side ? side * s->at_a : 0;
    v[1] = v[0] + side * s->width * s->slope_a / 4;
    v[4] = side * s->at_b;
    v[3] = v[4] - side * s->width * s->slope_b / 4;
    v[2] = (16 * side * s->middle - v[0] - 4 * v[1] - 4 * v[3] - v[4]) / 6;
    s->quartic_side = turn;
}

/// How the Bernstein coefficients lie around zero, each off it by more than the margin.
typedef enum foi_signs { FOI_MIXED, FOI_ALL_ON_SIDE, FOI_ONE_CHANGE } foi_signs;

FOI_INLINE foi_signs foi_signs_of(const double *v, double margin)
{
    unsigned positive = 1; // bit j: v[j]; v[0] is, or leaves zero that way
    for (int j = 1; j < 5; j++) {
        unsigned is = v[j] > margin;
        if (!is && !(v[j] < -margin)) return FOI_MIXED;
        positive |= is << j;
    }
    unsigned changes = (positive ^ positive >> 1) & 15;
    if (!changes) return FOI_ALL_ON_SIDE;
    return changes & (changes - 1) ? FOI_MIXED : FOI_ONE_CHANGE;
}

FOI_INLINE bool foi_falls(const double *v, double margin)
{
    return v[0] - v[1] > margin && v[1] - v[2] > margin && v[2] - v[3] > margin &&
           v[3] - v[4] > margin;
}

FOI_INLINE double foi_bernstein(const double *v, double s)
{
    double r = 1 - s;
    return r * r * r * (r * v[0] + 4 * s * v[1]) +
           s * s * (6 * r * r * v[2] + s * (4 * r * v[3] + s * v[4]));
}

/// What the quartic says, from the left side of zero.
typedef enum foi_course { FOI_STAYS, FOI_CROSSES_ONCE, FOI_UNKNOWN } foi_course;

// The seventh value, where the sixth does not settle it: a guard that is a quartic to the last bits
// and no constant is one.
FOI_INLINE double foi_error_later(foi_samples *s, double error, foi_take_later *take, void *self)
{
    if (error <= 0x1p-46 * fabs(s->v[0] - s->v[4])) return error;
    if (!s->has_later && !take(self, s)) return INFINITY;
    s->has_later = true;
    double later = fabs(s->quartic_side * s->later - foi_bernstein(s->v, FOI_LATER));
    return later <= error ? error : later;
}

FOI_INLINE foi_course foi_course_of(foi_samples *s, int side, foi_take_later *take, void *self)
{
    const double *v = s->v;
    foi_samples_quartic(s, side);
    double error = fabs(side * s->quarter - foi_bernstein(v, FOI_QUARTER));
    if (error < INFINITY) error = foi_error_later(s, error, take, self);
    if (!(error < INFINITY)) return FOI_UNKNOWN;
    foi_signs lie = foi_signs_of(v, 4 * error);
    if (lie == FOI_ALL_ON_SIDE) return FOI_STAYS;
    // one change of sign is one root (Descartes), and so is a descent through zero
    if (lie == FOI_ONE_CHANGE) return FOI_CROSSES_ONCE;
    bool descends = foi_falls(v, 2 * error);
    if (descends && v[4] <= 0) return FOI_CROSSES_ONCE;
    double turned[5] = {v[4], v[3], v[2], v[1], v[0]};
    if (v[4] > 0 && (descends || foi_falls(turned, 2 * error))) return FOI_STAYS;
    return FOI_UNKNOWN;
}

// ------------------------------------------------------------------------------------ the verdict

// How far a guard's rounding errors reach was measured before the jump, and the jump may have made
// it smaller by many powers of ten: what was the voltage of a diode is its current from then on.
// Where it goes steadily to the side that is not held, from a place that is near zero beside that,
// this is no rounding error any more.
FOI_INLINE bool foi_goes_astray(const foi_samples *s)
{
    const foi_guard_side *guard = s->guard;
    double from = s->at_a, end = s->at_b, way = end - from;
    if (!guard->rests || !guard->held || end == 0 || fabs(end) > guard->slack) return false;
    if (!foi_guard_fires(guard, s->about, foi_sign_of(end))) return false;
    double off =
        foi_fmax(fabs(from + 0.5 * way - s->middle), fabs(from + FOI_QUARTER * way - s->quarter));
    return off <= fabs(way) / 16 && fabs(from) <= fabs(way) / 16;
}

// From zero, or from within its rounding errors.
FOI_INLINE foi_verdict foi_leave_zero(foi_samples *s, foi_take_later *take, void *self)
{
    foi_guard_side *guard = s->guard;
    if (foi_goes_astray(s)) guard->slack = 2 * fabs(s->at_a);
    if (s->at_a == 0 && s->quarter == 0 && s->middle == 0 && s->at_b == 0) {
        s->found->flat = true;
        return foi_guard_goes(guard, s->about, s->found, 0, true);
    }
    int q = foi_guard_sign(guard, s->quarter), m = foi_guard_sign(guard, s->middle);
    int e = foi_guard_sign(guard, s->at_b);
    if (guard->rests && !q && !m && !e) return FOI_NOTHING_HERE;
    // where leaving is a moment, it is cornered by values: slopes are taken over a wider base than
    // the narrowest segments, and would see beyond the point at which it leaves
    if (!q || foi_guard_fires(guard, s->about, q)) return FOI_UNCLEAR;
    foi_course to = foi_course_of(s, q, take, self);
    if (to == FOI_UNKNOWN) return FOI_UNCLEAR;
    if (to == FOI_STAYS) return FOI_NOTHING_HERE;
    // it leaves and comes back, which counts from the side that it has left to
    foi_guard_side left = *guard;
    left.side = (int8_t)q, left.rests = false;
    if (!foi_guard_fires(&left, s->about, e)) return FOI_NOTHING_HERE;
    s->found->from = (int8_t)q, s->found->to = (int8_t)e;
    return FOI_CROSSES;
}

/// On a segment that is not narrow.
FOI_INLINE foi_verdict foi_samples_verdict(foi_samples *s, foi_take_later *take, void *self)
{
    const foi_guard_side *guard = s->guard;
    if (!guard->side) return foi_leave_zero(s, take, self);
    int to = foi_guard_sign(guard, s->at_b);
    switch (foi_course_of(s, guard->side, take, self)) {
    case FOI_STAYS: return to == guard->side ? FOI_NOTHING_HERE : FOI_UNCLEAR;
    case FOI_CROSSES_ONCE: return foi_guard_goes(guard, s->about, s->found, to, false);
    default: return FOI_UNCLEAR;
    }
}

#endif
