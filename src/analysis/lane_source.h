/// The C source of lanes.
#ifndef FOI_ANALYSIS_LANE_SOURCE_H
#define FOI_ANALYSIS_LANE_SOURCE_H

#include "math/vector.h"
#include "program/program.h"

/// What the source calls: functions of src/math on a vector, and their table of sines.
typedef struct foi_lane_functions {
    foi_many *exp, *log;
    foi_many_of_two *pow;
    const double *table;
} foi_lane_functions;

/// Where the numbers of a lane stand in its struct, counted in vectors: vectors of n states first,
/// then these.
enum {
    FOI_LANE_X,  ///< states where the step begins
    FOI_LANE_F,  ///< rates there
    FOI_LANE_X1, ///< where it ends
    FOI_LANE_F1,
    FOI_LANE_W, ///< see fo_march
    FOI_LANE_K, ///< five stages
    FOI_LANE_VECTORS = FOI_LANE_K + 5,
};
enum {
    FOI_LANE_T,
    FOI_LANE_T0,
    FOI_LANE_H,
    FOI_LANE_PLANNED,
    FOI_LANE_BEFORE,
    FOI_LANE_GOAL,
    FOI_LANE_LONGEST,
    FOI_LANE_SHORTEST,
    FOI_LANE_STABILITY,
    FOI_LANE_STOP,
    FOI_LANE_RTOL,
    FOI_LANE_ATOL,
    FOI_LANE_TAKEN,
    FOI_LANE_USED,
    FOI_LANE_STEPS,
    FOI_LANE_BUDGET,
    FOI_LANE_TRIES,
    FOI_LANE_TRIED,
    FOI_LANE_UNTIL,
    FOI_LANE_JUMPED, ///< when the last moment was
    FOI_LANE_MOMENTS,
    FOI_LANE_END,     ///< of the run
    FOI_LANE_REFUSED, ///< from here on masks: all bits, or none
    FOI_LANE_LIVE,    ///< a simulation waits for it
    FOI_LANE_LEFT,    ///< result: the step is left to the solver
    FOI_LANE_DONE,    ///< result: the march has ended
    FOI_LANE_NUMBERS,
};

/// Behind these and those of samplers and guards, where lanes let guards have their moments: these,
/// then foi_hop of every guard, number by number, and when its relation last turned, and within
/// what of zero.
enum {
    FOI_LANE_READY, ///< a mask: this march may
    FOI_LANE_CREPT, ///< from here on as in foi_hops
    FOI_LANE_CHATS,
    FOI_LANE_CHATS_FROM,
    FOI_LANE_CHATS_LAST,
    FOI_LANE_SCALE,
    FOI_LANE_RUN_END,
    FOI_LANE_LIMIT,
    FOI_LANE_STEADY,
    FOI_LANE_MANY,
    FOI_LANE_NEAR,
    FOI_LANE_HOPS,
};

/// The function of the source, which stands in foi_exports.march: takes steps until a lane is left
/// or done. `r` are the program's registers, a vector each.
typedef void foi_lane_march(double *r, double *lanes, const foi_lane_functions *functions);

/// Whether lanes can let its moments happen; then behind these numbers there are three vectors for
/// every sampler: its start, its interval, and how many of its ticks have passed.
bool foi_lane_has_moments(const foi_program *g);
/// The functions for it, `happen` and `next_of`.
void foi_lane_moments(const foi_program *g, foi_flat_writer *out);
/// Whether lanes know which steps are quiet; then behind all these numbers there is one vector for
/// every guard: its sign where the march began, 0 where every step is to be looked at.
bool foi_lane_has_guards(const foi_program *g);
/// The function for it, `quiet`.
void foi_lane_guards(const foi_program *g, foi_flat_writer *out);
/// Whether lanes can let a guard have its moment and hop on.
bool foi_lane_has_hops(const foi_program *g);
/// The function for it, `hop`.
void foi_lane_hops(const foi_program *g, foi_flat_writer *out);
/// Whether guards have enclosures in lanes that are those of the scalar program.
bool foi_lane_encloses(const foi_program *g);
/// The function for it, `enclose`.
void foi_lane_enclose(const foi_program *g, foi_flat_writer *out);
/// The functions that find a moment, `search_step` and `locate`.
void foi_lane_search(foi_flat_writer *out);
/// Functions v_sin and v_cos of a vector.
void foi_lane_trig(foi_flat_writer *out);
/// False: the program has no such steps, or there is no memory.
bool foi_lane_source(const foi_program *g, unsigned width, const char *target,
                     foi_flat_writer *out);

#endif
