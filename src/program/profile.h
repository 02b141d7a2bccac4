/// What lies in a pipe that things flow through: spatialDistribution().
///
/// With x the way that has been flown, in lengths of the pipe, and y a place in it (0: left end, 1:
/// right end), dz/dt + v dz/dy = 0 says that z is a function of the place y - x in the material
/// alone. So nothing moves here but the two ends of the pipe, -x and 1 - x, and the profile only
/// grows at the end where material enters:
///
///     left | entered on the right side
///          -x                  1 - x
///     .....|===================|..          kept a little beyond, for who looks back into a step
///
/// Points (place, value, time) in a ring, in the order of places, in the state's memory. Two points
/// at one place are a seam: a jump, or a moment. In between place and value are functions of the
/// time at which the material entered, also where the flow turns round and the value as a function
/// of the place has no derivative: so what is at a place is found through the time at which it
/// entered. Each interval has polynomials of its own for both, as those of a history.
#ifndef FOI_PROFILE_H
#define FOI_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "program/history.h"

enum {
    FOI_SPOT_SIZE = 4 + 2 * FOI_INSIDE,
    FOI_PROFILE_ROOM = (2 * FOI_HISTORY_SIZE - 9) / FOI_SPOT_SIZE, ///< points: it has two delays
};

/// What is in the pipe at the start: places from 0 to 1 that do not fall, linear between them.
typedef struct foi_contents {
    uint32_t count;
    const double *points, *values;
} foi_contents;

typedef struct foi_spot {
    double place, value;
    double time;                     ///< when it entered; of what was there at the start, the place
    double off;                      ///< how far joining may have carried the value
    foi_bend place_bend, value_bend; ///< of the interval to the neighbour that entered before
} foi_spot;

typedef struct foi_profile {
    double first, count; ///< of the ring
    double t, x;         ///< time of the last record, and the way flown
    double entry[2];     ///< what was at the left and right side then
    double grown;        ///< the end that grew last: 0 left, 1 right, -1 none
    double seam;         ///< not 0: there was a moment since
    double size;         ///< of the largest value so far
    foi_spot spots[FOI_PROFILE_ROOM];
} foi_profile;

/// The longest way of one step: what is not known at all is FO_RETRY, and smooth contents have so
/// many points in the pipe at least.
#define FOI_PROFILE_STRIDE (1.0 / 64)

void foi_profile_begin(foi_profile *p, const foi_contents *given, double t, double x);
/// What enters, and when.
typedef struct foi_inflow {
    double t, x, entry[2];
} foi_inflow;

/// How the interval up to what enters bends: place and value.
typedef struct foi_bends {
    foi_bend place, value;
} foi_bends;

/// After a step or a moment, and inside of a step. `bends` NULL: straight. False: it is full.
bool foi_profile_add(foi_profile *p, const foi_inflow *new, const foi_bends *bends, foi_keeping as);
/// Whether it has room for more than the ends of steps.
bool foi_profile_has_room(const foi_profile *p);
/// What it bends like if `next` is its next spot and `inside` enters at the places of foi_inside.
foi_bends foi_profile_bends(const foi_profile *p, const foi_inflow *next, const foi_inflow *inside);
/// By how many times too much it is off where `between` enters at a time in between.
double foi_profile_misses(const foi_profile *p, const foi_inflow *next, const foi_bends *bends,
                          const foi_inflow *between, foi_keeping as);
/// What is at the end `side` (0 or 1) of the pipe. False: x is more than a stride away.
bool foi_profile_at(const foi_profile *p, int side, double x, double *value);

#endif
