/// Gathering what the ranks have, and checkpoints.
///
///     checkpoint:  head | memory | discretes | sides of the guards | states of the object
///                  | the arrays of values (and velocities), nodes in the grid's order (doubles)
///
/// All in the machine's own order of bytes; another one is recognised by the version.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cluster/mpi/cluster.h"
#include "simulation/stand.h"

enum { VERSION = 2, TAG = 100 };

typedef struct head {
    char magic[8];
    uint32_t version, order, method, dimensions;
    uint32_t n[3], k;
    uint64_t step, count;                       ///< taken in all; since `base`
    uint32_t memory, discretes, guards, object; ///< bytes, and numbers
    double h, t, base, last_jump;
} head;

// ------------------------------------------------------------------------------------------ boxes

bool foi_box_common(const foi_box *a, const foi_box *b, foi_box *both)
{
    *both = (foi_box){0};
    for (int axis = 0; axis < 3; axis++) {
        uint32_t low = a->first[axis] > b->first[axis] ? a->first[axis] : b->first[axis];
        uint32_t end_a = a->first[axis] + a->n[axis], end_b = b->first[axis] + b->n[axis];
        uint32_t high = end_a < end_b ? end_a : end_b;
        if (high <= low) return false;
        both->first[axis] = low;
        both->n[axis] = high - low;
    }
    return true;
}

/// Where row (j, k) of a part begins in a packed array over the box `of`.
static size_t row_at(const foi_box *of, const foi_box *part, uint32_t j, uint32_t k)
{
    size_t z = part->first[2] - of->first[2] + k, y = part->first[1] - of->first[1] + j;
    return part->first[0] - of->first[0] + (size_t)of->n[0] * (y + (size_t)of->n[1] * z);
}

void foi_box_take(const foi_box *of, const double *from, const foi_box *part, double *to)
{
    for (uint32_t k = 0; k < part->n[2]; k++)
        for (uint32_t j = 0; j < part->n[1]; j++, to += part->n[0])
            memcpy(to, from + row_at(of, part, j, k), part->n[0] * sizeof *to);
}

void foi_box_give(const foi_box *of, double *to, const foi_box *part, const double *from)
{
    for (uint32_t k = 0; k < part->n[2]; k++)
        for (uint32_t j = 0; j < part->n[1]; j++, from += part->n[0])
            memcpy(to + row_at(of, part, j, k), from, part->n[0] * sizeof *from);
}

// -------------------------------------------------------------------------------------- gathering

static size_t largest_box(const fo_cluster *c)
{
    size_t most = 0;
    for (int r = 0; r < c->ranks; r++) {
        foi_box b = foi_cuts_box(&c->cuts, r);
        size_t size = (size_t)b.n[0] * b.n[1] * b.n[2];
        most = size > most ? size : most;
    }
    return most;
}

fo_status foi_gather(fo_cluster *c, const double *packed, double *whole, fo_message *why)
{
    double *block = c->rank ? NULL : foi_new(c->allocator, largest_box(c), sizeof *block);
    fo_status status = block || c->rank ? FO_OK : fo_fail(why, FO_ERROR_MEMORY, "no memory");
    int none = 0;
    MPI_Request request;
    if (c->rank > 0) {
        MPI_Isend(packed, (int)c->share.nodes, MPI_DOUBLE, 0, TAG, c->comm, &request);
        c->cost.sent += c->share.nodes * sizeof *packed;
        status = foi_wait(c, &request, 1, &none, "taking its nodes", why);
    }
    for (int r = 0; c->rank == 0 && r < c->ranks && !status; r++) {
        foi_box b = foi_cuts_box(&c->cuts, r);
        int size = (int)(b.n[0] * b.n[1] * b.n[2]);
        if (r > 0) {
            MPI_Irecv(block, size, MPI_DOUBLE, r, TAG, c->comm, &request);
            status = foi_wait(c, &request, 1, &r, "the nodes", why);
        }
        if (!status) foi_box_give(&c->f->box, whole, &b, r ? block : packed);
    }
    foi_free(c->allocator, block);
    return status;
}

fo_status foi_scatter(fo_cluster *c, const double *whole, double *packed, fo_message *why)
{
    double *block = c->rank ? NULL : foi_new(c->allocator, largest_box(c), sizeof *block);
    fo_status status = block || c->rank ? FO_OK : fo_fail(why, FO_ERROR_MEMORY, "no memory");
    int none = 0;
    MPI_Request request;
    if (c->rank > 0) {
        MPI_Irecv(packed, (int)c->share.nodes, MPI_DOUBLE, 0, TAG, c->comm, &request);
        status = foi_wait(c, &request, 1, &none, "the nodes", why);
    }
    for (int r = 0; c->rank == 0 && r < c->ranks && !status; r++) {
        foi_box b = foi_cuts_box(&c->cuts, r);
        foi_box_take(&c->f->box, whole, &b, r ? block : packed);
        if (r == 0) continue;
        MPI_Isend(block, (int)(b.n[0] * b.n[1] * b.n[2]), MPI_DOUBLE, r, TAG, c->comm, &request);
        status = foi_wait(c, &request, 1, &r, "taking nodes", why);
    }
    foi_free(c->allocator, block);
    return status;
}

fo_status fo_cluster_gather(fo_cluster *c, const fo_simulation *sim, double *values,
                            fo_message *why)
{
    return foi_gather(c, fo_simulation_state(sim)->x, values, why);
}

// ------------------------------------------------------------------------------------- checkpoints

static head head_of(const fo_cluster *c, const fo_simulation *sim)
{
    const fo_state *s = fo_simulation_state(sim);
    foi_stand stand = foi_simulation_stand(sim);
    head h = {.magic = "foliot-c",
              .version = VERSION,
              .order = c->f->order,
              .method = (uint32_t)c->f->def.method,
              .dimensions = c->f->def.dimensions,
              .k = stand.k,
              .step = stand.steps,
              .count = stand.count,
              .memory = (uint32_t)s->shape.memory,
              .discretes = s->shape.discretes,
              .guards = foi_simulation_sides(sim).count,
              .object = s->shape.states - c->f->order * c->part.nodes,
              .h = stand.step,
              .t = stand.t,
              .base = stand.base,
              .last_jump = stand.last_jump};
    memcpy(h.n, c->f->n, sizeof h.n);
    return h;
}

static foi_stand stand_of(const head *h)
{
    return (foi_stand){.t = h->t,
                       .base = h->base,
                       .step = h->h,
                       .last_jump = h->last_jump,
                       .k = h->k,
                       .steps = h->step,
                       .count = h->count};
}

/// Reads or writes what is the same on all ranks.
typedef size_t (*transfer)(void *block, size_t size, size_t count, FILE *file);

static size_t write_block(void *block, size_t size, size_t count, FILE *file)
{
    return fwrite(block, size, count, file);
}

static size_t read_block(void *block, size_t size, size_t count, FILE *file)
{
    return fread(block, size, count, file);
}

static bool common_parts(const fo_cluster *c, const fo_simulation *sim, FILE *file, transfer move)
{
    const fo_state *s = fo_simulation_state(sim);
    foi_block sides = foi_simulation_sides(sim);
    size_t d = s->shape.discretes;
    size_t own = (size_t)c->f->order * c->part.nodes, object = s->shape.states - own;
    return move(s->memory, 1, s->shape.memory, file) == s->shape.memory &&
           move(s->d, sizeof *s->d, d, file) == d &&
           move(sides.bytes, sides.size, sides.count, file) == sides.count &&
           move(s->x + own, sizeof *s->x, object, file) == object;
}

static bool put_in_place(FILE *file, bool good, const char *fresh, const char *path)
{
    good = good && fflush(file) == 0 && fsync(fileno(file)) == 0;
    good = fclose(file) == 0 && good;
    if (good && rename(fresh, path) == 0) return true;
    remove(fresh);
    return false;
}

fo_status fo_cluster_save(fo_cluster *c, const fo_simulation *sim, const char *path,
                          fo_message *why)
{
    size_t nodes = c->f->nodes;
    const double *x = fo_simulation_state(sim)->x;
    char fresh[1024];
    // a run that goes on from the checkpoint shows what comes after it: what was before must be
    // kept
    fo_status kept = foi_agree(c, foi_rows_keep(sim, why), 0, why);
    if (kept) return kept;
    snprintf(fresh, sizeof fresh, "%s.new", path);
    double *whole = c->rank == 0 ? foi_new(c->allocator, nodes, sizeof *whole) : NULL;
    FILE *file = c->rank == 0 ? fopen(fresh, "wb") : NULL;
    head h = head_of(c, sim);
    bool good = file && fwrite(&h, sizeof h, 1, file) == 1;
    good = good && common_parts(c, sim, file, write_block);
    fo_status status = FO_OK;
    if (c->rank == 0 && !whole)
        status = fo_fail(why, FO_ERROR_MEMORY, "no memory for a checkpoint of %zu nodes", nodes);
    status = foi_agree(c, status, 0, why);
    for (uint32_t i = 0; i < c->f->order && !status; i++) {
        status = foi_gather(c, x + (size_t)i * c->part.nodes, whole, why);
        good = good && !status && fwrite(whole, sizeof *whole, nodes, file) == nodes;
    }
    if (file) good = put_in_place(file, good && !status, fresh, path);
    foi_free(c->allocator, whole);
    if (c->rank == 0 && !status && !good)
        status = fo_fail(why, FO_ERROR_INPUT, "the checkpoint '%s' could not be written", path);
    return foi_agree(c, status, 0, why);
}

static fo_status check_head(const head *h, const head *mine, const char *path, fo_message *why)
{
    if (memcmp(h->magic, mine->magic, sizeof h->magic) != 0 || h->version != VERSION)
        return fo_fail(why, FO_ERROR_FORMAT, "'%s' is no checkpoint of this version", path);
    bool same = memcmp(h->n, mine->n, sizeof h->n) == 0 && h->order == mine->order &&
                h->method == mine->method && h->h == mine->h && h->memory == mine->memory &&
                h->discretes == mine->discretes && h->guards == mine->guards &&
                h->object == mine->object;
    if (same) return FO_OK;
    return fo_fail(why, FO_ERROR_ARGUMENT,
                   "'%s' is a checkpoint of another run: %u x %u x %u nodes with step %.17g s, not "
                   "%u x %u x %u with %.17g s, or another method or object",
                   path, h->n[0], h->n[1], h->n[2], h->h, mine->n[0], mine->n[1], mine->n[2],
                   mine->h);
}

/// Rank 0 reads everything before anything is used, so that a file that ends early changes nothing
/// but a simulation that has failed.
static fo_status read_all(fo_cluster *c, fo_simulation *sim, const char *path, head *h,
                          double *whole, fo_message *why)
{
    head mine = head_of(c, sim);
    size_t count = (size_t)c->f->nodes * c->f->order;
    FILE *file = fopen(path, "rb");
    if (!file) return fo_fail(why, FO_ERROR_INPUT, "the checkpoint '%s' cannot be read", path);
    fo_status status = fread(h, sizeof *h, 1, file) == 1
                           ? check_head(h, &mine, path, why)
                           : fo_fail(why, FO_ERROR_FORMAT, "'%s' is no checkpoint", path);
    if (!status && !(common_parts(c, sim, file, read_block) &&
                     fread(whole, sizeof *whole, count, file) == count))
        status = fo_fail(why, FO_ERROR_FORMAT, "the checkpoint '%s' ends early", path);
    fclose(file);
    return status;
}

static fo_status share_block(fo_cluster *c, void *block, size_t size, fo_message *why)
{
    MPI_Request request;
    int root = 0;
    MPI_Ibcast(block, (int)size, MPI_BYTE, 0, c->comm, &request);
    return foi_wait(c, &request, 1, &root, "the checkpoint", why);
}

static fo_status share_common(fo_cluster *c, fo_simulation *sim, head *h, fo_message *why)
{
    const fo_state *s = fo_simulation_state(sim);
    foi_block sides = foi_simulation_sides(sim);
    size_t own = (size_t)c->f->order * c->part.nodes;
    fo_status status = share_block(c, h, sizeof *h, why);
    if (!status) status = share_block(c, s->memory, h->memory, why);
    if (!status) status = share_block(c, s->d, h->discretes * sizeof *s->d, why);
    if (!status) status = share_block(c, s->x + own, h->object * sizeof *s->x, why);
    if (status) return status;
    return share_block(c, sides.bytes, h->guards * sides.size, why);
}

fo_status fo_cluster_load(fo_cluster *c, fo_simulation *sim, const char *path, fo_message *why)
{
    size_t nodes = c->f->nodes, order = c->f->order;
    head h = {0};
    double *whole = c->rank == 0 ? foi_new(c->allocator, nodes * order, sizeof *whole) : NULL;
    fo_status status = FO_OK;
    if (c->rank == 0)
        status = whole ? read_all(c, sim, path, &h, whole, why)
                       : fo_fail(why, FO_ERROR_MEMORY, "no memory for the checkpoint '%s'", path);
    status = foi_agree(c, status, 0, why);
    if (!status) status = share_common(c, sim, &h, why);
    for (size_t i = 0; i < order && !status; i++)
        status = foi_scatter(c, whole ? whole + i * nodes : NULL,
                             fo_simulation_state(sim)->x + i * c->part.nodes, why);
    foi_free(c->allocator, whole);
    double stop = foi_simulation_stop(sim);
    if (!status && h.t > stop)
        status = fo_fail(why, FO_ERROR_ARGUMENT,
                         "the checkpoint '%s' is of t = %.15g s, after the stop at %.15g s", path,
                         h.t, stop);
    foi_stand stand = stand_of(&h);
    if (!status) foi_simulation_stand_at(sim, &stand);
    c->saved = c->balanced = h.step;
    return status;
}
