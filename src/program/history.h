/// The history of one delayed expression: points (t, value, slope) in a ring, in the state's
/// memory.
///
///     count | base | from | upto | size | room * (t, value, slope, order)
///
/// Points are numbered from the start of the run; the ring keeps base .. count - 1. Two points at
/// one instant are a turning point: the expression, or a derivative of it, jumped there; `order` of
/// the second says which derivative. Between turning points the history is smooth, and only there
/// is it interpolated: by the polynomial of degree 5 that has values and slopes of the three
/// nearest points (Hermite), or where slopes are not known (NAN) the values of the six nearest.
///
/// `from` .. `upto` is the smooth piece that is coming out of the delay now: at a turning point
/// time alone, with its rounding, does not say which side is meant.
#ifndef FOI_HISTORY_H
#define FOI_HISTORY_H

#include <stdbool.h>
#include <stddef.h>

#include "program/enclose.h"

enum {
    FOI_HISTORY_ROOM = 1024,                     ///< points
    FOI_HISTORY_SIZE = 5 + 4 * FOI_HISTORY_ROOM, ///< doubles
};

typedef struct foi_point {
    double t, value, slope, order;
} foi_point;

typedef struct foi_history {
    double count, base, from, upto; ///< upto INFINITY: the piece is still being written
    double size;                    ///< of the largest value so far
    foi_point points[FOI_HISTORY_ROOM];
} foi_history;

/// Before t the expression was `value`.
void foi_history_begin(foi_history *h, double t, double value);
/// How exactly a history is kept, and how far back it will be asked for.
typedef struct foi_keeping {
    double rtol, atol; ///< of its size, and besides
    double most;
} foi_keeping;

/// Goes on with a point. `order`: of the turning point that it must be, or -1 when the values
/// decide. Points that lie much closer together than the room allows on average replace each other
/// where the rest says the same. False when there are too many that do not.
bool foi_history_add(foi_history *h, double t, double value, double slope, foi_keeping as,
                     int order);
/// What some units in the last place of time make of a value between two points.
double foi_history_blur(const foi_point *a, const foi_point *b);
/// What the history would be at t if `next` were its next point, and whether `value` is that.
bool foi_history_foresees(const foi_history *h, const foi_point *next, foi_keeping as, double t,
                          double value);
/// The value at t; `pieces`: by from .. upto. False when that is still to come.
bool foi_history_at(const foi_history *h, double t, bool pieces, double *value);
/// How far it may be from what it keeps.
double foi_history_allows(const foi_history *h, foi_keeping as);
/// The last point, and its time.
foi_point foi_history_point(const foi_history *h);
double foi_history_end(const foi_history *h);
/// Whether a smooth piece begins with the last point.
bool foi_history_begins(const foi_history *h);
/// Whether its last piece has fewer points than an interpolation takes where slopes are not known.
bool foi_history_is_young(const foi_history *h);
/// The slope of the last point if that is at t, otherwise `slope`.
double foi_history_slope(const foi_history *h, double t, double slope);
/// The value of the last point.
double foi_history_last(const foi_history *h);
/// What foi_history_at gives for all t in `at`, which must lie within the piece that is coming out.
/// False: it does not, or cannot be said.
bool foi_history_enclose(const foi_history *h, foi_interval at, foi_enclosed *y);
/// The end of the piece that is coming out; INFINITY: not known yet.
double foi_history_turn(const foi_history *h);
/// Goes over to the next piece. Returns the order of the turning point.
int foi_history_pass(foi_history *h);

#endif
