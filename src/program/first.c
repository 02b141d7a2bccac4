/// Of several starts the nearest. The initial system is solved loop by loop, for a given truth of
/// its relations; each loop takes its solution nearest to the start values. But there may be
/// several together that agree with themselves:
///
///   - relations whose truth depends on itself, as x > 1 in x = if x > 1 then 2 else 0, are true in
///     one and false in another;
///   - where a loop follows from another one, the nearest of the first may make the second go far.
///
/// So where they are few, all truths of such relations are tried, and for each the solutions of
/// small loops one after the other, by their distance (nearest_proof.c). What is no farther from
/// the start values than the nearest so far is bounded by that. Taken is the least sum of squares
/// over all variables that have start values, each in units of its size.
#include <float.h>
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "program/moment.h"
#include "program/newton.h"

enum { MOST_ENTANGLED = 6, MOST_RUNS = 300, MOST_FOLLOWS = 8 };

// ------------------------------------------------------------------------ what depends on itself

typedef struct reach {
    const foi_code *code;
    uint64_t *mask; ///< per register: on which relations it depends
} reach;

static void go_along(reach *d, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; i++) {
        const foi_instruction *x = &d->code->list[i];
        if (x->op == FOI_I_END) break;
        uint64_t all = 0;
        for (uint32_t k = 0; k < foi_instruction_arity(x->op); k++)
            all |= d->mask[foi_operand_of(x, k)];
        d->mask[x->to] = all;
    }
}

// All unknowns of a loop depend on whatever one of its equations depends on.
static void go_around(reach *d, const foi_loop_code *l)
{
    uint64_t all = 0;
    for (uint32_t j = 0; j < l->count; j++) d->mask[l->unknown[j]] = 0;
    go_along(d, l->begin, l->end);
    for (uint32_t i = 0; i < l->count; i++) all |= d->mask[l->residual[i]];
    for (uint32_t j = 0; j < l->count; j++) d->mask[l->unknown[j]] = all;
    go_along(d, l->begin, l->end);
}

bool foi_program_find_entangled(foi_program *g, const fo_allocator *allocator)
{
    const foi_code *code = &g->codes[FOI_TASK_FIRST];
    uint32_t n = g->relations;
    if (!g->nears || n == 0 || n > 64) return true;
    reach d = {code, foi_new(allocator, code->registers, sizeof *d.mask)};
    g->entangled = foi_arena_new(&g->arena, n, sizeof *g->entangled);
    if (!d.mask || !g->entangled) {
        foi_free(allocator, d.mask);
        return false;
    }
    for (uint32_t r = 0; r < n; r++) d.mask[g->layout.at[FOI_LEAF_HELD] + r] = UINT64_C(1) << r;
    for (uint32_t i = 0; i < code->count; i++)
        if (code->list[i].op == FOI_I_SOLVE)
            go_around(&d, &code->loops[code->list[i].a]);
        else
            go_along(&d, i, i + 1);
    uint64_t on[64];
    for (uint32_t r = 0; r < n; r++) on[r] = d.mask[code->results[1 + r]];
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t r = 0; r < n; r++)
            if (on[r] >> k & 1) on[r] |= on[k];
    for (uint32_t r = 0; r < n; r++)
        if (on[r] >> r & 1 && g->relation_op[r] != FOI_G_FLOOR)
            g->entangled[g->entangled_count++] = r;
    foi_free(allocator, d.mask);
    return true;
}

// ------------------------------------------------------------------------------------- one start

typedef struct starts {
    foi_moment *m;
    fo_state quiet; ///< attempts say nothing
    const double *given;
    const double *origin; ///< guesses: the start values
    double *results, *found;
    double *held;       ///< per relation: as it was in the beginning
    double *best, *was; ///< guesses and relations of the nearest
    uint32_t *rank;     ///< per loop of the program
    uint32_t *level;    ///< loops of the code, in their order
    uint32_t levels, stopped;
    double least; ///< distance; INFINITY: none yet
    double own;   ///< of the first that was tried: the one that there was before
    int tries, runs;
    void *block;
} starts;

static bool begin(starts *q, foi_moment *m, const double *given, const double *origin)
{
    const foi_program *g = m->g;
    const foi_code *code = &g->codes[FOI_TASK_FIRST];
    size_t n = g->guesses, r = g->relations, whole = (size_t)g->loops + code->loop_count;
    double *at = foi_new(NULL, code->result_count + 2 * n + 2 * r + whole, sizeof *at);
    *q = (starts){.m = m, .quiet = *m->s, .given = given, .origin = origin, .least = INFINITY};
    q->quiet.message = NULL;
    if (!(q->block = at)) return false;
    q->results = at, q->found = at += code->result_count, q->best = at += n, q->held = at += n;
    q->was = at += r, q->rank = (uint32_t *)(void *)(at + r), q->level = q->rank + g->loops;
    memcpy(q->held, m->held, r * sizeof *q->held);
    for (uint32_t i = 0; i < code->count; i++)
        if (code->list[i].op == FOI_I_SOLVE) q->level[q->levels++] = code->list[i].a;
    return true;
}

// From the start values: the solutions that are wanted, to q->found.
static fo_status solve(starts *q)
{
    const foi_program *g = q->m->g;
    foi_given given;
    foi_give(&given, g, &q->quiet, q->quiet.t, q->quiet.x);
    given.from[FOI_LEAF_START] = q->given;
    given.guesses = q->origin;
    memcpy(q->found, q->origin, g->guesses * sizeof *q->found);
    q->stopped = FOI_NOTHING;
    foi_solving how = {.found = q->found, .rank = q->rank, .reach = q->least};
    how.stopped = &q->stopped;
    fo_status status = foi_program_run_once(g, &q->quiet, FOI_TASK_FIRST, &given, &how, q->results);
    const double *place = q->results + (g->nears ? 1 + g->relations : 0);
    for (uint32_t i = 0; i < g->places && status == FO_OK; i++)
        if (isfinite(place[i])) q->found[g->place_guess[i]] = place[i];
    return status;
}

static double truth(const starts *q, uint32_t r)
{
    double value = q->results[1 + r];
    if (q->m->g->relation_op[r] == FOI_G_FLOOR) return floor(value);
    return foi_moment_truth_now(q->m, r, value);
}

static bool is_entangled(const foi_program *g, uint32_t r)
{
    for (uint32_t i = 0; i < g->entangled_count; i++)
        if (g->entangled[i] == r) return true;
    return false;
}

// Relations that follow from the others do so.
static bool follow(starts *q)
{
    const foi_program *g = q->m->g;
    bool changed = false;
    for (uint32_t r = 0; r < g->relations; r++) {
        if (is_entangled(g, r) || !isfinite(q->results[1 + r])) continue;
        double now = truth(q, r);
        changed |= now != q->m->held[r];
        q->m->held[r] = now;
    }
    return changed;
}

static bool agrees(const starts *q)
{
    for (uint32_t i = 0; i < q->m->g->entangled_count; i++) {
        uint32_t r = q->m->g->entangled[i];
        if (!isfinite(q->results[1 + r]) || truth(q, r) != q->m->held[r]) return false;
    }
    return true;
}

// For the truth of relations and the ranks as they are.
static fo_status try_one(starts *q)
{
    const foi_program *g = q->m->g;
    bool changed = true;
    fo_status status = FO_OK;
    for (int k = 0; changed && k < MOST_FOLLOWS; k++) {
        q->runs++;
        status = solve(q);
        if (status != FO_OK) return status;
        changed = follow(q);
    }
    double far = foi_fmin(DBL_MAX, sqrt(q->results[0]));
    if (changed || !agrees(q) || !(far < q->least * (1 - 1e-9))) return FO_OK;
    q->least = far;
    memcpy(q->best, q->found, g->guesses * sizeof *q->best);
    memcpy(q->was, q->m->held, g->relations * sizeof *q->was);
    return FO_OK;
}

// ----------------------------------------------------------------------------------- all of them

// The next solution of the last loop before level `at` that may have several. False: there is none.
static bool next(starts *q, uint32_t at)
{
    const foi_code *code = &q->m->g->codes[FOI_TASK_FIRST];
    while (at-- > 0) {
        const foi_loop_about *about = code->loops[q->level[at]].about;
        if (!about->linear && code->loops[q->level[at]].count <= FOI_NEWTON_SMALL) {
            q->rank[about->number]++;
            return true;
        }
        q->rank[about->number] = 0;
    }
    return false;
}

static uint32_t level_of(const starts *q, uint32_t number)
{
    const foi_code *code = &q->m->g->codes[FOI_TASK_FIRST];
    for (uint32_t k = 0; k < q->levels; k++)
        if (code->loops[q->level[k]].about->number == number) return k;
    return 0;
}

// A loop without that solution has none that is farther either: the ones before it go on.
static fo_status try_solutions(starts *q)
{
    const foi_program *g = q->m->g;
    const foi_code *code = &g->codes[FOI_TASK_FIRST];
    memset(q->rank, 0, g->loops * sizeof *q->rank);
    for (bool more = true; more && q->runs < MOST_RUNS;) {
        fo_status status = try_one(q);
        if (status == FO_ERROR_MEMORY) return status;
        if (q->tries++ == 0) q->own = q->least;
        uint32_t at = status == FO_OK ? q->levels : level_of(q, q->stopped);
        for (uint32_t k = at; k < q->levels; k++)
            q->rank[code->loops[q->level[k]].about->number] = 0;
        more = next(q, at);
    }
    return FO_OK;
}

static fo_status try_relations(starts *q)
{
    const foi_program *g = q->m->g;
    uint32_t n = g->entangled_count <= MOST_ENTANGLED ? g->entangled_count : 0;
    fo_status status = FO_OK;
    for (uint32_t turned = 0; turned < UINT32_C(1) << n && status == FO_OK; turned++) {
        memcpy(q->m->held, q->held, g->relations * sizeof *q->held);
        for (uint32_t i = 0; i < n; i++)
            if (turned >> i & 1) q->m->held[g->entangled[i]] = q->held[g->entangled[i]] == 0;
        status = try_solutions(q);
    }
    memcpy(q->m->held, q->held, g->relations * sizeof *q->held);
    return status;
}

static fo_status no_memory(const foi_moment *m)
{
    return fo_fail(m->s->message, FO_ERROR_MEMORY, "no memory for the start");
}

static bool may_be_several(const foi_program *g)
{
    const foi_code *code = &g->codes[FOI_TASK_FIRST];
    bool any = g->entangled_count > 0;
    for (uint32_t k = 0; k < code->loop_count; k++) any |= !code->loops[k].about->linear;
    return g->nears && any;
}

fo_status foi_moment_nearest(foi_moment *m, const double *given, double *origin, bool found,
                             bool *other)
{
    const foi_program *g = m->g;
    starts q;
    *other = false;
    if (!may_be_several(g)) return FO_OK;
    if (!begin(&q, m, given, origin)) return no_memory(m);
    fo_status status = try_relations(&q);
    if (status == FO_OK && q.least < (found ? q.own : INFINITY)) {
        *other = true;
        memcpy(m->held, q.was, g->relations * sizeof *q.was);
        memcpy(origin, q.best, g->guesses * sizeof *q.best);
    }
    foi_free(NULL, q.block);
    return status == FO_ERROR_MEMORY ? no_memory(m) : status;
}

// Relations as the initial system has them.
static bool take_relations(const starts *q)
{
    const foi_program *g = q->m->g;
    bool changed = false;
    for (uint32_t r = 0; r < g->relations; r++) {
        if (!isfinite(q->results[1 + r])) continue;
        double now = truth(q, r);
        changed |= now != q->m->held[r];
        q->m->held[r] = now;
    }
    return changed;
}

fo_status foi_moment_place(foi_moment *m, const double *given, const double *origin, bool *looked,
                           bool *changed)
{
    const foi_program *g = m->g;
    bool looks = g->nears && g->asks_before;
    starts q;
    *looked = false;
    if (!g->places && !looks) return FO_OK;
    if (!begin(&q, m, given, origin)) return no_memory(m);
    fo_status status = solve(&q);
    for (uint32_t i = 0; i < g->places && status == FO_OK; i++)
        foi_memory(m->s, g->guess)[g->place_guess[i]] = q.found[g->place_guess[i]];
    *looked = status == FO_OK && looks;
    if (*looked) *changed |= take_relations(&q);
    foi_free(NULL, q.block);
    return status == FO_ERROR_MEMORY ? no_memory(m) : FO_OK;
}
