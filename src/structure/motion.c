/// A structure as a system: rates, second derivatives, signals of the ports, damage.
#include <math.h>
#include <string.h>

#include "structure/structure.h"

// ---------------------------------------------------------------------------------------- rates

double foi_accelerations(const fo_structure *s, const fo_state *state, const double *x, double *a)
{
    size_t n = foi_coordinates(s), dim = (size_t)s->dim;
    const double *v = x + n;
    double rate = state->p[FOI_RATE], friction = state->p[FOI_FRICTION];
    foi_load load = foi_load_of(s, state, x);
    double energy = foi_potential(s, &load, x, a);
    foi_add_efforts(s, &load, a);
    for (size_t c = 0; c < n; c++)
        a[c] = (a[c] - (rate * s->mass[c / dim] + friction) * v[c]) * s->inverse_mass[c];
    return energy;
}

static fo_status rates(const void *model, const fo_state *state, double t, const double *x,
                       double *dx)
{
    (void)t;
    const fo_structure *s = model;
    size_t n = foi_coordinates(s);
    memcpy(dx, x + n, n * sizeof *dx);
    foi_accelerations(s, state, x, dx + n);
    foi_load load = foi_load_of(s, state, x);
    for (size_t i = 0; i < s->port_count; i++) {
        const foi_port *p = &s->ports[i];
        if (p->flow_in && p->node != FO_BOWL)
            dx[(size_t)p->node * (size_t)s->dim + (size_t)p->axis] =
                foi_port_input(s, &load, i) * p->direction[p->axis];
    }
    for (size_t k = 0; 2 * n + k < s->shape.states; k++) {
        const foi_port *p = s->bowl_mode[k] == FOI_BOWL_FLOW ? &s->ports[s->bowl_port[k]] : NULL;
        dx[2 * n + k] = p ? foi_port_input(s, &load, s->bowl_port[k]) * p->direction[p->axis] : 0;
    }
    return FO_OK;
}

static const fo_pattern *pattern(const void *model, const fo_state *state)
{
    (void)state;
    return &((const fo_structure *)model)->pattern;
}

static fo_status jacobian(const void *model, const fo_state *state, double t, const double *x,
                          double *values)
{
    (void)t;
    const fo_structure *s = model;
    size_t n = foi_coordinates(s), dim = (size_t)s->dim, size = foi_hessian_size(s);
    foi_load load = foi_load_of(s, state, x);
    fo_status status = foi_hessian(s, &load, x, values, state->message);
    if (status != FO_OK) return status;
    for (size_t e = 0; e < size; e++) values[e] *= -s->inverse_mass[s->pattern_row[e] - n];
    double *at = values + size;
    for (size_t c = 0; c < n; c++) {
        double friction = state->p[FOI_RATE] * s->mass[c / dim] + state->p[FOI_FRICTION];
        *at++ = s->driver[c] == FOI_NO_INDEX;
        *at++ = -friction * s->inverse_mass[c];
    }
    for (size_t k = 0; 2 * n + k < s->shape.states; k++)
        for (uint32_t i = 0; i < s->nodes; i++)
            *at++ =
                s->bowl_mode[k] == FOI_BOWL_FLOW ? s->def.bowl * s->inverse_mass[i * dim + k] : 0;
    return FO_OK;
}

static void shape(const void *model, fo_shape *to)
{
    *to = ((const fo_structure *)model)->shape;
}

// -------------------------------------------------------------------------------------- signals

// What a port's signal is at time t.
static double signal_at(const foi_port *p, double t)
{
    double value = 0;
    for (size_t i = 0; i < p->changes && p->times[i] <= t; i++) value = p->values[i];
    return value;
}

static void set_signals(const fo_structure *s, fo_state *state)
{
    for (size_t i = 0; i < s->port_count; i++) state->d[i] = signal_at(&s->ports[i], state->t);
}

static fo_next next(const void *model, const fo_state *state)
{
    const fo_structure *s = model;
    fo_next soonest = {INFINITY, 0};
    for (size_t i = 0; i < s->port_count; i++) {
        const foi_port *p = &s->ports[i];
        for (size_t k = 0; k < p->changes; k++) {
            bool due =
                p->times[k] > state->t || (p->times[k] == state->t && state->d[i] != p->values[k]);
            if (!due) continue;
            if (p->times[k] < soonest.t) soonest.t = p->times[k];
            break;
        }
    }
    return soonest;
}

static fo_status start(const void *model, fo_state *state)
{
    const fo_structure *s = model;
    size_t n = foi_coordinates(s);
    if (!s->description.states.count) { // too many for names: nobody else has set them
        memcpy(state->x, s->start, n * sizeof(double));
        memcpy(state->x + n, s->velocity, n * sizeof(double));
    }
    for (size_t c = 0; c < n; c++)
        if (s->fixed[c] && state->x[n + c] != 0)
            return fo_refuse(state, "node %zu is fixed and cannot have the velocity %g",
                             c / (size_t)s->dim + 1, state->x[n + c]);
    if (!(state->p[FOI_RATE] >= 0 && state->p[FOI_FRICTION] >= 0))
        return fo_refuse(state, "friction must not be negative, is %g and %g", state->p[FOI_RATE],
                         state->p[FOI_FRICTION]);
    set_signals(s, state);
    if (s->def.leapfrog) *(double *)state->memory = 0; // the stepper has looked at no step
    foi_account_start(s, state);
    return FO_OK;
}

// --------------------------------------------------------------------------------------- damage

// Length of a spring, and how fast it grows.
static double length_of(const fo_structure *s, const foi_spring *spring, const double *x,
                        double *growth)
{
    size_t dim = (size_t)s->dim, n = foi_coordinates(s);
    const double *a = x + spring->a * dim, *b = x + spring->b * dim;
    double l2 = 0, product = 0;
    for (size_t k = 0; k < dim; k++) {
        double r = b[k] - a[k];
        l2 += r * r;
        product += r * (b[n + k] - a[n + k]);
    }
    double l = sqrt(l2);
    if (growth) *growth = l > 0 ? product / l : 0;
    return l;
}

static fo_status guards(const void *model, const fo_state *state, double t, const double *x,
                        double *g)
{
    (void)t;
    const fo_structure *s = model;
    for (size_t i = 0; i < s->slot_count; i++, g += FOI_SLOT_GUARDS) {
        const foi_slot *slot = &s->slots[i];
        const foi_spring *spring = &s->springs[slot->spring];
        foi_damage damage = foi_damage_of(s, spring, state->d);
        double growth, l = length_of(s, spring, x, &growth);
        g[FOI_GUARD_BREAK] = g[FOI_GUARD_YIELD] = 1;
        if (!damage.whole) continue;
        if (slot->breaks > 0) g[FOI_GUARD_BREAK] = slot->breaks - (l - spring->d) / spring->d;
        if (slot->yields > 0)
            g[FOI_GUARD_YIELD] = damage.flowing != 0
                                     ? damage.flowing * growth
                                     : slot->yields - fabs(l - damage.length) / spring->d;
    }
    return FO_OK;
}

// A spring tears and takes its energy with it; or it begins to flow; or it stops and has a new
// length.
static void damage_spring(const fo_structure *s, fo_state *state, const fo_moment *m)
{
    const foi_slot *slot = &s->slots[m->index / FOI_SLOT_GUARDS];
    const foi_spring *spring = &s->springs[slot->spring];
    double *d =
        state->d + s->port_count + (size_t)(m->index / FOI_SLOT_GUARDS) * FOI_SLOT_DISCRETES;
    double l = length_of(s, spring, state->x, NULL), c, e;
    if (m->index % FOI_SLOT_GUARDS == FOI_GUARD_BREAK) {
        foi_account_damage(s, state, foi_spring_law(s, spring, state->d, l * l, &c, &e));
        d[FOI_WHOLE] = d[FOI_FLOWING] = 0;
    } else if (d[FOI_FLOWING] == 0) {
        d[FOI_FLOWING] = l > d[FOI_LENGTH] ? 1 : -1;
    } else {
        d[FOI_LENGTH] = l - d[FOI_FLOWING] * slot->yields * spring->d;
        d[FOI_FLOWING] = 0;
    }
}

// Another time or value of a signal may already be in force. But the present value of one can be
// set, too, and then stays until its next change.
static bool moves_signals(const fo_structure *s, const fo_moment *m)
{
    const fo_variables *list = &s->description.discretes;
    if (m->kind != FO_SET) return m->kind == FO_SCHEDULED;
    bool itself = m->index < list->count && m->name && list->list[m->index].name &&
                  strcmp(m->name, list->list[m->index].name) == 0;
    return !itself;
}

static fo_status jump(const void *model, fo_state *state, const fo_moment *m, fo_effect *e)
{
    (void)e;
    const fo_structure *s = model;
    if (moves_signals(s, m)) set_signals(s, state);
    foi_account_damage(s, state, 0);
    if (m->kind == FO_GUARD) damage_spring(s, state, m);
    if (m->kind == FO_SET && s->def.leapfrog)
        *(double *)state->memory = 0; // look at the step again
    if (m->kind == FO_SET) foi_account_set(s, state);
    return FO_OK;
}

static fo_status observe(const void *model, const fo_state *state, double t, const double *x,
                         double *y)
{
    foi_account_show(model, state, t, x, y);
    return FO_OK;
}

static fo_status settle(const void *model, fo_state *state, double t, const double *x)
{
    return foi_account_settle(model, state, t, x);
}

#define COMMON                                                                             \
    .kind = "structure", .shape = shape, .start = start, .rates = rates, .guards = guards, \
    .next = next, .jump = jump, .hears_sets = true, .observe = observe

const fo_system_type foi_structure_type = {COMMON, .settle = settle, .pattern = pattern,
                                           .jacobian = jacobian};
const fo_system_type foi_structure_type_unaccounted = {COMMON, .pattern = pattern,
                                                       .jacobian = jacobian};
const fo_system_type foi_structure_type_threads = {COMMON, .stepper = &foi_structure_stepper};
