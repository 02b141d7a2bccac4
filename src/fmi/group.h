/// Several units together: what a document says of them, and the master that steps them.
///
/// A document (SystemStructure.ssd of SSP 1.0, alone or in an archive, or *.fmus.json) names units,
/// connections and numbers. Opened, all connected inputs are one vector U, and U = C(Y) with the
/// outputs Y of all units: per connection a factor and an offset, with units of measure converted.
#ifndef FOI_FMU_GROUP_H
#define FOI_FMU_GROUP_H

#include "base/bytes.h"
#include "fmi/fmu.h"
#include "fmi/others.h"

// --------------------------------------------------------------------------------- the document

typedef struct foi_group_part {
    const char *name, *source; ///< source: a path, beside the document
    uint32_t line;
    bool exchange; ///< in Model Exchange, though it may have Co-Simulation
} foi_group_part;

/// `part` NULL: a connector of the whole.
typedef struct foi_group_end {
    const char *part, *name;
} foi_group_end;

typedef struct foi_group_wire {
    foi_group_end from, to;
    double factor, offset;
    bool as_it_is; ///< units of measure are not converted
    uint32_t line;
} foi_group_wire;

typedef struct foi_group_value {
    const char *part, *name; ///< part NULL: `name` begins with it
    double value;
    uint32_t line;
    const char *unit;     ///< of the value; NULL: that of what is set
    uint32_t from, until; ///< of set_measures: those of its parameter set
} foi_group_value;

/// A connector with what the document says of it.
typedef struct foi_group_pin {
    const char *part, *name, *unit;
    bool output;
    uint32_t line;
} foi_group_pin;

typedef enum foi_group_method {
    FOI_GROUP_CHOOSE,       ///< iterated where all units can go back, extrapolated otherwise
    FOI_GROUP_HELD,         ///< all at once, inputs as at the begin of the step
    FOI_GROUP_SEQUENTIAL,   ///< one after the other, with what those before have reached
    FOI_GROUP_EXTRAPOLATED, ///< the mean of the step, extrapolated from the last one
    FOI_GROUP_ITERATED,     ///< the mean of the step, of begin and end, iterated
} foi_group_method;

typedef enum foi_group_control {
    FOI_GROUP_FIXED,
    FOI_GROUP_ERROR,
    FOI_GROUP_POWER
} foi_group_control;

typedef struct foi_group_plan {
    foi_arena arena;
    const char *file, *name, *about;
    char folder[1024]; ///< where sources are looked for, with '/' at its end or empty
    foi_group_part *parts;
    foi_group_wire *wires;
    foi_group_value *values;
    foi_group_pin *pins;
    foi_fmu_measure *measures, *set_measures; ///< of the document; of parameter sets
    uint32_t set_measure_count;
    uint32_t part_count, wire_count, value_count, pin_count, measure_count;
    foi_group_method method;
    foi_group_control control;
    double start, stop, step, rtol, energy;
    bool has_start, has_stop;
    uint64_t others; ///< the hash of the parameter sets in files of their own
} foi_group_plan;

/// Read a document; on failure `why` has file:line.
fo_status foi_group_read_ssd(foi_group_plan *p, const char *text, size_t length, fo_message *why);
fo_status foi_group_read_json(foi_group_plan *p, const char *text, size_t length, fo_message *why);
/// "part.name" in two, at the first dot behind which something stands.
bool foi_group_split(foi_group_plan *p, const char *text, foi_group_end *end);

// ------------------------------------------------------------------------------------ the group

/// One element of U: factor * y[from] + offset goes to input `to` of unit `part`.
typedef struct foi_group_link {
    uint32_t from, source; ///< of Y, and the unit that gives it; from UINT32_MAX: input `outside`
    uint32_t outside;
    uint32_t part, to;
    double factor, offset;
} foi_group_link;

/// Two connections against each other whose product is a power.
typedef struct foi_group_bond {
    uint32_t effort, flow; ///< links
    const char *name;
} foi_group_bond;

/// What carries a unit that has Model Exchange only.
typedef struct foi_group_carried {
    fo_simulation *sim;
    fo_snapshot *kept;
    double start, stop; ///< of that simulation
} foi_group_carried;

struct fo_fmu_group {
    const fo_allocator *allocator;
    foi_group_plan plan;
    foi_folder unpacked; ///< of an archive
    fo_fmu **units;
    uint32_t count;
    foi_group_carried *carried;            ///< per unit; used where it is not in Co-Simulation
    uint32_t *first_y, *first_u, *first_p; ///< of each unit in Y, in all inputs and parameters
    uint32_t y_count, u_count, p_count;
    foi_group_link *links;
    foi_group_bond *bonds;
    uint32_t link_count, bond_count;
    uint32_t *free_u; ///< inputs of units that nothing is connected to: inputs of the whole
    uint32_t free_count, outside_count;
    bool rolls;            ///< all units can go back
    uint32_t *state_of;    ///< of Y: its place among the states; UINT32_MAX: it is an output
    uint32_t reals, shown; ///< of Y: states, and outputs
    struct foi_group_alias {
        uint32_t from;
        double factor, offset;
    } * aliases; ///< outputs of the whole, behind those
    uint32_t alias_count;
    pthread_mutex_t lock;
    bool locked;
    foi_group_method method;
    foi_group_control control;
    double rtol, energy;
    fo_description about;
    fo_system_type type;
    fo_stepper stepper;
    foi_experiment experiment;
    bool lasting;  ///< states hold the units' bytes
    size_t *rooms; ///< for those of each unit
    /* the run: one simulation at a time, or one after the other where they are lasting */
    uint64_t generation, latest;
    bool first; ///< there is no step before
    double t, h_before, h_wish;
    bool stopped;                                            ///< a unit has ended the run
    double ended;                                            ///< there, in the step that is tried
    double *y, *y_before, *y_begin, *y_first, *scale;        ///< of Y
    double *u, *used, *scale_u, *residual, *before, *change; ///< of U
    double *u_begin, *most_residual;                         ///< of an iteration for U
    double *work;                                            ///< 2 of U
    double *matrix;                                          ///< square of U; NULL: too large
    double *outside;
    double *bond_energy, *bond_scale, *bond_step, *bond_moved;
    uint64_t steps, rejected;
};

/// Zeroed memory of the group; NULL: there is none.
void *foi_group_room(fo_fmu_group *g, size_t count, size_t size);
/// Refuses a line of the document.
__attribute__((format(printf, 4, 5))) fo_status foi_group_wrong(const fo_fmu_group *g,
                                                                uint32_t line, fo_message *why,
                                                                const char *format, ...);
/// Output i of a unit: its real ones are the states of its system.
const fo_variable *foi_group_output(const fo_fmu *f, uint32_t i);
/// A value of the document in the unit of measure of what it sets, a variable of unit `part`
/// (UINT32_MAX: of the whole).
fo_status foi_group_convert_value(const fo_fmu_group *g, const foi_group_value *v, uint32_t part,
                                  const char *unit, double *value, fo_message *why);
/// Makes links of the wires, and finds the power bonds among them (group_wires.c).
fo_status foi_group_connect(fo_fmu_group *g, fo_message *why);
fo_status foi_group_find_bonds(fo_fmu_group *g, fo_message *why);

/// Answers a request to a unit that has Model Exchange only (group_exchange.c).
fo_status foi_group_carry(fo_fmu_group *g, uint32_t k, foi_unit_request what, fo_message *why);
void foi_group_drop_carried(fo_fmu_group *g);
/// How much room its state as bytes wants, that of the simulation included; 0: it cannot be
/// written. Then these bytes, and back.
size_t foi_group_carried_room(fo_fmu_group *g, uint32_t k);
fo_status foi_group_write_carried(fo_fmu_group *g, uint32_t k, foi_bytes *to, fo_message *why);
fo_status foi_group_read_carried(fo_fmu_group *g, uint32_t k, const uint8_t *from, size_t size,
                                 fo_message *why);

/// The state of the group in the memory of a state (group_state.c). Why there are no snapshots, or
/// NULL; that decides how large the memory is.
const char *foi_group_no_snapshot(fo_fmu_group *g);
size_t foi_group_memory_size(const fo_fmu_group *g);
/// Puts the units to the state's generation; gives the state a new one; the same at the start.
fo_status foi_group_take(fo_fmu_group *g, fo_state *s);
fo_status foi_group_renew(fo_fmu_group *g, fo_state *s);
fo_status foi_group_begin(fo_fmu_group *g, fo_state *s);
/// Before a step from t; and back into the last one, up to t.
void foi_group_keep_before(fo_fmu_group *g, fo_state *s, double t);
fo_status foi_group_step_back(fo_fmu_group *g, fo_state *s, double t);
/// Where a unit has ended the run; INFINITY: none has.
double foi_group_end_of(const fo_state *s);
/// The outputs at time t: inside of the last step those at its begin.
const double *foi_group_outputs(const fo_fmu_group *g, const fo_state *s, double t);

/// Steps the units (master.c).
fo_status foi_group_start(fo_fmu_group *g, fo_state *s);
fo_status foi_group_advance(fo_fmu_group *g, fo_state *s, double t, double h);

#endif
