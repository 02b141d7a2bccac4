/// Large waves in place: leapfrog over (theta, theta one step before).
///
/// With `block` > 1 several steps are taken in one pass over memory: a wavefront runs over the
/// rows, and step k + 1 follows step k at a distance of two rows, so that what step k wrote is
/// still in the cache. Threads share the steps of a block: each takes a group of neighbouring ones
/// and waits until the thread before it is far enough ahead. In three dimensions rows are planes.
///
/// Every node is computed by the same operations in all these orders, so the bits are the same.
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

#include "field/field.h"

enum { TEAM = 64, LINE = 16 };

struct fo_sweep {
    const fo_field *f;
    double h;
    uint32_t threads, block;
    uint64_t step;
    double *u, *before, *spare; ///< spare: with internal damping only
    const fo_allocator *allocator;
};

// ------------------------------------------------------------------------------------- one step

/// Forces and held nodes of the layers [from, to) after a step from time t. A layer is what stands
/// together along the last axis: a node, a row or a plane.
static void act(const fo_sweep *s, double t, uint32_t from, uint32_t to, double *after)
{
    const fo_field *f = s->f;
    uint32_t size = (uint32_t)f->box.stride[f->def.dimensions - 1];
    uint32_t first = from * size, last = to * size;
    double h = s->h;
    for (uint32_t i = 0; i < f->force_count; i++) {
        uint32_t node = f->forces[i].node;
        if (node < first || node >= last || f->still[node]) continue;
        double e = h * foi_damping_at(f, node) / 2;
        after[node] += h * h * foi_signal_at(f, f->forces[i].signal, t, NULL).s / (1 + e);
    }
    for (uint32_t i = 0; i < f->held_count; i++) {
        uint32_t node = f->held[i].node;
        if (node < first || node >= last) continue;
        after[node] = foi_signal_at(f, f->held[i].signal, t + h, NULL).s;
    }
}

static uint32_t layers(const fo_field *f)
{
    return f->n[f->def.dimensions - 1];
}

/// The layers [from, to) of step number n. In one dimension there is one row and so one layer.
static void do_layers(const fo_sweep *s, uint64_t n, uint32_t from, uint32_t to)
{
    const fo_field *f = s->f;
    bool odd = (n - s->step) % 2;
    const double *u = odd && !s->spare ? s->before : s->u;
    double *after = s->spare ? s->spare : odd ? s->u : s->before;
    const double *before = s->spare ? s->before : after;
    uint32_t rows = f->def.dimensions == 3 ? f->n[1] : 1;
    if (f->def.dimensions == 1) {
        foi_leapfrog_rows(f, &f->box, 0, 1, s->h, u, before, after);
        act(s, s->h * (double)n, 0, f->n[0], after);
        return;
    }
    foi_leapfrog_rows(f, &f->box, from * rows, to * rows, s->h, u, before, after);
    act(s, s->h * (double)n, from, to, after);
}

/// After `count` steps the newer values are in the other array when the count is odd.
static void turn(fo_sweep *s, uint64_t count)
{
    double *u = s->u;
    s->step += count;
    if (s->spare) {
        s->u = s->spare, s->spare = s->before, s->before = u;
    } else if (count % 2) {
        s->u = s->before, s->before = u;
    }
}

static void single_rows(void *self, uint32_t from, uint32_t to)
{
    const fo_sweep *s = self;
    do_layers(s, s->step, from, to);
}

static void single(fo_sweep *s)
{
    uint32_t count = s->f->def.dimensions == 1 ? 1 : layers(s->f);
    foi_in_parallel(s->threads, count, single_rows, s);
    turn(s, 1);
}

// ------------------------------------------------------------------------------------ wavefronts

typedef struct wave {
    fo_sweep *s;
    uint32_t block, threads;
    _Atomic uint32_t done[TEAM * LINE]; ///< layers that each thread's last step has finished
} wave;

typedef struct share {
    wave *w;
    uint32_t index;
} share;

/// Waits until `counter` is at least `wanted`. A thread without a core of its own gives it away.
static void wait_for(_Atomic uint32_t *counter, uint32_t wanted)
{
    for (int spin = 0; atomic_load_explicit(counter, memory_order_acquire) < wanted; spin++)
        if (spin > 1000) sched_yield();
}

// Thread i takes the steps [first, last) of the block. Layer j of step k needs the layers up to
// j + 1 of step k - 1; when these are done, nobody reads what it overwrites any more.
static void *wavefront(void *self)
{
    const share *mine = self;
    wave *w = mine->w;
    uint32_t i = mine->index, all = layers(w->s->f);
    uint32_t first = w->block * i / w->threads, last = w->block * (i + 1) / w->threads;
    for (uint32_t front = 0; front < all + 2 * (last - first); front++)
        for (uint32_t k = first; k < last && 2 * (k - first) <= front; k++) {
            uint32_t j = front - 2 * (k - first);
            if (j >= all) continue;
            if (k == first && i > 0) wait_for(&w->done[(i - 1) * LINE], j + 2 < all ? j + 2 : all);
            do_layers(w->s, w->s->step + k, j, j + 1);
            if (k + 1 == last)
                atomic_store_explicit(&w->done[i * LINE], j + 1, memory_order_release);
        }
    return NULL;
}

/// The threads before a waiting one run already, or are run here before it in their order.
static void several(fo_sweep *s)
{
    wave w = {.s = s, .block = s->block, .threads = s->threads};
    if (w.threads > w.block) w.threads = w.block;
    share shares[TEAM];
    pthread_t members[TEAM];
    bool started[TEAM] = {false};
    for (uint32_t i = 0; i < w.threads; i++) shares[i] = (share){&w, i};
    for (uint32_t i = 1; i < w.threads; i++)
        started[i] = pthread_create(&members[i], NULL, wavefront, &shares[i]) == 0;
    wavefront(&shares[0]);
    for (uint32_t i = 1; i < w.threads; i++)
        if (!started[i]) wavefront(&shares[i]);
    for (uint32_t i = 1; i < w.threads; i++)
        if (started[i]) pthread_join(members[i], NULL);
    turn(s, w.block);
}

static bool can_block(const fo_sweep *s)
{
    const fo_field *f = s->f;
    uint32_t last = f->def.dimensions - 1;
    return s->block > 1 && last > 0 && !s->spare && f->box.reach[2 * last] != FOI_WRAP;
}

void fo_sweep_advance(fo_sweep *s, uint64_t steps)
{
    while (steps > 0) {
        if (can_block(s) && steps >= s->block) {
            several(s);
            steps -= s->block;
        } else {
            single(s);
            steps--;
        }
    }
}

// ----------------------------------------------------------------------------------------- making

// Rows of a large grid are far apart: with pages of 4 KB every row would be a new one.
double *foi_large_new(const fo_allocator *allocator, size_t count)
{
    if (count > PTRDIFF_MAX / sizeof(double)) return NULL;
    const fo_allocator *a = allocator ? allocator : fo_heap();
    double *block = a->resize(a->self, NULL, 0, count * sizeof *block);
    if (!block) return NULL;
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    const uintptr_t huge = (uintptr_t)1 << 21;
    uintptr_t from = ((uintptr_t)block + huge - 1) & ~(huge - 1);
    uintptr_t to = ((uintptr_t)block + count * sizeof *block) & ~(huge - 1);
    if (to > from) madvise((void *)from, to - from, MADV_HUGEPAGE); // a wish only
#endif
    memset(block, 0, count * sizeof *block);
    return block;
}

// The step before the start, of second order: u(-h) = u - h w + h^2/2 w'.
static fo_status step_back(fo_sweep *s)
{
    const fo_field *f = s->f;
    double h = s->h;
    double *du = foi_new(s->allocator, 2 * (size_t)f->nodes, sizeof *du);
    double *dw = du ? du + f->nodes : NULL;
    double *w = foi_new(s->allocator, f->nodes, sizeof *w);
    if (du && w) {
        memcpy(s->u, f->start, f->nodes * sizeof *s->u);
        memcpy(w, f->start_velocity, f->nodes * sizeof *w);
        for (uint32_t i = 0; i < f->held_count; i++) {
            foi_signal_value value = foi_signal_at(f, f->held[i].signal, 0, NULL);
            s->u[f->held[i].node] = value.s, w[f->held[i].node] = value.ds;
        }
        foi_rates_rows(f, &f->box, 0, foi_rows(&f->box), 0, s->u, w, du, dw);
        for (uint32_t i = 0; i < f->force_count; i++)
            dw[f->forces[i].node] += foi_signal_at(f, f->forces[i].signal, 0, NULL).s;
        for (uint32_t i = 0; i < f->nodes; i++)
            s->before[i] = f->still[i] ? s->u[i] : s->u[i] - h * (w[i] - h / 2 * dw[i]);
    }
    bool good = du && w;
    foi_free(s->allocator, du);
    foi_free(s->allocator, w);
    return good ? FO_OK : FO_ERROR_MEMORY;
}

static fo_status check(const fo_field *f, const fo_sweep_def *def, fo_message *why)
{
    double limit = foi_limit(f, FO_FIELD_LEAPFROG);
    if (f->def.equation != FO_FIELD_WAVE || f->object)
        return fo_fail(why, FO_ERROR_UNFIT, "%s: a sweep is for waves without an object", f->name);
    if (!(def->step > 0 && def->step <= limit * (1 + 1e-9)))
        return fo_fail(why, FO_ERROR_ARGUMENT,
                       "%s: the step of a sweep must be positive and at most the stability limit "
                       "%.9g s, is %.9g s",
                       f->name, limit, def->step);
    return FO_OK;
}

fo_sweep *fo_sweep_create(const fo_field *field, const fo_sweep_def *def, fo_message *why)
{
    if (check(field, def, why)) return NULL;
    fo_sweep *s = foi_new(def->allocator, 1, sizeof *s);
    if (!s) goto lacking;
    uint32_t threads = def->threads ? def->threads : 1;
    *s = (fo_sweep){.f = field,
                    .h = def->step,
                    .threads = threads < TEAM ? threads : TEAM,
                    .block = def->block,
                    .allocator = def->allocator};
    s->u = foi_large_new(s->allocator, field->nodes);
    s->before = foi_large_new(s->allocator, field->nodes);
    if (field->b2.most > 0) s->spare = foi_large_new(s->allocator, field->nodes);
    bool good = s->u && s->before && (s->spare || !(field->b2.most > 0));
    if (good && !step_back(s)) return s;
lacking:
    fo_fail(why, FO_ERROR_MEMORY, "no memory for a sweep over %u nodes", field->nodes);
    fo_sweep_destroy(s);
    return NULL;
}

void fo_sweep_destroy(fo_sweep *s)
{
    if (!s) return;
    foi_free(s->allocator, s->u);
    foi_free(s->allocator, s->before);
    foi_free(s->allocator, s->spare);
    foi_free(s->allocator, s);
}

double fo_sweep_time(const fo_sweep *s)
{
    return s->h * (double)s->step;
}

const double *fo_sweep_values(const fo_sweep *s)
{
    return s->u;
}

const double *foi_sweep_before(const fo_sweep *s)
{
    return s->before;
}
