/// Fields: waves, heat and whatever else a stencil says on rectangular grids in one, two and three
/// dimensions. A field is a system: any solver may carry it, and it has steppers of its own.
///
///     wave        theta'' = c^2 lap theta - b1 theta' + b2 lap theta' + forces
///     transport   u' = D lap u - v . grad u + r0 + r1 u + r2 u^2 + r3 u^3 + sources
///     stencil     u' or u'' = a C function of the values at a node and its neighbours
///
/// Nodes stand at i dx, dx = length / (points - 1), or length / points along a periodic axis; the
/// first and the last stand on the sides. Node (i, j, k) has index i + nx (j + ny k). The states
/// are all values, then (second order) all velocities, then what an object on the surface adds.
#ifndef FOLIOT_FIELD_H
#define FOLIOT_FIELD_H

#include "simulation.h"
#include "system.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fo_field_equation {
    FO_FIELD_WAVE,
    FO_FIELD_TRANSPORT,
    FO_FIELD_STENCIL,
} fo_field_equation;

// ------------------------------------------------------------------------- what acts from outside

typedef enum fo_signal_kind {
    FO_SIGNAL_ZERO,
    FO_SIGNAL_SINE,  ///< amplitude sin(omega (t - start) + phase) from `start` on, zero before
    FO_SIGNAL_PULSE, ///< amplitude sin^2(pi (t - start) / width) for `width` seconds
    FO_SIGNAL_TABLE, ///< straight lines between (times, values), constant outside
    FO_SIGNAL_INPUT, ///< an input of the system
} fo_signal_kind;

/// A function of time. With all its numbers in SI units.
typedef struct fo_signal {
    fo_signal_kind kind;
    double amplitude, omega, phase, start, width;
    const double *times, *values; ///< times ascending; copied
    uint32_t count;
} fo_signal;

typedef enum fo_side_kind {
    FO_SIDE_FIXED,     ///< keeps its start values
    FO_SIDE_FREE,      ///< no slope across the side
    FO_SIDE_PERIODIC,  ///< goes on at the opposite side, which must be periodic too
    FO_SIDE_ABSORBING, ///< lets waves out that come straight: theta' = -c d theta / d outwards
    FO_SIDE_DRIVEN,    ///< all its nodes follow the signal
} fo_side_kind;

typedef struct fo_side {
    fo_side_kind kind;
    fo_signal signal; ///< driven sides
} fo_side;

/// The sides' places in a definition.
enum { FO_SIDE_LEFT, FO_SIDE_RIGHT, FO_SIDE_FRONT, FO_SIDE_BACK, FO_SIDE_BELOW, FO_SIDE_ABOVE };

/// A node that something acts on. Every point also takes the external event `<name>.strike`, whose
/// value is added to the node's velocity (second order) or value (first order).
typedef struct fo_field_point {
    const char *name; ///< NULL: "point0", "point1", ...
    uint32_t node[3];
    bool hold; ///< the signal is the node's value; otherwise it is added to the highest rate
    fo_signal signal;
} fo_field_point;

/// A node that is looked at: an output.
typedef struct fo_field_probe {
    const char *name; ///< NULL: "value(3,2)", "velocity(3,2)"
    uint32_t node[3];
    bool velocity;
} fo_field_probe;

// ------------------------------------------------------------------- an equation of the user's own

/// What a stencil sees of the node that it stands on. Around it: itself, then the neighbours to the
/// left, right, front, back, below and above (those of unused axes repeat the node itself).
typedef struct fo_stencil {
    double t;
    double position[3];     ///< [m] from the first node
    double spacing[3];      ///< dx, dy, dz [m]
    const double *value;    ///< 7 values
    const double *velocity; ///< 7 velocities; NULL for fields of first order
} fo_stencil;

/// Returns the rate of the value (first order) or of the velocity (second order). Must be pure.
typedef double (*fo_stencil_function)(const void *self, const fo_stencil *at);

// ----------------------------------------------------------------------------- an object on a wave

typedef enum fo_contact {
    FO_CONTACT_EXACT,   ///< forces that keep the constraint; contact opens and closes by events
    FO_CONTACT_SLIDING, ///< singularly perturbed sliding manifold of index 3: mu, eps
} fo_contact;

/// A rigid body that moves along the wave's displacement and presses on some nodes. y counts like
/// theta, in the direction of gravity. Node i touches where y - shape[i] = theta[i]. The mass is in
/// units of a node's own.
typedef struct fo_field_object {
    double mass, gravity;
    uint32_t first[3], count[3]; ///< the box of nodes under it; count 0 along unused axes
    const double *shape; ///< height of its underside over its tip at those nodes; NULL: flat
    fo_signal force;     ///< on the object
    double y, v;         ///< where and how fast it starts
    fo_contact contact;
    bool bonded;    ///< exact: it never lets go, as if it were glued
    double mu, eps; ///< sliding: time constants of the error and of the force, docs/sliding.md [s]
} fo_field_object;

// ------------------------------------------------------------------------------------- definitions

typedef enum fo_field_method {
    FO_FIELD_LEAPFROG,       ///< second order in time; fields of second order
    FO_FIELD_EULER,          ///< explicit
    FO_FIELD_RK4,            ///< explicit
    FO_FIELD_IMPLICIT_EULER, ///< linear equations; constant matrices are factored once
    FO_FIELD_SLIDING,        ///< sliding implicit: implicit Euler approached with fixed work
} fo_field_method;

typedef enum fo_field_linear {
    FO_FIELD_DIRECT,    ///< banded or sparse LU
    FO_FIELD_CG,        ///< conjugate gradients; equations without advection
    FO_FIELD_MULTIGRID, ///< geometric V-cycles; equations without advection
    FO_FIELD_FULL,      ///< LU of the full matrix: for comparison; at most 8192 nodes
    FO_FIELD_INVERSE,   ///< the full inverse by Gauss-Jordan, the same
} fo_field_linear;

typedef struct fo_field_def {
    const char *name, *about; ///< name NULL: "field"
    fo_field_equation equation;
    uint32_t dimensions, size[3]; ///< nodes along each axis
    double length[3];             ///< [m]
    fo_side sides[6];

    double c, b1, b2;                   ///< wave: [m/s], [1/s], [m^2/s]; b1 and b2 damp
    const double *c_at, *b1_at, *b2_at; ///< one for every node instead; may be NULL; copied
    double diffusivity;                 ///< transport: D [m^2/s]
    const double *diffusivity_at;       ///< may be NULL; copied
    double velocity[3];                 ///< transport: v [m/s]
    bool upwind;                        ///< first-order differences against the stream
    double reaction[4];                 ///< r0 to r3
    fo_stencil_function stencil;
    const void *stencil_self;
    bool second_order;    ///< stencil: it gives u''
    double stencil_limit; ///< stencil: the longest stable step of explicit methods; 0: not known

    const double *start, *start_velocity; ///< of every node; NULL: zero; copied
    const fo_field_point *points;
    uint32_t point_count;
    const fo_field_probe *probes;
    uint32_t probe_count;
    bool energy; ///< wave: an output `energy`, 1/2 the integral of theta'^2 / c^2 + |grad theta|^2
    const fo_field_object *object; ///< wave; may be NULL

    fo_field_method method;
    fo_field_linear linear;
    double tolerance;  ///< of cg and multigrid, relative; 0: 1e-10
    uint32_t work;     ///< > 0: cg and multigrid make exactly so many iterations
    uint32_t substeps; ///< sliding; 0: 10
    double epsilon;    ///< sliding [s]; 0: the substep
    uint32_t threads;  ///< threads.h
    const fo_allocator *allocator;
} fo_field_def;

/// A wave on 101 nodes of 1 m with c = 1 m/s and fixed ends, carried by leapfrog.
fo_field_def fo_default_field_def(void);

typedef struct fo_field fo_field;

/// NULL on failure, and `why` says what is wrong with the definition.
fo_field *fo_field_create(const fo_field_def *def, fo_message *why);
/// Takes NULL. No simulation of its system may live longer.
void fo_field_destroy(fo_field *field);
/// The field as a system; valid while the field lives.
fo_system fo_field_system(const fo_field *field);
/// The node's place among the states. Velocities come fo_field_nodes later.
uint32_t fo_field_index(const fo_field *field, uint32_t i, uint32_t j, uint32_t k);
/// How many nodes it has.
uint32_t fo_field_nodes(const fo_field *field);
/// Nodes and length [m] along each axis, 1 and 0 beyond its dimensions, which are returned.
uint32_t fo_field_size(const fo_field *field, uint32_t size[3], double length[3]);
/// The longest stable step of the field's own method [s]; INFINITY: any, 0: none is stable.
/// For constant coefficients between fixed or periodic sides it is exact, otherwise a safe bound
/// (transport: for the linear part).
double fo_field_limit(const fo_field *field, fo_field_method method);

// ------------------------------------------------------------------------------ large waves, fast

/// A wave that is carried in place by leapfrog over (theta, theta one step before): two numbers a
/// node, one pass over memory a step. For large grids without an object; the forces, sides and
/// coefficients are the field's. The bits do not depend on the number of threads.
typedef struct fo_sweep fo_sweep;

typedef struct fo_sweep_def {
    double step;      ///< [s]
    uint32_t threads; ///< threads.h
    uint32_t block;   ///< steps that are taken in one pass over memory (wavefront); 0 or 1: one
    const fo_allocator *allocator;
} fo_sweep_def;
/// One thread, one step a pass; the step is left to say.
fo_sweep_def fo_default_sweep_def(void);

/// Starts at the field's start. The field must outlive it. NULL on failure.
fo_sweep *fo_sweep_create(const fo_field *field, const fo_sweep_def *def, fo_message *why);
/// Takes NULL.
void fo_sweep_destroy(fo_sweep *sweep);
/// Takes `steps` steps.
void fo_sweep_advance(fo_sweep *sweep, uint64_t steps);
/// Where it is [s].
double fo_sweep_time(const fo_sweep *sweep);
/// The values of all nodes, fo_field_index tells where; good until the sweep is used again. NULL:
/// no memory for them.
const double *fo_sweep_values(fo_sweep *sweep);

// --------------------------------------------------------------------------- over a network

/// What a part of a field does about a neighbour whose values did not come in time.
typedef enum fo_tdma_bridge {
    FO_TDMA_HOLD,        ///< goes on with the last ones
    FO_TDMA_EXTRAPOLATE, ///< goes on along a straight line through the last two
} fo_tdma_bridge;

/// How a field is shared over a network with time slots; foliot/tdma.h carries it.
typedef struct fo_tdma_def {
    double period;     ///< of a cycle [s]; 0: 4.2 ms
    double slot;       ///< [s]; 0: what the packets take and a guard
    uint32_t steps;    ///< of the field in a cycle; 0: one
    uint32_t parts[3]; ///< how the axes are cut; all 0: the last one alone
    fo_tdma_bridge bridge;
    double capacity; ///< of the network [bit/s]; 0: 1e9
    double patience; ///< a silence of so many seconds ends the run; 0: 2
    uint32_t slots;  ///< of all nodes in a cycle, as many for each; 0: one for each
    bool overlap;    ///< nodes compute during the slots, with the boundaries of the cycle before
} fo_tdma_def;
/// Cycles of 4.2 ms at 1 Gbit/s, one step in each.
fo_tdma_def fo_default_tdma_def(void);

#ifdef __cplusplus
}
#endif
#endif
