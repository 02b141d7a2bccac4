/// Structures: mechanics from an energy function, coupled to the rest of the world by power ports.
///
/// A Hamiltonian is any energy in positions and momenta. A structure is a network of
/// nodes with masses and of energies between them: springs, bending, enclosed volumes, skins.
/// Both are systems; a structure's states are all positions, then all velocities.
#ifndef FOLIOT_STRUCTURE_H
#define FOLIOT_STRUCTURE_H

#include "simulation.h"
#include "system.h"

#ifdef __cplusplus
extern "C" {
#endif

// -------------------------------------------------------------------------------- Hamiltonians

/// An energy H(x) as three lists: term i is coefficients[i] times the states whose indices are the
/// next counts[i] numbers of `variables`; x * x * x * x is the same index four times.
/// q' = dH/dp, p' = -dH/dq - friction p.
typedef struct fo_hamiltonian_def {
    const char *name, *about;
    uint32_t states;          ///< even
    uint32_t block;           ///< states come as `block` positions, then their momenta, and so on;
                              ///< 0: first all positions, then all momenta
    const char *const *names; ///< of the states; NULL: "[0]", "[1]", ...
    const double *start;      ///< NULL: zero
    const double *coefficients;
    const uint32_t *counts, *variables;
    size_t terms;
    const char *energy; ///< as text, added to the lists: "0.5 * p^2 + x^4", "p^2/(2*r^2) + cos(q)";
                        ///< may be NULL
    double friction;    ///< [1/s]
    const fo_allocator *allocator;
} fo_hamiltonian_def;
/// No energy, no friction.
fo_hamiltonian_def fo_default_hamiltonian_def(void);

typedef struct fo_hamiltonian fo_hamiltonian;
/// NULL on failure, and `why` says it.
fo_hamiltonian *fo_hamiltonian_create(const fo_hamiltonian_def *def, fo_message *why);
/// Valid while the Hamiltonian lives. Its one output is the energy.
fo_system fo_hamiltonian_system(const fo_hamiltonian *h);
/// The energy at the states x.
double fo_hamiltonian_value(const fo_hamiltonian *h, const double *x);
/// All derivatives dH/dx in one pass over the terms.
void fo_hamiltonian_gradient(const fo_hamiltonian *h, const double *x, double *g);
/// The energy as text; returns its whole length and writes what fits.
size_t fo_hamiltonian_print(const fo_hamiltonian *h, char *text, size_t size);
/// The Hamiltonian as a document (JSON) that fo_structure_read reads back; returns its whole length
/// and writes what fits, 0 when memory is lacking.
size_t fo_hamiltonian_write(const fo_hamiltonian *h, char *text, size_t size);
/// Takes NULL. No simulation of its system may live longer.
void fo_hamiltonian_destroy(fo_hamiltonian *h);

// ---------------------------------------------------------------------------------- structures

typedef struct fo_structure_def {
    const char *name, *about;
    int dimension;        ///< 1, 2 or 3
    double gravity[3];    ///< [m/s^2] the acceleration: {0, -9.81} pulls down
    double friction_rate; ///< force -rate m v on every node [1/s]
    double friction;      ///< force -friction v on every node [N s/m]
    double bowl;      ///< stiffness of a spring from every node to the bowl [N/m]; 0: there is none
    bool stiff;       ///< a hint: choose a stiff solver
    bool unaccounted; ///< no balance of energies, which costs an evaluation a step
    bool leapfrog;    ///< it steps itself (solver `own`): springs of one energy, gravity, friction
                      ///< and efforts only, not accounted; without rest and modes. Nodes in rows,
                      ///< one after the other, with equal springs are computed side by side
    uint32_t threads; ///< of leapfrog (threads.h)
    const fo_allocator *allocator;
} fo_structure_def;
/// In a plane, without gravity and friction.
fo_structure_def fo_default_structure_def(void);

typedef enum fo_spring_energy {
    FO_SPRING_SQUARES, ///< V = 1/2 k (l^2 - d^2)^2, k in N/m^3: stiffness 4 k d^2 at rest
    FO_SPRING_LENGTHS, ///< V = 1/2 k (l - d)^2, k in N/m
} fo_spring_energy;

enum {
    FO_FIXED_X = 1,
    FO_FIXED_Y = 2,
    FO_FIXED_Z = 4,
    FO_FIXED = 7,
};

typedef struct fo_structure_node {
    const char *name;   ///< NULL: its number, from 1
    double mass;        ///< [kg]; may be zero where it is wholly fixed
    double position[3]; ///< at the start [m]
    double velocity[3];
    unsigned fixed; ///< FO_FIXED_X and so on
} fo_structure_node;

typedef struct fo_spring_def {
    uint32_t a, b; ///< nodes, from 0
    fo_spring_energy energy;
    double k;
    double length; ///< at rest [m]; 0: as long as it is at the start
    double breaks; ///< strain (l - length) / length at which it tears; 0: never
    double yields; ///< strain at which it flows, with FO_SPRING_LENGTHS only; 0: never
} fo_spring_def;
/// From node 0 to node 1, as long as at the start, that never tears.
fo_spring_def fo_default_spring_def(void);

/// Energy 1/2 k |sum of coefficient[i] x[node[i]]|^2: bending is coefficients 1, -2, 1.
typedef struct fo_bend_def {
    const uint32_t *nodes;
    const double *coefficients;
    uint32_t count; ///< at most 16
    double k;
} fo_bend_def;
/// Of no nodes, k = 1.
fo_bend_def fo_default_bend_def(void);

typedef enum fo_volume_law {
    FO_VOLUME_BULK,     ///< 1/2 value (V - V0)^2 / V0: a bulk modulus [N/m^2; in a plane N/m]
    FO_VOLUME_PRESSURE, ///< -value V: a constant pressure
    FO_VOLUME_GAS,      ///< -value V0 ln(V / V0): a gas of pressure `value` at V0, isothermal
} fo_volume_law;

/// What a closed surface encloses: facets are edges in a plane, triangles in space, turned so that
/// the volume is positive. V0 is that of the start.
typedef struct fo_volume_def {
    const uint32_t *facets; ///< dimension nodes each
    uint32_t count;
    fo_volume_law law;
    double value;
} fo_volume_def;
/// Of no facets.
fo_volume_def fo_default_volume_def(void);

/// Surface tension: energy tension A + 1/2 modulus (A - A0)^2 / A0, A the area of all facets (their
/// length in a plane), A0 that of the start.
typedef struct fo_skin_def {
    const uint32_t *facets;
    uint32_t count;
    double tension; ///< [N/m; in a plane N]
    double modulus; ///< against changes of the area [N/m; in a plane N]; 0: none
} fo_skin_def;
/// Of no facets.
fo_skin_def fo_default_skin_def(void);

/// The bowl: a rigid frame without mass that moves without turning, tied to every node by a spring
/// of its own (fo_structure_def.bowl). A port can push it, or move it.
#define FO_BOWL UINT32_MAX

/// A power port: effort in and flow out, or flow in and effort out; their product is the power
/// that comes in. Its input has the port's name, its outputs are "name.flow" or "name.effort", and
/// "name.energy". A node that is driven by a flow follows it; its mass belongs to the driver.
typedef struct fo_port_def {
    const char *name;
    uint32_t node;       ///< or FO_BOWL
    double direction[3]; ///< of any length but zero; along an axis for flow in and for the bowl
    bool flow_in;
    double start;                 ///< start value of the input
    const double *times, *values; ///< added to the input from each time on; may be NULL
    size_t changes;
    bool
        connected; ///< the input changes between moments: its work is taken by the trapezoidal rule
} fo_port_def;
/// Effort in at node 0, along x.
fo_port_def fo_default_port_def(void);

typedef struct fo_structure fo_structure;

/// An empty structure; then nodes, springs, ports; then fo_structure_finish. NULL on failure.
fo_structure *fo_structure_create(const fo_structure_def *def, fo_message *why);
/// Each adds one thing and gives its index where `index` is not NULL. FO_ERROR_ARGUMENT says what
/// was expected and what was found; nothing was added then.
fo_status fo_structure_add_node(fo_structure *s, const fo_structure_node *def, uint32_t *index,
                                fo_message *why);
/// A spring between two nodes; `index` (may be NULL) gets its number. The same errors.
fo_status fo_structure_add_spring(fo_structure *s, const fo_spring_def *def, uint32_t *index,
                                  fo_message *why);
/// A bending energy. The same errors.
fo_status fo_structure_add_bend(fo_structure *s, const fo_bend_def *def, fo_message *why);
/// An enclosed volume. The same errors.
fo_status fo_structure_add_volume(fo_structure *s, const fo_volume_def *def, fo_message *why);
/// A skin with surface tension. The same errors.
fo_status fo_structure_add_skin(fo_structure *s, const fo_skin_def *def, fo_message *why);
/// A port; `index` (may be NULL) gets its number. The same errors.
fo_status fo_structure_add_port(fo_structure *s, const fo_port_def *def, uint32_t *index,
                                fo_message *why);
/// Checks the whole and makes the system. Nothing can be added afterwards.
fo_status fo_structure_finish(fo_structure *s, fo_message *why);
/// Takes NULL. No simulation of its system may live longer.
void fo_structure_destroy(fo_structure *s);

/// The system; valid while the structure lives.
fo_system fo_structure_system(const fo_structure *s);

/// How many nodes it has.
uint32_t fo_structure_nodes(const fo_structure *s);
/// How many springs it has.
uint32_t fo_structure_springs(const fo_structure *s);
/// The nodes at the ends of a spring, from 0.
void fo_structure_spring(const fo_structure *s, uint32_t spring, uint32_t ends[2]);
/// In how many dimensions it is: 1, 2 or 3.
int fo_structure_dimension(const fo_structure *s);
/// A node by name; UINT32_MAX when there is none.
uint32_t fo_structure_find(const fo_structure *s, const char *name);
/// Where coordinate `axis` of a node is among the states; its velocity is nodes * dimension later.
uint32_t fo_structure_state(const fo_structure *s, uint32_t node, int axis);

/// Gives a node another mass, before fo_structure_finish: for parts that are joined there.
fo_status fo_structure_set_mass(fo_structure *s, uint32_t node, double mass, fo_message *why);
/// Fixes a node in the directions of the bits of `fixed`, before fo_structure_finish.
fo_status fo_structure_fix(fo_structure *s, uint32_t node, unsigned fixed, fo_message *why);

// --------------------------------------------------------------------------- rest and vibration

/// How a static solution was found.
typedef struct fo_rest {
    int iterations;
    double energy; ///< potential, with the loads' own
    double force;  ///< the largest force that is left on a free coordinate [N]
    bool stable;   ///< the energy has a minimum there (a saddle otherwise)
    int saddles;   ///< fo_structure_stable_rest: solutions that were left, since they are saddles
} fo_rest;

/// The positions at which all forces balance, with `inputs` on the ports (one each, NULL: their
/// start values): Newton on the energy with line search, from the positions in `x` (nodes *
/// dimension of them), which receive the solution. Ports with flow in stay where they are.
/// FO_ERROR_CONVERGE when there is none near.
fo_status fo_structure_rest(const fo_structure *s, const double *inputs, double *x, fo_rest *found,
                            fo_message *why);
/// The same, and where that is a saddle of the energy (a beam beyond its buckling load that is
/// still straight) down from there, along the direction in which the energy falls most steeply, to
/// a solution that is stable; of two that mirror each other always the same one. `found->saddles`
/// says how many were left. Also FO_OK where the last one is neither: something floats freely.
fo_status fo_structure_stable_rest(const fo_structure *s, const double *inputs, double *x,
                                   fo_rest *found, fo_message *why);
/// Makes the positions of the stable static solution the start of every simulation.
fo_status fo_structure_begin_at_rest(fo_structure *s, const double *inputs, fo_message *why);

/// The lowest `count` natural angular frequencies [rad/s] around the positions `x`, ascending;
/// subspace iteration with the factors of the stiffness. `shapes` (may be NULL) gets count times
/// nodes * dimension numbers, of unit modal mass.
fo_status fo_structure_modes(const fo_structure *s, const double *x, uint32_t count, double *omega,
                             double *shapes, fo_message *why);
/// The highest natural angular frequency around `x`, not below the true one by more than some per
/// mille; leapfrog is stable below a step of 2 / omega. NAN when memory is lacking.
double fo_structure_highest(const fo_structure *s, const double *x);

// --------------------------------------------------------------------------------------- parts

/// What something is made of.
typedef struct fo_material {
    double young;   ///< E [N/m^2]
    double poisson; ///< between -1 and 0.5
    double density; ///< [kg/m^3]
} fo_material;

typedef enum fo_part_kind {
    FO_PART_BAR,     ///< a line of nodes that stretches and bends: section `area`, `inertia`
    FO_PART_GIRDER,  ///< a plane lattice of cells: `thickness` across it
    FO_PART_PLATE,   ///< a lattice in space that stretches, shears and bends: `thickness`
    FO_PART_BLOCK,   ///< a lattice of cubic cells in space
    FO_PART_CHAIN,   ///< a line of nodes that only stretches
    FO_PART_ROPE,    ///< a chain with the bending stiffness of a round section
    FO_PART_BALLOON, ///< a closed skin around a gas: a ring in a plane, a sphere in space
} fo_part_kind;

/// A premade part. Nodes are named "part.1", "part.2", ...: x first, then y, then z.
typedef struct fo_part_def {
    fo_part_kind kind;
    const char *name;
    fo_material material;
    double from[3], to[3]; ///< bar, chain, rope: the ends. girder, plate, block: opposite corners
    uint32_t cells[3];     ///< along x, y, z; bar, chain, rope: cells[0]; balloon: see below
    double area, inertia;  ///< of a section [m^2, m^4]; bar, chain; rope: area
    double thickness;      ///< girder, plate, balloon [m]
    double centre[3], radius;  ///< balloon
    double tension, pressure;  ///< balloon: of the skin; of the gas at this radius
    double breaks, yields;     ///< of every spring; 0: never
    bool clamp_from, clamp_to; ///< bar, rope: an end is held in place and direction by a wall
    bool join;                 ///< where a node is already, it is used, and gets the mass of both
} fo_part_def;
/// A bar of one cell.
fo_part_def fo_default_part_def(void);

/// Adds a part's nodes and energies; *first gets the index of its first node. A balloon's cells[0]
/// is the number of edges of the ring, or how often the faces of an octahedron are divided.
fo_status fo_structure_add_part(fo_structure *s, const fo_part_def *def, uint32_t *first,
                                fo_message *why);

// ----------------------------------------------------------------------------------- documents

/// A network of springs as one matrix (Staal, figure 11; docs/sources.md): masses on the diagonal,
/// stiffnesses k below it, lengths at rest above it, n * n row by row. `positions` has n *
/// dimension numbers; a length of 0 is taken from them. Springs have the energy of squares.
fo_status fo_structure_add_matrix(fo_structure *s, const double *matrix, uint32_t n,
                                  const double *positions, fo_message *why);
/// Writes the matrix of the structure's nodes and springs.
/// FO_ERROR_UNFIT when it has something that the matrix cannot show.
fo_status fo_structure_matrix(const fo_structure *s, double *matrix, fo_message *why);

/// The energy of a finished structure of nodes, springs with the energy of squares and gravity, as
/// a polynomial in its positions and momenta. Friction and
/// ports are no part of it; what is fixed does not move as long as its momentum is zero. NULL on
/// failure, FO_ERROR_UNFIT where there is more in the structure.
fo_hamiltonian *fo_structure_hamiltonian(const fo_structure *s, fo_message *why);

/// What a *.structure.json describes: a structure, or a Hamiltonian.
typedef struct fo_structure_document fo_structure_document;
/// Reads a document (of `length` bytes, called `name` in messages). NULL on failure: the message
/// has the place and the path, "beam.structure.json:3:14: $.nodes[2].mass: ...".
fo_structure_document *fo_structure_read(const char *name, const char *text, size_t length,
                                         const fo_allocator *allocator, fo_message *why);
/// The same of a file.
fo_structure_document *fo_structure_read_file(const char *path, const fo_allocator *allocator,
                                              fo_message *why);
/// The system; valid while the document lives.
fo_system fo_structure_document_system(const fo_structure_document *d);
/// NULL when it describes a Hamiltonian, and the other way round.
fo_structure *fo_structure_document_structure(const fo_structure_document *d);
/// The Hamiltonian; NULL when it describes a structure.
const fo_hamiltonian *fo_structure_document_hamiltonian(const fo_structure_document *d);
/// How it wants to be run.
fo_run_def fo_structure_document_run_def(const fo_structure_document *d);
/// The document as text (JSON) that fo_structure_read reads back into the same system, to the last
/// bit; parts are written as their nodes and energies. Returns its whole length and writes what
/// fits, 0 when memory is lacking.
size_t fo_structure_document_write(const fo_structure_document *d, char *text, size_t size);
/// The same of a structure that was built.
size_t fo_structure_write(const fo_structure *s, char *text, size_t size);
/// Takes NULL. No simulation of its system may live longer.
void fo_structure_document_destroy(fo_structure_document *d);

#ifdef __cplusplus
}
#endif
#endif
