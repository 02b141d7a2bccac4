/// SUNDIALS as its package brings it: its own integrators with its own vectors, called by hand.
/// Without SUNDIALS the functions are here too and say so.
#ifndef BENCH_PACKAGED_H
#define BENCH_PACKAGED_H

#include <foliot/foliot.h>

/// What a run took and gave.
typedef struct packaged_result {
    double seconds; ///< processor time
    uint64_t steps, events;
    double t; ///< of the last event, or the end
} packaged_result;

bool packaged_here(void);

/// ARKODE's ERKStep with the tableau of dp45, from time 0 to `stop`; rtol = atol = tolerance.
/// False when it fails.
bool packaged_erk(fo_system system, double tolerance, double stop, packaged_result *result);

/// CVODE with Adams' methods and its search for roots, `runs` times from time 0 to `stop` or to
/// where the system's jump stops it. The counts are those of all runs together, t of the last.
bool packaged_cvode(fo_system system, double tolerance, double stop, int runs,
                    packaged_result *result);

#endif
