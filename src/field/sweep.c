/// Large waves in place: leapfrog over (theta, theta one step before).
///
/// With `block` > 1 several steps are taken in one pass over memory: a wavefront runs over the
/// layers, and step k + 1 follows step k at a distance of two layers, so that what step k wrote is
/// still in the cache. Each thread does so in its own share of the layers, which shrinks by a layer
/// per step at a border with another share, since it would need the other's values there. What is
/// left open, a triangle over each border, is closed afterwards:
///
///     step 3   . . . . \ o o o o o o / . . . .
///     step 2   . . . . . \ o o o o / . . . . .
///     step 1   . . . . . . \ o o / . . . . . .      time upwards, layers to the right
///
/// Every node is computed by the same operations in all these orders, so the bits are the same.
#include <math.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

#include "field/field.h"

struct fo_sweep {
    const fo_field *f;
    double h;
    uint32_t threads, block;
    uint64_t step;
    foi_box box;                ///< the whole grid, its rows as far apart as is good for the caches
    double *u, *before, *spare; ///< spare: with internal damping only
    double *arrays;             ///< that all of them lie in
    double *dense;              ///< made when the values are asked for: rows without gaps
    const fo_allocator *allocator;
};

// ------------------------------------------------------------------------------------- one step

static ptrdiff_t place_of(const fo_sweep *s, uint32_t node)
{
    const fo_field *f = s->f;
    uint32_t row = node / f->n[0];
    return node % f->n[0] + row % f->n[1] * s->box.stride[1] + row / f->n[1] * s->box.stride[2];
}

/// Forces and held nodes among the nodes [first, last) after a step from time t.
static void act(const fo_sweep *s, double t, uint32_t first, uint32_t last, double *after)
{
    const fo_field *f = s->f;
    double h = s->h;
    for (uint32_t i = 0; i < f->force_count; i++) {
        uint32_t node = f->forces[i].node;
        if (node < first || node >= last || f->still[node]) continue;
        double e = h * foi_damping_at(f, node) / 2;
        after[place_of(s, node)] +=
            h * h * foi_signal_at(f, f->forces[i].signal, t, NULL).s / (1 + e);
    }
    for (uint32_t i = 0; i < f->held_count; i++) {
        uint32_t node = f->held[i].node;
        if (node < first || node >= last) continue;
        after[place_of(s, node)] = foi_signal_at(f, f->held[i].signal, t + h, NULL).s;
    }
}

/// A layer is what stands together along the last axis: a node, a row or a plane.
static uint32_t layers(const fo_field *f)
{
    return f->n[f->def.dimensions - 1];
}

/// What step number n reads and where it writes.
typedef struct arrays {
    const double *u, *before;
    double *after;
} arrays;

static arrays arrays_of(const fo_sweep *s, uint64_t n)
{
    if (s->spare) return (arrays){s->u, s->before, s->spare};
    bool odd = (n - s->step) % 2;
    double *after = odd ? s->u : s->before;
    return (arrays){odd ? s->before : s->u, after, after};
}

/// The layers [from, to) of step number n. In one dimension there is one row and so one layer.
/// `near`: they were touched just before.
static void do_layers(const fo_sweep *s, uint64_t n, uint32_t from, uint32_t to, bool near)
{
    const fo_field *f = s->f;
    arrays a = arrays_of(s, n);
    uint32_t rows = f->def.dimensions == 3 ? f->n[1] : 1;
    uint32_t size = f->def.dimensions == 1 ? f->n[0] : rows * f->n[0];
    foi_leapfrog_rows(f, &s->box, from * rows, to * rows, s->h, a.u, a.before, a.after, near);
    act(s, s->h * (double)n, from * size, to * size, a.after);
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
    do_layers(s, s->step, from, to, false);
}

static void single(fo_sweep *s)
{
    uint32_t count = s->f->def.dimensions == 1 ? 1 : layers(s->f);
    foi_in_parallel(s->threads, count, single_rows, s);
    turn(s, 1);
}

// ------------------------------------------------------------------------------------ wavefronts

/// The steps of a block over the layers [from, to) of one share. Layer j of step k needs the layers
/// up to j + 1 of step k - 1; when these are done, nobody reads what it overwrites any more.
static void wavefront(void *self, uint32_t from, uint32_t to)
{
    const fo_sweep *s = self;
    uint32_t all = layers(s->f);
    for (uint32_t front = from; front < to + 2 * s->block; front++)
        for (uint32_t k = 0; k < s->block && from + 2 * k <= front; k++) {
            uint32_t j = front - 2 * k;
            bool open = (from > 0 && j < from + k) || (to < all && j + k >= to);
            if (!open && j < to) do_layers(s, s->step + k, j, j + 1, k > 0);
        }
}

/// The triangle that two shares have left open over their border.
static void close_border(const fo_sweep *s, uint32_t border)
{
    for (uint32_t k = 1; k < s->block; k++)
        do_layers(s, s->step + k, border - k, border + k, false);
}

static void several(fo_sweep *s)
{
    uint32_t all = layers(s->f), most = all / (2 * s->block), threads = s->threads;
    if (threads > most) threads = most ? most : 1;
    foi_in_parallel(threads, all, wavefront, s);
    for (uint32_t i = 1; i < threads; i++) close_border(s, foi_team_share(threads, all, i));
    turn(s, s->block);
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

enum { CACHE_LINE = 8, PAGE = 512, SHIFT = 168 }; // doubles

// Rows that are a power of two apart would all want the same few places of a cache. In lines, the
// distance is made 69 beyond a multiple of 128: any 30 rows or so are then spread over all places.
static ptrdiff_t row_distance(const fo_field *f)
{
    enum { PERIOD = 128, REST = 69, SMALL = 1024 };
    size_t lines = (f->n[0] + CACHE_LINE - 1) / CACHE_LINE;
    if (f->def.dimensions == 1 || f->n[0] < SMALL) return f->n[0];
    lines += (REST + PERIOD - lines % PERIOD) % PERIOD;
    return (ptrdiff_t)(lines * CACHE_LINE);
}

// Arrays that begin at the same place of a page would stand in each other's way, too: a store would
// be taken for one to a later load's address, which the processor compares by twelve bits first.
static bool new_arrays(fo_sweep *s)
{
    const fo_field *f = s->f;
    size_t count = foi_is_damped_inside(f) ? 3 : 2;
    s->box = f->box;
    s->box.stride[1] = row_distance(f);
    s->box.stride[2] = s->box.stride[1] * f->n[1];
    size_t size = (size_t)s->box.stride[2] * f->n[2];
    size_t apart = (size + PAGE - 1) / PAGE * PAGE + SHIFT;
    s->arrays = foi_large_new(s->allocator, count * apart);
    if (!s->arrays) return false;
    s->u = s->arrays;
    s->before = s->arrays + apart;
    s->spare = count > 2 ? s->arrays + 2 * apart : NULL;
    return true;
}

// The step before the start, of second order: u(-h) = u - h w + h^2/2 w'.
static fo_status step_back(fo_sweep *s)
{
    const fo_field *f = s->f;
    double h = s->h;
    double *u = foi_new(s->allocator, 4 * (size_t)f->nodes, sizeof *u);
    if (!u) return FO_ERROR_MEMORY;
    double *w = u + f->nodes, *du = w + f->nodes, *dw = du + f->nodes;
    memcpy(u, f->start, f->nodes * sizeof *u);
    memcpy(w, f->start_velocity, f->nodes * sizeof *w);
    for (uint32_t i = 0; i < f->held_count; i++) {
        foi_signal_value value = foi_signal_at(f, f->held[i].signal, 0, NULL);
        u[f->held[i].node] = value.s, w[f->held[i].node] = value.ds;
    }
    foi_rates_rows(f, &f->box, 0, foi_rows(&f->box), 0, u, w, du, dw);
    for (uint32_t i = 0; i < f->force_count; i++)
        dw[f->forces[i].node] += foi_signal_at(f, f->forces[i].signal, 0, NULL).s;
    for (uint32_t i = 0; i < f->nodes; i++) {
        ptrdiff_t at = place_of(s, i);
        s->u[at] = u[i];
        s->before[at] = f->still[i] ? u[i] : u[i] - h * (w[i] - h / 2 * dw[i]);
    }
    foi_free(s->allocator, u);
    return FO_OK;
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

fo_sweep_def fo_default_sweep_def(void)
{
    return (fo_sweep_def){.threads = 1, .block = 1};
}

fo_sweep *fo_sweep_create(const fo_field *field, const fo_sweep_def *def, fo_message *why)
{
    if (check(field, def, why)) return NULL;
    fo_sweep *s = foi_new(def->allocator, 1, sizeof *s);
    if (!s) goto lacking;
    *s = (fo_sweep){.f = field,
                    .h = def->step,
                    .threads = def->threads ? def->threads : 1,
                    .block = def->block,
                    .allocator = def->allocator};
    if (new_arrays(s) && !step_back(s)) return s;
lacking:
    fo_fail(why, FO_ERROR_MEMORY, "no memory for a sweep over %u nodes", field->nodes);
    fo_sweep_destroy(s);
    return NULL;
}

void fo_sweep_destroy(fo_sweep *s)
{
    if (!s) return;
    foi_free(s->allocator, s->arrays);
    foi_free(s->allocator, s->dense);
    foi_free(s->allocator, s);
}

double fo_sweep_time(const fo_sweep *s)
{
    return s->h * (double)s->step;
}

/// The values without gaps between the rows. NULL: no memory.
static const double *without_gaps(fo_sweep *s, const double *values)
{
    const fo_field *f = s->f;
    size_t n = f->n[0];
    if (s->box.stride[1] == (ptrdiff_t)n) return values;
    if (!s->dense) s->dense = foi_new(s->allocator, f->nodes, sizeof *s->dense);
    for (size_t row = 0; s->dense && row < foi_rows(&s->box); row++)
        memcpy(s->dense + row * n, values + place_of(s, (uint32_t)(row * n)), n * sizeof *values);
    return s->dense;
}

const double *fo_sweep_values(fo_sweep *s)
{
    return without_gaps(s, s->u);
}

const double *foi_sweep_before(fo_sweep *s)
{
    return without_gaps(s, s->before);
}
