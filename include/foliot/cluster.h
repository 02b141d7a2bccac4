/// Clusters: one field, shared among many processes that exchange their halos over MPI.
///
/// Every rank holds a box of the grid and one layer of its neighbours' nodes around it. To a
/// simulation the box is a system like any other, so every rank runs the same simulation of its
/// own box, step by step with the others: methods, objects, events, outputs and rows are those of
/// the field on one process. Explicit methods give the same bits on any number of ranks, however
/// the grid is cut; implicit ones agree to the tolerance of the linear solver.
///
///     fo_cluster *c = fo_cluster_create(field, &cluster_def, &why);
///     fo_simulation *sim = fo_simulation_create(fo_cluster_system(c), &def, &why);
///     fo_cluster_carry(c, sim, def.stop);
///
/// Only where MPI is built in (libfoliot_cluster, `mpirun ... foliot run`). Every function here is
/// collective over MPI_COMM_WORLD, unless it says otherwise, and waits for other ranks no longer
/// than the definition's patience.
#ifndef FOLIOT_CLUSTER_H
#define FOLIOT_CLUSTER_H

#include "checkpoint.h"
#include "field.h"
#include "simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fo_cluster_def {
    uint32_t parts[3];      ///< how the axes are cut; 0: chosen, so that little is exchanged
    uint32_t balance;       ///< steps after which cuts are moved by measured cost; 0: never
    const char *checkpoint; ///< a file that fo_cluster_carry writes at the stop; NULL: none
    uint64_t every;         ///< and after every so many steps; 0: at the stop only
    double patience;        ///< longest wait for another rank [s]; 0: 60
    const fo_allocator *allocator;
} fo_cluster_def;
/// Cuts chosen, never moved; no checkpoint; a minute of patience.
fo_cluster_def fo_default_cluster_def(void);

typedef struct fo_cluster fo_cluster;

/// Starts MPI when nobody has, and cuts the field, which must be the same on all ranks and must
/// outlive the cluster. NULL on failure, on all ranks.
fo_cluster *fo_cluster_create(const fo_field *field, const fo_cluster_def *def, fo_message *why);
/// Takes NULL. Where an exchange between ranks has failed it ends the program, and mpirun ends the
/// others.
void fo_cluster_destroy(fo_cluster *cluster);
/// Ends MPI if it was started. The last call of a program.
void fo_cluster_finish(void);

/// This rank's box as a system, for the solver `own` (the field's method). Not collective.
fo_system fo_cluster_system(const fo_cluster *cluster);
/// As fo_simulation_advance for a simulation of that system, with checkpoints and moving cuts.
/// A failure on one rank ends it on all; fo_simulation_message says what happened, and where.
fo_status fo_cluster_carry(fo_cluster *cluster, fo_simulation *sim, double until);

/// Which of the ranks this is, from 0. Not collective.
uint32_t fo_cluster_rank(const fo_cluster *cluster);
/// How many ranks there are. Not collective.
uint32_t fo_cluster_ranks(const fo_cluster *cluster);
/// How many parts an axis is cut into, and where: `lines` gets parts + 1 numbers of nodes (may be
/// NULL). Not collective.
uint32_t fo_cluster_cuts(const fo_cluster *cluster, uint32_t axis, uint32_t *lines);

/// The values of all nodes on rank 0, which gives room for them; the others give NULL.
fo_status fo_cluster_gather(fo_cluster *cluster, const fo_simulation *sim, double *values,
                            fo_message *why);

/// What is to be the same when a run goes on, beside its grid, method and steps: saved in
/// checkpoints from now on, and compared. The facts must live as long as the cluster. On all ranks.
void fo_cluster_know(fo_cluster *cluster, const fo_fact *facts, size_t count);

/// Writes everything that the future depends on; a file of this name is replaced only when the new
/// one is complete. It can be read on another number of ranks, into a simulation that was not
/// started yet. The rows of such a simulation come after the checkpoint.
fo_status fo_cluster_save(fo_cluster *cluster, const fo_simulation *sim, const char *path,
                          fo_message *why);
/// Puts such a simulation to where fo_cluster_save was called; collective.
fo_status fo_cluster_load(fo_cluster *cluster, fo_simulation *sim, const char *path,
                          fo_message *why);

/// What a run cost a rank.
typedef struct fo_cluster_cost {
    double compute; ///< [s] computing, and whatever else is not below
    double wait;    ///< [s] waiting for others, beyond what computing hid
    double other;   ///< [s] packing and unpacking halos
    double total;   ///< [s]
    double span;    ///< simulated time that was carried [s]
    uint64_t sent;  ///< bytes
    uint64_t steps;
    uint32_t nodes; ///< now
    uint32_t moves; ///< how often the cuts were moved
} fo_cluster_cost;
/// All ranks' costs, into room for fo_cluster_ranks of them.
fo_status fo_cluster_costs(fo_cluster *cluster, fo_cluster_cost *all, fo_message *why);
/// Bytes per second that a rank sends to the next one when all do: measured now, in some
/// milliseconds. 0 on one rank.
double fo_cluster_capacity(fo_cluster *cluster);

// --------------------------------------------------------------------------------- shared runs

/// For runs that ranks share (fo_ranks of ensemble.h). Starts MPI when nobody has.
fo_status fo_cluster_join(uint32_t *rank, uint32_t *ranks, fo_message *why);
/// `bytes` of each rank to all: `all` gets those of rank 0, then of rank 1, ... Waits as long as
/// the others compute; where one ends, its launcher ends the others.
fo_status fo_cluster_exchange(const void *mine, void *all, size_t bytes, fo_message *why);

// --------------------------------------------------------------------------------- large waves,
// fast

/// A wave in place by leapfrog, as fo_sweep, in the same bits: two numbers a node. For waves
/// without an object.
typedef struct fo_cluster_sweep fo_cluster_sweep;

/// Starts at the field's start. The cluster must outlive it, and must not carry anything
/// meanwhile. NULL on failure, on all ranks.
fo_cluster_sweep *fo_cluster_sweep_create(fo_cluster *cluster, double step, fo_message *why);
/// Takes NULL.
void fo_cluster_sweep_destroy(fo_cluster_sweep *sweep);
/// Takes `steps` steps; collective. An error is one on all ranks.
fo_status fo_cluster_sweep_advance(fo_cluster_sweep *sweep, uint64_t steps, fo_message *why);
/// As fo_cluster_gather.
fo_status fo_cluster_sweep_gather(fo_cluster_sweep *sweep, double *values, fo_message *why);

#ifdef __cplusplus
}
#endif
#endif
