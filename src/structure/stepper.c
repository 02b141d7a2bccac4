/// Large networks of springs: leapfrog on several threads.
///
/// Drift, kick, drift (Stoermer and Verlet), with friction taken in the middle:
///   q' = q + h/2 v,   v1 = ((1 - h c/2) v + h a(q')) / (1 + h c/2),   q1 = q' + h/2 v1
/// where c = rate + friction / m. Every node gathers the forces of its own springs in the order in
/// which they were added, so that no two threads write to one place and the bits do not depend on
/// how many there are. Each spring is computed twice, which is cheaper than adding to far places.
/// Springs are taken two at a time, each of the two with a sum of its own.
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "structure/structure.h"

enum { MOST_THREADS = 64, NODES_PER_THREAD = 512, WIDTH = FOI_ENDS };

/// Two numbers that the processor may handle together.
typedef double two __attribute__((vector_size(WIDTH * sizeof(double))));

// ------------------------------------------------------------------------- springs seen from nodes

static fo_status check(const fo_structure *s, fo_message *why)
{
    const char *what = NULL;
    if (s->bend_count || s->volume_count || s->skin_count) what = "bending, volumes or skins";
    if (s->slot_count) what = "springs that break or yield";
    if (s->def.bowl > 0) what = "a bowl";
    if (s->flows) what = "ports with flow in";
    for (size_t i = 1; i < s->spring_count && !what; i++)
        if (s->springs[i].energy != s->springs[0].energy) what = "springs of two energies";
    if (!what) return FO_OK;
    return fo_fail(why, FO_ERROR_ARGUMENT, "a structure that steps on threads cannot have %s",
                   what);
}

static void add_end(fo_structure *s, const uint32_t *start, uint32_t *filled, uint32_t node,
                    uint32_t other, const foi_spring *p)
{
    bool squares = p->energy == FO_SPRING_SQUARES;
    uint32_t at = filled[node]++;
    foi_ends *to = &s->ends[start[node] + at / WIDTH];
    to->node[at % WIDTH] = other;
    to->slope[at % WIDTH] = squares ? 2 * p->k : p->k;
    to->rest[at % WIDTH] = to->slope[at % WIDTH] * (squares ? p->d * p->d : p->d);
}

// squares: c = 2 k l^2 - 2 k d^2; lengths: c = k - k d / l. `slope` and `rest` are those numbers.
fo_status foi_make_ends(fo_structure *s, fo_message *why)
{
    const fo_allocator *a = s->def.allocator;
    fo_status status = check(s, why);
    if (status != FO_OK) return status;
    s->end_start = foi_new(a, (size_t)s->nodes + 2, sizeof *s->end_start);
    uint32_t *next = s->end_start ? s->end_start + 1 : NULL;
    for (size_t i = 0; next && i < s->spring_count; i++)
        next[s->springs[i].a + 1]++, next[s->springs[i].b + 1]++;
    uint64_t groups = 0;
    for (uint32_t n = 0; next && n < s->nodes; n++) {
        groups += (next[n + 1] + WIDTH - 1) / WIDTH;
        next[n + 1] = (uint32_t)groups;
    }
    s->ends = next && groups < UINT32_MAX ? foi_new(a, groups, sizeof *s->ends) : NULL;
    uint32_t *filled = foi_new(a, s->nodes, sizeof *filled);
    bool made = s->ends && filled;
    for (uint32_t n = 0; made && n < s->nodes; n++) // what is not filled pulls at its own node: 0
        for (uint32_t g = next[n]; g < next[n + 1]; g++)
            for (int i = 0; i < WIDTH; i++) s->ends[g].node[i] = n;
    for (size_t i = 0; made && i < s->spring_count; i++) {
        const foi_spring *p = &s->springs[i];
        add_end(s, next, filled, p->a, p->b, p);
        add_end(s, next, filled, p->b, p->a, p);
    }
    if (made) memmove(s->end_start, next, ((size_t)s->nodes + 1) * sizeof *next);
    foi_free(a, filled);
    return made ? FO_OK
                : fo_fail(why, FO_ERROR_MEMORY, "no memory for the springs of a large structure");
}

// ---------------------------------------------------------------------------------------- a step

typedef struct work {
    const fo_structure *s;
    const double *x, *force, *p;
    double *x_new;
    double h;
    uint32_t from, to; // nodes
    void (*phase)(const struct work *w);
} work;

static void drift(const work *w)
{
    size_t dim = (size_t)w->s->dim, n = foi_coordinates(w->s);
    const double *q = w->x, *v = w->x + n;
    for (size_t c = w->from * dim; c < w->to * dim; c++) w->x_new[n + c] = q[c] + w->h / 2 * v[c];
}

// Forces on one node at the positions q', one function for each kind of spring and dimension: what
// is constant is known to the compiler.
static inline __attribute__((always_inline)) void gather(const fo_structure *s, uint32_t node,
                                                         const double *q, double *f, size_t dim,
                                                         bool squares)
{
    const double *own = q + node * dim;
    two sum[3] = {{0}};
    for (uint32_t g = s->end_start[node]; g < s->end_start[node + 1]; g++) {
        const foi_ends *end = &s->ends[g];
        two r[3], l2 = {0}, c, slope, rest;
        for (size_t k = 0; k < dim; k++) {
            r[k] = (two){q[end->node[0] * dim + k], q[end->node[1] * dim + k]};
            r[k] -= own[k];
            l2 += r[k] * r[k];
        }
        memcpy(&slope, end->slope, sizeof slope);
        memcpy(&rest, end->rest, sizeof rest);
        if (squares)
            c = slope * l2 - rest;
        else
            for (int i = 0; i < WIDTH; i++) c[i] = l2[i] > 0 ? slope[i] - rest[i] / sqrt(l2[i]) : 0;
        for (size_t k = 0; k < dim; k++) sum[k] += c * r[k];
    }
    for (size_t k = 0; k < dim; k++) f[k] = sum[k][0] + sum[k][1];
}

static void forces(const fo_structure *s, uint32_t node, const double *q, double *f)
{
    bool squares = !s->spring_count || s->springs[0].energy == FO_SPRING_SQUARES;
    switch (s->dim * 2 + squares) {
    case 2: gather(s, node, q, f, 1, false); break;
    case 3: gather(s, node, q, f, 1, true); break;
    case 4: gather(s, node, q, f, 2, false); break;
    case 5: gather(s, node, q, f, 2, true); break;
    case 6: gather(s, node, q, f, 3, false); break;
    default: gather(s, node, q, f, 3, true);
    }
}

// q' is in the second half of x_new, where neighbours read it until all nodes are kicked; v1 goes
// into the first half.
static void kick(const work *w)
{
    const fo_structure *s = w->s;
    size_t dim = (size_t)s->dim, n = foi_coordinates(s);
    const double *middle = w->x_new + n, *v = w->x + n;
    double h = w->h, rate = w->p[FOI_RATE], friction = w->p[FOI_FRICTION], f[3];
    for (uint32_t node = w->from; node < w->to; node++) {
        forces(s, node, middle, f);
        for (size_t k = 0; k < dim; k++) {
            size_t c = node * dim + k;
            double inverse = s->inverse_mass[c], drag = h / 2 * (rate + friction * inverse);
            double a = (f[k] + w->force[c]) * inverse;
            if (inverse != 0) a += s->def.gravity[k] * w->p[FOI_GRAVITY];
            w->x_new[c] = inverse != 0 ? ((1 - drag) * v[c] + h * a) / (1 + drag) : 0;
        }
    }
}

static void finish(const work *w)
{
    size_t dim = (size_t)w->s->dim, n = foi_coordinates(w->s);
    for (size_t c = w->from * dim; c < w->to * dim; c++) {
        double v = w->x_new[c], q = w->x_new[n + c] + w->h / 2 * v;
        w->x_new[c] = q, w->x_new[n + c] = v;
    }
}

static void *run(void *self)
{
    const work *w = self;
    w->phase(w);
    return NULL;
}

// All parts of a phase at once. A thread that cannot be started is done without.
static void together(work *works, uint32_t count, void (*phase)(const work *w))
{
    pthread_t ids[MOST_THREADS];
    bool started[MOST_THREADS] = {false};
    for (uint32_t i = 0; i < count; i++) works[i].phase = phase;
    for (uint32_t i = 1; i < count; i++)
        started[i] = pthread_create(&ids[i], NULL, run, &works[i]) == 0;
    phase(&works[0]);
    for (uint32_t i = 1; i < count; i++) {
        if (started[i])
            pthread_join(ids[i], NULL);
        else
            phase(&works[i]);
    }
}

// What ports add, in the scratch space.
static const double *port_forces(const fo_structure *s, const fo_state *state)
{
    double *force = (double *)state->scratch;
    foi_load load = {.d = state->d, .u = state->u};
    memset(force, 0, foi_coordinates(s) * sizeof *force);
    foi_add_efforts(s, &load, force);
    return force;
}

static fo_status step(const void *model, fo_state *state, double t, double h, const double *x,
                      double *x_new)
{
    const fo_structure *s = model;
    uint32_t threads = s->def.threads, useful = s->nodes / NODES_PER_THREAD + 1;
    work works[MOST_THREADS];
    (void)t;
    if (threads > useful) threads = useful;
    if (threads > MOST_THREADS) threads = MOST_THREADS;
    const double *force = port_forces(s, state);
    for (uint32_t i = 0; i < threads; i++)
        works[i] = (work){.s = s,
                          .x = x,
                          .force = force,
                          .p = state->p,
                          .x_new = x_new,
                          .h = h,
                          .from = (uint32_t)((uint64_t)s->nodes * i / threads),
                          .to = (uint32_t)((uint64_t)s->nodes * (i + 1) / threads)};
    together(works, threads, drift);
    together(works, threads, kick);
    together(works, threads, finish);
    return FO_OK;
}

const fo_stepper foi_structure_stepper = {"leapfrog on threads", 2, step};
