/// Gathering a cluster's values, and checkpoints.
///
///     checkpoint:  "foliot-c" | version, order, method, 0 (uint32 each) | nx, ny, nz, arrays
///     (uint32)
///                  | step (uint64) | h (double) | the arrays, nodes in the grid's order (doubles)
///
/// All in the machine's own order of bytes; another one is recognised by the version.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cluster/cluster.h"

enum { VERSION = 1, TAG = 100 };

typedef struct head {
    char magic[8];
    uint32_t version, order, method, zero;
    uint32_t n[3], arrays;
    uint64_t step;
    double h;
} head;

// ----------------------------------------------------------------------------------------
// gathering

/// Where rank r's box is: every rank can tell.
static foi_box box_of(const fo_cluster *c, int r)
{
    foi_box b = {0};
    uint32_t rest = (uint32_t)r;
    for (int axis = 0; axis < 3; axis++) {
        uint32_t p = c->parts[axis], i = rest % p;
        rest /= p;
        b.first[axis] = (uint32_t)((uint64_t)c->f->n[axis] * i / p);
        b.n[axis] = (uint32_t)((uint64_t)c->f->n[axis] * (i + 1) / p) - b.first[axis];
    }
    return b;
}

static void put_box(const fo_cluster *c, const foi_box *b, const double *packed, double *whole)
{
    for (uint32_t k = 0; k < b->n[2]; k++)
        for (uint32_t j = 0; j < b->n[1]; j++) {
            size_t to = fo_field_index(c->f, b->first[0], b->first[1] + j, b->first[2] + k);
            memcpy(whole + to, packed, b->n[0] * sizeof(double));
            packed += b->n[0];
        }
}

static void pack_own(const fo_cluster *c, const double *own, double *packed)
{
    const foi_box *b = &c->box;
    for (uint32_t k = 0; k < b->n[2]; k++)
        for (uint32_t j = 0; j < b->n[1]; j++) {
            memcpy(packed, own + j * b->stride[1] + k * b->stride[2], b->n[0] * sizeof(double));
            packed += b->n[0];
        }
}

/// True when it is true on all ranks.
static bool everywhere(const fo_cluster *c, bool mine)
{
    int yes = mine, all;
    MPI_Allreduce(&yes, &all, 1, MPI_INT, MPI_MIN, c->comm);
    return all;
}

fo_status foi_join(fo_cluster *c, const double *own, double *whole)
{
    size_t most = 0;
    for (int r = 0; r < c->ranks; r++) {
        foi_box b = box_of(c, r);
        size_t size = (size_t)b.n[0] * b.n[1] * b.n[2];
        most = size > most ? size : most;
    }
    double *packed = foi_new(c->allocator, most, sizeof *packed);
    fo_status status = everywhere(c, packed) ? FO_OK : FO_ERROR_MEMORY;
    if (!status) {
        pack_own(c, own, packed);
        if (c->rank > 0) MPI_Send(packed, (int)c->cost.nodes, MPI_DOUBLE, 0, TAG, c->comm);
        for (int r = 0; c->rank == 0 && r < c->ranks; r++) {
            foi_box b = box_of(c, r);
            int size = (int)(b.n[0] * b.n[1] * b.n[2]);
            if (r > 0) MPI_Recv(packed, size, MPI_DOUBLE, r, TAG, c->comm, MPI_STATUS_IGNORE);
            put_box(c, &b, packed, whole);
        }
    }
    foi_free(c->allocator, packed);
    return status;
}

fo_status fo_cluster_gather(fo_cluster *c, double *values)
{
    return foi_join(c, foi_own(c, FOI_U), values);
}

// Only the owner adds something, so that the sum has its bits.
double fo_cluster_value(fo_cluster *c, uint32_t node)
{
    uint32_t rest = node;
    ptrdiff_t at = 0;
    bool mine = true;
    for (int axis = 0; axis < 3; axis++) {
        uint32_t i = rest % c->f->n[axis];
        rest /= c->f->n[axis];
        mine &= i >= c->box.first[axis] && i < c->box.first[axis] + c->box.n[axis];
        at += ((ptrdiff_t)i - (ptrdiff_t)c->box.first[axis]) * c->box.stride[axis];
    }
    double own = mine ? foi_own(c, FOI_U)[at] : 0, sum;
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, c->comm);
    return sum;
}

// --------------------------------------------------------------------------------------
// checkpoints

static head head_of(const fo_cluster *c)
{
    head h = {.magic = "foliot-c",
              .version = VERSION,
              .order = c->f->order,
              .method = (uint32_t)c->f->def.method,
              .arrays = (uint32_t)foi_cluster_kept(c),
              .step = c->step,
              .h = c->h};
    memcpy(h.n, c->f->n, sizeof h.n);
    return h;
}

/// The worst status of all ranks, with rank 0's words.
static fo_status told(fo_cluster *c, fo_status status, fo_message *why)
{
    int code = (int)status;
    char text[FO_MESSAGE_SIZE] = "";
    if (c->rank == 0 && status && why) snprintf(text, sizeof text, "%s", why->text);
    MPI_Bcast(&code, 1, MPI_INT, 0, c->comm);
    if (!code) return FO_OK;
    MPI_Bcast(text, sizeof text, MPI_CHAR, 0, c->comm);
    return fo_fail(why, (fo_status)code, "%s", text);
}

fo_status fo_cluster_save(fo_cluster *c, const char *path, fo_message *why)
{
    size_t nodes = c->f->nodes;
    char fresh[1024];
    double *whole = c->rank == 0 ? foi_new(c->allocator, nodes, sizeof *whole) : NULL;
    if (!everywhere(c, whole || c->rank > 0))
        return fo_fail(why, FO_ERROR_MEMORY, "no memory for a checkpoint of %zu nodes", nodes);
    snprintf(fresh, sizeof fresh, "%s.new", path);
    FILE *file = c->rank == 0 ? fopen(fresh, "wb") : NULL;
    head h = head_of(c);
    bool good = file && fwrite(&h, sizeof h, 1, file) == 1;
    fo_status status = FO_OK;
    for (int i = 0; i < foi_cluster_kept(c); i++) {
        fo_status joined = foi_join(c, foi_own(c, FOI_U + i), whole);
        if (joined) status = joined;
        good = good && fwrite(whole, sizeof *whole, nodes, file) == nodes;
    }
    if (file) good = fclose(file) == 0 && good;
    if (c->rank == 0 && !status && !(good && rename(fresh, path) == 0)) {
        remove(fresh);
        status = fo_fail(why, FO_ERROR_INPUT, "the checkpoint '%s' could not be written", path);
    }
    foi_free(c->allocator, whole);
    return told(c, status, why);
}

static fo_status check_head(const fo_cluster *c, const head *h, const char *path, fo_message *why)
{
    head mine = head_of(c);
    if (memcmp(h->magic, mine.magic, sizeof h->magic) != 0 || h->version != VERSION)
        return fo_fail(why, FO_ERROR_FORMAT, "'%s' is no checkpoint of this version", path);
    if (memcmp(h->n, mine.n, sizeof h->n) != 0 || h->order != mine.order ||
        h->method != mine.method || h->h != mine.h || h->arrays != mine.arrays)
        return fo_fail(why, FO_ERROR_ARGUMENT,
                       "'%s' is a checkpoint of another run: %u x %u x %u nodes with step %.17g s, "
                       "not %u x %u x %u with %.17g s",
                       path, h->n[0], h->n[1], h->n[2], h->h, mine.n[0], mine.n[1], mine.n[2],
                       mine.h);
    return FO_OK;
}

static fo_status read_head(const fo_cluster *c, FILE *file, const char *path, head *h,
                           fo_message *why)
{
    if (!file) return fo_fail(why, FO_ERROR_INPUT, "the checkpoint '%s' cannot be read", path);
    if (fread(h, sizeof *h, 1, file) != 1)
        return fo_fail(why, FO_ERROR_FORMAT, "'%s' is no checkpoint of this version", path);
    return check_head(c, h, path, why);
}

// The arrays are read whole before one of them is used, so that a file that ends early changes
// nothing.
fo_status fo_cluster_load(fo_cluster *c, const char *path, fo_message *why)
{
    size_t nodes = c->f->nodes, arrays = (size_t)foi_cluster_kept(c);
    double *whole = foi_new(c->allocator, nodes * arrays, sizeof *whole);
    if (!everywhere(c, whole)) {
        foi_free(c->allocator, whole);
        return fo_fail(why, FO_ERROR_MEMORY, "no memory for a checkpoint of %zu nodes", nodes);
    }
    head h = {0};
    fo_status status = FO_OK;
    FILE *file = c->rank == 0 ? fopen(path, "rb") : NULL;
    if (c->rank == 0) status = read_head(c, file, path, &h, why);
    if (file && !status && fread(whole, sizeof *whole, nodes * arrays, file) != nodes * arrays)
        status = fo_fail(why, FO_ERROR_FORMAT, "the checkpoint '%s' ends early", path);
    if (file) fclose(file);
    status = told(c, status, why);
    if (!status) {
        MPI_Bcast(&h, sizeof h, MPI_BYTE, 0, c->comm);
        c->step = h.step;
        for (size_t i = 0; i < arrays; i++) {
            MPI_Bcast(whole + i * nodes, (int)nodes, MPI_DOUBLE, 0, c->comm);
            foi_cut(c, whole + i * nodes, foi_own(c, FOI_U + (int)i));
        }
        double *own[2] = {foi_own(c, FOI_U), foi_own(c, FOI_W)};
        MPI_Request requests[12];
        foi_halo_begin(c, own, (int)arrays, requests);
        foi_halo_end(c, own, (int)arrays, requests);
    }
    foi_free(c->allocator, whole);
    return status;
}
