/// Clusters: one field, shared among many processes that exchange their halos over MPI.
///
/// Every rank holds a box of the grid with one layer of its neighbours' nodes around it. The
/// methods are the explicit ones of fo_field_def: leapfrog (as fo_sweep), euler and rk4. The bits
/// do not depend on the number of ranks or on how the grid is cut. Only where MPI is built in
/// (libfoliot-mpi, `foliot-mpi`).
///
/// Every function here is collective over MPI_COMM_WORLD, unless it says otherwise.
#ifndef FOLIOT_CLUSTER_H
#define FOLIOT_CLUSTER_H

#include "field.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fo_cluster_def {
    double step;       ///< [s]
    uint32_t parts[3]; ///< how the axes are cut; 0: chosen, so that little is exchanged
    const fo_allocator *allocator;
} fo_cluster_def;

typedef struct fo_cluster fo_cluster;

/// Starts MPI when nobody has, and cuts the field, which must be the same on all ranks and must
/// outlive the cluster. NULL on failure, on all ranks.
fo_cluster *fo_cluster_create(const fo_field *field, const fo_cluster_def *def, fo_message *why);
void fo_cluster_destroy(fo_cluster *cluster);
/// Ends MPI if fo_cluster_create started it. The last call of a program.
void fo_cluster_finish(void);

fo_status fo_cluster_advance(fo_cluster *cluster, uint64_t steps);
/// Not collective.
double fo_cluster_time(const fo_cluster *cluster);
uint32_t fo_cluster_rank(const fo_cluster *cluster);
uint32_t fo_cluster_ranks(const fo_cluster *cluster);
/// How the axes are cut. Not collective.
void fo_cluster_parts(const fo_cluster *cluster, uint32_t parts[3]);

/// The value of one node, on all ranks.
double fo_cluster_value(fo_cluster *cluster, uint32_t node);
/// All values on rank 0, which gives room for them; the others give NULL.
fo_status fo_cluster_gather(fo_cluster *cluster, double *values);

/// Writes everything that the future depends on; a file of this name is replaced only when the new
/// one is complete. It can be read on another number of ranks.
fo_status fo_cluster_save(fo_cluster *cluster, const char *path, fo_message *why);
fo_status fo_cluster_load(fo_cluster *cluster, const char *path, fo_message *why);

/// What a run cost, on this rank. Not collective.
typedef struct fo_cluster_cost {
    double compute; ///< [s] computing nodes
    double wait;    ///< [s] waiting for halos that computing did not hide
    double other;   ///< [s] packing halos
    uint64_t sent;  ///< bytes
    uint64_t steps;
    uint32_t nodes; ///< of this rank
} fo_cluster_cost;
fo_cluster_cost fo_cluster_costs(const fo_cluster *cluster);

#ifdef __cplusplus
}
#endif
#endif
