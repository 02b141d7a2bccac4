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
/// at one place are a seam: a jump, a kink, or a moment, and interpolation does not go across it.
/// Between seams place and value are smooth functions of the time at which the material entered,
/// also where the flow turns round and the value as a function of the place has no derivative: so
/// what is at a place is found through the time at which it entered.
#ifndef FOI_PROFILE_H
#define FOI_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "program/history.h"

enum { FOI_PROFILE_ROOM = (FOI_HISTORY_SIZE - 9) / 3 }; ///< points

/// What is in the pipe at the start: places from 0 to 1 that do not fall, linear between them.
typedef struct foi_contents {
    uint32_t count;
    const double *points, *values;
} foi_contents;

typedef struct foi_spot {
    double place, value;
    double time; ///< when it entered; of what was there at the start, the place
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

/// After a step or a moment, and inside of a step. False: it is full.
bool foi_profile_add(foi_profile *p, const foi_inflow *new, foi_keeping as);
/// Whether it has room for more than the ends of steps.
bool foi_profile_has_room(const foi_profile *p);
/// Whether what enters at a time in between is what it would be there with `next` as its next spot.
bool foi_profile_foresees(const foi_profile *p, const foi_inflow *next, const foi_inflow *between,
                          foi_keeping as);
/// What is at the end `side` (0 or 1) of the pipe. False: x is more than a stride away.
bool foi_profile_at(const foi_profile *p, int side, double x, double *value);

#endif
