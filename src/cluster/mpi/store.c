/// Gathering what the ranks have, and checkpoints.
///
///     "foliot-field-3" | "head" where the run stands | "fact" what must agree | "comm" memory,
///     discretes, sides of the guards, states of the object | "node" the arrays of values (and
///     velocities), nodes in the grid's order
///
/// in blocks with checksums (base/bytes.h). Rank 0 reads and checks all of it before anything is
/// used.
#include <foliot/version.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "cluster/mpi/cluster.h"
#include "simulation/stand.h"

enum { TAG = 100 };
static const char name_of_file[] = "foliot-field-3";

/// What is the same on all ranks, beside blocks of numbers.
typedef struct head {
    uint32_t k, memory, discretes, guards, object; ///< bytes, and numbers
    uint64_t step, count;                          ///< taken in all; since `base`
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
    return (head){.k = stand.k,
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

void fo_cluster_know(fo_cluster *c, const fo_fact *facts, size_t count)
{
    c->facts = facts, c->fact_count = count;
}

// ----------------------------------------------------------------------------- what must agree

enum { OWN_FACTS = 10, VALUE = 64 };

typedef struct own_facts {
    const char *name[OWN_FACTS];
    char value[OWN_FACTS][VALUE];
    size_t count;
} own_facts;

__attribute__((format(printf, 3, 4))) static void add(own_facts *f, const char *name,
                                                      const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    f->name[f->count] = name;
    vsnprintf(f->value[f->count++], VALUE, format, arguments);
    va_end(arguments);
}

static own_facts facts_of(const fo_cluster *c, const fo_simulation *sim)
{
    own_facts f = {.count = 0};
    const fo_field *field = c->f;
    head h = head_of(c, sim);
    add(&f, "foliot", "%s", FO_VERSION);
    add(&f, "nodes", "%u x %u x %u", field->n[0], field->n[1], field->n[2]);
    add(&f, "order", "%u", field->order);
    add(&f, "method", "%u", (unsigned)field->def.method);
    add(&f, "step", "%.17g s", h.h);
    add(&f, "memory", "%u bytes", h.memory);
    add(&f, "discretes", "%u", h.discretes);
    add(&f, "guards", "%u", h.guards);
    add(&f, "states of the object", "%u", h.object);
    return f;
}

static void put_facts(foi_bytes *b, const fo_cluster *c, const fo_simulation *sim)
{
    own_facts own = facts_of(c, sim);
    foi_bytes_block(b, "fact");
    foi_put_u32(b, (uint32_t)(own.count + c->fact_count));
    for (size_t i = 0; i < own.count; i++) {
        foi_put_text(b, own.name[i]);
        foi_put_text(b, own.value[i]);
    }
    for (size_t i = 0; i < c->fact_count; i++) {
        foi_put_text(b, c->facts[i].name);
        foi_put_text(b, c->facts[i].value);
    }
    foi_bytes_block_end(b);
}

// The facts stand in the file in the order in which they are collected here.
static fo_status compare(foi_slice *in, const char *name, const char *here, const char *path,
                         fo_message *why)
{
    const char *its = foi_take_text(in), *saved = foi_take_text(in);
    if (!in->failed && strcmp(its, name) == 0 && strcmp(saved, here) == 0) return FO_OK;
    if (in->failed || strcmp(its, name) != 0)
        return fo_fail(why, FO_ERROR_ARGUMENT,
                       "'%s' is a checkpoint of another run: it was saved without %s, this run has "
                       "%s = %s",
                       path, name, name, here);
    return fo_fail(why, FO_ERROR_ARGUMENT,
                   "'%s' is a checkpoint of another run: it was saved with %s = %s, this run has "
                   "%s = %s",
                   path, name, saved, name, here);
}

static fo_status compare_facts(const fo_cluster *c, const fo_simulation *sim, foi_slice in,
                               const char *path, fo_message *why)
{
    own_facts own = facts_of(c, sim);
    fo_status status = FO_OK;
    uint32_t count = foi_take_u32(&in);
    for (size_t i = 0; i < own.count && !status; i++)
        status = compare(&in, own.name[i], own.value[i], path, why);
    for (size_t i = 0; i < c->fact_count && !status; i++)
        status = compare(&in, c->facts[i].name, c->facts[i].value, path, why);
    if (!status && count != own.count + c->fact_count)
        status =
            fo_fail(why, FO_ERROR_ARGUMENT,
                    "'%s' is a checkpoint of another run: it was saved with other options", path);
    return status;
}

// ----------------------------------------------------------------------------------------- saving

static void put_head(foi_bytes *b, const fo_cluster *c, const fo_simulation *sim)
{
    head h = head_of(c, sim);
    foi_bytes_block(b, "head");
    foi_put_u32(b, h.k);
    foi_put_u64(b, h.step);
    foi_put_u64(b, h.count);
    foi_put_f64(b, h.t);
    foi_put_f64(b, h.base);
    foi_put_f64(b, h.last_jump);
    foi_bytes_block_end(b);
}

static void put_common(foi_bytes *b, const fo_cluster *c, const fo_simulation *sim)
{
    const fo_state *s = fo_simulation_state(sim);
    foi_block sides = foi_simulation_sides(sim);
    size_t own = (size_t)c->f->order * c->part.nodes;
    foi_bytes_block(b, "comm");
    foi_bytes_put(b, s->memory, s->shape.memory);
    foi_put_f64s(b, s->d, s->shape.discretes);
    foi_bytes_put(b, sides.bytes, sides.size * sides.count);
    foi_put_f64s(b, s->x + own, s->shape.states - own);
    foi_bytes_block_end(b);
}

// What somebody else has put there since the run began stays.
static fo_status put_in_place(fo_cluster *c, const char *path, const foi_bytes *b, fo_message *why)
{
    bool own = c->path && strcmp(path, c->path) == 0;
    if (own && !foi_file_unchanged(&c->seen, path))
        return fo_fail(why, FO_ERROR_INPUT, "%s was written by somebody else since this run began",
                       path);
    fo_status status = foi_file_save(path, b->list, b->count, c->allocator, why);
    if (own && !status) c->seen = foi_file_look(path);
    return status;
}

fo_status fo_cluster_save(fo_cluster *c, const fo_simulation *sim, const char *path,
                          fo_message *why)
{
    size_t nodes = c->f->nodes;
    const double *x = fo_simulation_state(sim)->x;
    // a run that goes on from the checkpoint shows what comes after it: what was before must be
    // kept
    fo_status status = foi_agree(c, foi_rows_keep(sim, why), 0, why);
    if (status) return status;
    foi_bytes b = {.allocator = c->allocator};
    double *whole = c->rank == 0 ? foi_new(c->allocator, nodes, sizeof *whole) : NULL;
    if (c->rank == 0) {
        foi_bytes_begin(&b, name_of_file);
        put_head(&b, c, sim);
        put_facts(&b, c, sim);
        put_common(&b, c, sim);
        foi_bytes_block(&b, "node");
        if (!whole || b.failed)
            status =
                fo_fail(why, FO_ERROR_MEMORY, "no memory for a checkpoint of %zu nodes", nodes);
    }
    status = foi_agree(c, status, 0, why);
    for (uint32_t i = 0; i < c->f->order && !status; i++) {
        status = foi_gather(c, x + (size_t)i * c->part.nodes, whole, why);
        if (!status && c->rank == 0) foi_put_f64s(&b, whole, nodes);
    }
    if (c->rank == 0 && !status) {
        foi_bytes_block_end(&b);
        foi_bytes_end(&b);
        status = b.failed ? fo_fail(why, FO_ERROR_MEMORY, "no memory for a checkpoint of %zu nodes",
                                    nodes)
                          : put_in_place(c, path, &b, why);
    }
    foi_bytes_free(&b);
    foi_free(c->allocator, whole);
    return foi_agree(c, status, 0, why);
}

// ---------------------------------------------------------------------------------------- loading

static fo_status out_of_range(const char *path, const char *what, fo_message *why)
{
    return fo_fail(why, FO_ERROR_FORMAT, "cannot restart from '%s': %s", path, what);
}

static fo_status take_head(const fo_cluster *c, const fo_simulation *sim, foi_slice in, head *h,
                           const char *path, fo_message *why)
{
    double stop = foi_simulation_stop(sim), start = fo_simulation_time(sim);
    *h = head_of(c, sim);
    h->k = foi_take_u32(&in);
    h->step = foi_take_u64(&in), h->count = foi_take_u64(&in);
    h->t = foi_take_f64(&in), h->base = foi_take_f64(&in), h->last_jump = foi_take_f64(&in);
    if (in.failed || foi_slice_left(&in)) return out_of_range(path, "its head is not whole", why);
    if (h->t > stop)
        return fo_fail(why, FO_ERROR_ARGUMENT,
                       "the checkpoint '%s' is of t = %.15g s, after the stop at %.15g s", path,
                       h->t, stop);
    if (!(h->t >= start)) return out_of_range(path, "its time is not within the run", why);
    if (!(h->base >= start && h->base <= h->t && h->last_jump >= start && h->last_jump <= h->t))
        return out_of_range(path, "its steps begin at no time of the run", why);
    // a double counts no further, and no run comes there
    if (h->step >= UINT64_C(1) << 53 || h->count > h->step)
        return out_of_range(path, "it has counted more steps than can be", why);
    return FO_OK;
}

static fo_status take_common(const fo_cluster *c, const fo_simulation *sim, foi_slice in,
                             const char *path, fo_message *why)
{
    const fo_state *s = fo_simulation_state(sim);
    foi_block sides = foi_simulation_sides(sim);
    size_t own = (size_t)c->f->order * c->part.nodes, object = s->shape.states - own;
    foi_take(&in, s->memory, s->shape.memory);
    foi_take_f64s(&in, s->d, s->shape.discretes);
    foi_take(&in, sides.bytes, sides.size * sides.count);
    foi_take_f64s(&in, s->x + own, object);
    if (in.failed || foi_slice_left(&in))
        return out_of_range(path, "what the ranks share has another size", why);
    for (size_t i = 0; i < object; i++)
        if (!isfinite(s->x[own + i])) return out_of_range(path, "a state is not finite", why);
    return foi_simulation_sides_sound(sim) ? FO_OK : out_of_range(path, "a guard has no side", why);
}

static fo_status take_nodes(const fo_cluster *c, foi_slice in, double *whole, const char *path,
                            fo_message *why)
{
    size_t count = (size_t)c->f->nodes * c->f->order;
    if (foi_slice_left(&in) != count * sizeof *whole)
        return out_of_range(path, "it has another number of nodes", why);
    foi_take_f64s(&in, whole, count);
    for (size_t i = 0; i < count; i++)
        if (!isfinite(whole[i])) return out_of_range(path, "a node is not finite", why);
    return FO_OK;
}

static fo_status read_all(fo_cluster *c, fo_simulation *sim, const char *path, head *h,
                          double *whole, fo_message *why)
{
    unsigned char *bytes = NULL;
    size_t count = 0;
    fo_status status = foi_file_load(path, c->allocator, &bytes, &count, why);
    if (!status) status = foi_blocks_check(bytes, count, name_of_file, path, why);
    if (!status) status = compare_facts(c, sim, foi_blocks_find(bytes, count, "fact"), path, why);
    if (!status) status = take_head(c, sim, foi_blocks_find(bytes, count, "head"), h, path, why);
    if (!status) status = take_common(c, sim, foi_blocks_find(bytes, count, "comm"), path, why);
    if (!status) status = take_nodes(c, foi_blocks_find(bytes, count, "node"), whole, path, why);
    foi_free(c->allocator, bytes);
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
    foi_stand stand = stand_of(&h);
    if (!status) foi_simulation_stand_at(sim, &stand);
    c->saved = c->balanced = h.step;
    return status;
}
