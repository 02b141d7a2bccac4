/// Derivatives of measures: what slopes.c and adjoint.c share.
#ifndef FOI_ANALYSIS_SLOPES_INSIDE_H
#define FOI_ANALYSIS_SLOPES_INSIDE_H

#include "analysis/slopes.h"
#include "analysis/tape.h"
#include "base/memory.h"

/// How far a run has come in what is asked of it.
typedef struct foi_journey {
    bool begun;
    size_t next; ///< of the times that are looked at
    double last; ///< the last of them that was
} foi_journey;

typedef struct foi_waypoints foi_waypoints;

/// One run, its derivatives, and what is summed up of both.
typedef struct foi_slopes_state {
    foi_variation *v;
    const foi_measures *m;
    foi_direction *directions;
    size_t numbers;    ///< that is differentiated by
    size_t p;          ///< columns: the numbers, or one
    double *arguments; ///< signals, then reducers
    double *tangents;  ///< the same by columns, a row each
    double *column;    ///< tangents by one number
    double *end_tau;   ///< by columns: how the end moves
    double *outputs, *output_rows;
    double *before; ///< per reducer: its signal just before the moment at work
    double start, end;
    const foi_trial *trial;
    fo_simulation *sim;
    fo_run_def def;
    const foi_reducer **times; ///< the `at` reducers by their times
    size_t time_count;
    foi_journey way;
    const fo_allocator *allocator;

    /* backwards */
    double *weights; ///< of the numbers in the one column; NULL: forward only
    foi_tape *tape;
    size_t *look;             ///< per reducer: the look that it is of, or its instant
    size_t end_look;          ///< the last one
    double end_weight;        ///< of the end's time
    double time_weight;       ///< of the time in the outputs that were last weighed
    size_t end_instant;       ///< at which the run has ended itself; SIZE_MAX: it has not
    foi_waypoints *waypoints; ///< NULL: the tape is kept whole
    bool again;               ///< a stretch is run once more: nothing is summed up
    size_t stretch;           ///< of the tape, at first; 0: as usual
    size_t enough;            ///< entries of the tape after which it is over
    double *jumps;            ///< per instant on the tape and reducer: its signal before less after
    size_t jump_room;         ///< instants
    double *along;            ///< mixed slopes per measure
    double *of;               ///< what is weighed, per argument
    double *signals, *ports;  ///< at a place: weights of signals, of outputs
} foi_slopes_state;

bool foi_reducer_is_integral(foi_reducer_kind kind);
/// Goes on to the end of the run, or of the stretch that is run once more (FO_PAUSED).
fo_status foi_slopes_travel(foi_slopes_state *q);
/// Forgets what instants before those on the tape have noted.
void foi_adjoint_forget(foi_slopes_state *q);
/// Room for the way back; false: no memory.
bool foi_adjoint_begin(foi_slopes_state *q, const foi_trial *e);
void foi_adjoint_end(foi_slopes_state *q);
/// At the present instant the integrand of a reducer falls by so much.
void foi_adjoint_note(foi_slopes_state *q, size_t reducer, double jump);
/// The derivatives of all measures by all numbers, once the run is over. FO_OK, FO_ERROR_MEMORY;
/// what is not known is NaN, and `out` has the reason.
fo_status foi_adjoint_finish(foi_slopes_state *q, foi_slopes *out);

#endif
