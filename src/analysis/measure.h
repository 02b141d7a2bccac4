/// Measures: numbers that sum up a run, computed while it goes on. See docs/analysis.md.
///
/// A measure is arithmetic (base/arithmetic.h) on two levels. Inside of a reducer, as in
/// integral(u^2), names are signals at one instant; outside, calls are the values of reducers, and
/// a bare signal is its value at the end.
#ifndef FOI_ANALYSIS_MEASURE_H
#define FOI_ANALYSIS_MEASURE_H

#include <foliot/simulation.h>

#include "base/arithmetic.h"

typedef enum foi_reducer_kind {
    FOI_REDUCE_MIN,
    FOI_REDUCE_MAX,
    FOI_REDUCE_MEAN,
    FOI_REDUCE_INTEGRAL,
    FOI_REDUCE_RMS,
    FOI_REDUCE_SETTLING,
    FOI_REDUCE_OVERSHOOT,
    FOI_REDUCE_INITIAL,
    FOI_REDUCE_FINAL,
    FOI_REDUCE_AT,
    FOI_REDUCE_COUNT,
    FOI_REDUCE_FIRST,
    FOI_REDUCE_LAST,
    FOI_REDUCE_KINDS,
} foi_reducer_kind;

typedef struct foi_reducer {
    foi_reducer_kind kind;
    foi_arithmetic inner;
    double number; ///< at: when [s]; settling: the band
    char event[128];
} foi_reducer;

/// Measures of one system, read and checked. Constant: threads share it.
typedef struct foi_measures {
    fo_system system;
    fo_reference *signals;
    size_t signal_count;
    foi_reducer *reducers;
    size_t reducer_count;
    foi_arithmetic *list; ///< one per measure
    size_t count;
    const char *text; ///< the measure that is being read
    bool rows;        ///< something is to be seen between the moments
    bool moments;     ///< or at moments
    bool settles;     ///< a settling time needs a second run, which knows where the first one ended
    const fo_allocator *allocator;
} foi_measures;

/// Reads them. On failure nothing is left to destroy; `why` names the measure.
fo_status foi_measures_read(foi_measures *m, fo_system system, const char *const *texts,
                            size_t count, const fo_allocator *allocator, fo_message *why);
void foi_measures_destroy(foi_measures *m);

/// Points of one smooth piece of a curve after the other, and what is known of it.
typedef struct foi_curve {
    uint64_t points; ///< of the piece
    double t[2], y[2], bend;
    double best, integral, doubt, low, high, outside, previous;
    bool any;
} foi_curve;

/// What one run is summed up in.
typedef struct foi_recorder {
    const foi_measures *m;
    foi_curve *curves; ///< two per reducer: of all points, and of every second one
    double *values;    ///< of the reducers
    double *targets;   ///< of settling times: where the run before ended; NULL: not known yet
    double *signals;   ///< at present
    double *first;     ///< of the inner expressions
    double start, last_t;
    uint64_t points; ///< of the piece
    bool began, pending;
    double error; ///< afterwards: the largest difference between the two, by its scale
    const fo_allocator *allocator;
} foi_recorder;

fo_status foi_recorder_create(foi_recorder *r, const foi_measures *m, const fo_allocator *allocator,
                              fo_message *why);
void foi_recorder_destroy(foi_recorder *r);
/// Forgets everything but the targets.
void foi_recorder_reset(foi_recorder *r, double start);
/// The observers that feed it, two of them; `interval` is that of the samples [s].
size_t foi_recorder_observers(foi_recorder *r, double interval, fo_observer observers[2]);
/// What `at` asks for is taken by looking at the simulation there.
void foi_recorder_at(foi_recorder *r, size_t reducer, fo_simulation *sim);
/// The run is over: writes the measures.
void foi_recorder_finish(foi_recorder *r, fo_simulation *sim, double *measures);

#endif
