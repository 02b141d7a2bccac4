/// Units that fall through: where impacts accumulate, and one is located so far behind zero that
/// its hop does not come back above, no crossing follows and the unit goes on behind.
///
/// The standards leave rest to the importer, and a unit's relation has no new edge there. So the
/// crossings at which the states jump are counted. Where their distances shrink by much the same
/// factor again and again, the last one is behind zero after the event and on its way back, and
/// twice the last distance later it is farther behind: then the run ends with a message.
#ifndef FOI_FALL_H
#define FOI_FALL_H

#include "fmi/fmu.h"

/// Of one indicator.
typedef struct foi_fall {
    double last, interval, ratio; ///< of the impacts
    double check;                 ///< when to look; INFINITY: nothing is to be looked at
    double z, reach;              ///< behind zero at the impact, and what counts as farther
    uint32_t steady;
    int32_t way; ///< of the crossings: 1 rising, -1 falling
} foi_fall;

size_t foi_fall_size(const fo_fmu *f);
void foi_fall_begin(fo_fmu *f, const fo_state *s);
/// After an event at the crossings of `m`, at which the states have jumped or not; the lock is
/// held.
fo_status foi_fall_note(fo_fmu *f, fo_state *s, const fo_moment *m, bool jumped);
/// When the next look is due.
double foi_fall_next(const fo_fmu *f, const fo_state *s);
/// Looks where it is due. FO_OK, or a message.
fo_status foi_fall_check(fo_fmu *f, fo_state *s);

/// Model Exchange: the indicators at (t, x), in the unit's block; the lock is held.
fo_status foi_fmu_look(fo_fmu *f, const fo_state *s, double t, const double *x);

#endif
