/// What a structure is made of, for the files of this room.
///
/// Coordinates: c = node * dim + axis. States x: all positions q (n = nodes * dim), all velocities
/// v, then, where the bowl is driven by a flow, its displacement (dim).
#ifndef FOI_STRUCTURE_H
#define FOI_STRUCTURE_H

#include <foliot/structure.h>

#include "base/memory.h"

#define FOI_NO_INDEX UINT32_MAX

typedef struct foi_spring {
    uint32_t a, b;
    uint32_t slot; ///< of its damage, or FOI_NO_INDEX
    uint32_t energy;
    double k, d;
} foi_spring;

/// 1/2 k |sum coefficient x|^2 over [first, first + count) of the bends' pool.
typedef struct foi_bend {
    uint32_t first, count;
    double k;
} foi_bend;

/// Facets [first, first + count) of the pool; the nodes they use, once each, in the members' pool.
typedef struct foi_volume {
    uint32_t first, count, member_first, member_count;
    fo_volume_law law;
    double value, begin;
} foi_volume;

/// The members are those of a skin with a modulus.
typedef struct foi_skin {
    uint32_t first, count, member_first, member_count;
    double tension, modulus, begin;
} foi_skin;

typedef struct foi_port {
    char *name;
    uint32_t node;
    double direction[3]; ///< of length 1
    int axis;            ///< of a flow or the bowl
    bool flow_in, connected;
    double start;
    double *times, *values;
    size_t changes;
} foi_port;

/// What can happen to a spring. Its discretes: whole (1 or 0), rest length, flowing (0, +1, -1).
typedef struct foi_slot {
    uint32_t spring;
    double breaks, yields;
} foi_slot;

enum { FOI_WHOLE, FOI_LENGTH, FOI_FLOWING, FOI_SLOT_DISCRETES };
enum { FOI_GUARD_BREAK, FOI_GUARD_YIELD, FOI_SLOT_GUARDS };
enum { FOI_RATE, FOI_FRICTION, FOI_GRAVITY, FOI_PARAMETERS };
enum {
    FOI_KINETIC,
    FOI_POTENTIAL,
    FOI_ENERGY,
    FOI_THROUGH_PORTS,
    FOI_LOST_FRICTION,
    FOI_LOST_DAMAGE,
    FOI_BALANCE,
    FOI_OUTPUTS,
    FOI_UNACCOUNTED_OUTPUTS = FOI_THROUGH_PORTS ///< without an account the others are not known
};

/// Nodes [first, first + count) whose springs are alike: ends [ends, ends + degree), see runs.c.
typedef struct foi_run {
    uint32_t first, count, ends, degree;
} foi_run;

typedef enum foi_bowl_mode { FOI_BOWL_FIXED, FOI_BOWL_FLOW, FOI_BOWL_EFFORT } foi_bowl_mode;

struct fo_structure {
    fo_structure_def def;
    int dim;
    bool finished, flows; ///< flows: some coordinate is driven by a flow, so q' = v is not all
    uint32_t nodes;
    double *mass, *begin, *start, *velocity; ///< begin: of rest lengths; start: of simulations
    uint8_t *fixed;                          ///< of each coordinate
    fo_rest rest;                            ///< with which simulations begin; all 0: they do not
    char **names;                            ///< of nodes; NULL: the number
    uint32_t *index;                         ///< table of named nodes, see names.c
    size_t index_room, named;
    size_t mass_room, begin_room, start_room, velocity_room, fixed_room, name_room;

    foi_spring *springs;
    foi_slot *slots;
    foi_bend *bends;
    uint32_t *bend_node;
    double *bend_coefficient;
    foi_volume *volumes;
    foi_skin *skins;
    uint32_t *facets, *members;
    foi_port *ports;
    size_t spring_count, spring_room, slot_count, slot_room, bend_count, bend_room, bend_nodes,
        bend_node_room, bend_coefficient_room, volume_count, volume_room, skin_count, skin_room,
        facet_count, facet_room, member_count, member_room, port_count, port_room;

    foi_bowl_mode bowl_mode[3];
    uint32_t bowl_port[3];
    uint32_t *driver; ///< of each coordinate: the port whose flow it follows, or FOI_NO_INDEX

    /* made by finish */
    double *inverse_mass;                ///< of each coordinate; 0 where it is fixed or driven
    uint32_t *adjacent_start, *adjacent; ///< nodes that share an energy, itself among them
    uint32_t *pattern_start, *pattern_row;
    fo_pattern pattern;
    foi_run *runs; ///< with threads only
    size_t run_count;
    int32_t *end_offset; ///< of each end: how many numbers away the other node is
    double *end_slope, *end_rest;
    double sure_step; ///< at which leapfrog is stable for certain
    char **texts;     ///< names in the description
    size_t text_count, text_room;
    fo_variable *variables; ///< states, discretes, inputs, outputs, parameters, one after the other
    fo_guard *guards;
    fo_event moment;
    fo_description description;
    fo_shape shape;
};

static inline uint32_t foi_coordinates(const fo_structure *s)
{
    return s->nodes * (uint32_t)s->dim;
}

/// Room in the table of names for one more; false when memory is lacking.
bool foi_names_room(fo_structure *s);
void foi_names_add(fo_structure *s, uint32_t node);

/// Discretes of slot `i`, or the values of a new structure where d is NULL.
typedef struct foi_damage {
    bool whole;
    double length, flowing;
} foi_damage;
foi_damage foi_damage_of(const fo_structure *s, const foi_spring *spring, const double *d);

/// What the world does to a structure at a moment. Zero pointers: nothing.
typedef struct foi_load {
    const double *d;       ///< discretes: signals of the ports, damage
    const double *u;       ///< inputs
    const double *bowl;    ///< displacement of the bowl where it is a state
    const double *gravity; ///< factor of the definition's; NULL: 1
} foi_load;
foi_load foi_load_of(const fo_structure *s, const fo_state *state, const double *x);

/// Effort or flow that comes into port `i`.
double foi_port_input(const fo_structure *s, const foi_load *load, size_t i);
/// Displacement of the bowl along each axis.
void foi_bowl(const fo_structure *s, const foi_load *load, const double *q, double r[3]);

/// True when an effort acts on the bowl along some axis.
static inline bool foi_bowl_under_effort(const fo_structure *s)
{
    for (int a = 0; a < s->dim; a++)
        if (s->bowl_mode[a] == FOI_BOWL_EFFORT) return true;
    return false;
}

/// Potential energy at q, without the loads', and, where f is not NULL, all forces -dV/dq, without
/// the loads' and without regard to what is fixed.
double foi_potential(const fo_structure *s, const foi_load *load, const double *q, double *f);
/// Adds the efforts of ports on nodes.
void foi_add_efforts(const fo_structure *s, const foi_load *load, double *f);

/// c and e with force c r and Hessian c I + e r r^T of a spring along r, l^2 = |r|^2; returns V.
double foi_spring_law(const fo_structure *s, const foi_spring *spring, const double *d, double l2,
                      double *c, double *e);
/// Measure of what facets enclose.
double foi_enclosed(const fo_structure *s, const foi_volume *v, const double *q);
/// f -= slope dV/dx of one facet.
void foi_push_facet(const fo_structure *s, const uint32_t *facet, double slope, const double *q,
                    double *f);
/// Tension times the area of one facet; f -= tension dA/dx where f is not NULL.
double foi_stretch_facet(const fo_structure *s, const uint32_t *facet, double tension,
                         const double *q, double *f);
/// Area of a skin.
double foi_skin_area(const fo_structure *s, const foi_skin *skin, const double *q);
/// tension A + 1/2 modulus (A - A0)^2 / A0 of a skin of area A, its slope and curvature.
double foi_skin_law(const foi_skin *skin, double area, double *slope, double *curvature);
/// phi(V) of a volume, its slope and curvature.
double foi_volume_law(const foi_volume *v, double volume, double *slope, double *curvature);

/// d2V/dq2, column by column: entries of column c = node * dim + axis are, for each adjacent node
/// in turn, dim rows. Needs foi_hessian_size numbers.
size_t foi_hessian_size(const fo_structure *s);
fo_status foi_hessian(const fo_structure *s, const foi_load *load, const double *q, double *values,
                      fo_message *why);
/// Makes adjacency and the pattern of df/dx.
fo_status foi_make_pattern(fo_structure *s, fo_message *why);
/// Makes runs of nodes whose springs are alike, for stepping on threads.
fo_status foi_make_runs(fo_structure *s, fo_message *why);
fo_status foi_make_description(fo_structure *s, fo_message *why);

// ---------------------------------------------------------------------------- energy accounting

/// What the account remembers: energies since the start, and the last point. Followed by, for each
/// port, its energy and last input; then the states and the accelerations of the last point.
typedef struct foi_account {
    double t;
    double ports, friction, damage; ///< energies since the start
    double begin, weight, own;      ///< at the start: all, that of gravity, the rest's size
    double noise;                   ///< energies that rounding errors make
    double balance;                 ///< at the last point
    double sets;                    ///< size of what was booked where something was set
    // not a bool: it comes back from checkpoints, and any bits of this are a value
    uint64_t stale; ///< something jumped: the last accelerations are void
} foi_account;

/// Outputs before those of the ports; outputs of each port: its answer, and with an account its
/// energy.
static inline uint32_t foi_energy_outputs(const fo_structure *s)
{
    return s->def.unaccounted ? FOI_UNACCOUNTED_OUTPUTS : FOI_OUTPUTS;
}

static inline uint32_t foi_port_outputs(const fo_structure *s)
{
    return s->def.unaccounted ? 1 : 2;
}

size_t foi_account_size(const fo_structure *s);
size_t foi_scratch_size(const fo_structure *s);
void foi_account_start(const fo_structure *s, fo_state *state);
fo_status foi_account_settle(const fo_structure *s, fo_state *state, double t, const double *x);
/// Writes the outputs from FOI_KINETIC on, as far as there are, and those of the ports.
void foi_account_show(const fo_structure *s, const fo_state *state, double t, const double *x,
                      double *y);
/// Something was set: what is stored has jumped, and that is booked as having come in.
void foi_account_set(const fo_structure *s, fo_state *state);
/// Something jumped; so much energy is lost with it.
void foi_account_damage(const fo_structure *s, fo_state *state, double energy);

/// Accelerations of all coordinates; returns the potential energy.
double foi_accelerations(const fo_structure *s, const fo_state *state, const double *x, double *a);

extern const fo_stepper foi_structure_stepper;
extern const fo_system_type foi_structure_type, foi_structure_type_unaccounted,
    foi_structure_type_threads;

#endif
