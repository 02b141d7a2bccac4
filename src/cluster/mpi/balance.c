/// Balance by measured cost.
///
/// Every rank measures how long it computes. A layer of nodes across an axis costs what the ranks
/// with it measured, divided by the number of layers that they have; the cuts of each axis are put
/// half way to where the sum of these costs is divided evenly: the costs inside of a rank are not
/// known, and one look may be disturbed, so that the cuts find their places in a few looks.
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "cluster/mpi/cluster.h"
#include "simulation/stand.h"

enum { LEAST = 3 };              ///< nodes of a box along a cut axis
static const double worth = 1.1; ///< the slowest rank against the mean, from which a move pays

/// The cost of each part of an axis: the sum over the ranks in it.
static void slab_costs(const foi_cuts *cuts, int axis, const double *cost, double *slab)
{
    uint32_t before = 1, parts = cuts->parts[axis];
    uint32_t ranks = cuts->parts[0] * cuts->parts[1] * cuts->parts[2];
    for (int a = 0; a < axis; a++) before *= cuts->parts[a];
    for (uint32_t i = 0; i < parts; i++) slab[i] = 0;
    for (uint32_t r = 0; r < ranks; r++) slab[r / before % parts] += cost[r];
}

/// Where the sum of the costs from the axis' begin reaches `wanted`.
static double place_of(const uint32_t *line, uint32_t parts, const double *slab, double wanted)
{
    uint32_t i = 0;
    for (; i + 1 < parts && wanted > slab[i]; i++) wanted -= slab[i];
    double width = line[i + 1] - line[i];
    return line[i] + (slab[i] > 0 ? fmin(1, wanted / slab[i]) * width : width);
}

/// New cuts of an axis; every part keeps its least width.
static void move_lines(const foi_cuts *now, int axis, const double *slab, uint32_t *line)
{
    uint32_t parts = now->parts[axis], n = now->line[axis][parts];
    double total = 0;
    for (uint32_t i = 0; i < parts; i++) total += slab[i];
    for (uint32_t i = 1; i < parts; i++) {
        double place = place_of(now->line[axis], parts, slab, total * i / parts);
        uint32_t least = line[i - 1] + LEAST, most = n - LEAST * (parts - i);
        line[i] = (uint32_t)lround((place + now->line[axis][i]) / 2);
        if (line[i] < least) line[i] = least;
        if (line[i] > most) line[i] = most;
    }
}

/// What every rank computed since the last look, the same list on all ranks.
static fo_status measure(fo_cluster *c, double *cost, bool *first, fo_message *why)
{
    int64_t now = foi_clock_now();
    double idle = c->cost.wait + c->cost.other;
    double mine = c->looked ? foi_clock_seconds(c->looked, now) - (idle - c->idle) : 0;
    MPI_Request request;
    *first = !c->looked;
    c->looked = now, c->idle = idle;
    MPI_Iallgather(&mine, 1, MPI_DOUBLE, cost, 1, MPI_DOUBLE, c->comm, &request);
    return foi_wait(c, &request, 1, NULL, "the costs", why);
}

static bool pays(const double *cost, int ranks)
{
    double sum = 0, worst = 0;
    for (int r = 0; r < ranks; r++) sum += cost[r], worst = fmax(worst, cost[r]);
    return worst > worth * sum / ranks;
}

// ----------------------------------------------------------------------------------------- moving

/// One array from the boxes of `then` to those of `now`: every rank sends what another has now.
static fo_status move_array(fo_cluster *c, const foi_cuts *then, const foi_cuts *now,
                            const double *from, double *to, fo_message *why)
{
    foi_box was = foi_cuts_box(then, c->rank), is = foi_cuts_box(now, c->rank), both;
    size_t ranks = (size_t)c->ranks, out = 0, in = 0;
    double *packed = foi_new(c->allocator, (size_t)was.n[0] * was.n[1] * was.n[2], sizeof *packed);
    double *taken = foi_new(c->allocator, (size_t)is.n[0] * is.n[1] * is.n[2], sizeof *taken);
    MPI_Request *requests = foi_new(c->allocator, 2 * ranks, sizeof *requests);
    int *peers = foi_new(c->allocator, 2 * ranks, sizeof *peers);
    bool good = packed && taken && requests && peers;
    for (int r = 0; good && r < c->ranks; r++) {
        foi_box theirs = foi_cuts_box(then, r), other = foi_cuts_box(now, r);
        peers[2 * r] = peers[2 * r + 1] = r;
        requests[2 * r] = requests[2 * r + 1] = MPI_REQUEST_NULL;
        if (foi_box_common(&is, &theirs, &both)) {
            int size = (int)(both.n[0] * both.n[1] * both.n[2]);
            MPI_Irecv(taken + in, size, MPI_DOUBLE, r, 70, c->comm, &requests[2 * r]);
            in += (size_t)size;
        }
        if (foi_box_common(&was, &other, &both)) {
            int size = (int)(both.n[0] * both.n[1] * both.n[2]);
            foi_box_take(&was, from, &both, packed + out);
            MPI_Isend(packed + out, size, MPI_DOUBLE, r, 70, c->comm, &requests[2 * r + 1]);
            out += (size_t)size;
        }
    }
    fo_status status = good ? foi_wait(c, requests, 2 * c->ranks, peers, "nodes", why)
                            : fo_fail(why, FO_ERROR_MEMORY, "no memory to move nodes");
    in = 0;
    for (int r = 0; !status && r < c->ranks; r++) {
        foi_box theirs = foi_cuts_box(then, r);
        if (!foi_box_common(&is, &theirs, &both)) continue;
        foi_box_give(&is, to, &both, taken + in);
        in += (size_t)both.n[0] * both.n[1] * both.n[2];
    }
    foi_free(c->allocator, packed);
    foi_free(c->allocator, taken);
    foi_free(c->allocator, requests);
    foi_free(c->allocator, peers);
    return status;
}

/// All states into x, under the new cuts.
static fo_status move_states(fo_cluster *c, const fo_simulation *sim, const foi_cuts *then,
                             const foi_cuts *now, double *x, fo_message *why)
{
    foi_box was = foi_cuts_box(then, c->rank), is = foi_cuts_box(now, c->rank);
    size_t old = (size_t)was.n[0] * was.n[1] * was.n[2], new = (size_t)is.n[0] * is.n[1] * is.n[2];
    size_t order = c->f->order, all = fo_simulation_state(sim)->shape.states;
    const double *from = fo_simulation_state(sim)->x;
    fo_status status = FO_OK;
    for (size_t i = 0; i < order && !status; i++)
        status = move_array(c, then, now, from + i * old, x + i * new, why);
    memcpy(x + order * new, from + order * old, (all - order * old) * sizeof *x);
    return status;
}

/// The share of the rank is made again under the cuts that c has now.
static fo_status share_anew(fo_cluster *c, fo_message *why)
{
    bool implicit = c->hypre;
    foi_hypre_destroy(c);
    foi_domain_destroy(c);
    fo_status status = foi_domain_create(c);
    if (status) fo_fail(why, status, "no memory for %u nodes on rank %d", c->share.nodes, c->rank);
    status = foi_agree(c, status, 0, why);
    if (!status && implicit && !foi_hypre_create(c, why)) status = FO_ERROR_MEMORY;
    return status;
}

static fo_status move_cuts(fo_cluster *c, fo_simulation *sim, foi_cuts *now, fo_message *why)
{
    foi_box is = foi_cuts_box(now, c->rank);
    size_t old = c->share.nodes, new = (size_t)is.n[0] * is.n[1] * is.n[2], order = c->f->order;
    size_t states = fo_simulation_state(sim)->shape.states - order * old + order * new;
    double *x = foi_new(c->allocator, states, sizeof *x);
    fo_status status = x ? FO_OK : fo_fail(why, FO_ERROR_MEMORY, "no memory to move nodes");
    status = foi_agree(c, status, 0, why);
    if (!status) status = move_states(c, sim, &c->cuts, now, x, why);
    if (!status) {
        foi_cuts then = c->cuts;
        c->cuts = *now, *now = then;
        status = share_anew(c, why);
    }
    if (!status) status = foi_simulation_put(sim, x);
    foi_free(c->allocator, x);
    c->cost.moves++;
    return status;
}

fo_status foi_balance(fo_cluster *c, fo_simulation *sim, fo_message *why)
{
    foi_cuts now = {0};
    size_t most = 1;
    bool first = false;
    double *cost = foi_new(c->allocator, 2 * (size_t)c->ranks, sizeof *cost);
    fo_status status = cost && !foi_cuts_copy(c->allocator, &c->cuts, &now)
                           ? FO_OK
                           : fo_fail(why, FO_ERROR_MEMORY, "no memory to look at the balance");
    status = foi_agree(c, status, 0, why);
    if (!status) status = measure(c, cost, &first, why);
    if (!status && !first && pays(cost, c->ranks)) {
        double *slab = cost + c->ranks;
        bool moved = false;
        for (int axis = 0; axis < 3; axis++) {
            most = (size_t)now.parts[axis] + 1;
            if (most == 2) continue;
            slab_costs(&c->cuts, axis, cost, slab);
            move_lines(&c->cuts, axis, slab, now.line[axis]);
            moved |= memcmp(now.line[axis], c->cuts.line[axis], most * sizeof(uint32_t)) != 0;
        }
        if (moved) status = move_cuts(c, sim, &now, why);
        c->looked = foi_clock_now(), c->idle = c->cost.wait + c->cost.other;
    }
    foi_cuts_free(c->allocator, &now);
    foi_free(c->allocator, cost);
    return status;
}
