/// An object on the surface: Newton's law for it, forces z on the nodes that it touches.
///
///     y'' = g + F/m - sum z / m        theta_i'' = psi_i + z_i        g_i = y - shape_i - theta_i
///
/// Exact: g_i'' = 0 for the nodes that touch gives A z = r, A = I + 11'/m, r_i = g + F/m - psi_i;
/// with k nodes A^-1 = I - 11'/(m + k) (Sherman, Morrison). g and g' are linear invariants of the
/// flow, which every Runge-Kutta method keeps. A node that comes to touch takes part in an
/// inelastic impact: A lambda = v - theta_i' over all that touch.
///
/// Sliding (Gordon): s = mu^2 g'' + 2 mu g' + g, z' = -Js^-1 s / eps with Js = ds/dz = -mu^2 A, so
/// that g decays as fast as mu after s has decayed as fast as eps.
#include "field/object.h"

#include <math.h>
#include <string.h>

static fo_status take_nodes(fo_field *f, foi_object *o, const fo_field_object *def, fo_message *why)
{
    uint32_t size[3], at = 0;
    double count = 1;
    for (int axis = 0; axis < 3; axis++) {
        size[axis] = axis < (int)f->def.dimensions ? def->count[axis] : 1;
        count *= size[axis];
        if (size[axis] < 1 || def->first[axis] >= f->n[axis] ||
            size[axis] > f->n[axis] - def->first[axis])
            return fo_fail(why, FO_ERROR_ARGUMENT,
                           "%s: the object covers nodes %u to %u of axis %c, which has %u", f->name,
                           def->first[axis], def->first[axis] + size[axis] - 1, "xyz"[axis],
                           f -> n[axis]);
    }
    o->count = (uint32_t)count;
    o->node = foi_new(f->allocator, o->count, sizeof *o->node);
    o->shape = foi_new(f->allocator, o->count, sizeof *o->shape);
    if (!o->node || !o->shape) return FO_ERROR_MEMORY;
    if (def->shape) memcpy(o->shape, def->shape, o->count * sizeof *o->shape);
    for (uint32_t k = 0; k < size[2]; k++)
        for (uint32_t j = 0; j < size[1]; j++)
            for (uint32_t i = 0; i < size[0]; i++)
                o->node[at++] =
                    fo_field_index(f, def->first[0] + i, def->first[1] + j, def->first[2] + k);
    for (uint32_t i = 0; i < o->count; i++)
        if (f->still[o->node[i]])
            return fo_fail(why, FO_ERROR_ARGUMENT,
                           "%s: the object covers node %u, which is held or on a held side",
                           f->name, o->node[i]);
    return FO_OK;
}

fo_status foi_object_create(fo_field *f, const fo_field_object *def, fo_message *why)
{
    if (!(def->mass > 0 && isfinite(def->mass)))
        return fo_fail(why, FO_ERROR_ARGUMENT, "%s: the object's mass must be positive, is %g",
                       f->name, def->mass);
    if (def->contact == FO_CONTACT_SLIDING && !(def->mu > 0 && def->eps > 0))
        return fo_fail(why, FO_ERROR_ARGUMENT,
                       "%s: a sliding contact needs positive mu and eps, not %g and %g", f->name,
                       def->mu, def->eps);
    f->object = foi_new(f->allocator, 1, sizeof *f->object);
    if (!f->object) return FO_ERROR_MEMORY;
    f->object->def = *def;
    f->object->signal = f->signal_count - 1;
    return take_nodes(f, f->object, def, why);
}

void foi_object_destroy(fo_field *f)
{
    if (!f->object) return;
    foi_free(f->allocator, f->object->node);
    foi_free(f->allocator, f->object->shape);
    foi_free(f->allocator, f->object);
}

uint32_t foi_object_states(const foi_object *o)
{
    return 2 + (o->def.contact == FO_CONTACT_SLIDING ? o->count : 0);
}

uint32_t foi_object_guards(const foi_object *o)
{
    return o->def.bonded ? 0 : o->count;
}

// ------------------------------------------------------------------------------------------ forces

/// theta - (y - shape): positive where there is air between.
static double gap(const fo_field *f, const double *x, uint32_t i)
{
    const foi_object *o = f->object;
    double y = x[2 * (size_t)f->nodes];
    return x[o->node[i]] - (y - o->shape[i]);
}

static double gap_speed(const fo_field *f, const double *x, uint32_t i)
{
    const double *w = x + f->nodes;
    return w[f->object->node[i]] - x[2 * (size_t)f->nodes + 1];
}

/// g + F/m
static double pull(const fo_field *f, const fo_state *s, double t)
{
    const foi_object *o = f->object;
    return o->def.gravity + foi_signal_at(f, o->signal, t, s->u).s / o->def.mass;
}

/// What of r_i is left by A^-1 = I - 11'/(m + k) must be lessened by this.
static double shared(double sum, double mass, uint32_t k)
{
    return sum / (mass + k);
}

/// The exact force of node i is r_i minus the share; returns the share.
static double exact_share(const fo_field *f, const fo_state *s, double a, const double *psi)
{
    const foi_object *o = f->object;
    double sum = 0;
    uint32_t k = 0;
    for (uint32_t i = 0; i < o->count; i++) {
        if (s->d[i] == 0) continue;
        sum += a - psi[o->node[i]];
        k++;
    }
    return shared(sum, o->def.mass, k);
}

/// Since sum z / m is the share, object and nodes accelerate by a - share, in the same bits.
static void exact_rates(const fo_field *f, const fo_state *s, double t, double *dx)
{
    const foi_object *o = f->object;
    double a = pull(f, s, t), *dw = dx + f->nodes;
    double together = a - exact_share(f, s, a, dw);
    for (uint32_t i = 0; i < o->count; i++)
        if (s->d[i] != 0) dw[o->node[i]] = together;
    dx[2 * (size_t)f->nodes + 1] = together;
}

static void sliding_rates(const fo_field *f, const fo_state *s, double t, const double *x,
                          double *dx)
{
    const foi_object *o = f->object;
    size_t own = 2 * (size_t)f->nodes;
    const double *z = x + own + 2;
    double *dw = dx + f->nodes, *dz = dx + own + 2;
    double mu = o->def.mu, eps = o->def.eps, press = 0, sum = 0;
    uint32_t k = 0;
    for (uint32_t i = 0; i < o->count; i++)
        if (s->d[i] != 0) press += z[i];
    double a = pull(f, s, t) - press / o->def.mass;
    for (uint32_t i = 0; i < o->count; i++) {
        dz[i] = 0;
        if (s->d[i] == 0) continue;
        dw[o->node[i]] += z[i];
        dz[i] = mu * mu * (a - dw[o->node[i]]) - 2 * mu * gap_speed(f, x, i) - gap(f, x, i);
        sum += dz[i];
        k++;
    }
    double share = shared(sum, o->def.mass, k);
    for (uint32_t i = 0; i < o->count; i++)
        if (s->d[i] != 0) dz[i] = (dz[i] - share) / (mu * mu * eps);
    dx[own + 1] = a;
}

void foi_object_rates(const fo_field *f, const fo_state *s, double t, const double *x, double *dx)
{
    size_t own = 2 * (size_t)f->nodes;
    dx[own] = x[own + 1];
    if (f->object->def.contact == FO_CONTACT_SLIDING)
        sliding_rates(f, s, t, x, dx);
    else
        exact_rates(f, s, t, dx);
}

// ------------------------------------------------------------------------------------------
// moments

/// All that touch get one velocity, as after an inelastic impact: the share less.
static void strike(const fo_field *f, fo_state *s)
{
    const foi_object *o = f->object;
    double *w = s->x + f->nodes, *v = s->x + 2 * (size_t)f->nodes + 1, sum = 0;
    uint32_t k = 0;
    for (uint32_t i = 0; i < o->count; i++) {
        if (s->d[i] == 0) continue;
        sum += *v - w[o->node[i]];
        k++;
    }
    *v -= shared(sum, o->def.mass, k);
    for (uint32_t i = 0; i < o->count; i++)
        if (s->d[i] != 0) w[o->node[i]] = *v;
}

fo_status foi_object_start(const fo_field *f, fo_state *s)
{
    const foi_object *o = f->object;
    double *own = s->x + 2 * (size_t)f->nodes;
    own[0] = o->def.y;
    own[1] = o->def.v;
    for (uint32_t i = 0; i < o->count; i++) {
        double g = gap(f, s->x, i);
        s->d[i] = o->def.bonded || g <= 0;
        if (s->d[i] == 0 || o->def.contact == FO_CONTACT_SLIDING || fabs(g) <= 1e-9) continue;
        return fo_refuse(s,
                         "%s: at the start the object must touch the surface or be above it, at "
                         "node %u it is off by %g",
                         f->name, o->node[i], -g);
    }
    if (o->def.contact == FO_CONTACT_EXACT) strike(f, s);
    return FO_OK;
}

void foi_object_guards_at(const fo_field *f, const fo_state *s, double t, const double *x,
                          const double *psi, double *g)
{
    const foi_object *o = f->object;
    bool sliding = o->def.contact == FO_CONTACT_SLIDING;
    const double *z = x + 2 * (size_t)f->nodes + 2;
    double a = sliding ? 0 : pull(f, s, t), share = sliding ? 0 : exact_share(f, s, a, psi);
    for (uint32_t i = 0; i < o->count; i++) {
        if (s->d[i] == 0)
            g[i] = gap(f, x, i);
        else
            g[i] = sliding ? z[i] : a - psi[o->node[i]] - share;
    }
}

void foi_object_jump(const fo_field *f, fo_state *s, uint32_t index)
{
    const foi_object *o = f->object;
    bool sliding = o->def.contact == FO_CONTACT_SLIDING;
    double y = s->x[2 * (size_t)f->nodes];
    s->d[index] = s->d[index] == 0;
    if (sliding) {
        s->x[2 * (size_t)f->nodes + 2 + index] = 0;
        return;
    }
    s->x[o->node[index]] = y - o->shape[index]; // off by rounding only
    if (s->d[index] != 0) strike(f, s);
}

void foi_object_observe(const fo_field *f, const fo_state *s, double t, const double *x,
                        const double *psi, double *y)
{
    const foi_object *o = f->object;
    size_t own = 2 * (size_t)f->nodes;
    bool sliding = o->def.contact == FO_CONTACT_SLIDING;
    double a = sliding ? 0 : pull(f, s, t), share = sliding ? 0 : exact_share(f, s, a, psi);
    y[0] = x[own], y[1] = x[own + 1], y[2] = 0, y[3] = 0;
    for (uint32_t i = 0; i < o->count; i++) {
        if (s->d[i] == 0) continue;
        y[2] += sliding ? x[own + 2 + i] : a - psi[o->node[i]] - share;
        y[3] += 1;
    }
}
