/// What a part of a field asks of the other parts, over MPI.
#include "cluster/cluster.h"

// ------------------------------------------------------------------------------------------- rates

typedef struct pass {
    const fo_cluster *c;
    const foi_box *box;
    ptrdiff_t at;
    double t;
} pass;

static void rates_rows(void *self, uint32_t from, uint32_t to)
{
    const pass *p = self;
    const fo_cluster *c = p->c;
    const foi_domain *s = &c->share;
    size_t at = s->origin + (size_t)p->at;
    bool second = c->f->order == 2;
    foi_rates_rows(c->f, p->box, from, to, p->t, s->pad[0] + at, second ? s->pad[1] + at : NULL,
                   second ? NULL : s->pad[2] + at, second ? s->pad[2] + at : NULL);
}

static void rates_piece(fo_cluster *c, int piece, void *self)
{
    const foi_domain *s = &c->share;
    pass p = {c, &s->pieces[piece], s->piece_at[piece], *(const double *)self};
    uint32_t threads = piece || s->nodes < 1 << 15 ? 1 : c->f->def.threads;
    foi_in_parallel(threads, foi_rows(p.box), rates_rows, &p);
}

/// The neighbours' velocities matter where something depends on their differences.
static bool needs_velocities(const fo_field *f)
{
    return f->order == 2 && (f->b2.most > 0 || f->def.equation == FO_FIELD_STENCIL);
}

static fo_status rates(void *self, const fo_state *state, double t, const double *x, double *dx)
{
    fo_cluster *c = self;
    foi_domain *s = &c->share;
    int order = (int)c->f->order;
    double *arrays[2] = {s->pad[0] + s->origin, s->pad[1] + s->origin};
    for (int i = 0; i < order; i++) foi_pad(s, x + (size_t)i * s->nodes, s->pad[i]);
    fo_status status =
        foi_with_halos(c, arrays, needs_velocities(c->f) ? 2 : 1, rates_piece, &t, state->message);
    foi_unpad(s, s->pad[2], dx + (size_t)(order - 1) * s->nodes);
    for (uint32_t i = 0; order == 2 && i < s->nodes; i++)
        dx[i] = c->f->still[s->node[i]] ? 0 : x[s->nodes + i];
    return status;
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
                                   .join = join,
                                   .most = most,
                                   .energy = energy,
                                   .matrix = foi_hypre_matrix,
                                   .solve = foi_hypre_solve};
