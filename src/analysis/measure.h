/// Measures: numbers that sum up a run, computed while it goes on. See docs/analysis.md.
///
/// A measure is arithmetic (base/arithmetic.h) on two levels. Inside of a reducer, as in
/// integral(u^2), names are signals at one instant; outside, calls are the values of reducers, and
/// a bare signal is its value at the end.
#ifndef FOI_ANALYSIS_MEASURE_H
#define FOI_ANALYSIS_MEASURE_H

#include <foliot/simulation.h>

#include "base/arithmetic.h"
#include "simulation/follow.h"

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
    fo_reference *uses; ///< the signals of `inner`
    size_t *places;     ///< which signals of the measures these are
    size_t use_count;
    struct foi_code *bounds; ///< `inner` over enclosures; its first registers are `uses`
} foi_reducer;

/// Measures of one system, read and checked. Constant: threads share it.
typedef struct foi_measures {
    fo_system system;
    fo_reference *signals;
    size_t signal_count;
    foi_reducer *reducers;
    size_t reducer_count;
    foi_arithmetic *list; ///< one per measure
    char **texts;         ///< as they were written
    size_t count;
    const char *text; ///< the measure that is being read
    bool rows;        ///< something is to be seen at the start or later
    bool pieces;      ///< or between the moments
    bool moments;     ///< or at moments
    bool settles;     ///< a settling time needs a second run, which knows where the first one ended
    const fo_allocator *allocator;
} foi_measures;

/// Reads them. On failure nothing is left to destroy; `why` names the measure.
fo_status foi_measures_read(foi_measures *m, fo_system system, const char *const *texts,
                            size_t count, const fo_allocator *allocator, fo_message *why);
void foi_measures_destroy(foi_measures *m);

/// Makes what encloses a reducer's expression. FO_ERROR_MEMORY, with what was made left to destroy.
fo_status foi_reducer_bounds_make(foi_reducer *q, const fo_reference *signals, size_t signal_count,
                                  const fo_allocator *allocator, fo_message *why);
void foi_reducer_destroy(foi_reducer *q, const fo_allocator *allocator);
/// Bytes of registers for it, and what it can be, where its signals can be `spans`, on a stretch of
/// so many seconds. False: there are no bounds.
size_t foi_reducer_bounds_size(const foi_reducer *q);
bool foi_reducer_bounds(const foi_reducer *q, const foi_span *spans, double width, void *registers,
                        foi_span *result);
/// As it is written: "max".
const char *foi_reducer_word(foi_reducer_kind kind);

/// What is known of a reducer's expression so far.
typedef struct foi_track {
    double low, high;      ///< values; not numbers: there was none
    double integral, lost; ///< and what rounding has taken from it
    double doubt;          ///< of the integral
    double outside;        ///< when it was last outside of the band [s]
    double gap;            ///< how far an extreme may be beyond those values
    double bad_t;          ///< when it was not a number [s]; not a number: never
    double pole_t;         ///< when it may have had no bound [s]; not a number: never
    bool sampled;          ///< some of the run was seen by samples only
    bool open;             ///< its bounds leave open whether it was outside of the band later
    long splits;           ///< so many parts of pieces were cut in two
} foi_track;

/// What one run is summed up in.
typedef struct foi_recorder {
    const foi_measures *m;
    foi_track *tracks; ///< one per reducer
    double *values;    ///< of the reducers
    double *targets;   ///< of settling times: where the run before ended; NaN: not known yet
    double *signals;   ///< at present
    double *first;     ///< of the inner expressions
    double *chosen;    ///< signals of one reducer
    foi_span *spans;   ///< and their bounds
    void *registers;   ///< of the code of enclosures
    double start, last_t;
    double length;    ///< of the whole run [s]
    double accuracy;  ///< that is wanted
    uint32_t samples; ///< in a run, where there are no enclosures
    bool began;
    char reason[FO_MESSAGE_SIZE]; ///< afterwards: why measures are not known; "": all are
    const fo_allocator *allocator;
} foi_recorder;

fo_status foi_recorder_create(foi_recorder *r, const foi_measures *m, const fo_allocator *allocator,
                              fo_message *why);
void foi_recorder_destroy(foi_recorder *r);
/// Forgets everything but the targets; for a run from `start` to `stop`.
void foi_recorder_reset(foi_recorder *r, double start, double stop);
/// The observer that feeds it.
fo_observer foi_recorder_observer(foi_recorder *r, double length);
/// Before the start: what lies between the rows is seen, too.
void foi_recorder_follow(foi_recorder *r, fo_simulation *sim);
/// What `at` asks for is taken by looking at the simulation there.
void foi_recorder_at(foi_recorder *r, size_t reducer, fo_simulation *sim);
/// The run is over: writes the measures. FO_ERROR_CONVERGE where one is not known well enough.
fo_status foi_recorder_finish(foi_recorder *r, fo_simulation *sim, double *measures,
                              fo_message *why);
/// Afterwards: whether a measure rests on samples.
bool foi_recorder_is_sampled(const foi_recorder *r, size_t measure);

#endif
