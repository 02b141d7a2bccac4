/// Springs as nodes see them, for stepping on threads: runs of nodes that look alike.
///
/// A node's ends are its springs in the order in which they were added: how far away the other node
/// is (in numbers), and the two numbers of the force. Nodes that follow each other and have equal
/// ends are a run, and equal ends are stored once; a lattice of a million nodes needs a few kinds
/// of ends and some runs for every row, and its nodes can be computed side by side. Where nothing
/// is alike, every node is a run.
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "math/math.h"
#include "structure/structure.h"

enum { KINDS = 1024 }; ///< room to look equal ends up; more kinds are stored more than once

/// Lengths that are measured in the start state differ by rounding.
static const double rounding = 1e-13;

typedef struct maker {
    fo_structure *s;
    uint32_t *start, *spring; ///< springs of each node
    uint32_t kinds[KINDS];    ///< a run with these ends, from 1; 0: none yet
    size_t run_room, offset_room, slope_room, rest_room;
    size_t end_count;
} maker;

static fo_status check(const fo_structure *s, fo_message *why)
{
    const char *what = NULL;
    if (s->bend_count || s->volume_count || s->skin_count) what = "bending, volumes or skins";
    if (s->slot_count) what = "springs that break or yield";
    if (s->def.bowl > 0) what = "a bowl";
    if (s->flows) what = "ports with flow in";
    for (size_t i = 1; i < s->spring_count && !what; i++)
        if (s->springs[i].energy != s->springs[0].energy) what = "springs with different energies";
    if (!what) return FO_OK;
    return fo_fail(why, FO_ERROR_ARGUMENT, "a structure with 'leapfrog' cannot have %s", what);
}

// The springs of each node, in order.
static bool list_springs(maker *m)
{
    const fo_structure *s = m->s;
    m->start = foi_new(s->def.allocator, (size_t)s->nodes + 2, sizeof *m->start);
    m->spring = s->spring_count < UINT32_MAX / 2
                    ? foi_new(s->def.allocator, 2 * s->spring_count, sizeof *m->spring)
                    : NULL;
    if (!m->start || !m->spring) return false;
    for (size_t i = 0; i < s->spring_count; i++)
        m->start[s->springs[i].a + 2]++, m->start[s->springs[i].b + 2]++;
    for (uint32_t n = 0; n < s->nodes; n++) m->start[n + 2] += m->start[n + 1];
    for (size_t i = 0; i < s->spring_count; i++) {
        m->spring[m->start[s->springs[i].a + 1]++] = (uint32_t)i;
        m->spring[m->start[s->springs[i].b + 1]++] = (uint32_t)i;
    }
    return true;
}

static int32_t offset_of(const foi_spring *p, uint32_t node)
{
    return (int32_t)((int64_t)(p->a == node ? p->b : p->a) - (int64_t)node);
}

// squares: c = 2 k l^2 - 2 k d^2; lengths: c = k - k d / l. `slope` and `rest` are those numbers.
static double slope_of(const foi_spring *p)
{
    return p->energy == FO_SPRING_SQUARES ? 2 * p->k : p->k;
}

static double rest_of(const foi_spring *p)
{
    return slope_of(p) * (p->energy == FO_SPRING_SQUARES ? p->d * p->d : p->d);
}

static bool alike(const maker *m, const foi_run *run, uint32_t node)
{
    const fo_structure *s = m->s;
    uint32_t from = m->start[node], degree = m->start[node + 1] - from;
    if (run->degree != degree) return false;
    for (uint32_t i = 0; i < degree; i++) {
        const foi_spring *p = &s->springs[m->spring[from + i]];
        size_t e = (size_t)run->ends + i;
        if (s->end_offset[e] != offset_of(p, node) ||
            fabs(s->end_slope[e] - slope_of(p)) > rounding * slope_of(p) ||
            fabs(s->end_rest[e] - rest_of(p)) > rounding * rest_of(p))
            return false;
    }
    return true;
}

static uint32_t *kind_of(maker *m, uint32_t node)
{
    uint32_t hash = m->start[node + 1] - m->start[node];
    for (uint32_t i = m->start[node]; i < m->start[node + 1]; i++)
        hash = hash * 31 + (uint32_t)offset_of(&m->s->springs[m->spring[i]], node);
    return &m->kinds[hash % KINDS];
}

static bool store_ends(maker *m, uint32_t node)
{
    fo_structure *s = m->s;
    const fo_allocator *a = s->def.allocator;
    size_t wanted = m->end_count + (m->start[node + 1] - m->start[node]);
    if (wanted > UINT32_MAX ||
        !foi_array_room(a, &s->end_offset, &m->offset_room, wanted, sizeof *s->end_offset) ||
        !foi_array_room(a, &s->end_slope, &m->slope_room, wanted, sizeof *s->end_slope) ||
        !foi_array_room(a, &s->end_rest, &m->rest_room, wanted, sizeof *s->end_rest))
        return false;
    for (uint32_t i = m->start[node]; i < m->start[node + 1]; i++) {
        const foi_spring *p = &s->springs[m->spring[i]];
        s->end_offset[m->end_count] = offset_of(p, node);
        s->end_slope[m->end_count] = slope_of(p);
        s->end_rest[m->end_count++] = rest_of(p);
    }
    return true;
}

static bool add_to_runs(maker *m, uint32_t node)
{
    fo_structure *s = m->s;
    if (s->run_count && alike(m, &s->runs[s->run_count - 1], node)) {
        s->runs[s->run_count - 1].count++;
        return true;
    }
    uint32_t *kind = kind_of(m, node);
    foi_run run = {node, 1, (uint32_t)m->end_count, m->start[node + 1] - m->start[node]};
    if (*kind && alike(m, &s->runs[*kind - 1], node))
        run.ends = s->runs[*kind - 1].ends;
    else if (!store_ends(m, node))
        return false;
    if (!foi_array_room(s->def.allocator, &s->runs, &m->run_room, s->run_count + 1,
                        sizeof *s->runs))
        return false;
    s->runs[s->run_count++] = run;
    *kind = (uint32_t)s->run_count;
    return true;
}

// Each spring has a stiffness along it, 4 k d^2 or k, so that by Gershgorin's theorem no omega^2 of
// M^-1 K is above the largest 2 sum of stiffnesses / m of a node. Leapfrog is stable below 2 /
// omega.
static double sure_step(const maker *m)
{
    const fo_structure *s = m->s;
    double most = 0;
    for (uint32_t n = 0; n < s->nodes; n++) {
        double sum = 0, inverse = s->mass[n] > 0 ? 1 / s->mass[n] : 0;
        for (uint32_t i = m->start[n]; i < m->start[n + 1]; i++) {
            const foi_spring *p = &s->springs[m->spring[i]];
            sum += p->energy == FO_SPRING_SQUARES ? 4 * p->k * p->d * p->d : p->k;
        }
        most = foi_fmax(most, 2 * sum * inverse);
    }
    return 2 / sqrt(most);
}

fo_status foi_make_runs(fo_structure *s, fo_message *why)
{
    maker m = {.s = s};
    fo_status status = check(s, why);
    if (status != FO_OK) return status;
    bool made = list_springs(&m);
    for (uint32_t node = 0; made && node < s->nodes; node++) made = add_to_runs(&m, node);
    if (made) s->sure_step = sure_step(&m);
    foi_free(s->def.allocator, m.start);
    foi_free(s->def.allocator, m.spring);
    return made ? FO_OK
                : fo_fail(why, FO_ERROR_MEMORY, "no memory for the springs of a large structure");
}
