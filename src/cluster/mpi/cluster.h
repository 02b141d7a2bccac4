/// What the files of a cluster over MPI share.
#ifndef FOI_CLUSTER_H
#define FOI_CLUSTER_H

#include <foliot/cluster.h>
#include <mpi.h>

#include "base/made.h"
#include "base/whole_write.h"
#include "field/field.h"

enum { FOI_PIECES = 7, FOI_FACES = 12 }; ///< the inner box, and a slab at each side

/// One of up to six neighbours.
typedef struct foi_neighbour {
    int rank; ///< MPI_PROC_NULL: none
    size_t count;
    double *out, *in;
} foi_neighbour;

/// How the grid is cut: part i of an axis has the nodes [line[i], line[i + 1]).
typedef struct foi_cuts {
    uint32_t parts[3];
    uint32_t *line[3];
} foi_cuts;

/// What a rank has of the grid under some cuts. Padded arrays have one more node around the box.
typedef struct foi_domain {
    foi_box box;         ///< with the strides of a padded array
    foi_box packed;      ///< with those of the part's states
    size_t room, origin; ///< numbers of a padded array; where its first own node is
    uint32_t nodes;
    foi_box pieces[FOI_PIECES]; ///< the inner box first: it needs no halo
    ptrdiff_t piece_at[FOI_PIECES];
    int piece_count;
    foi_neighbour near[6];
    double *buffers;
    MPI_Request requests[FOI_FACES]; ///< of foi_faces_begin
    double *pad[3];                  ///< u, w and the highest rates, padded
    uint32_t *node;
    foi_act *held, *forces;
    foi_touch *under;
} foi_domain;

typedef struct foi_hypre foi_hypre;

struct fo_cluster {
    const fo_field *f;
    fo_cluster_def def;
    MPI_Comm comm, aside; ///< copies of the world; `aside` is for agreeing on failures
    int rank, ranks;
    foi_cuts cuts;
    foi_domain share;
    foi_part part;
    foi_hypre *hypre;
    double *whole;        ///< rank 0, when the energy is an output: all values and velocities
    char *path;           ///< of the checkpoint
    foi_claim claim;      ///< rank 0: it is this run's alone
    foi_sight seen;       ///< rank 0: when the run began, or it was written last
    const fo_fact *facts; ///< that a checkpoint has to agree with; the caller's
    size_t fact_count;
    uint64_t saved, balanced; ///< steps at the last checkpoint and look at the balance
    int64_t looked;           ///< when the balance was last looked at; 0: never
    double idle;              ///< waiting and packing until then [s]
    fo_cluster_cost cost;
    bool broken; ///< an exchange has failed
    const fo_allocator *allocator;
};

// ----------------------------------------------------------------------------------------- waiting

/// Waits for requests, at most the cluster's patience. `peers` are the ranks that they wait for,
/// NULL: all. A request that did not come is a failure with `what` in its message.
fo_status foi_wait(fo_cluster *c, MPI_Request *requests, int count, const int *peers,
                   const char *what, fo_message *why);
/// The worst status of all ranks, with its message, on all ranks. A rank that is not heard of
/// within `seconds` leaves this one alone: it says on stderr why it ends.
fo_status foi_agree(fo_cluster *c, fo_status status, double seconds, fo_message *why);
/// For what waits inside of other libraries: unless foi_watchdog_end is called within the patience,
/// the program ends with a message.
typedef struct foi_watchdog foi_watchdog;
foi_watchdog *foi_watchdog_begin(fo_cluster *c, const char *what);
void foi_watchdog_end(fo_cluster *c, foi_watchdog *w);

// ----------------------------------------------------------------------------------------- cutting

fo_status foi_cuts_choose(fo_cluster *c, fo_message *why);
/// The box of a rank under some cuts: n and first only.
foi_box foi_cuts_box(const foi_cuts *cuts, int rank);
fo_status foi_cuts_copy(const fo_allocator *a, const foi_cuts *from, foi_cuts *to);
void foi_cuts_free(const fo_allocator *a, foi_cuts *cuts);
/// Makes the share of this rank under c->cuts, and the part of the field that goes with it.
/// FO_OK or FO_ERROR_MEMORY.
fo_status foi_domain_create(fo_cluster *c);
void foi_domain_destroy(fo_cluster *c);

// ------------------------------------------------------------------------------------------- halos

/// Starts the exchange of the halos of `count` padded arrays (1 or 2); foi_halo_end waits for it.
void foi_halo_begin(fo_cluster *c, double *const *arrays, int count,
                    MPI_Request requests[FOI_FACES]);
fo_status foi_halo_end(fo_cluster *c, double *const *arrays, int count,
                       MPI_Request requests[FOI_FACES], fo_message *why);
/// The same for arrays over the rank's nodes alone, u + half w (w NULL: u) and `also` (may be
/// NULL): what lies beyond the sides stays in the neighbours' buffers.
void foi_faces_begin(fo_cluster *c, const double *u, const double *w, double half,
                     const double *also);
fo_status foi_faces_end(fo_cluster *c, fo_message *why);
/// Computes one piece of the rank's box.
typedef void (*foi_piece_work)(fo_cluster *c, int piece, void *self);
/// The inner piece while the halos of `arrays` travel, the slabs when they are there.
fo_status foi_with_halos(fo_cluster *c, double *const *arrays, int count, foi_piece_work work,
                         void *self, fo_message *why);

/// Between an array over the rank's nodes alone and a padded one.
void foi_pad(const foi_domain *s, const double *packed, double *padded);
void foi_unpad(const foi_domain *s, const double *padded, double *packed);

extern const foi_link foi_cluster_link;

/// FO_VERSION of what was compiled; the program asks the module for it.
extern const char foi_mpi_version[];

// -------------------------------------------------------------------------------------------
// moving

/// Rank 0 gets the whole array of what all ranks have packed; or gives it away.
fo_status foi_gather(fo_cluster *c, const double *packed, double *whole, fo_message *why);
fo_status foi_scatter(fo_cluster *c, const double *whole, double *packed, fo_message *why);
/// For boxes: what both have; false when that is nothing.
bool foi_box_common(const foi_box *a, const foi_box *b, foi_box *both);
/// Copies `part` of a packed array over the box `of` into `to` (or from it), as a packed array.
void foi_box_take(const foi_box *of, const double *from, const foi_box *part, double *to);
void foi_box_give(const foi_box *of, double *to, const foi_box *part, const double *from);
/// Looks at what the ranks have computed since the last look, and moves the cuts where that pays.
fo_status foi_balance(fo_cluster *c, fo_simulation *sim, fo_message *why);

// ------------------------------------------------------------------------------------------- hypre

/// NULL and a message where hypre is not there or memory is lacking.
foi_hypre *foi_hypre_create(fo_cluster *c, fo_message *why);
void foi_hypre_destroy(fo_cluster *c);
fo_status foi_hypre_matrix(void *self, const fo_state *s, const double *diag, const double *c);
fo_status foi_hypre_solve(void *self, const fo_state *s, const double *b, double *d);

#endif
