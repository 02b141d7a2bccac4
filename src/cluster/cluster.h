/// What the files of a cluster over MPI share.
#ifndef FOI_CLUSTER_H
#define FOI_CLUSTER_H

#include <foliot/cluster.h>
#include <mpi.h>

#include "field/field.h"

enum { FOI_PIECES = 7 }; ///< the inner box, and a slab at each side

/// A node of this rank that something acts on.
typedef struct foi_local_act {
    ptrdiff_t at; ///< in an array of the rank
    uint32_t node, signal;
} foi_local_act;

/// One of up to six neighbours.
typedef struct foi_neighbour {
    int rank; ///< MPI_PROC_NULL: none
    size_t count;
    double *out, *in;
} foi_neighbour;

struct fo_cluster {
    const fo_field *f;
    double h;
    uint64_t step;
    MPI_Comm comm; ///< a copy of the world
    int rank, ranks;
    uint32_t parts[3], place[3];
    foi_box box;                ///< what the rank owns; arrays have one more node around it
    size_t room, origin;        ///< numbers of an array; where its first own node is
    foi_box pieces[FOI_PIECES]; ///< the inner box first: it needs no halo
    ptrdiff_t piece_at[FOI_PIECES];
    int piece_count;
    foi_neighbour near[6];
    double *buffers;
    double *rows[8]; ///< u, w or before, and what the method needs
    foi_local_act *held, *forces;
    uint32_t held_count, force_count;
    fo_cluster_cost cost;
    const fo_allocator *allocator;
};

/// What the arrays are for: leapfrog has (u, before, spare), the others (u, w, slopes, stages).
enum { FOI_U, FOI_W, FOI_DU, FOI_DW, FOI_SU, FOI_SW, FOI_TU, FOI_TW };

static inline double *foi_own(const fo_cluster *c, int row)
{
    return c->rows[row] + c->origin;
}

/// Starts the exchange of the halos of `count` arrays (1 or 2); foi_halo_end waits for it.
void foi_halo_begin(fo_cluster *c, double *const *arrays, int count, MPI_Request requests[12]);
void foi_halo_end(fo_cluster *c, double *const *arrays, int count, MPI_Request requests[12]);

/// Copies the rank's box, with halos where the whole grid has them, out of a whole array.
void foi_cut(const fo_cluster *c, const double *whole, double *own);
/// Rank 0 gets the whole array.
fo_status foi_join(fo_cluster *c, const double *own, double *whole);

/// How many arrays the future depends on: the first ones.
int foi_cluster_kept(const fo_cluster *c);

#endif
