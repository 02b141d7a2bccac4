/// What a composition consists of, for the compose_*.c files.
///
/// The composition is constant; where the parts lie in a state can change when one of them changes
/// its size, so that is kept in the state:
///
///     memory:   foi_extent of each part | inputs of all parts | memory of each part
///     scratch:  inputs of all parts | outputs of all parts | scratch of each part | work
///
/// States and discretes of the parts lie one after the other. A guard (or condition) that was there
/// at the start keeps its index for good, because the description's directions go by it; those that
/// a part gains later follow after all of these, those that it lost rest (1, or false).
///
/// The inputs in the scratch space are those of the trial point that is evaluated; the inputs in
/// the memory are those that `start` and `jump` see, which must survive a change of size.
#ifndef FOI_COMPOSE_H
#define FOI_COMPOSE_H

#include <foliot/system.h>

#include "base/memory.h"

#define FOI_NO_INDEX UINT32_MAX

/// A part, and where that of it lies that never moves.
typedef struct foi_part {
    const char *name;
    fo_system system;
    fo_shape shape;      ///< at the start
    uint32_t u;          ///< first of its inputs among all parts' inputs
    uint32_t input;      ///< first of its unconnected inputs among the composition's
    uint32_t connected;  ///< how many of its inputs are connected
    uint32_t y, p, g, c; ///< first output, parameter, guard and condition
    uint32_t moment, event;
    uint32_t moments; ///< how many moments it can name
    uint32_t depth;   ///< its inputs are known after so many steps of the plan
    bool feeds;       ///< one of its outputs is connected
    bool reached;     ///< its direct outputs depend directly on an input of the composition
    size_t memory;    ///< offset in the memory
    uint64_t salt;    ///< makes its random streams its own
} foi_part;

/// A part's share of a state now.
typedef struct foi_extent {
    size_t scratch, scratch_size; ///< offset and bytes
    uint32_t x, d;                ///< first state and discrete
    uint32_t g, c;                ///< first guard and condition beyond those of the start
    uint32_t states, discretes, guards, conditions;
    bool started, again;
} foi_extent;

/// One observe of the plan, after which some inputs are known: copies[first .. first + count).
typedef struct foi_plan_step {
    uint32_t part;
    uint32_t first, count;
} foi_plan_step;

/// y[from] is u[to], counted over all parts.
typedef struct foi_plan_copy {
    uint32_t from, to;
} foi_plan_copy;

struct fo_composition {
    fo_system_type type;
    fo_description about;
    fo_shape shape; ///< at the start
    const fo_allocator *allocator;
    foi_part *parts;
    uint32_t part_count;

    uint32_t u_count, y_count; ///< over all parts
    uint32_t *u_source;        ///< of each input: its index in the composition's, or FOI_NO_INDEX
    double *u_default;         ///< what stands for a connected input that is not known yet

    foi_plan_step *steps; ///< how the connected inputs become known
    foi_plan_copy *copies;
    size_t step_count, step_room, copy_count, copy_room;
    uint32_t *tail; ///< parts that `observe` looks at again when all inputs are known
    uint32_t tail_count;
    uint32_t *start_order;
    uint32_t rates_depth, guards_depth, conditions_depth, next_depth, settle_depth, record_depth;

    size_t memory_u;   ///< offset of the inputs in the memory
    size_t scratch_at; ///< offset of the parts' scratch
    char *texts;       ///< all names
    fo_variable *variables;
    fo_guard *guards;
    fo_event *events;
};

static inline foi_extent *foi_extents(const fo_state *s)
{
    return s->memory;
}

/// "arm.angle", or "arm.y[2]" for what has no name. Returns `text`.
const char *foi_port_name(const foi_part *part, fo_quantity quantity, uint32_t index, char *text,
                          size_t size);

/// Whether the output depends directly on the part's inputs.
bool foi_output_direct(const foi_part *part, uint32_t output);

/* compose_plan.c */

/// Sorts the observations; fails with the loop's name when there is one.
fo_status foi_compose_plan(fo_composition *c, const fo_composition_def *def, fo_message *why);

/* compose_names.c */

/// Makes the description.
fo_status foi_compose_describe(fo_composition *c, const fo_composition_def *def, fo_message *why);

/* compose_layout.c */

/// The extents of the start.
void foi_extents_begin(const fo_composition *c, foi_extent *extents);
/// Places the parts by the sizes in their extents, and gives the whole's shape. False when it is
/// too large for its counters.
bool foi_extents_place(const fo_composition *c, foi_extent *extents, fo_shape *shape);
/// Bytes of one part's scratch or memory with what it takes to align the next.
static inline size_t foi_round16(size_t size)
{
    return (size + 15) & ~(size_t)15;
}
/// Where the work space begins in the scratch space.
void *foi_compose_work(const fo_composition *c, const fo_state *s);
/// The state of a part: pointers into the whole's arrays. Its inputs are those in the scratch
/// space, or those in the memory.
fo_state foi_part_view(const fo_composition *c, const fo_state *s, uint32_t part, bool at_moment);
/// Changes a part's size from inside its jump: puts the host behind `view` in its place.
typedef struct foi_part_host {
    fo_host host;
    const fo_composition *composition;
    fo_state *whole;
    uint32_t part;
} foi_part_host;
fo_status foi_part_resize(fo_host *host, fo_state *view, const fo_shape *shape);
/// What a part says is said by the whole, with the part's name.
void foi_part_note(fo_host *host, double t, const char *text);
fo_status foi_part_accuracy(fo_host *host, fo_state *view, const fo_accuracy *to);

/* compose_flow.c */

/// Computes the connected inputs at (t, x) by the first `depth` steps of the plan, into the scratch
/// space; outputs go into `y`, or where it is NULL into the scratch space. Parts that are not
/// started yet are left out.
fo_status foi_compose_inputs(const fo_composition *c, const fo_state *s, double t, const double *x,
                             double *y, size_t depth);
/// Says which part failed, and passes the status on.
fo_status foi_part_failed(const foi_part *part, const fo_state *s, fo_status status);

fo_status foi_compose_rates(const void *model, const fo_state *s, double t, const double *x,
                            double *dx);
fo_status foi_compose_guards(const void *model, const fo_state *s, double t, const double *x,
                             double *g);
fo_status foi_compose_conditions(const void *model, const fo_state *s, double t, const double *x,
                                 bool *on);
fo_status foi_compose_observe(const void *model, const fo_state *s, double t, const double *x,
                              double *y);
fo_status foi_compose_guard_bounds(const void *model, const fo_state *s, const fo_stretch *on,
                                   fo_enclosure *e);
fo_status foi_compose_divisors(const void *model, const fo_state *s, double t, const double *x,
                               double *values);
void foi_compose_held(const void *model, const fo_state *s, uint8_t *signs);
/// The bounds of this part's guards hold: its inputs do not change between moments.
bool foi_part_has_bounds(const foi_part *part);

/* compose_implicit.c */

fo_status foi_compose_mass(const void *model, const fo_state *s, double *values);
fo_status foi_compose_residual(const void *model, const fo_state *s, double t, const double *x,
                               const double *dx, double *r);
fo_status foi_compose_start_rates(const void *model, const fo_state *s, double t, const double *x,
                                  double *dx);

/* compose_jump.c */

fo_status foi_compose_start(const void *model, fo_state *s);
fo_next foi_compose_next(const void *model, const fo_state *s);
fo_status foi_compose_side(const void *model, fo_state *s, const int8_t *sides);
fo_status foi_compose_jump(const void *model, fo_state *s, const fo_moment *m, fo_effect *e);
fo_status foi_compose_settle(const void *model, fo_state *s, double t, const double *x);
fo_status foi_compose_record(const void *model, fo_state *s, const fo_path *path);

#endif
