/// Cutting a field into boxes.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cluster/mpi/cluster.h"
#include "field/part.h"

enum { LEAST = 3 }; ///< nodes of a box along a cut axis

// ---------------------------------------------------------------------------------------- choosing

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

/// The most ranks that a grid can be cut for.
static double most_ranks(const fo_field *f)
{
    double most = 1;
    for (int axis = 0; axis < 3; axis++) most *= f->n[axis] < LEAST ? 1 : f->n[axis] / LEAST;
    return most;
}

static fo_status refuse(const fo_cluster *c, fo_message *why)
{
    const fo_field *f = c->f;
    const uint32_t *p = c->def.parts;
    char grid[64];
    if (f->def.dimensions == 1)
        snprintf(grid, sizeof grid, "%u", f->n[0]);
    else if (f->def.dimensions == 2)
        snprintf(grid, sizeof grid, "%u x %u", f->n[0], f->n[1]);
    else
        snprintf(grid, sizeof grid, "%u x %u x %u", f->n[0], f->n[1], f->n[2]);
    if (p[0] || p[1] || p[2])
        return fo_fail(why, FO_ERROR_ARGUMENT,
                       "%s: %s nodes cannot be cut into %u x %u x %u parts for %d ranks: the parts "
                       "must be as many as the ranks, with at least %d nodes along each cut axis",
                       f->name, grid, p[0] ? p[0] : 1, p[1] ? p[1] : 1, p[2] ? p[2] : 1, c->ranks,
                       LEAST);
    return fo_fail(why, FO_ERROR_ARGUMENT,
                   "%s: %s nodes cannot be cut for %d ranks: every rank needs at least %d nodes "
                   "along each cut axis, so that at most %.0f ranks have work",
                   f->name, grid, c->ranks, LEAST, most_ranks(f));
}

fo_status foi_cuts_choose(fo_cluster *c, fo_message *why)
{
    foi_cuts *cuts = &c->cuts;
    if (!choose_parts(c->f, (uint32_t)c->ranks, c->def.parts, cuts->parts)) return refuse(c, why);
    for (int axis = 0; axis < 3; axis++) {
        uint32_t p = cuts->parts[axis];
        cuts->line[axis] = foi_new(c->allocator, (size_t)p + 1, sizeof(uint32_t));
        if (!cuts->line[axis]) return fo_fail(why, FO_ERROR_MEMORY, "no memory for the cuts");
        for (uint32_t i = 0; i <= p; i++)
            cuts->line[axis][i] = (uint32_t)((uint64_t)c->f->n[axis] * i / p);
    }
    return FO_OK;
}

fo_status foi_cuts_copy(const fo_allocator *a, const foi_cuts *from, foi_cuts *to)
{
    *to = (foi_cuts){0};
    memcpy(to->parts, from->parts, sizeof to->parts);
    for (int axis = 0; axis < 3; axis++) {
        size_t count = (size_t)from->parts[axis] + 1;
        to->line[axis] = foi_new(a, count, sizeof(uint32_t));
        if (!to->line[axis]) return FO_ERROR_MEMORY;
        memcpy(to->line[axis], from->line[axis], count * sizeof(uint32_t));
    }
    return FO_OK;
}

void foi_cuts_free(const fo_allocator *a, foi_cuts *cuts)
{
    for (int axis = 0; axis < 3; axis++) {
        foi_free(a, cuts->line[axis]);
        cuts->line[axis] = NULL;
    }
}

static void place_of(const foi_cuts *cuts, int rank, uint32_t place[3])
{
    uint32_t rest = (uint32_t)rank;
    for (int axis = 0; axis < 3; axis++) {
        place[axis] = rest % cuts->parts[axis];
        rest /= cuts->parts[axis];
    }
}

foi_box foi_cuts_box(const foi_cuts *cuts, int rank)
{
    foi_box b = {0};
    uint32_t place[3];
    place_of(cuts, rank, place);
    for (int axis = 0; axis < 3; axis++) {
        const uint32_t *line = cuts->line[axis] + place[axis];
        b.first[axis] = line[0];
        b.n[axis] = line[1] - line[0];
    }
    return b;
}

// ------------------------------------------------------------------------------------------
// sharing

static void lay_out(fo_cluster *c)
{
    const fo_field *f = c->f;
    const uint32_t *parts = c->cuts.parts;
    foi_domain *s = &c->share;
    foi_box *b = &s->box;
    uint32_t place[3];
    *b = foi_cuts_box(&c->cuts, c->rank);
    place_of(&c->cuts, c->rank, place);
    s->room = 1;
    s->nodes = b->n[0] * b->n[1] * b->n[2];
    for (int axis = 0; axis < 3; axis++) {
        bool used = axis < (int)f->def.dimensions, wraps = f->box.reach[2 * axis] == FOI_WRAP;
        b->stride[axis] = (ptrdiff_t)s->room;
        if (used) s->origin += s->room;
        s->room *= b->n[axis] + (used ? 2 : 0);
        for (int end = 0; end < 2; end++) {
            uint32_t p = parts[axis], i = place[axis], there[3];
            bool outside = end ? i + 1 == p : i == 0, halo = p > 1 && (!outside || wraps);
            foi_neighbour *near = &s->near[2 * axis + end];
            b->reach[2 * axis + end] = halo ? FOI_HALO : f->box.reach[2 * axis + end];
            memcpy(there, place, sizeof there);
            there[axis] = (i + (end ? 1 : p - 1)) % p;
            near->rank = halo ? (int)(there[0] + parts[0] * (there[1] + parts[1] * there[2]))
                              : MPI_PROC_NULL;
            near->count = s->nodes / b->n[axis];
        }
    }
    s->packed = *b;
    s->packed.stride[1] = b->n[0];
    s->packed.stride[2] = (ptrdiff_t)b->n[0] * b->n[1];
}

/// Takes a slab off the box at each side with a neighbour; what is left needs no halo.
static void cut_pieces(foi_domain *s)
{
    foi_box inner = s->box;
    ptrdiff_t at = 0;
    int count = 1;
    for (int side = 0; side < 6; side++) {
        int axis = side / 2;
        if (s->box.reach[side] != FOI_HALO) continue;
        foi_box *slab = &s->pieces[count];
        *slab = inner;
        slab->n[axis] = 1;
        slab->reach[2 * axis] = slab->reach[2 * axis + 1] = FOI_HALO;
        s->piece_at[count] = at;
        inner.n[axis]--;
        inner.reach[side] = FOI_HALO;
        if (side % 2) {
            slab->first[axis] += inner.n[axis];
            s->piece_at[count] += (ptrdiff_t)inner.n[axis] * inner.stride[axis];
        } else {
            inner.first[axis]++;
            at += inner.stride[axis];
        }
        count++;
    }
    s->pieces[0] = inner;
    s->piece_at[0] = at;
    s->piece_count = count;
}

/// The place of a node of the whole grid among the rank's own; s->nodes: it is another's.
static uint32_t place_in(const fo_cluster *c, uint32_t node)
{
    const foi_box *b = &c->share.box;
    uint32_t rest = node, at = 0, stride = 1;
    for (int axis = 0; axis < 3; axis++) {
        uint32_t i = rest % c->f->n[axis];
        rest /= c->f->n[axis];
        if (i < b->first[axis] || i >= b->first[axis] + b->n[axis]) return c->share.nodes;
        at += stride * (i - b->first[axis]);
        stride *= b->n[axis];
    }
    return at;
}

static uint32_t take_acts(const fo_cluster *c, const foi_act *from, uint32_t count, foi_act *to)
{
    uint32_t taken = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = place_in(c, from[i].node);
        if (at < c->share.nodes) to[taken++] = (foi_act){at, from[i].signal};
    }
    return taken;
}

static void number_nodes(const fo_cluster *c, uint32_t *node)
{
    const foi_box *b = &c->share.box;
    for (uint32_t k = 0; k < b->n[2]; k++)
        for (uint32_t j = 0; j < b->n[1]; j++)
            for (uint32_t i = 0; i < b->n[0]; i++)
                *node++ = fo_field_index(c->f, b->first[0] + i, b->first[1] + j, b->first[2] + k);
}

static fo_status make_arrays(fo_cluster *c)
{
    const fo_field *f = c->f;
    const fo_allocator *a = c->allocator;
    foi_domain *s = &c->share;
    size_t total = 0;
    for (int i = 0; i < 3; i++) {
        s->pad[i] = foi_new(a, s->room, sizeof(double));
        if (!s->pad[i]) return FO_ERROR_MEMORY;
    }
    for (int side = 0; side < 6; side++) total += 4 * s->near[side].count;
    double *next = s->buffers = foi_new(a, total, sizeof(double));
    s->node = foi_new(a, s->nodes, sizeof *s->node);
    s->held = foi_new(a, f->held_count, sizeof *s->held);
    s->forces = foi_new(a, f->force_count, sizeof *s->forces);
    s->under = foi_new(a, foi_object_nodes(f), sizeof *s->under);
    if (!next || !s->node || !s->held || !s->forces || !s->under) return FO_ERROR_MEMORY;
    for (int side = 0; side < 6; side++) {
        s->near[side].out = next;
        s->near[side].in = next + 2 * s->near[side].count;
        next += 4 * s->near[side].count;
    }
    return FO_OK;
}

static void make_part(fo_cluster *c)
{
    const fo_field *f = c->f;
    foi_domain *s = &c->share;
    foi_part *p = &c->part;
    number_nodes(c, s->node);
    *p = (foi_part){.f = f,
                    .box = &s->packed,
                    .nodes = s->nodes,
                    .node = s->node,
                    .held = s->held,
                    .forces = s->forces,
                    .under = s->under,
                    .link = &foi_cluster_link,
                    .self = c};
    for (int side = 0; side < 6; side++) p->beyond[side] = s->near[side].in;
    p->held_count = take_acts(c, f->held, f->held_count, s->held);
    p->force_count = take_acts(c, f->forces, f->force_count, s->forces);
    for (uint32_t i = 0; i < foi_object_nodes(f); i++) {
        uint32_t at = place_in(c, foi_object_node(f, i));
        if (at < s->nodes) s->under[p->under_count++] = (foi_touch){i, at};
    }
}

// One rank alone has the field itself, with the field's own way to solve equations.
fo_status foi_domain_create(fo_cluster *c)
{
    lay_out(c);
    cut_pieces(&c->share);
    c->cost.nodes = c->share.nodes;
    fo_status status = make_arrays(c);
    if (status) return status;
    if (c->ranks == 1) {
        c->part = c->f->whole;
        return FO_OK;
    }
    make_part(c);
    return foi_part_create(&c->part);
}

void foi_domain_destroy(fo_cluster *c)
{
    const fo_allocator *a = c->allocator;
    foi_domain *s = &c->share;
    if (c->part.link) foi_part_destroy(&c->part, c->f->allocator);
    for (int i = 0; i < 3; i++) foi_free(a, s->pad[i]);
    void *const blocks[] = {s->buffers, s->node, s->held, s->forces, s->under};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) foi_free(a, blocks[i]);
    *s = (foi_domain){0};
    c->part = (foi_part){0};
}
