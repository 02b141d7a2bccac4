/// Geometric multigrid for sigma x - lap x = b: V-cycles with two sweeps of Gauss-Seidel before and
/// after, full weighting, linear interpolation, and LU on the coarsest grid (Brandt 1977). Axes are
/// coarsened while they have an even number of cells, at least four.
#include <math.h>
#include <string.h>

#include "field/grid.h"
#include "field/implicit.h"
#include "solver/linear.h"

enum { LEVELS = 16, SWEEPS = 2, CYCLES = 200 };

typedef struct level {
    foi_grid grid;
    bool *still;
    double *sigma, *x, *b, *r, *half; ///< half: on the way between grids, as large as this one
    bool coarser[3];                  ///< the axes that the next level has coarser
} level;

struct foi_multigrid {
    level levels[LEVELS];
    int count;
    uint32_t *start, *row;
    fo_pattern pattern;
    double *values;
    foi_linear linear;
    const fo_allocator *allocator;
};

// ------------------------------------------------------------------------------- between two grids

static uint32_t coarse_size(const foi_grid *g, int axis)
{
    bool wrap = g->reach[2 * axis] == FOI_WRAP;
    uint32_t cells = wrap ? g->n[axis] : g->n[axis] - 1;
    if (axis >= g->dimensions || cells % 2 || cells < 4) return g->n[axis];
    return wrap ? cells / 2 : cells / 2 + 1;
}

/// An array seen along one axis: `outer` blocks of n rows of `inner` numbers.
typedef struct slices {
    size_t outer, inner;
} slices;

static slices slices_of(const uint32_t n[3], int axis)
{
    slices s = {1, 1};
    for (int a = 0; a < axis; a++) s.inner *= n[a];
    for (int a = axis + 1; a < 3; a++) s.outer *= n[a];
    return s;
}

/// to_i = 1/4 from_(2i-1) + 1/2 from_2i + 1/4 from_(2i+1)
static void restrict_axis(const uint32_t n[3], int axis, const foi_reach reach[2],
                          const double *from, double *to)
{
    slices s = slices_of(n, axis);
    bool wrap = reach[0] == FOI_WRAP;
    size_t fine = n[axis], coarse = wrap ? fine / 2 : (fine - 1) / 2 + 1;
    for (size_t o = 0; o < s.outer; o++)
        for (size_t i = 0; i < coarse; i++) {
            size_t middle = 2 * i, low = middle ? middle - 1 : wrap ? fine - 1 : 1;
            size_t high = middle + 1 < fine ? middle + 1 : wrap ? 0 : fine - 2;
            const double *in = from + o * fine * s.inner;
            double *out = to + (o * coarse + i) * s.inner;
            for (size_t c = 0; c < s.inner; c++)
                out[c] = in[middle * s.inner + c] / 2 +
                         (in[low * s.inner + c] + in[high * s.inner + c]) / 4;
        }
}

static void prolong_axis(const uint32_t n[3], int axis, bool wrap, const double *from, double *to)
{
    slices s = slices_of(n, axis);
    size_t coarse = n[axis], fine = wrap ? 2 * coarse : 2 * coarse - 1;
    for (size_t o = 0; o < s.outer; o++)
        for (size_t i = 0; i < fine; i++) {
            size_t low = i / 2, high = i % 2 ? (low + 1) % coarse : low;
            const double *in = from + o * coarse * s.inner;
            double *out = to + (o * fine + i) * s.inner;
            for (size_t c = 0; c < s.inner; c++)
                out[c] = (in[low * s.inner + c] + in[high * s.inner + c]) / 2;
        }
}

/// The fine level's r, weighted, into the coarse level's `to`.
static void restrict_all(const level *fine, const level *coarse, double *from, double *to)
{
    uint32_t n[3];
    memcpy(n, fine->grid.n, sizeof n);
    double *in = from, *out = fine->half;
    for (int axis = 0; axis < 3; axis++) {
        if (!fine->coarser[axis]) continue;
        restrict_axis(n, axis, &fine->grid.reach[2 * axis], in, out);
        n[axis] = coarse->grid.n[axis];
        double *swap = in;
        in = out, out = swap;
    }
    memcpy(to, in, coarse->grid.nodes * sizeof *to);
}

/// Adds the coarse level's x to the fine level's.
static void prolong_all(const level *fine, const level *coarse)
{
    uint32_t n[3];
    memcpy(n, coarse->grid.n, sizeof n);
    double *in = fine->half, *out = fine->r;
    memcpy(in, coarse->x, coarse->grid.nodes * sizeof *in);
    for (int axis = 0; axis < 3; axis++) {
        if (!fine->coarser[axis]) continue;
        prolong_axis(n, axis, fine->grid.reach[2 * axis] == FOI_WRAP, in, out);
        n[axis] = fine->grid.n[axis];
        double *swap = in;
        in = out, out = swap;
    }
    for (uint32_t i = 0; i < fine->grid.nodes; i++)
        if (!fine->still[i]) fine->x[i] += in[i];
}

// ------------------------------------------------------------------------------------ on one grid

/// The sum over neighbours of k x, and the diagonal beside sigma.
static double around(const level *l, uint32_t node, double *ring)
{
    double sum = 0;
    *ring = 0;
    for (int axis = 0; axis < l->grid.dimensions; axis++) {
        uint32_t low, high;
        foi_grid_near(&l->grid, node, axis, &low, &high);
        sum += l->grid.k[axis] * (l->x[low] + l->x[high]);
        *ring += 2 * l->grid.k[axis];
    }
    return sum;
}

static void smooth(level *l, bool back)
{
    for (uint32_t step = 0; step < l->grid.nodes; step++) {
        uint32_t node = back ? l->grid.nodes - 1 - step : step;
        double ring, sum = around(l, node, &ring);
        if (!l->still[node]) l->x[node] = (l->b[node] + sum) / (l->sigma[node] + ring);
    }
}

static double residual(level *l)
{
    double size = 0;
    for (uint32_t node = 0; node < l->grid.nodes; node++) {
        double ring, sum = around(l, node, &ring);
        l->r[node] = l->still[node] ? 0 : l->b[node] + sum - (l->sigma[node] + ring) * l->x[node];
        size += l->r[node] * l->r[node];
    }
    return sqrt(size);
}

static void cycle(foi_multigrid *m, int depth)
{
    level *l = &m->levels[depth];
    if (depth + 1 == m->count) {
        for (uint32_t i = 0; i < l->grid.nodes; i++) l->x[i] = l->still[i] ? 0 : l->b[i];
        foi_linear_solve(&m->linear, l->x);
        return;
    }
    level *coarse = l + 1;
    for (int i = 0; i < SWEEPS; i++) smooth(l, false);
    residual(l);
    restrict_all(l, coarse, l->r, coarse->b);
    memset(coarse->x, 0, coarse->grid.nodes * sizeof(double));
    cycle(m, depth + 1);
    prolong_all(l, coarse);
    for (int i = 0; i < SWEEPS; i++) smooth(l, true);
}

double foi_multigrid_solve(foi_multigrid *m, const double *b, double *x, double tolerance,
                           uint32_t fixed, uint64_t *cycles)
{
    level *top = &m->levels[0];
    size_t bytes = top->grid.nodes * sizeof(double);
    memcpy(top->b, b, bytes);
    memcpy(top->x, x, bytes);
    double size = residual(top), rest = size > 0;
    for (uint32_t k = 0; size > 0 && (fixed ? k < fixed : k < CYCLES && rest > tolerance); k++) {
        cycle(m, 0);
        rest = residual(top) / size;
        ++*cycles;
    }
    memcpy(x, top->x, bytes);
    return rest;
}

// ----------------------------------------------------------------------------------------- making

fo_status foi_multigrid_set(foi_multigrid *m, const double *sigma)
{
    memcpy(m->levels[0].sigma, sigma, m->levels[0].grid.nodes * sizeof *sigma);
    for (int i = 0; i + 1 < m->count; i++) {
        level *l = &m->levels[i];
        memcpy(l->r, l->sigma, l->grid.nodes * sizeof *sigma);
        restrict_all(l, l + 1, l->r, l[1].sigma);
    }
    level *last = &m->levels[m->count - 1];
    foi_grid_values(&last->grid, &m->pattern, last->sigma, 1, NULL, NULL, false, m->values);
    for (uint32_t i = 0; i < m->start[last->grid.nodes]; i++) m->values[i] = -m->values[i];
    return foi_linear_factor(&m->linear, (foi_complex){0, 0}, m->values, NULL, NULL);
}

static bool make_level(foi_multigrid *m, level *l)
{
    size_t n = l->grid.nodes;
    l->still = foi_new(m->allocator, n, sizeof *l->still);
    l->sigma = foi_new(m->allocator, n, sizeof(double));
    l->x = foi_new(m->allocator, n, sizeof(double));
    l->b = foi_new(m->allocator, n, sizeof(double));
    l->r = foi_new(m->allocator, n, sizeof(double));
    l->half = foi_new(m->allocator, n, sizeof(double));
    l->grid.still = l->still;
    m->count++;
    return l->still && l->sigma && l->x && l->b && l->r && l->half;
}

/// The next coarser grid; false when no axis can be coarsened any more.
static bool coarsen(level *l, foi_grid *next)
{
    bool any = false;
    *next = l->grid;
    next->nodes = 1;
    for (int axis = 0; axis < 3; axis++) {
        next->n[axis] = coarse_size(&l->grid, axis);
        l->coarser[axis] = next->n[axis] != l->grid.n[axis];
        any |= l->coarser[axis];
        if (l->coarser[axis]) next->dx[axis] *= 2, next->k[axis] /= 4;
        next->nodes *= next->n[axis];
    }
    return any;
}

/// A coarse node is still where the fine node at its place is.
static void copy_still(const level *fine, level *coarse)
{
    const uint32_t *n = coarse->grid.n, *m = fine->grid.n;
    for (uint32_t node = 0; node < coarse->grid.nodes; node++) {
        uint32_t i = node % n[0], j = node / n[0] % n[1], k = node / n[0] / n[1];
        i <<= fine->coarser[0], j <<= fine->coarser[1], k <<= fine->coarser[2];
        coarse->still[node] = fine->still[i + m[0] * (j + m[1] * k)];
    }
}

static bool make_matrix(foi_multigrid *m)
{
    const foi_grid *g = &m->levels[m->count - 1].grid;
    size_t entries = (size_t)g->nodes * (2 * (size_t)g->dimensions + 1);
    m->start = foi_new(m->allocator, (size_t)g->nodes + 1, sizeof *m->start);
    m->row = foi_new(m->allocator, entries, sizeof *m->row);
    m->values = foi_new(m->allocator, entries, sizeof(double));
    if (!m->start || !m->row || !m->values) return false;
    foi_grid_pattern(g, m->start, m->row);
    m->pattern = (fo_pattern){g->nodes, m->start, m->row};
    foi_linear_def def = {.n = g->nodes, .pattern = &m->pattern, .allocator = m->allocator};
    return foi_linear_prepare(&m->linear, &def) == FO_OK;
}

foi_multigrid *foi_multigrid_create(const fo_field *f)
{
    foi_multigrid *m = foi_new(f->allocator, 1, sizeof *m);
    if (!m) return NULL;
    m->allocator = f->allocator;
    m->levels[0].grid = foi_grid_of(f);
    bool good = make_level(m, &m->levels[0]);
    if (good) memcpy(m->levels[0].still, f->still, f->nodes * sizeof *f->still);
    while (good && m->count < LEVELS) {
        level *l = &m->levels[m->count - 1];
        if (!coarsen(l, &l[1].grid)) break;
        good = make_level(m, l + 1);
        if (good) copy_still(l, l + 1);
    }
    if (good && make_matrix(m)) return m;
    foi_multigrid_destroy(m);
    return NULL;
}

void foi_multigrid_destroy(foi_multigrid *m)
{
    if (!m) return;
    for (int i = 0; i < m->count; i++) {
        level *l = &m->levels[i];
        double *const rows[] = {l->sigma, l->x, l->b, l->r, l->half};
        for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) foi_free(m->allocator, rows[k]);
        foi_free(m->allocator, l->still);
    }
    foi_linear_destroy(&m->linear);
    foi_free(m->allocator, m->start);
    foi_free(m->allocator, m->row);
    foi_free(m->allocator, m->values);
    foi_free(m->allocator, m);
}
