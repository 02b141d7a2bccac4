/// A field as a system.
#include <math.h>
#include <string.h>

#include "field/field.h"
#include "field/object.h"

enum { SMALL = 1 << 15 }; ///< nodes below which one thread is quicker

uint32_t foi_part_states(const foi_part *p)
{
    const fo_field *f = p->f;
    return p->nodes * f->order + (f->object ? foi_object_states(f->object) : 0);
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
    const foi_part *p = model;
    const fo_field *f = p->f;
    size_t under = f->object ? f->object->count : 0;
    shape->states = foi_part_states(p);
    shape->pairs = f->order == 2 && !f->held_count ? p->nodes : 0;
    shape->discretes = (uint32_t)under;
    shape->memory = sizeof(memory);
    shape->scratch = sizeof(double) * (FOI_SCRATCHES * (size_t)shape->states + 3 * under);
}

static uint64_t first_kink_after(const fo_field *f, double t)
{
    uint64_t kink = 0;
    while (kink < f->kink_count && f->kinks[kink] <= t) kink++;
    return kink;
}

static fo_status start(const void *model, fo_state *s)
{
    const foi_part *p = model;
    const fo_field *f = p->f;
    // what was set from outside before the start is added to the field's own start values
    for (uint32_t i = 0; i < p->nodes; i++) {
        s->x[i] += f->start[foi_part_node(p, i)];
        if (f->order == 2) s->x[p->nodes + i] += f->start_velocity[foi_part_node(p, i)];
    }
    foi_part_impose(p, s->t, s->u, s->x);
    ((memory *)s->memory)->kink = first_kink_after(f, s->t);
    return f->object ? foi_object_start(p, s) : FO_OK;
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

static fo_status nodes_rates(const foi_part *p, const fo_state *s, double t, const double *x,
                             double *dx)
{
    const fo_field *f = p->f;
    if (p->link) return p->link->rates(p->self, s, t, x, dx);
    rates_pass pass = {f, t, x, dx};
    uint32_t threads = f->nodes < SMALL ? 1 : f->def.threads;
    foi_in_parallel(threads, foi_rows(&f->box), rates_rows, &pass);
    return FO_OK;
}

fo_status foi_part_field(const foi_part *p, const fo_state *s, double t, const double *x,
                         double *dx)
{
    const fo_field *f = p->f;
    size_t own = (size_t)p->nodes * f->order, high = f->order == 2 ? p->nodes : 0;
    if (p->held_count) {
        double *imposed = foi_scratch(p, s, FOI_IMPOSED);
        memcpy(imposed, x, own * sizeof *x);
        foi_part_impose(p, t, s->u, imposed);
        x = imposed;
    }
    fo_status status = nodes_rates(p, s, t, x, dx);
    for (uint32_t i = 0; i < p->force_count; i++) {
        const foi_act *act = &p->forces[i];
        if (!f->still[foi_part_node(p, act->node)])
            dx[high + act->node] += foi_signal_at(f, act->signal, t, s->u).s;
    }
    foi_signal_value value = {0};
    for (uint32_t i = 0; i < p->held_count; i++) {
        const foi_act *act = &p->held[i];
        if (i == 0 || act->signal != act[-1].signal) value = foi_signal_at(f, act->signal, t, s->u);
        dx[act->node] = value.ds;
        if (high) dx[high + act->node] = value.dds;
    }
    return status;
}

fo_status foi_part_rates(const foi_part *p, const fo_state *s, double t, const double *x,
                         double *dx)
{
    fo_status status = foi_part_field(p, s, t, x, dx);
    if (!status && p->f->object) status = foi_object_rates(p, s, t, x, dx);
    return status;
}

static fo_status rates(const void *model, const fo_state *s, double t, const double *x, double *dx)
{
    return foi_part_rates(model, s, t, x, dx);
}

static const fo_pattern *pattern(const void *model, const fo_state *s)
{
    const foi_part *p = model;
    (void)s;
    return p->f->pattern_start && !p->node ? &p->f->pattern : NULL;
}

// ------------------------------------------------------------------------------------------
// moments

/// The field's accelerations without the object's forces, in scratch space.
static fo_status psi_at(const foi_part *p, const fo_state *s, double t, const double *x,
                        const double **psi)
{
    double *rates = foi_scratch(p, s, FOI_PSI);
    *psi = rates + p->nodes;
    return foi_part_field(p, s, t, x, rates);
}

static fo_status guards(const void *model, const fo_state *s, double t, const double *x, double *g)
{
    const foi_part *p = model;
    bool sliding = p->f->object->def.contact == FO_CONTACT_SLIDING;
    const double *psi = NULL;
    fo_status status = sliding ? FO_OK : psi_at(p, s, t, x, &psi);
    return status ? status : foi_object_guards_at(p, s, t, x, psi, g);
}

static fo_next next(const void *model, const fo_state *s)
{
    const fo_field *f = ((const foi_part *)model)->f;
    uint64_t kink = ((const memory *)s->memory)->kink;
    return (fo_next){kink < f->kink_count ? f->kinks[kink] : INFINITY, 0};
}

/// The place of a node of the whole grid in the part, whose nodes ascend; p->nodes: it is in
/// another one.
static uint32_t place_in(const foi_part *p, uint32_t node)
{
    if (!p->node) return node;
    uint32_t low = 0, high = p->nodes;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (p->node[middle] < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low < p->nodes && p->node[low] == node ? low : p->nodes;
}

static fo_status jump(const void *model, fo_state *s, const fo_moment *m, fo_effect *e)
{
    const foi_part *p = model;
    const fo_field *f = p->f;
    (void)e;
    switch (m->kind) {
    case FO_SCHEDULED:
        ((memory *)s->memory)->kink++;
        foi_part_impose(p, s->t, s->u, s->x);
        break;
    case FO_EXTERNAL: {
        uint32_t node = f->point_node[m->index], at = place_in(p, node);
        if (f->still[node])
            return fo_refuse(s, "%s: node %u is held and cannot be struck", f->name, node);
        if (at < p->nodes) s->x[(f->order == 2 ? p->nodes : 0) + at] += m->value;
        break;
    }
    case FO_GUARD: return foi_object_jump(p, s, m->index);
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
double foi_field_energy(const fo_field *f, const double *x)
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

/// The values of the probes; each part has those of its own nodes.
static fo_status probe(const foi_part *p, const fo_state *s, const double *x, double *y)
{
    const fo_field *f = p->f;
    for (uint32_t i = 0; i < f->def.probe_count; i++) {
        uint32_t node = f->probe_state[i] % f->nodes, at = place_in(p, node);
        y[i] = at == p->nodes ? 0 : x[at + (f->probe_state[i] >= f->nodes ? p->nodes : 0)];
    }
    return p->link ? p->link->join(p->self, s, y, f->def.probe_count) : FO_OK;
}

static fo_status observe(const void *model, const fo_state *s, double t, const double *x, double *y)
{
    const foi_part *p = model;
    const fo_field *f = p->f;
    size_t at = f->def.probe_count;
    fo_status status = probe(p, s, x, y);
    if (f->def.energy && !status) {
        if (p->link)
            status = p->link->energy(p->self, s, x, &y[at]);
        else
            y[at] = foi_field_energy(f, x);
        at++;
    }
    if (!f->object || status) return status;
    bool sliding = f->object->def.contact == FO_CONTACT_SLIDING;
    const double *psi = NULL;
    status = sliding ? FO_OK : psi_at(p, s, t, x, &psi);
    return status ? status : foi_object_observe(p, s, t, x, psi, y + at);
}

// --------------------------------------------------------------------------------------------
// types

#define FIELD_TYPE(stepper_)                                                                     \
    {                                                                                            \
        .kind = "field", .shape = shape, .start = start, .rates = rates, .guards = guards,       \
        .next = next, .jump = jump, .observe = observe, .pattern = pattern, .stepper = stepper_, \
        .lockstep = true                                                                         \
    }

static const fo_system_type types[] = {
    [FO_FIELD_LEAPFROG] = FIELD_TYPE(&foi_stepper_leapfrog),
    [FO_FIELD_EULER] = FIELD_TYPE(&foi_stepper_euler),
    [FO_FIELD_RK4] = FIELD_TYPE(&foi_stepper_rk4),
    [FO_FIELD_IMPLICIT_EULER] = FIELD_TYPE(&foi_stepper_implicit),
    [FO_FIELD_SLIDING] = FIELD_TYPE(&foi_stepper_sliding),
};

const fo_system_type *foi_part_type(fo_field_method method)
{
    return &types[method];
}

fo_system fo_field_system(const fo_field *field)
{
    return (fo_system){foi_part_type(field->def.method), &field->description, &field->whole};
}
