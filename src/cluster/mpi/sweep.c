/// Large waves in place on many ranks: leapfrog as in a sweep on one process, in the same bits.
#include <string.h>

#include "base/clock.h"
#include "cluster/mpi/cluster.h"

enum { U, BEFORE, AFTER, ARRAYS };

struct fo_cluster_sweep {
    fo_cluster *c;
    double h;
    uint64_t step;
    double *rows[ARRAYS];     ///< padded; AFTER with internal damping only
    ptrdiff_t *held, *forces; ///< places in a padded array, of the part's acts
};

static double *own(const fo_cluster_sweep *s, int row)
{
    return s->rows[row] + s->c->share.origin;
}

// ----------------------------------------------------------------------------------------- steps

typedef struct leap {
    const fo_cluster_sweep *s;
    const double *u, *before;
    double *after;
} leap;

static void leap_piece(fo_cluster *c, int piece, void *self)
{
    const leap *l = self;
    const foi_box *b = &c->share.pieces[piece];
    ptrdiff_t at = c->share.piece_at[piece];
    foi_leapfrog_rows(c->f, b, 0, foi_rows(b), l->s->h, l->u + at, l->before + at, l->after + at,
                      false);
}

static void act(const fo_cluster_sweep *s, double t, double *after)
{
    const foi_part *p = &s->c->part;
    const fo_field *f = p->f;
    double h = s->h;
    for (uint32_t i = 0; i < p->force_count; i++) {
        uint32_t node = foi_part_node(p, p->forces[i].node);
        double e = h * foi_damping_at(f, node) / 2;
        if (!f->still[node])
            after[s->forces[i]] +=
                h * h * foi_signal_at(f, p->forces[i].signal, t, NULL).s / (1 + e);
    }
    for (uint32_t i = 0; i < p->held_count; i++)
        after[s->held[i]] = foi_signal_at(f, p->held[i].signal, t + h, NULL).s;
}

static fo_status step(fo_cluster_sweep *s, fo_message *why)
{
    int after = s->rows[AFTER] ? AFTER : BEFORE;
    leap l = {s, own(s, U), own(s, BEFORE), own(s, after)};
    double *arrays[1] = {own(s, U)};
    fo_status status = foi_with_halos(s->c, arrays, 1, leap_piece, &l, why);
    act(s, s->h * (double)s->step, l.after);
    double *u = s->rows[U];
    s->rows[U] = s->rows[after];
    if (after == AFTER) s->rows[AFTER] = s->rows[BEFORE];
    s->rows[BEFORE] = u;
    s->step++;
    return status;
}

fo_status fo_cluster_sweep_advance(fo_cluster_sweep *s, uint64_t steps, fo_message *why)
{
    fo_cluster *c = s->c;
    int64_t begun = foi_clock_now();
    fo_status status = FO_OK;
    for (uint64_t i = 0; i < steps && !status; i++) status = step(s, why);
    c->cost.total += foi_clock_seconds(begun, foi_clock_now());
    c->cost.steps += steps;
    c->cost.span += s->h * (double)steps;
    return status;
}

// ----------------------------------------------------------------------------------------- making

/// Where a node of the part is in a padded array.
static ptrdiff_t place_of(const fo_cluster *c, uint32_t at)
{
    const foi_box *b = &c->share.box;
    uint32_t i = at % b->n[0], j = at / b->n[0] % b->n[1], k = at / b->n[0] / b->n[1];
    return i + j * b->stride[1] + k * b->stride[2];
}

static fo_status take_acts(fo_cluster_sweep *s)
{
    const foi_part *p = &s->c->part;
    s->held = foi_new(s->c->allocator, p->held_count, sizeof *s->held);
    s->forces = foi_new(s->c->allocator, p->force_count, sizeof *s->forces);
    if (!s->held || !s->forces) return FO_ERROR_MEMORY;
    for (uint32_t i = 0; i < p->held_count; i++) s->held[i] = place_of(s->c, p->held[i].node);
    for (uint32_t i = 0; i < p->force_count; i++) s->forces[i] = place_of(s->c, p->forces[i].node);
    return FO_OK;
}

/// The rank's nodes of an array over the whole grid.
static void cut(const fo_cluster_sweep *s, const double *whole, double *padded)
{
    const foi_box *b = &s->c->share.box;
    for (uint32_t k = 0; k < b->n[2]; k++)
        for (uint32_t j = 0; j < b->n[1]; j++) {
            size_t at = fo_field_index(s->c->f, b->first[0], b->first[1] + j, b->first[2] + k);
            memcpy(padded + j * b->stride[1] + k * b->stride[2], whole + at,
                   b->n[0] * sizeof *padded);
        }
}

// The start is that of a sweep over the whole grid.
static fo_status take_start(fo_cluster_sweep *s, fo_message *why)
{
    fo_cluster *c = s->c;
    fo_sweep_def def = {.step = s->h, .allocator = c->allocator};
    fo_sweep *whole = fo_sweep_create(c->f, &def, why);
    if (!whole) return why->status;
    fo_status status = FO_OK;
    for (int i = 0; i < (foi_is_damped_inside(c->f) ? 3 : 2) && !status; i++) {
        s->rows[i] = foi_large_new(c->allocator, c->share.room);
        if (!s->rows[i]) status = FO_ERROR_MEMORY;
    }
    if (!status) status = take_acts(s);
    if (!status) {
        cut(s, fo_sweep_values(whole), own(s, U));
        cut(s, foi_sweep_before(whole), own(s, BEFORE));
    }
    fo_sweep_destroy(whole);
    return status ? fo_fail(why, status, "no memory for a sweep on rank %d", c->rank) : FO_OK;
}

fo_cluster_sweep *fo_cluster_sweep_create(fo_cluster *c, double h, fo_message *why)
{
    fo_message own_why = {0};
    if (!why) why = &own_why;
    fo_cluster_sweep *s = foi_new(c->allocator, 1, sizeof *s);
    fo_status status = s ? FO_OK : fo_fail(why, FO_ERROR_MEMORY, "no memory for a sweep");
    if (s) {
        s->c = c, s->h = h;
        status = take_start(s, why);
    }
    status = foi_agree(c, status, 0, why);
    // the halo of the step before is read with internal damping only
    if (!status) {
        double *arrays[1] = {own(s, BEFORE)};
        MPI_Request requests[FOI_FACES];
        foi_halo_begin(c, arrays, 1, requests);
        status = foi_halo_end(c, arrays, 1, requests, why);
    }
    if (!status) return s;
    fo_cluster_sweep_destroy(s);
    return NULL;
}

void fo_cluster_sweep_destroy(fo_cluster_sweep *s)
{
    if (!s) return;
    for (int i = 0; i < ARRAYS; i++) foi_free(s->c->allocator, s->rows[i]);
    foi_free(s->c->allocator, s->held);
    foi_free(s->c->allocator, s->forces);
    foi_free(s->c->allocator, s);
}

fo_status fo_cluster_sweep_gather(fo_cluster_sweep *s, double *values, fo_message *why)
{
    fo_cluster *c = s->c;
    double *packed = foi_new(c->allocator, c->share.nodes, sizeof *packed);
    fo_status status = packed ? FO_OK : fo_fail(why, FO_ERROR_MEMORY, "no memory to gather");
    status = foi_agree(c, status, 0, why);
    if (!status) {
        foi_unpad(&c->share, s->rows[U], packed);
        status = foi_gather(c, packed, values, why);
    }
    foi_free(c->allocator, packed);
    return status;
}
