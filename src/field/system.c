/// A field as a system.
#include <math.h>
#include <string.h>

#include "field/field.h"
#include "field/object.h"

enum { SMALL = 1 << 15 }; ///< nodes below which one thread is quicker

uint32_t foi_field_states(const fo_field *f)
{
    return f->nodes * f->order + (f->object ? foi_object_states(f->object) : 0);
}

double foi_damping_at(const fo_field *f, uint32_t node)
{
    double sum = foi_coefficient_at(&f->b1, node);
    for (int side = 0; side < 6; side++)
        if (f->edge[side] > 0 && foi_on_side(f, node, side)) sum += f->edge[side];
    return sum;
}

/// What lies in the state's memory: how many kinks of the signals have passed.
typedef struct memory {
    uint64_t kink;
} memory;

static void shape(const void *model, fo_shape *shape)
{
    const fo_field *f = model;
    shape->states = foi_field_states(f);
    shape->pairs = f->order == 2 && !f->held_count ? f->nodes : 0;
    shape->discretes = f->object ? f->object->count : 0;
    shape->memory = sizeof(memory);
    shape->scratch = FOI_SCRATCHES * sizeof(double) * (size_t)shape->states;
}

static uint64_t first_kink_after(const fo_field *f, double t)
{
    uint64_t kink = 0;
    while (kink < f->kink_count && f->kinks[kink] <= t) kink++;
    return kink;
}

static fo_status start(const void *model, fo_state *s)
{
    const fo_field *f = model;
    // what was set from outside before the start is added to the field's own start values
    for (uint32_t i = 0; i < f->nodes; i++) {
        s->x[i] += f->start[i];
        if (f->order == 2) s->x[f->nodes + i] += f->start_velocity[i];
    }
    foi_field_impose(f, s->t, s->u, s->x);
    ((memory *)s->memory)->kink = first_kink_after(f, s->t);
    return f->object ? foi_object_start(f, s) : FO_OK;
}

// --------------------------------------------------------------------------------------------
// rates

typedef struct rates_pass {
    const fo_field *f;
    double t;
    const double *x;
    double *dx;
} rates_pass;

static void rates_rows(void *self, uint32_t from, uint32_t to)
{
    const rates_pass *p = self;
    const fo_field *f = p->f;
    bool second = f->order == 2;
    foi_rates_rows(f, &f->box, from, to, p->t, p->x, second ? p->x + f->nodes : NULL, p->dx,
                   second ? p->dx + f->nodes : NULL);
}

void foi_field_part(const fo_field *f, const fo_state *s, double t, const double *x, double *dx)
{
    size_t own = (size_t)f->nodes * f->order, high = f->order == 2 ? f->nodes : 0;
    if (f->held_count) {
        double *imposed = foi_scratch(f, s, FOI_IMPOSED);
        memcpy(imposed, x, own * sizeof *x);
        foi_field_impose(f, t, s->u, imposed);
        x = imposed;
    }
    rates_pass pass = {f, t, x, dx};
    uint32_t threads = f->nodes < SMALL ? 1 : f->def.threads;
    foi_in_parallel(threads, foi_rows(&f->box), rates_rows, &pass);
    for (uint32_t i = 0; i < f->force_count; i++) {
        const foi_act *act = &f->forces[i];
        if (!f->still[act->node]) dx[high + act->node] += foi_signal_at(f, act->signal, t, s->u).s;
    }
    foi_signal_value value = {0};
    for (uint32_t i = 0; i < f->held_count; i++) {
        const foi_act *act = &f->held[i];
        if (i == 0 || act->signal != act[-1].signal) value = foi_signal_at(f, act->signal, t, s->u);
        dx[act->node] = value.ds;
        if (high) dx[high + act->node] = value.dds;
    }
}

fo_status foi_field_rates(const fo_field *f, const fo_state *s, double t, const double *x,
                          double *dx)
{
    foi_field_part(f, s, t, x, dx);
    if (f->object) foi_object_rates(f, s, t, x, dx);
    return FO_OK;
}

static fo_status rates(const void *model, const fo_state *s, double t, const double *x, double *dx)
{
    return foi_field_rates(model, s, t, x, dx);
}

static const fo_pattern *pattern(const void *model, const fo_state *s)
{
    const fo_field *f = model;
    (void)s;
    return f->pattern_start ? &f->pattern : NULL;
}

// ------------------------------------------------------------------------------------------
// moments

/// The field's accelerations without the object's forces, in scratch space.
static const double *psi_at(const fo_field *f, const fo_state *s, double t, const double *x)
{
    double *psi = foi_scratch(f, s, FOI_PSI);
    foi_field_part(f, s, t, x, psi);
    return psi + f->nodes;
}

static fo_status guards(const void *model, const fo_state *s, double t, const double *x, double *g)
{
    const fo_field *f = model;
    bool sliding = f->object->def.contact == FO_CONTACT_SLIDING;
    const double *psi = sliding ? NULL : psi_at(f, s, t, x);
    foi_object_guards_at(f, s, t, x, psi, g);
    return FO_OK;
}

static fo_next next(const void *model, const fo_state *s)
{
    const fo_field *f = model;
    uint64_t kink = ((const memory *)s->memory)->kink;
    return (fo_next){kink < f->kink_count ? f->kinks[kink] : INFINITY, 0};
}

static fo_status jump(const void *model, fo_state *s, const fo_moment *m, fo_effect *e)
{
    const fo_field *f = model;
    (void)e;
    switch (m->kind) {
    case FO_SCHEDULED:
        ((memory *)s->memory)->kink++;
        foi_field_impose(f, s->t, s->u, s->x);
        break;
    case FO_EXTERNAL: {
        uint32_t node = f->point_node[m->index];
        if (f->still[node])
            return fo_refuse(s, "%s: node %u is held and cannot be struck", f->name, node);
        s->x[(f->order == 2 ? f->nodes : 0) + node] += m->value;
        break;
    }
    case FO_GUARD: foi_object_jump(f, s, m->index); break;
    default: break;
    }
    return FO_OK;
}

// ------------------------------------------------------------------------------------------
// outputs

/// Half where a node stands on a side that does not wrap, for each such side.
static double weight(const fo_field *f, uint32_t node)
{
    double w = 1;
    for (int side = 0; side < 2 * (int)f->def.dimensions; side++)
        if (f->box.reach[side] != FOI_WRAP && foi_on_side(f, node, side)) w /= 2;
    return w;
}

/// The part of the energy that lies between the nodes along one axis.
static double stretch(const fo_field *f, const double *u, uint32_t axis)
{
    uint32_t n = f->n[axis], stride = (uint32_t)f->box.stride[axis];
    double sum = 0;
    for (uint32_t node = 0; node < f->nodes; node++) {
        uint32_t i = node / stride % n;
        bool wrap = i + 1 == n;
        if (wrap && f->box.reach[2 * axis] != FOI_WRAP) continue;
        double rise = u[wrap ? node - (n - 1) * stride : node + stride] - u[node];
        double w = weight(f, node); // the axis itself counts whole links
        if (i == 0 && f->box.reach[2 * axis] != FOI_WRAP) w *= 2;
        sum += w * rise * rise * f->k[axis];
    }
    return sum;
}

// E = 1/2 sum over the nodes of w (theta'^2 / c^2 + |grad theta|^2) dx dy dz, gradients between
// nodes: what the discrete wave without damping keeps.
static double energy(const fo_field *f, const double *x)
{
    double sum = 0, cell = 1;
    const double *w = x + f->nodes;
    for (uint32_t axis = 0; axis < f->def.dimensions; axis++) {
        sum += stretch(f, x, axis);
        cell *= f->dx[axis];
    }
    for (uint32_t node = 0; node < f->nodes; node++) {
        double c2 = foi_coefficient_at(&f->c2, node);
        if (c2 > 0) sum += weight(f, node) * w[node] * w[node] / c2;
    }
    return sum * cell / 2;
}

static fo_status observe(const void *model, const fo_state *s, double t, const double *x, double *y)
{
    const fo_field *f = model;
    size_t at = 0;
    for (; at < f->def.probe_count; at++) y[at] = x[f->probe_state[at]];
    if (f->def.energy) y[at++] = energy(f, x);
    if (!f->object) return FO_OK;
    bool sliding = f->object->def.contact == FO_CONTACT_SLIDING;
    foi_object_observe(f, s, t, x, sliding ? NULL : psi_at(f, s, t, x), y + at);
    return FO_OK;
}

// --------------------------------------------------------------------------------------------
// types

#define FIELD_TYPE(stepper_)                                                                    \
    {                                                                                           \
        .kind = "field", .shape = shape, .start = start, .rates = rates, .guards = guards,      \
        .next = next, .jump = jump, .observe = observe, .pattern = pattern, .stepper = stepper_ \
    }

static const fo_system_type types[] = {
    [FO_FIELD_LEAPFROG] = FIELD_TYPE(&foi_stepper_leapfrog),
    [FO_FIELD_EULER] = FIELD_TYPE(&foi_stepper_euler),
    [FO_FIELD_RK4] = FIELD_TYPE(&foi_stepper_rk4),
    [FO_FIELD_IMPLICIT_EULER] = FIELD_TYPE(&foi_stepper_implicit),
    [FO_FIELD_SLIDING] = FIELD_TYPE(&foi_stepper_sliding),
};

fo_system fo_field_system(const fo_field *field)
{
    return (fo_system){&types[field->def.method], &field->description, field};
}
