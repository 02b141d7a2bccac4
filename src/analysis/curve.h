/// The expression of one reducer along a piece of a run: its values, and what it can be.
#ifndef FOI_ANALYSIS_CURVE_H
#define FOI_ANALYSIS_CURVE_H

#include "analysis/measure.h"

typedef struct foi_curve {
    foi_recorder *r;
    const foi_reducer *q;
    foi_track *k;
    const foi_piece *p;
    double target, band; ///< settling: where it ends, and how far from it is outside
    fo_status status;    ///< not FO_OK: the run has failed, and nothing is looked at any more
} foi_curve;

/// A part of a piece, and what the expression can be on it.
typedef struct foi_section {
    double a, b; ///< theta
    foi_span e;
    bool enclosed; ///< e is known
} foi_section;

enum { FOI_SECTIONS = 160 }; ///< of a piece that is cut in two again and again

/// The part [a, b].
foi_section foi_curve_section(foi_curve *v, double a, double b);
/// Its value at theta. Not a number is noted, and so is what is infinite.
double foi_curve_value(foi_curve *v, double theta);
/// What it can be for theta in [a, b]. False: there are no bounds.
bool foi_curve_bounds(foi_curve *v, double a, double b, foi_span *e);
/// Whether [a, b] is as short as times can tell.
bool foi_curve_is_narrow(const foi_curve *v, double a, double b);
/// Whether [a, b] may be cut in two; counted.
bool foi_curve_may_split(foi_curve *v);
/// Whether it is far higher at the ends of this part than it is elsewhere on the piece.
bool foi_curve_towers(foi_curve *v, double a, double b);
/// The part [a, b] is narrow, and its bounds are infinite: notes it unless the values beside it
/// hardly move, as those of sin(x) / x.
void foi_curve_look_for_pole(foi_curve *v, double a, double b);
/// The same of what is unbounded upwards (sign 1) or downwards (-1) there, however slowly: the
/// logarithm's pole is noted, too.
void foi_curve_look_for_end(foi_curve *v, int sign, double a, double b);
/// How far values at neighbouring times around theta differ: what rounding makes of them.
double foi_curve_noise(foi_curve *v, double theta);
/// Into how many parts [a, b] is cut where samples are all there is.
uint32_t foi_curve_samples(const foi_curve *v, double a, double b);
/// A value that was seen.
void foi_track_take(foi_track *k, double y);
/// The largest size of all values so far.
double foi_track_size(const foi_track *k);

/// What the pieces of a run add up to, one piece after the other: values that are least (sign -1)
/// or most (1), the integral, and the last time outside of the band.
void foi_extreme_look(foi_curve *v, int sign);
void foi_area_add(foi_curve *v);
void foi_band_look(foi_curve *v);

#endif
