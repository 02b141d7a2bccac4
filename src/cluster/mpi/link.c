/// What a part of a field asks of the other parts, over MPI.
#include <string.h>

#include "cluster/mpi/cluster.h"

// ------------------------------------------------------------------------------------------- rates

/// One evaluation: from the part's states into its rates.
typedef struct evaluation {
    double t;
    const double *x;
    double *dx;
    bool padded; ///< the velocities have halos and are padded already
} evaluation;

typedef struct pass {
    const fo_cluster *c;
    const foi_box *box;
    ptrdiff_t at;
    const evaluation *e;
} pass;

// Row by row, so that what is copied between arrays with and without halos is still in the cache.
static void rates_row(const pass *p, uint32_t row)
{
    const fo_cluster *c = p->c;
    const fo_field *f = c->f;
    const foi_domain *d = &c->share;
    const evaluation *e = p->e;
    const foi_box *b = p->box, *all = &d->box;
    uint32_t i = b->first[0] - all->first[0], j = b->first[1] - all->first[1] + row % b->n[1];
    uint32_t k = b->first[2] - all->first[2] + row / b->n[1], n = b->n[0];
    size_t packed = i + (size_t)all->n[0] * (j + (size_t)all->n[1] * k);
    ptrdiff_t padded =
        (ptrdiff_t)d->origin + i + (ptrdiff_t)j * all->stride[1] + (ptrdiff_t)k * all->stride[2];
    size_t at = d->origin + (size_t)p->at;
    bool second = f->order == 2;
    const double *w = second ? e->x + d->nodes + packed : NULL;
    if (second && !e->padded) memcpy(d->pad[1] + padded, w, n * sizeof *w);
    foi_rates_rows(f, b, row, row + 1, e->t, d->pad[0] + at, second ? d->pad[1] + at : NULL,
                   second ? NULL : d->pad[2] + at, second ? d->pad[2] + at : NULL);
    memcpy(e->dx + (second ? d->nodes : 0) + packed, d->pad[2] + padded, n * sizeof *e->dx);
    const uint32_t *node = d->node + packed;
    for (uint32_t m = 0; second && m < n; m++) e->dx[packed + m] = f->still[node[m]] ? 0 : w[m];
}

static void rates_rows(void *self, uint32_t from, uint32_t to)
{
    for (uint32_t row = from; row < to; row++) rates_row(self, row);
}

static void rates_piece(fo_cluster *c, int piece, void *self)
{
    const foi_domain *d = &c->share;
    pass p = {c, &d->pieces[piece], d->piece_at[piece], self};
    uint32_t threads = piece || d->nodes < 1 << 15 ? 1 : c->f->def.threads;
    foi_in_parallel(threads, foi_rows(p.box), rates_rows, &p);
}

/// The neighbours' velocities matter where something depends on their differences.
static bool needs_velocities(const fo_field *f)
{
    return f->order == 2 && (foi_is_damped_inside(f) || f->def.equation == FO_FIELD_STENCIL);
}

static fo_status rates(void *self, const fo_state *state, double t, const double *x, double *dx)
{
    fo_cluster *c = self;
    foi_domain *d = &c->share;
    evaluation e = {t, x, dx, needs_velocities(c->f)};
    double *arrays[2] = {d->pad[0] + d->origin, d->pad[1] + d->origin};
    foi_pad(d, x, d->pad[0]);
    if (e.padded) foi_pad(d, x + d->nodes, d->pad[1]);
    return foi_with_halos(c, arrays, e.padded ? 2 : 1, rates_piece, &e, state->message);
}

static void send(void *self, const double *u, const double *w, double half, const double *also)
{
    foi_faces_begin(self, u, w, half, also);
}

static fo_status arrive(void *self, const fo_state *s)
{
    return foi_faces_end(self, s->message);
}

// ------------------------------------------------------------------------------------------- lists

static fo_status reduce(fo_cluster *c, const fo_state *s, double *list, uint32_t count,
                        MPI_Datatype type, MPI_Op op)
{
    MPI_Request request;
    if (!count) return FO_OK;
    MPI_Iallreduce(MPI_IN_PLACE, list, (int)count, type, op, c->comm, &request);
    c->cost.sent += count * sizeof *list;
    return foi_wait(c, &request, 1, NULL, "a reduction", s->message);
}

// The bits of one number or of zeros are the number's, its sign included, which a sum would lose.
static fo_status join(void *self, const fo_state *s, double *list, uint32_t count)
{
    return reduce(self, s, list, count, MPI_UINT64_T, MPI_BOR);
}

static fo_status most(void *self, const fo_state *s, double *list, uint32_t count)
{
    return reduce(self, s, list, count, MPI_DOUBLE, MPI_MAX);
}

// Rank 0 adds in the order of one process, so that the bits are the same.
static fo_status energy(void *self, const fo_state *s, const double *x, double *result)
{
    fo_cluster *c = self;
    size_t nodes = c->f->nodes;
    fo_status status = foi_gather(c, x, c->whole, s->message);
    if (!status)
        status = foi_gather(c, x + c->share.nodes, c->whole ? c->whole + nodes : NULL, s->message);
    *result = c->rank == 0 && !status ? foi_field_energy(c->f, c->whole) : 0;
    return status ? status : join(c, s, result, 1);
}

const foi_link foi_cluster_link = {.rates = rates,
                                   .send = send,
                                   .arrive = arrive,
                                   .join = join,
                                   .most = most,
                                   .energy = energy,
                                   .matrix = foi_hypre_matrix,
                                   .solve = foi_hypre_solve};
