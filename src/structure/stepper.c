/// Large networks of springs: leapfrog on several threads.
///
/// Drift, kick, drift (Stoermer and Verlet), with friction taken in the middle:
///   q' = q + h/2 v,   v1 = ((1 - h c/2) v + h a(q')) / (1 + h c/2),   q1 = q' + h/2 v1
/// where c = rate + friction / m. Every node gathers the forces of its own springs in the order in
/// which they were added, so that no two threads write to one place and the bits depend neither on
/// how many there are nor on how many nodes are computed side by side. Each spring is computed
/// twice, which is cheaper than adding to far places.
///
/// q' is kept axis by axis, in the scratch space: nodes of a run (runs.c) then lie side by side,
/// and so do their neighbours.
#include <math.h>
#include <string.h>

#include "base/inline.h"
#include "base/team.h"
#include "structure/structure.h"

// A small build computes node by node; a vector is for the axes of one.
#ifdef FOI_SMALL
enum { WIDTH = 4 };
#else
enum { WIDTH = 8 };
#endif
enum { MOST_THREADS = 64, NODES_PER_THREAD = 2048 };

/// Numbers that the processor may handle together.
typedef double wide __attribute__((vector_size(WIDTH * sizeof(double))));
typedef int64_t mask __attribute__((vector_size(WIDTH * sizeof(int64_t))));
typedef double wide_anywhere
    __attribute__((vector_size(WIDTH * sizeof(double)), aligned(8), may_alias));

// Compiled for wider vectors, too, and the machine chooses, where the C library can load such
// functions; products and sums are not contracted, so the bits are the same.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define WIDE
#endif
#define AT(place) (*(const wide_anywhere *)(place))
#define TO(place) (*(wide_anywhere *)(place))

typedef struct work {
    const fo_structure *s;
    const fo_state *state;
    const double *x;
    double *middle, *x_new;
    double h;
    uint32_t from, to; // nodes
    void (*phase)(const struct work *w);
} work;

#ifndef FOI_SMALL

// --------------------------------------------------------------------------- axis by axis and back

#define MIX(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)

// States have the axes of a node side by side: x0 y0 z0 x1 ... From that to x0 x1 ..., y0 y1 ...
FOI_INLINE void part(const wide in[3], wide out[3], size_t dim)
{
    if (dim == 1) out[0] = in[0];
    if (dim == 2) {
        out[0] = MIX(in[0], in[1], 0, 2, 4, 6, 8, 10, 12, 14);
        out[1] = MIX(in[0], in[1], 1, 3, 5, 7, 9, 11, 13, 15);
    }
    if (dim == 3) {
        wide x = MIX(in[0], in[1], 0, 3, 6, 9, 12, 15, 0, 0);
        wide y = MIX(in[0], in[1], 1, 4, 7, 10, 13, 0, 0, 0);
        wide z = MIX(in[0], in[1], 2, 5, 8, 11, 14, 0, 0, 0);
        out[0] = MIX(x, in[2], 0, 1, 2, 3, 4, 5, 10, 13);
        out[1] = MIX(y, in[2], 0, 1, 2, 3, 4, 8, 11, 14);
        out[2] = MIX(z, in[2], 0, 1, 2, 3, 4, 9, 12, 15);
    }
}

// And back.
FOI_INLINE void merge(const wide in[3], wide out[3], size_t dim)
{
    if (dim == 1) out[0] = in[0];
    if (dim == 2) {
        out[0] = MIX(in[0], in[1], 0, 8, 1, 9, 2, 10, 3, 11);
        out[1] = MIX(in[0], in[1], 4, 12, 5, 13, 6, 14, 7, 15);
    }
    if (dim == 3) {
        wide first = MIX(in[0], in[1], 0, 8, 0, 1, 9, 0, 2, 10);
        wide second = MIX(in[0], in[1], 0, 3, 11, 0, 4, 12, 0, 5);
        wide third = MIX(in[0], in[1], 13, 0, 6, 14, 0, 7, 15, 0);
        out[0] = MIX(first, in[2], 0, 1, 8, 3, 4, 9, 6, 7);
        out[1] = MIX(second, in[2], 10, 1, 2, 11, 4, 5, 12, 7);
        out[2] = MIX(third, in[2], 0, 13, 2, 3, 14, 5, 6, 15);
    }
}

// ----------------------------------------------------------------------------------------- drift

// The axes are written out here and below, so that all of it stays in registers.
FOI_INLINE void drift_nodes(const work *w, size_t node, size_t dim)
{
    size_t nodes = w->s->nodes;
    const double *q = w->x + node * dim, *v = q + nodes * dim;
    double *to = w->middle + node, half = w->h / 2;
    wide in[3], out[3];
    in[0] = AT(q) + half * AT(v);
    if (dim > 1) in[1] = AT(q + WIDTH) + half * AT(v + WIDTH);
    if (dim > 2) in[2] = AT(q + 2 * WIDTH) + half * AT(v + 2 * WIDTH);
    part(in, out, dim);
    TO(to) = out[0];
    if (dim > 1) TO(to + nodes) = out[1];
    if (dim > 2) TO(to + 2 * nodes) = out[2];
}

#endif

FOI_INLINE void drift_in(const work *w, size_t dim)
{
    size_t nodes = w->s->nodes, i = w->from;
    const double *q = w->x, *v = q + nodes * dim;
#ifndef FOI_SMALL
    for (; i + WIDTH <= w->to; i += WIDTH) drift_nodes(w, i, dim);
#endif
    for (; i < w->to; i++)
        for (size_t k = 0; k < dim; k++)
            w->middle[k * nodes + i] = q[i * dim + k] + w->h / 2 * v[i * dim + k];
}

WIDE static void drift(const work *w)
{
    if (w->s->dim == 1) drift_in(w, 1);
    if (w->s->dim == 2) drift_in(w, 2);
    if (w->s->dim == 3) drift_in(w, 3);
}

// ------------------------------------------------------------------------------------------ kick

/// What a kick needs besides forces.
typedef struct kicker {
    double g[3 * WIDTH]; ///< gravity on WIDTH nodes
    double h, rate, friction;
    bool drags;
} kicker;

static kicker kicker_of(const work *w)
{
    const double *p = w->state->p;
    kicker m = {.h = w->h, .rate = p[FOI_RATE], .friction = p[FOI_FRICTION]};
    size_t dim = (size_t)w->s->dim;
    for (size_t c = 0; c < dim * WIDTH; c++) m.g[c] = w->s->def.gravity[c % dim] * p[FOI_GRAVITY];
    m.drags = m.rate != 0 || m.friction != 0;
    return m;
}

// v1 and q1 of `count` coordinates from c on, with the forces f and gravity g, at q'.
FOI_INLINE void kick_some(const work *w, const kicker *m, const double *g, size_t c, size_t count,
                          const wide *f, const wide *middle)
{
    size_t n = foi_coordinates(w->s), size = count * sizeof(double);
    wide inverse = {0}, v = {0};
    memcpy(&inverse, w->s->inverse_mass + c, size);
    memcpy(&v, w->x + n + c, size);
    wide a = *f * inverse + AT(g), next = v + m->h * a;
    if (m->drags) {
        wide drag = m->h / 2 * (m->rate + m->friction * inverse);
        next = ((1 - drag) * v + m->h * a) / (1 + drag);
    }
    next = (wide)((mask)next & (inverse != 0)); // what is fixed stays
    wide q1 = *middle + m->h / 2 * next;
    memcpy(w->x_new + c, &q1, size);
    memcpy(w->x_new + n + c, &next, size);
}

// One node: its springs one after the other, and the force that ports add.
FOI_INLINE void kick_node(const work *w, const kicker *m, const foi_run *run, uint32_t node,
                          const double *force, size_t dim, bool squares)
{
    const fo_structure *s = w->s;
    const double *x = w->middle + node, *y = dim > 1 ? x + s->nodes : x;
    const double *z = dim > 2 ? y + s->nodes : x;
    double fx = 0, fy = 0, fz = 0;
    for (uint32_t e = run->ends; e < run->ends + run->degree; e++) {
        ptrdiff_t there = s->end_offset[e];
        double rx = x[there] - x[0], ry = 0, rz = 0, c = rx * rx;
        if (dim > 1) ry = y[there] - y[0], c += ry * ry;
        if (dim > 2) rz = z[there] - z[0], c += rz * rz;
        if (squares)
            c = s->end_slope[e] * c - s->end_rest[e];
        else
            c = c > 0 ? s->end_slope[e] - s->end_rest[e] / sqrt(c) : 0;
        fx += c * rx, fy += c * ry, fz += c * rz;
    }
    if (force) fx += force[0], fy += force[1], fz += force[2];
    kick_some(w, m, m->g, node * dim, dim, &(wide){fx, fy, fz}, &(wide){*x, *y, *z});
}

#ifndef FOI_SMALL

// c of the lengths' law, from l^2 in c.
FOI_INLINE void lengths_law(double slope, double rest, wide *c)
{
    double l2[WIDTH], law[WIDTH];
    memcpy(l2, c, sizeof l2);
    for (int i = 0; i < WIDTH; i++) law[i] = l2[i] > 0 ? slope - rest / sqrt(l2[i]) : 0;
    memcpy(c, law, sizeof law);
}

// WIDTH nodes of a run, from `node` on: the same as one after the other.
FOI_INLINE void kick_nodes(const work *w, const kicker *m, const foi_run *run, uint32_t node,
                           size_t dim, bool squares)
{
    const fo_structure *s = w->s;
    const double *x = w->middle + node, *y = dim > 1 ? x + s->nodes : x;
    const double *z = dim > 2 ? y + s->nodes : x;
    const int32_t *offset = s->end_offset + run->ends;
    const double *slope = s->end_slope + run->ends, *rest = s->end_rest + run->ends;
    wide q[3] = {AT(x), AT(y), AT(z)}, fx = {0}, fy = {0}, fz = {0};
    for (uint32_t e = 0; e < run->degree; e++) {
        wide rx = AT(x + offset[e]) - q[0], ry, rz, c = rx * rx;
        if (dim > 1) ry = AT(y + offset[e]) - q[1], c += ry * ry;
        if (dim > 2) rz = AT(z + offset[e]) - q[2], c += rz * rz;
        if (squares)
            c = slope[e] * c - rest[e];
        else
            lengths_law(slope[e], rest[e], &c);
        fx += c * rx;
        if (dim > 1) fy += c * ry;
        if (dim > 2) fz += c * rz;
    }
    wide f[3], middle[3];
    size_t c = node * dim;
    merge((wide[3]){fx, fy, fz}, f, dim);
    merge(q, middle, dim);
    kick_some(w, m, m->g, c, WIDTH, &f[0], &middle[0]);
    if (dim > 1) kick_some(w, m, m->g + WIDTH, c + WIDTH, WIDTH, &f[1], &middle[1]);
    if (dim > 2) kick_some(w, m, m->g + 2 * WIDTH, c + 2 * WIDTH, WIDTH, &f[2], &middle[2]);
}

#endif

// The nodes of a run that are this thread's; the last ones together with some again.
FOI_INLINE void kick_run(const work *w, const kicker *m, const foi_run *run, size_t dim,
                         bool squares)
{
    uint32_t from = run->first > w->from ? run->first : w->from;
    uint32_t end = run->first + run->count, to = end < w->to ? end : w->to;
#ifndef FOI_SMALL
    if (to - from >= WIDTH) {
        for (uint32_t node = from; node + WIDTH <= to; node += WIDTH)
            kick_nodes(w, m, run, node, dim, squares);
        if ((to - from) % WIDTH) kick_nodes(w, m, run, to - WIDTH, dim, squares);
        return;
    }
#endif
    for (uint32_t node = from; node < to; node++) kick_node(w, m, run, node, NULL, dim, squares);
}

static uint32_t run_of(const fo_structure *s, uint32_t node)
{
    uint32_t low = 0, high = (uint32_t)s->run_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (s->runs[middle].first <= node)
            low = middle;
        else
            high = middle;
    }
    return low;
}

// Nodes on which efforts act are computed once more, with what all ports on them add.
FOI_INLINE void kick_ports(const work *w, const kicker *m, size_t dim, bool squares)
{
    const fo_structure *s = w->s;
    foi_load load = {.d = w->state->d, .u = w->state->u};
    for (size_t i = 0; i < s->port_count; i++) {
        uint32_t node = s->ports[i].node;
        double force[3] = {0};
        if (node < w->from || node >= w->to) continue;
        for (size_t j = 0; j < s->port_count; j++)
            for (size_t k = 0; k < dim && s->ports[j].node == node; k++)
                force[k] += foi_port_input(s, &load, j) * s->ports[j].direction[k];
        kick_node(w, m, &s->runs[run_of(s, node)], node, force, dim, squares);
    }
}

FOI_INLINE void kick_in(const work *w, size_t dim, bool squares)
{
    const fo_structure *s = w->s;
    kicker m = kicker_of(w);
    for (size_t i = run_of(s, w->from); i < s->run_count && s->runs[i].first < w->to; i++)
        kick_run(w, &m, &s->runs[i], dim, squares);
    kick_ports(w, &m, dim, squares);
}

// What is constant is known to the compiler: one loop for each kind of spring and dimension.
WIDE static void kick(const work *w)
{
    bool squares = !w->s->spring_count || w->s->springs[0].energy == FO_SPRING_SQUARES;
    switch (w->s->dim * 2 + squares) {
    case 2: kick_in(w, 1, false); break;
    case 3: kick_in(w, 1, true); break;
    case 4: kick_in(w, 2, false); break;
    case 5: kick_in(w, 2, true); break;
    case 6: kick_in(w, 3, false); break;
    default: kick_in(w, 3, true);
    }
}

// ---------------------------------------------------------------------------------------- a step

/// A phase of the parts [from, to).
static void run_phase(void *self, uint32_t from, uint32_t to)
{
    const work *works = self;
    for (uint32_t i = from; i < to; i++) works[i].phase(&works[i]);
}

/// All parts of a phase at once.
static void together(work *works, uint32_t count, void (*phase)(const work *w))
{
    for (uint32_t i = 0; i < count; i++) works[i].phase = phase;
    foi_in_parallel(count, count, run_phase, works);
}

// A step that may be too long is looked at once; the memory has the last one that was good.
static fo_status check_step(const fo_structure *s, fo_state *state, double h)
{
    double *good = state->memory;
    if (h <= s->sure_step || h == *good) return FO_OK;
    double omega = fo_structure_highest(s, s->start);
    if (h * omega >= 2)
        return fo_fail(state->message, FO_ERROR_STEP,
                       "the step %.3g s is too long for this structure: around the start leapfrog "
                       "is stable below %.3g s (2 / %.4g rad/s; less where springs stiffen)",
                       h, 2 / omega, omega);
    *good = h;
    return FO_OK;
}

static fo_status step(const void *model, fo_state *state, double t, double h, const double *x,
                      double *x_new)
{
    const fo_structure *s = model;
    uint32_t threads = s->def.threads ? s->def.threads : 1,
             useful = s->nodes / NODES_PER_THREAD + 1;
    work works[MOST_THREADS];
    fo_status status = check_step(s, state, h);
    (void)t;
    if (status != FO_OK) return status;
    if (threads > useful) threads = useful;
    if (threads > MOST_THREADS) threads = MOST_THREADS;
    for (uint32_t i = 0; i < threads; i++)
        works[i] = (work){.s = s,
                          .state = state,
                          .x = x,
                          .middle = state->scratch,
                          .x_new = x_new,
                          .h = h,
                          .from = (uint32_t)((uint64_t)s->nodes * i / threads),
                          .to = (uint32_t)((uint64_t)s->nodes * (i + 1) / threads)};
    together(works, threads, drift);
    together(works, threads, kick);
    return FO_OK;
}

const fo_stepper foi_structure_stepper = {"leapfrog on threads", 2, step};
