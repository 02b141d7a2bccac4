/// Halos: the faces of a rank's box and what lies beyond them. The inner box is computed while they
/// travel.
#include <string.h>

#include "base/clock.h"
#include "cluster/mpi/cluster.h"

/// Copies a face between an array and a buffer: the own face to be sent, or the halo to be filled.
static void face(const foi_domain *s, int side, bool halo, double *array, double *buffer, bool pack)
{
    const foi_box *b = &s->box;
    int axis = side / 2, a = axis == 0 ? 1 : 0, d = axis == 2 ? 1 : 2;
    ptrdiff_t last = (ptrdiff_t)b->n[axis] - 1, place = side % 2 ? last + halo : -(ptrdiff_t)halo;
    double *start = array + place * b->stride[axis];
    for (uint32_t k = 0; k < b->n[d]; k++)
        for (uint32_t i = 0; i < b->n[a]; i++) {
            double *at = start + i * b->stride[a] + k * b->stride[d];
            if (pack)
                *buffer++ = *at;
            else
                *at = *buffer++;
        }
}

// A message carries the number of the side that it leaves, so that two ranks that are neighbours on
// both sides do not mix them up.
static void listen_for(fo_cluster *c, int count, MPI_Request requests[FOI_FACES])
{
    for (int side = 0; side < 6; side++) {
        foi_neighbour *n = &c->share.near[side];
        int size = (int)n->count * count;
        requests[side] = requests[6 + side] = MPI_REQUEST_NULL;
        if (n->rank == MPI_PROC_NULL) continue;
        MPI_Irecv(n->in, size, MPI_DOUBLE, n->rank, side ^ 1, c->comm, &requests[side]);
    }
}

static void send_face(fo_cluster *c, int side, int count, MPI_Request requests[FOI_FACES])
{
    foi_neighbour *n = &c->share.near[side];
    int size = (int)n->count * count;
    MPI_Isend(n->out, size, MPI_DOUBLE, n->rank, side, c->comm, &requests[6 + side]);
    c->cost.sent += (uint64_t)size * sizeof(double);
}

static fo_status wait_for(fo_cluster *c, MPI_Request requests[FOI_FACES], fo_message *why)
{
    int peers[FOI_FACES];
    for (int i = 0; i < FOI_FACES; i++) peers[i] = c->share.near[i % 6].rank;
    return foi_wait(c, requests, FOI_FACES, peers, "the halo", why);
}

void foi_halo_begin(fo_cluster *c, double *const *arrays, int count,
                    MPI_Request requests[FOI_FACES])
{
    int64_t begun = foi_clock_now();
    listen_for(c, count, requests);
    for (int side = 0; side < 6; side++) {
        foi_neighbour *n = &c->share.near[side];
        if (n->rank == MPI_PROC_NULL) continue;
        for (int i = 0; i < count; i++)
            face(&c->share, side, false, arrays[i], n->out + (size_t)i * n->count, true);
        send_face(c, side, count, requests);
    }
    c->cost.other += foi_clock_seconds(begun, foi_clock_now());
}

fo_status foi_halo_end(fo_cluster *c, double *const *arrays, int count,
                       MPI_Request requests[FOI_FACES], fo_message *why)
{
    fo_status status = wait_for(c, requests, why);
    if (status) return status;
    int64_t there = foi_clock_now();
    for (int side = 0; side < 6; side++) {
        foi_neighbour *n = &c->share.near[side];
        if (n->rank == MPI_PROC_NULL) continue;
        for (int i = 0; i < count; i++)
            face(&c->share, side, true, arrays[i], n->in + (size_t)i * n->count, false);
    }
    c->cost.other += foi_clock_seconds(there, foi_clock_now());
    return FO_OK;
}

/// u + half w at the nodes of a face, in the order of `face`.
static void take_face(const foi_box *b, int side, const double *u, const double *w, double half,
                      double *buffer)
{
    int axis = side / 2, a = axis == 0 ? 1 : 0, d = axis == 2 ? 1 : 2;
    ptrdiff_t start = side % 2 ? ((ptrdiff_t)b->n[axis] - 1) * b->stride[axis] : 0;
    for (uint32_t k = 0; k < b->n[d]; k++)
        for (uint32_t i = 0; i < b->n[a]; i++) {
            ptrdiff_t at = start + i * b->stride[a] + k * b->stride[d];
            *buffer++ = w ? u[at] + half * w[at] : u[at];
        }
}

void foi_faces_begin(fo_cluster *c, const double *u, const double *w, double half,
                     const double *also)
{
    foi_domain *s = &c->share;
    int64_t begun = foi_clock_now();
    listen_for(c, also ? 2 : 1, s->requests);
    for (int side = 0; side < 6; side++) {
        if (s->near[side].rank == MPI_PROC_NULL) continue;
        double *out = s->near[side].out;
        take_face(&s->packed, side, u, w, half, out);
        if (also) take_face(&s->packed, side, also, NULL, 0, out + s->near[side].count);
        send_face(c, side, also ? 2 : 1, s->requests);
    }
    c->cost.other += foi_clock_seconds(begun, foi_clock_now());
}

fo_status foi_faces_end(fo_cluster *c, fo_message *why)
{
    return wait_for(c, c->share.requests, why);
}

fo_status foi_with_halos(fo_cluster *c, double *const *arrays, int count, foi_piece_work work,
                         void *self, fo_message *why)
{
    MPI_Request requests[FOI_FACES];
    foi_halo_begin(c, arrays, count, requests);
    work(c, 0, self);
    fo_status status = foi_halo_end(c, arrays, count, requests, why);
    for (int piece = 1; piece < c->share.piece_count && !status; piece++) work(c, piece, self);
    return status;
}

// ---------------------------------------------------------------------------------- padded or not

void foi_pad(const foi_domain *s, const double *packed, double *padded)
{
    const foi_box *b = &s->box;
    double *own = padded + s->origin;
    for (uint32_t k = 0; k < b->n[2]; k++)
        for (uint32_t j = 0; j < b->n[1]; j++, packed += b->n[0])
            memcpy(own + j * b->stride[1] + k * b->stride[2], packed, b->n[0] * sizeof *packed);
}

void foi_unpad(const foi_domain *s, const double *padded, double *packed)
{
    const foi_box *b = &s->box;
    const double *own = padded + s->origin;
    for (uint32_t k = 0; k < b->n[2]; k++)
        for (uint32_t j = 0; j < b->n[1]; j++, packed += b->n[0])
            memcpy(packed, own + j * b->stride[1] + k * b->stride[2], b->n[0] * sizeof *packed);
}
