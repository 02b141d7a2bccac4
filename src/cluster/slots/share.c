// A part of a field and its method: leapfrog in place as in a sweep where the field is a wave
// without an object, the field's own stepper otherwise. Halos are nodes that the cut field holds;
// they are written here.
#include "cluster/slots/share.h"

#include <string.h>

struct foi_tdma_part {
    const fo_field *whole;
    fo_field *f; ///< the cut one
    foi_tdma_share share;
    double h;
    uint64_t step;
    double *u, *before, *spare; ///< leapfrog, spare with internal damping; or
    fo_state state;
    double *x, *x_new, *rest; ///< rest: discretes, inputs, memory
    void *scratch;
    fo_message message;
    const fo_allocator *allocator;
};

static bool leaps(const fo_field *f)
{
    return f->def.method == FO_FIELD_LEAPFROG && f->def.equation == FO_FIELD_WAVE && !f->object;
}

uint32_t foi_tdma_variables(const fo_field *f)
{
    return leaps(f) ? 1 : f->order;
}

// Explicit Euler and leapfrog see their neighbours at the start of a step (the leapfrog stepper
// moves a halo along by its velocity), rk4 on average in its middle, implicit methods at its end.
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

/// Where the values are that a halo is written to and a face is read from; 1: the velocities.
static double *values_of(const foi_tdma_part *p, uint32_t variable)
{
    return p->u ? p->u : p->x + (size_t)variable * p->f->nodes;
}

// The start is that of a sweep over the whole field, halos and all: with internal damping the halo
// of the step before is read, too.
static fo_status start_leapfrog(foi_tdma_part *p, fo_message *why)
{
    fo_sweep_def def = {.step = p->h, .allocator = p->allocator};
    fo_sweep *whole = fo_sweep_create(p->whole, &def, why);
    if (!whole) return FO_ERROR_MEMORY;
    p->u = foi_large_new(p->allocator, p->f->nodes);
    p->before = foi_large_new(p->allocator, p->f->nodes);
    if (foi_is_damped_inside(p->f)) p->spare = foi_large_new(p->allocator, p->f->nodes);
    const double *values = fo_sweep_values(whole);
    bool good = p->u && p->before && (p->spare || !(foi_is_damped_inside(p->f))) && values;
    if (good) foi_cut_window(p->whole, &p->share.box, values, p->u);
    const double *before = good ? foi_sweep_before(whole) : NULL;
    if (before) foi_cut_window(p->whole, &p->share.box, before, p->before);
    fo_sweep_destroy(whole);
    return before ? FO_OK : fo_fail(why, FO_ERROR_MEMORY, "no memory for %u nodes", p->f->nodes);
}

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
    if (!p->x || !p->x_new || !p->rest || !p->scratch)
        return fo_fail(why, FO_ERROR_MEMORY, "no memory for %u nodes", p->f->nodes);
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
    if (!status) status = leaps(whole) ? start_leapfrog(p, why) : start_states(p, why);
    if (!status) return p;
    foi_tdma_part_destroy(p);
    return NULL;
}

void foi_tdma_part_destroy(foi_tdma_part *p)
{
    if (!p) return;
    fo_field_destroy(p->f);
    foi_free(p->allocator, p->u);
    foi_free(p->allocator, p->before);
    foi_free(p->allocator, p->spare);
    foi_free(p->allocator, p->x);
    foi_free(p->allocator, p->x_new);
    foi_free(p->allocator, p->rest);
    foi_free(p->allocator, p->scratch);
    foi_free(p->allocator, p);
}

// ----------------------------------------------------------------------------------------- faces

uint32_t foi_tdma_face_size(const foi_tdma_part *p, int side)
{
    return p->share.box.sides[side]
               ? foi_cut_face(&p->share.box, side) * foi_tdma_variables(p->whole)
               : 0;
}

void foi_tdma_face_get(const foi_tdma_part *p, int side, double *values)
{
    uint32_t count = foi_cut_face(&p->share.box, side);
    for (uint32_t v = 0; v < foi_tdma_variables(p->whole); v++) {
        const double *from = values_of(p, v);
        for (uint32_t n = 0; n < count; n++)
            *values++ = from[foi_cut_place(p->f, &p->share.box, side, false, n)];
    }
}

void foi_tdma_halo_put(foi_tdma_part *p, int side, const double *values)
{
    uint32_t count = foi_cut_face(&p->share.box, side);
    for (uint32_t v = 0; v < foi_tdma_variables(p->whole); v++) {
        double *to = values_of(p, v);
        for (uint32_t n = 0; n < count; n++)
            to[foi_cut_place(p->f, &p->share.box, side, true, n)] = *values++;
    }
}

// ------------------------------------------------------------------------------------------ steps

/// As a sweep does it, in the same bits.
static void leap(foi_tdma_part *p, double t)
{
    const fo_field *f = p->f;
    double h = p->h, *after = p->spare ? p->spare : p->before, *old = p->u;
    foi_leapfrog_rows(f, &f->box, 0, foi_rows(&f->box), h, p->u, p->before, after, false);
    for (uint32_t i = 0; i < f->force_count; i++) {
        const foi_act *act = &f->forces[i];
        double e = h * foi_damping_at(f, act->node) / 2;
        if (!f->still[act->node])
            after[act->node] += h * h * foi_signal_at(f, act->signal, t, NULL).s / (1 + e);
    }
    for (uint32_t i = 0; i < f->held_count; i++)
        after[f->held[i].node] = foi_signal_at(f, f->held[i].signal, t + h, NULL).s;
    p->u = after;
    if (p->spare) p->spare = p->before;
    p->before = old;
}

fo_status foi_tdma_part_advance(foi_tdma_part *p, fo_message *why)
{
    double t = p->h * (double)p->step++;
    if (p->u) {
        leap(p, t);
        return FO_OK;
    }
    fo_system system = fo_field_system(p->f);
    p->state.t = t;
    fo_status status = system.type->stepper->step(system.model, &p->state, t, p->h, p->x, p->x_new);
    if (status) {
        if (why) *why = p->message;
        return status;
    }
    double *old = p->x;
    p->x = p->state.x = p->x_new;
    p->x_new = old;
    // held nodes to the bit as the next step sees them: t + h is not always h (step + 1)
    foi_part_impose(&p->f->whole, p->h * (double)p->step, p->state.u, p->x);
    return FO_OK;
}

bool foi_tdma_part_probe(const foi_tdma_part *p, uint32_t probe, double *value)
{
    uint32_t state = p->whole->probe_state[probe], node = state % p->whole->nodes, at;
    bool velocity = state >= p->whole->nodes;
    if (!foi_cut_find(p->whole, p->f, &p->share.box, node, &at)) return false;
    if (p->u && velocity)
        *value = (p->u[at] - p->before[at]) / p->h;
    else
        *value = values_of(p, velocity)[at];
    return true;
}

uint32_t foi_tdma_part_nodes(const foi_tdma_part *p)
{
    const uint32_t *n = p->share.box.n;
    return n[0] * n[1] * n[2];
}
