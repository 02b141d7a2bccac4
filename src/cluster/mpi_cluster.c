/// Cutting a field into boxes.
#include <math.h>
#include <string.h>

#include "cluster/cluster.h"

enum { LEAST = 3 }; ///< nodes of a box along a cut axis

// ---------------------------------------------------------------------------------------- cutting

/// Numbers that a rank sends in a step, or infinity when the boxes would be too small.
static double surface(const fo_field *f, const uint32_t parts[3])
{
    double size[3], sum = 0;
    for (int axis = 0; axis < 3; axis++) {
        size[axis] = (double)f->n[axis] / parts[axis];
        if (parts[axis] > 1 && f->n[axis] / parts[axis] < LEAST) return INFINITY;
    }
    for (int axis = 0; axis < 3; axis++)
        if (parts[axis] > 1) sum += 2 * size[0] * size[1] * size[2] / size[axis];
    return sum;
}

/// The cut with the smallest surface; among equal ones that which leaves rows whole.
static bool choose_parts(const fo_field *f, uint32_t ranks, const uint32_t wanted[3],
                         uint32_t best[3])
{
    double least = INFINITY;
    for (uint32_t x = 1; x <= ranks; x++)
        for (uint32_t y = 1; y <= ranks / x; y++) {
            uint32_t parts[3] = {x, y, ranks / x / y};
            bool fits = parts[0] * parts[1] * parts[2] == ranks;
            for (int axis = 0; axis < 3; axis++)
                fits &= !wanted[axis] || wanted[axis] == parts[axis];
            double cost = fits ? surface(f, parts) : INFINITY;
            if (!(cost < least)) continue;
            least = cost;
            memcpy(best, parts, sizeof parts);
        }
    return isfinite(least);
}

static int rank_at(const fo_cluster *c, const uint32_t place[3])
{
    return (int)(place[0] + c->parts[0] * (place[1] + c->parts[1] * place[2]));
}

static void lay_out(fo_cluster *c)
{
    const fo_field *f = c->f;
    uint32_t rest = (uint32_t)c->rank;
    foi_box *b = &c->box;
    c->room = 1;
    for (int axis = 0; axis < 3; axis++) {
        uint32_t p = c->parts[axis], i = rest % p;
        rest /= p;
        c->place[axis] = i;
        uint32_t first = (uint32_t)((uint64_t)f->n[axis] * i / p);
        b->first[axis] = first;
        b->n[axis] = (uint32_t)((uint64_t)f->n[axis] * (i + 1) / p) - first;
        b->stride[axis] = (ptrdiff_t)c->room;
        bool used = axis < (int)f->def.dimensions;
        if (used) c->origin += c->room;
        c->room *= b->n[axis] + (used ? 2 : 0);
        for (int end = 0; end < 2; end++) {
            bool outside = end ? i + 1 == p : i == 0;
            bool wraps = f->box.reach[2 * axis] == FOI_WRAP;
            b->reach[2 * axis + end] =
                p > 1 && (!outside || wraps) ? FOI_HALO : f->box.reach[2 * axis + end];
        }
    }
    for (int side = 0; side < 6; side++) {
        uint32_t place[3], axis = (uint32_t)side / 2, p = c->parts[axis];
        memcpy(place, c->place, sizeof place);
        place[axis] = (place[axis] + (side % 2 ? 1 : p - 1)) % p;
        bool there = b->reach[side] == FOI_HALO;
        c->near[side].rank = there ? rank_at(c, place) : MPI_PROC_NULL;
        c->near[side].count = (size_t)b->n[0] * b->n[1] * b->n[2] / b->n[axis];
    }
}

/// Takes a slab off the box at each side with a neighbour; what is left needs no halo.
static void cut_pieces(fo_cluster *c)
{
    foi_box inner = c->box;
    ptrdiff_t at = 0;
    int count = 1;
    for (int side = 0; side < 6; side++) {
        int axis = side / 2;
        if (c->box.reach[side] != FOI_HALO) continue;
        foi_box *slab = &c->pieces[count];
        *slab = inner;
        slab->n[axis] = 1;
        slab->reach[2 * axis] = slab->reach[2 * axis + 1] = FOI_HALO;
        c->piece_at[count] = at;
        inner.n[axis]--;
        inner.reach[side] = FOI_HALO;
        if (side % 2) {
            slab->first[axis] += inner.n[axis];
            c->piece_at[count] += (ptrdiff_t)inner.n[axis] * inner.stride[axis];
        } else {
            inner.first[axis]++;
            at += inner.stride[axis];
        }
        count++;
    }
    c->pieces[0] = inner;
    c->piece_at[0] = at;
    c->piece_count = count;
}

// ----------------------------------------------------------------------------------------- making

static bool take_act(const fo_cluster *c, const foi_act *act, foi_local_act *mine)
{
    const fo_field *f = c->f;
    uint32_t rest = act->node;
    ptrdiff_t at = 0;
    for (int axis = 0; axis < 3; axis++) {
        uint32_t i = rest % f->n[axis];
        rest /= f->n[axis];
        if (i < c->box.first[axis] || i >= c->box.first[axis] + c->box.n[axis]) return false;
        at += (ptrdiff_t)(i - c->box.first[axis]) * c->box.stride[axis];
    }
    *mine = (foi_local_act){at, act->node, act->signal};
    return true;
}

static bool take_acts(fo_cluster *c)
{
    const fo_field *f = c->f;
    c->held = foi_new(c->allocator, f->held_count, sizeof *c->held);
    c->forces = foi_new(c->allocator, f->force_count, sizeof *c->forces);
    if (!c->held || !c->forces) return false;
    for (uint32_t i = 0; i < f->held_count; i++)
        c->held_count += take_act(c, &f->held[i], &c->held[c->held_count]);
    for (uint32_t i = 0; i < f->force_count; i++)
        c->force_count += take_act(c, &f->forces[i], &c->forces[c->force_count]);
    return true;
}

static int array_count(const fo_cluster *c)
{
    if (c->f->def.method == FO_FIELD_LEAPFROG) return 3;
    return c->f->def.method == FO_FIELD_EULER ? 4 : 8;
}

int foi_cluster_kept(const fo_cluster *c)
{
    return c->f->order == 2 ? 2 : 1;
}

static bool make_arrays(fo_cluster *c)
{
    size_t total = 0;
    for (int i = 0; i < array_count(c); i++) {
        c->rows[i] = foi_new(c->allocator, c->room, sizeof(double));
        if (!c->rows[i]) return false;
    }
    for (int side = 0; side < 6; side++) total += 4 * c->near[side].count;
    double *next = c->buffers = foi_new(c->allocator, total, sizeof(double));
    for (int side = 0; c->buffers && side < 6; side++) {
        c->near[side].out = next;
        c->near[side].in = next + 2 * c->near[side].count;
        next += 4 * c->near[side].count;
    }
    return c->buffers;
}

void foi_cut(const fo_cluster *c, const double *whole, double *own)
{
    const fo_field *f = c->f;
    const foi_box *b = &c->box;
    for (uint32_t k = 0; k < b->n[2]; k++)
        for (uint32_t j = 0; j < b->n[1]; j++) {
            size_t from = fo_field_index(f, b->first[0], b->first[1] + j, b->first[2] + k);
            memcpy(own + j * b->stride[1] + k * b->stride[2], whole + from,
                   b->n[0] * sizeof(double));
        }
}

/// The start: as a sweep has it, or values and velocities.
static bool take_start(fo_cluster *c, fo_message *why)
{
    const fo_field *f = c->f;
    if (f->def.method == FO_FIELD_LEAPFROG) {
        fo_sweep_def def = {.step = c->h, .allocator = c->allocator};
        fo_sweep *s = fo_sweep_create(f, &def, why);
        if (!s) return false;
        foi_cut(c, fo_sweep_values(s), foi_own(c, FOI_U));
        foi_cut(c, foi_sweep_before(s), foi_own(c, FOI_W));
        // the halo of the step before is read with internal damping only
        double *arrays[1] = {foi_own(c, FOI_W)};
        MPI_Request requests[12];
        foi_halo_begin(c, arrays, 1, requests);
        foi_halo_end(c, arrays, 1, requests);
        fo_sweep_destroy(s);
        return true;
    }
    foi_cut(c, f->start, foi_own(c, FOI_U));
    if (f->order == 2) foi_cut(c, f->start_velocity, foi_own(c, FOI_W));
    for (uint32_t i = 0; i < c->held_count; i++) {
        foi_signal_value v = foi_signal_at(f, c->held[i].signal, 0, NULL);
        foi_own(c, FOI_U)[c->held[i].at] = v.s;
        if (f->order == 2) foi_own(c, FOI_W)[c->held[i].at] = v.ds;
    }
    return true;
}

static fo_status check(const fo_cluster *c, const fo_cluster_def *def, fo_message *why)
{
    const fo_field *f = c->f;
    double limit = foi_limit(f, f->def.method);
    if (f->object || f->def.method > FO_FIELD_RK4)
        return fo_fail(why, FO_ERROR_UNFIT,
                       "%s: a cluster carries fields without an object by leapfrog, euler or rk4",
                       f->name);
    if (f->def.method == FO_FIELD_LEAPFROG && f->def.equation != FO_FIELD_WAVE)
        return fo_fail(why, FO_ERROR_UNFIT, "%s: in a cluster leapfrog is for waves; take rk4",
                       f->name);
    if (!(def->step > 0 && def->step <= limit * (1 + 1e-9)))
        return fo_fail(why, FO_ERROR_ARGUMENT,
                       "%s: the step must be positive and at most the stability limit %.9g s, is "
                       "%.9g s",
                       f->name, limit, def->step);
    return FO_OK;
}

static fo_status build(fo_cluster *c, const fo_cluster_def *def, fo_message *why)
{
    fo_status status = check(c, def, why);
    if (status) return status;
    if (!choose_parts(c->f, (uint32_t)c->ranks, def->parts, c->parts))
        return fo_fail(why, FO_ERROR_ARGUMENT,
                       "%s: %u x %u x %u nodes cannot be cut for %d ranks as asked: every rank "
                       "needs at least %d nodes along each cut axis",
                       c->f->name, c->f->n[0], c->f->n[1], c->f->n[2], c->ranks, LEAST);
    lay_out(c);
    cut_pieces(c);
    c->cost.nodes = c->box.n[0] * c->box.n[1] * c->box.n[2];
    if (take_acts(c) && make_arrays(c)) return FO_OK;
    return fo_fail(why, FO_ERROR_MEMORY, "no memory for %u nodes on rank %d", c->cost.nodes,
                   c->rank);
}

/// The worst status of all ranks; those that are well learn that another is not.
static fo_status agree(MPI_Comm comm, fo_status status, fo_message *why)
{
    int mine = (int)status, worst;
    MPI_Allreduce(&mine, &worst, 1, MPI_INT, MPI_MAX, comm);
    if (worst && !mine) return fo_fail(why, (fo_status)worst, "another rank of the cluster failed");
    return (fo_status)worst;
}

fo_cluster *fo_cluster_create(const fo_field *field, const fo_cluster_def *def, fo_message *why)
{
    int started;
    MPI_Initialized(&started);
    if (!started && MPI_Init(NULL, NULL) != MPI_SUCCESS) {
        fo_fail(why, FO_ERROR_UNFIT, "MPI could not be started");
        return NULL;
    }
    fo_cluster *c = foi_new(def->allocator, 1, sizeof *c);
    fo_status status = c ? FO_OK : fo_fail(why, FO_ERROR_MEMORY, "no memory for a cluster");
    if (c) {
        c->f = field, c->h = def->step, c->allocator = def->allocator;
        MPI_Comm_dup(MPI_COMM_WORLD, &c->comm);
        MPI_Comm_rank(c->comm, &c->rank);
        MPI_Comm_size(c->comm, &c->ranks);
        status = build(c, def, why);
    }
    status = agree(MPI_COMM_WORLD, status, why);
    if (!status && !take_start(c, why)) status = FO_ERROR_MEMORY;
    status = agree(MPI_COMM_WORLD, status, why);
    if (!status) return c;
    fo_cluster_destroy(c);
    return NULL;
}

void fo_cluster_destroy(fo_cluster *c)
{
    if (!c) return;
    if (c->comm) MPI_Comm_free(&c->comm);
    for (int i = 0; i < 8; i++) foi_free(c->allocator, c->rows[i]);
    foi_free(c->allocator, c->buffers);
    foi_free(c->allocator, c->held);
    foi_free(c->allocator, c->forces);
    foi_free(c->allocator, c);
}

void fo_cluster_finish(void)
{
    int started, ended;
    MPI_Initialized(&started);
    MPI_Finalized(&ended);
    if (started && !ended) MPI_Finalize();
}

// ---------------------------------------------------------------------------------------- looking

double fo_cluster_time(const fo_cluster *c)
{
    return c->h * (double)c->step;
}

uint32_t fo_cluster_rank(const fo_cluster *c)
{
    return (uint32_t)c->rank;
}

uint32_t fo_cluster_ranks(const fo_cluster *c)
{
    return (uint32_t)c->ranks;
}

void fo_cluster_parts(const fo_cluster *c, uint32_t parts[3])
{
    memcpy(parts, c->parts, sizeof c->parts);
}

fo_cluster_cost fo_cluster_costs(const fo_cluster *c)
{
    return c->cost;
}
