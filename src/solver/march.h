/// A march as a system of this library is asked for it: fo_march, and what only those know that
/// look at guards on the way.
#ifndef FOI_SOLVER_MARCH_H
#define FOI_SOLVER_MARCH_H

#include <foliot/system.h>

/// Steps on which no guard changes its sign are quiet: a march may go on behind them without
/// anybody having looked, until `until`. The first that is not surely quiet is its last one.
typedef struct foi_quiet {
    const int8_t *sides; ///< per guard: its sign where the march begins, 1 or -1; NULL: every step
                         ///< is looked at
    double until;        ///< as fo_march.stop, and before it nothing is due [s]
    bool open;           ///< result: behind the last step one was begun, and left to the solver
} foi_quiet;

/// What foi_erk_march_inlined gives to fo_system_type.march.
typedef struct foi_march {
    fo_march m; ///< first: the system is given its address
    foi_quiet *quiet;
} foi_march;

#endif
