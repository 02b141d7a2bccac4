/// A march as a system of this library is asked for it: fo_march, and what only those know that
/// look at guards on the way.
#ifndef FOI_SOLVER_MARCH_H
#define FOI_SOLVER_MARCH_H

#include <foliot/system.h>

/// What is known of a guard between moments, by a march that lets it have them. All are doubles:
/// lanes keep them side by side.
typedef struct foi_hop {
    double side;                             ///< its sign; 0: it rests, see foi_guard_side
    double slack;                            ///< while it rests
    double told;                             ///< the sign that its last moment told
    double last, interval, ratio, shrinking; ///< of its last moments, see foi_pulse
    double pulse_slack, way, contact, depth; ///< the same
    double far, far_interval, far_after;     ///< the same
    double count, trend;                     ///< of moments one way, see foi_approach
} foi_hop;

enum { FOI_HOP_NUMBERS = sizeof(foi_hop) / sizeof(double) };

/// Moments of one guard that change states and nothing else, after which it hops on as before: a
/// march may let them happen, too.
typedef struct foi_hops {
    foi_hop *guard;
    double crept_at;                      ///< when the last moment of any guard was
    double chats, chats_from, chats_last; ///< see foi_chatter
    double scale, stop;                   ///< of the run
    double limit;  ///< moments that accumulate nearer than this have come to their end,
    double steady; ///< after so many intervals that shrink
    double many;   ///< moments that come without end are as many as that
    double near;   ///< a guard so near to zero that has had moments may touch
} foi_hops;

/// Steps on which no guard changes its sign are quiet: a march may go on behind them without
/// anybody having looked, until `until`. The first that is not surely quiet is its last one.
typedef struct foi_quiet {
    const int8_t *sides; ///< per guard: its sign where the march begins, 1 or -1; NULL: every step
                         ///< is looked at
    double until;        ///< as fo_march.stop, and before it nothing is due [s]
    bool open;           ///< result: behind the last step one was begun, and left to the solver
    foi_hops *(*ask)(void *self); ///< what is known where the march begins; NULL: moments are not
                                  ///< let happen
    void *self;
    foi_hops *hops; ///< result: what ask gave, as it is where the last step began; NULL: nobody
                    ///< has asked
} foi_quiet;

/// What foi_erk_march_inlined gives to fo_system_type.march.
typedef struct foi_march {
    fo_march m; ///< first: the system is given its address
    foi_quiet *quiet;
} foi_march;

#endif
