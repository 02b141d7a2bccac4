/// Halos, and the steps between them. The inner box of a rank is computed while the halos travel.
#include <string.h>

#include "base/clock.h"
#include "cluster/cluster.h"

// ------------------------------------------------------------------------------------------ halos

/// Copies a face between an array and a buffer: the own face to be sent, or the halo to be filled.
static void face(const fo_cluster *c, int side, bool halo, double *array, double *buffer, bool pack)
{
    const foi_box *b = &c->box;
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
void foi_halo_begin(fo_cluster *c, double *const *arrays, int count, MPI_Request requests[12])
{
    int64_t begun = foi_clock_now();
    for (int side = 0; side < 6; side++) {
        foi_neighbour *n = &c->near[side];
        int size = (int)n->count * count;
        requests[side] = requests[6 + side] = MPI_REQUEST_NULL;
        if (n->rank == MPI_PROC_NULL) continue;
        MPI_Irecv(n->in, size, MPI_DOUBLE, n->rank, side ^ 1, c->comm, &requests[side]);
    }
    for (int side = 0; side < 6; side++) {
        foi_neighbour *n = &c->near[side];
        int size = (int)n->count * count;
        if (n->rank == MPI_PROC_NULL) continue;
        for (int i = 0; i < count; i++)
            face(c, side, false, arrays[i], n->out + (size_t)i * n->count, true);
        MPI_Isend(n->out, size, MPI_DOUBLE, n->rank, side, c->comm, &requests[6 + side]);
        c->cost.sent += (uint64_t)size * sizeof(double);
    }
    c->cost.other += foi_clock_seconds(begun, foi_clock_now());
}

void foi_halo_end(fo_cluster *c, double *const *arrays, int count, MPI_Request requests[12])
{
    int64_t begun = foi_clock_now();
    MPI_Waitall(12, requests, MPI_STATUSES_IGNORE);
    int64_t there = foi_clock_now();
    c->cost.wait += foi_clock_seconds(begun, there);
    for (int side = 0; side < 6; side++) {
        foi_neighbour *n = &c->near[side];
        if (n->rank == MPI_PROC_NULL) continue;
        for (int i = 0; i < count; i++)
            face(c, side, true, arrays[i], n->in + (size_t)i * n->count, false);
    }
    c->cost.other += foi_clock_seconds(there, foi_clock_now());
}

/// Computes one piece of the rank's box.
typedef void (*work)(fo_cluster *c, int piece, void *self);

/// The inner piece while the halos of `arrays` travel, the slabs when they are there.
static void with_halos(fo_cluster *c, double *const *arrays, int count, work compute, void *self)
{
    MPI_Request requests[12];
    foi_halo_begin(c, arrays, count, requests);
    int64_t begun = foi_clock_now();
    compute(c, 0, self);
    c->cost.compute += foi_clock_seconds(begun, foi_clock_now());
    foi_halo_end(c, arrays, count, requests);
    begun = foi_clock_now();
    for (int piece = 1; piece < c->piece_count; piece++) compute(c, piece, self);
    c->cost.compute += foi_clock_seconds(begun, foi_clock_now());
}

// --------------------------------------------------------------------------------------- leapfrog

typedef struct leap {
    const double *u, *before;
    double *after;
} leap;

static void leap_piece(fo_cluster *c, int piece, void *self)
{
    const leap *l = self;
    const foi_box *b = &c->pieces[piece];
    ptrdiff_t at = c->piece_at[piece];
    foi_leapfrog_rows(c->f, b, 0, foi_rows(b), c->h, l->u + at, l->before + at, l->after + at,
                      false);
}

static void leapfrog(fo_cluster *c)
{
    const fo_field *f = c->f;
    bool three = f->b2.most > 0;
    double h = c->h, t = fo_cluster_time(c);
    leap l = {foi_own(c, FOI_U), foi_own(c, FOI_W), foi_own(c, three ? FOI_DU : FOI_W)};
    double *arrays[1] = {foi_own(c, FOI_U)};
    with_halos(c, arrays, 1, leap_piece, &l);
    for (uint32_t i = 0; i < c->force_count; i++) {
        const foi_local_act *a = &c->forces[i];
        double e = h * foi_damping_at(f, a->node) / 2;
        if (!f->still[a->node])
            l.after[a->at] += h * h * foi_signal_at(f, a->signal, t, NULL).s / (1 + e);
    }
    for (uint32_t i = 0; i < c->held_count; i++)
        l.after[c->held[i].at] = foi_signal_at(f, c->held[i].signal, t + h, NULL).s;
    double *u = c->rows[FOI_U];
    c->rows[FOI_U] = c->rows[three ? FOI_DU : FOI_W];
    if (three) c->rows[FOI_DU] = c->rows[FOI_W];
    c->rows[FOI_W] = u;
}

// ------------------------------------------------------------------------------- euler and rk4

typedef struct slopes {
    double t;
    const double *u, *w;
    double *du, *dw;
} slopes;

static void slope_piece(fo_cluster *c, int piece, void *self)
{
    const slopes *s = self;
    const foi_box *b = &c->pieces[piece];
    ptrdiff_t at = c->piece_at[piece];
    bool second = c->f->order == 2;
    foi_rates_rows(c->f, b, 0, foi_rows(b), s->t, s->u + at, second ? s->w + at : NULL, s->du + at,
                   second ? s->dw + at : NULL);
}

/// The held nodes of (u, w) at t.
static void impose(const fo_cluster *c, double t, double *u, double *w)
{
    for (uint32_t i = 0; i < c->held_count; i++) {
        foi_signal_value v = foi_signal_at(c->f, c->held[i].signal, t, NULL);
        u[c->held[i].at] = v.s;
        if (c->f->order == 2) w[c->held[i].at] = v.ds;
    }
}

/// Rates of the arrays `u`, `u` + 1 into FOI_DU, FOI_DW.
static void rates(fo_cluster *c, double t, int u)
{
    const fo_field *f = c->f;
    slopes s = {t, foi_own(c, u), foi_own(c, u + 1), foi_own(c, FOI_DU), foi_own(c, FOI_DW)};
    double *arrays[2] = {foi_own(c, u), foi_own(c, u + 1)}, *high = f->order == 2 ? s.dw : s.du;
    with_halos(c, arrays, f->order == 2 ? 2 : 1, slope_piece, &s);
    for (uint32_t i = 0; i < c->force_count; i++)
        if (!f->still[c->forces[i].node])
            high[c->forces[i].at] += foi_signal_at(f, c->forces[i].signal, t, NULL).s;
    for (uint32_t i = 0; i < c->held_count; i++) {
        foi_signal_value v = foi_signal_at(f, c->held[i].signal, t, NULL);
        s.du[c->held[i].at] = v.ds;
        if (f->order == 2) s.dw[c->held[i].at] = v.dds;
    }
}

static void euler(fo_cluster *c)
{
    double t = fo_cluster_time(c), h = c->h;
    rates(c, t, FOI_U);
    int64_t begun = foi_clock_now();
    for (int i = 0; i < foi_cluster_kept(c); i++)
        for (size_t k = 0; k < c->room; k++) c->rows[FOI_U + i][k] += h * c->rows[FOI_DU + i][k];
    impose(c, t + h, foi_own(c, FOI_U), foi_own(c, FOI_W));
    c->cost.compute += foi_clock_seconds(begun, foi_clock_now());
}

static void rk4(fo_cluster *c)
{
    static const double weight[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6}, ahead[4] = {0.5, 0.5, 1, 0};
    static const double place[4] = {0, 0.5, 0.5, 1};
    double t = fo_cluster_time(c), h = c->h;
    int kept = foi_cluster_kept(c);
    for (int i = 0; i < kept; i++)
        memcpy(c->rows[FOI_TU + i], c->rows[FOI_U + i], c->room * sizeof(double));
    for (int stage = 0; stage < 4; stage++) {
        rates(c, t + place[stage] * h, stage ? FOI_SU : FOI_U);
        int64_t begun = foi_clock_now();
        double a = weight[stage] * h, b = ahead[stage] * h;
        for (int i = 0; i < kept; i++) {
            const double *x = c->rows[FOI_U + i], *k = c->rows[FOI_DU + i];
            double *sum = c->rows[FOI_TU + i], *next = c->rows[FOI_SU + i];
            for (size_t n = 0; n < c->room; n++) {
                sum[n] += a * k[n];
                next[n] = x[n] + b * k[n];
            }
        }
        if (stage < 3) impose(c, t + place[stage + 1] * h, foi_own(c, FOI_SU), foi_own(c, FOI_SW));
        c->cost.compute += foi_clock_seconds(begun, foi_clock_now());
    }
    for (int i = 0; i < kept; i++) {
        double *u = c->rows[FOI_U + i];
        c->rows[FOI_U + i] = c->rows[FOI_TU + i];
        c->rows[FOI_TU + i] = u;
    }
    impose(c, t + h, foi_own(c, FOI_U), foi_own(c, FOI_W));
}

fo_status fo_cluster_advance(fo_cluster *c, uint64_t steps)
{
    for (uint64_t i = 0; i < steps; i++) {
        switch (c->f->def.method) {
        case FO_FIELD_LEAPFROG: leapfrog(c); break;
        case FO_FIELD_EULER: euler(c); break;
        default: rk4(c);
        }
        c->step++;
        c->cost.steps++;
    }
    return FO_OK;
}
