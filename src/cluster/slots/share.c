// A part of a field and the field's own stepper, which takes the steps that a simulation on one
// machine takes. Halos are nodes that the cut field holds; they are written here.
#include "cluster/slots/share.h"

#include <string.h>

struct foi_tdma_part {
    const fo_field *whole;
    fo_field *f; ///< the cut one
    foi_tdma_share share;
    double h;
    uint64_t step;
    fo_state state;
    double *x, *x_new, *rest; ///< rest: discretes, inputs, memory
    uint32_t *held;           ///< per node: its place among the held ones, from 1 on
    void *scratch;
    fo_message message;
    const fo_allocator *allocator;
};

static bool leaps(const fo_field *f)
{
    return f->def.method == FO_FIELD_LEAPFROG;
}

uint32_t foi_tdma_variables(const fo_field *f)
{
    return leaps(f) && !foi_is_damped_inside(f) ? 1 : f->order;
}

// Explicit Euler sees its neighbours at the start of a step, and so does leapfrog, whose faces are
// sent half a step ahead; rk4 on average in its middle, implicit methods at its end.
double foi_tdma_halo_moment(const fo_field *f)
{
    switch (f->def.method) {
    case FO_FIELD_RK4: return 0.5;
    case FO_FIELD_IMPLICIT_EULER:
    case FO_FIELD_SLIDING: return 1;
    default: return 0;
    }
}

// ----------------------------------------------------------------------------------------- making

static fo_status start_states(foi_tdma_part *p, fo_message *why)
{
    fo_system system = fo_field_system(p->f);
    fo_shape shape = fo_system_shape(system);
    size_t memory = (shape.memory + sizeof(double) - 1) / sizeof(double);
    p->x = foi_new(p->allocator, shape.states, sizeof(double));
    p->x_new = foi_new(p->allocator, shape.states, sizeof(double));
    p->rest =
        foi_new(p->allocator, memory + 2 + shape.discretes + p->f->input_count, sizeof(double));
    p->scratch = foi_new(p->allocator, 1, shape.scratch);
    p->held = foi_new(p->allocator, p->f->nodes, sizeof *p->held);
    if (!p->x || !p->x_new || !p->rest || !p->scratch || !p->held)
        return fo_fail(why, FO_ERROR_MEMORY, "no memory for %u nodes", p->f->nodes);
    for (uint32_t i = 0; i < p->f->whole.held_count; i++) p->held[p->f->whole.held[i].node] = i + 1;
    p->state = (fo_state){.x = p->x,
                          .memory = p->rest,
                          .d = p->rest + memory + 2,
                          .u = p->rest + memory + 2 + shape.discretes,
                          .scratch = p->scratch,
                          .shape = shape,
                          .message = &p->message};
    fo_status status = system.type->start(system.model, &p->state);
    // A step that nobody keeps: constant matrices are factored by it, before time counts.
    if (!status)
        status = system.type->stepper->step(system.model, &p->state, 0, p->h, p->x, p->x_new);
    if (status && why) *why = p->message;
    return status;
}

foi_tdma_part *foi_tdma_part_create(const fo_field *whole, const foi_tdma_share *share, double step,
                                    const fo_allocator *allocator, fo_message *why)
{
    foi_tdma_part *p = foi_new(allocator, 1, sizeof *p);
    if (!p) {
        fo_fail(why, FO_ERROR_MEMORY, "no memory for a part of the field");
        return NULL;
    }
    *p = (foi_tdma_part){.whole = whole, .share = *share, .h = step, .allocator = allocator};
    p->f = foi_field_cut(whole, &share->box, allocator, why);
    fo_status status = p->f ? FO_OK : FO_ERROR_ARGUMENT;
    if (!status) status = start_states(p, why);
    if (!status) return p;
    foi_tdma_part_destroy(p);
    return NULL;
}

void foi_tdma_part_destroy(foi_tdma_part *p)
{
    if (!p) return;
    fo_field_destroy(p->f);
    foi_free(p->allocator, p->x);
    foi_free(p->allocator, p->x_new);
    foi_free(p->allocator, p->rest);
    foi_free(p->allocator, p->scratch);
    foi_free(p->allocator, p->held);
    foi_free(p->allocator, p);
}

// ----------------------------------------------------------------------------------------- faces

uint32_t foi_tdma_face_size(const foi_tdma_part *p, int side)
{
    return p->share.box.sides[side]
               ? foi_cut_face(&p->share.box, side) * foi_tdma_variables(p->whole)
               : 0;
}

/// When the step begins and how long it is, as the solver on one machine counts. Implicit methods
/// take a length that does not change by rounding either, which would want other factors.
static double begin_of(const foi_tdma_part *p, double *h)
{
    double t = (double)p->step * p->h;
    bool implicit = foi_tdma_halo_moment(p->f) == 1;
    *h = implicit ? p->h : (double)(p->step + 1) * p->h - t;
    return t;
}

/// A number that a neighbour reads: of held nodes that of their signals at time t.
static double seen_at(const foi_tdma_part *p, uint32_t variable, uint32_t node, double t, double h)
{
    uint32_t nodes = p->f->nodes, act = p->held[node];
    if (act) {
        foi_signal_value s = foi_signal_at(p->f, p->f->whole.held[act - 1].signal, t, p->state.u);
        return variable ? s.ds : s.s;
    }
    const double *x = p->x + node;
    bool drifts = leaps(p->f) && variable == 0 && !p->f->still[node];
    return drifts ? x[0] + h / 2 * x[nodes] : x[(size_t)variable * nodes];
}

// What leapfrog reads of a neighbour is where it is in the middle of the step, drifted from its
// start: q = u + h/2 w, and w with internal damping. The stepper lets halos stand where they are.
void foi_tdma_face_get(const foi_tdma_part *p, int side, double *values)
{
    uint32_t count = foi_cut_face(&p->share.box, side);
    double h, t = begin_of(p, &h);
    if (leaps(p->f)) t += h / 2;
    for (uint32_t v = 0; v < foi_tdma_variables(p->whole); v++)
        for (uint32_t n = 0; n < count; n++)
            *values++ = seen_at(p, v, foi_cut_place(p->f, &p->share.box, side, false, n), t, h);
}

void foi_tdma_halo_put(foi_tdma_part *p, int side, const double *values)
{
    uint32_t count = foi_cut_face(&p->share.box, side);
    for (uint32_t v = 0; v < foi_tdma_variables(p->whole); v++) {
        double *to = p->x + (size_t)v * p->f->nodes;
        for (uint32_t n = 0; n < count; n++)
            to[foi_cut_place(p->f, &p->share.box, side, true, n)] = *values++;
    }
}

// ------------------------------------------------------------------------------------------ steps

fo_status foi_tdma_part_advance(foi_tdma_part *p, fo_message *why)
{
    double h, t = begin_of(p, &h);
    p->step++;
    fo_system system = fo_field_system(p->f);
    p->state.t = t;
    fo_status status = system.type->stepper->step(system.model, &p->state, t, h, p->x, p->x_new);
    if (status) {
        if (why) *why = p->message;
        return status;
    }
    double *old = p->x;
    p->x = p->state.x = p->x_new;
    p->x_new = old;
    return FO_OK;
}

bool foi_tdma_part_probe(const foi_tdma_part *p, uint32_t probe, double *value)
{
    uint32_t state = p->whole->probe_state[probe], node = state % p->whole->nodes, at;
    bool velocity = state >= p->whole->nodes;
    if (!foi_cut_find(p->whole, p->f, &p->share.box, node, &at)) return false;
    *value = p->x[velocity * p->f->nodes + at];
    return true;
}

uint32_t foi_tdma_part_nodes(const foi_tdma_part *p)
{
    const uint32_t *n = p->share.box.n;
    return n[0] * n[1] * n[2];
}
