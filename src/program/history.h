/// The history of one delayed expression: points in a ring, in the state's memory.
///
///     count | base | from | upto | size | room * point
///
/// Points are numbered from the start of the run; the ring keeps base .. count - 1. Two points at
/// one instant are a turning point: the expression, or a derivative of it, jumped there; `order` of
/// the second says which derivative.
///
/// Every interval between two points has a polynomial of its own, made from what the expression is
/// inside of it and compared with the expression at other places before it is kept: nothing that
/// lies beside it can carry it away, neither a kink that nobody noticed nor points that happen to
/// lie close together. It goes through both points, so that the history is continuous.
///
/// `from` .. `upto` is the smooth piece that is coming out of the delay now: at a turning point
/// time alone, with its rounding, does not say which side is meant.
#ifndef FOI_HISTORY_H
#define FOI_HISTORY_H

#include <stdbool.h>
#include <stddef.h>

#include "program/enclose.h"

enum {
    FOI_INSIDE = 4,          ///< numbers by which the polynomial of an interval leaves the chord
    FOI_HISTORY_ROOM = 1024, ///< points
    FOI_POINT_SIZE = 5 + FOI_INSIDE,
    FOI_HISTORY_SIZE = 5 + FOI_POINT_SIZE * FOI_HISTORY_ROOM, ///< doubles
};

/// How an interval bends: with s the part of the way, from -1/2 to 1/2, the value is the chord's
/// and (1/4 - s^2) (c[0] + c[1] s + c[2] s^2 + c[3] s^3).
typedef struct foi_bend {
    double c[FOI_INSIDE];
} foi_bend;

typedef struct foi_point {
    double t, value, slope, order;
    foi_bend bend; ///< of the interval that ends here
    double off;    ///< how far joining may have carried that from the expression
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

/// The places of an interval, as parts of it, at which a bend is made from the expression.
extern const double foi_inside[FOI_INSIDE];
/// From the values at its two ends, and those at these places, `apart` from each other in memory.
foi_bend foi_bend_of(double left, double right, const double *inside, size_t apart);
/// The value at a part of the way from `left` to `right`.
double foi_bend_at(const foi_bend *b, double left, double right, double part);

/// Both intervals as one: from `left` over `middle`, at that part of the way, to `right`. Returns
/// how far that is from either.
double foi_bend_join(const foi_bend *first, const foi_bend *second, const double ends[3],
                     double middle, foi_bend *both);
/// Of a part of an interval.
foi_bend foi_bend_part(const foi_bend *b, double left, double right, double from, double to);

/// Goes on with a point. `bend`: of the interval up to it; NULL: by the slopes at its ends, where
/// they are known. `order`: of the turning point that it must be, or -1 when the values decide.
/// Intervals that are much shorter than the room allows on average are joined where one polynomial
/// says the same. False when there are too many that do not.
bool foi_history_add(foi_history *h, double t, double value, double slope, const foi_bend *bend,
                     foi_keeping as, int order);
/// What some units in the last place of time make of a value between two points.
double foi_history_blur(const foi_point *a, const foi_point *b);
/// The value at t; `pieces`: by from .. upto. False when that is still to come.
bool foi_history_at(const foi_history *h, double t, bool pieces, double *value);
/// How far it may be from what it keeps, `size` being that of a value to come.
double foi_history_allows(const foi_history *h, double size, foi_keeping as);
/// The last point, and its time.
foi_point foi_history_point(const foi_history *h);
double foi_history_end(const foi_history *h);
/// Whether a smooth piece begins with the last point.
bool foi_history_begins(const foi_history *h);
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
