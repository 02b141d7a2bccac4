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
    o->under = foi_new(f->allocator, o->count, sizeof *o->under);
    if (!o->node || !o->shape || !o->under) return FO_ERROR_MEMORY;
    if (def->shape) memcpy(o->shape, def->shape, o->count * sizeof *o->shape);
    for (uint32_t k = 0; k < size[2]; k++)
        for (uint32_t j = 0; j < size[1]; j++)
            for (uint32_t i = 0; i < size[0]; i++)
                o->node[at++] =
                    fo_field_index(f, def->first[0] + i, def->first[1] + j, def->first[2] + k);
    for (uint32_t i = 0; i < o->count; i++) o->under[i] = (foi_touch){i, o->node[i]};
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
    foi_free(f->allocator, f->object->under);
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

// ------------------------------------------------------------------------------- what is under it

/// The nodes under the object, in its own order, whichever part computes them; and its states.
typedef struct view {
    double *u, *w, *psi;
    const double *own; ///< y, v, z
} view;

/// Takes (x, psi) of the nodes under the object from all parts. psi may be NULL.
static fo_status look(const foi_part *p, const fo_state *s, const double *x, const double *psi,
                      view *v)
{
    uint32_t count = p->f->object->count;
    double *rows = foi_scratch(p, s, FOI_SCRATCHES);
    *v = (view){rows, rows + count, rows + 2 * (size_t)count, x + 2 * (size_t)p->nodes};
    if (p->link) memset(rows, 0, 3 * (size_t)count * sizeof *rows);
    for (uint32_t i = 0; i < p->under_count; i++) {
        foi_touch under = p->under[i];
        v->u[under.object] = x[under.at];
        v->w[under.object] = x[p->nodes + under.at];
        if (psi) v->psi[under.object] = psi[under.at];
    }
    return p->link ? p->link->join(p->self, s, rows, (psi ? 3 : 2) * count) : FO_OK;
}

/// theta - (y - shape): positive where there is air between.
static double gap(const foi_object *o, const view *v, uint32_t i)
{
    return v->u[i] - (v->own[0] - o->shape[i]);
}

static double gap_speed(const view *v, uint32_t i)
{
    return v->w[i] - v->own[1];
}

// ------------------------------------------------------------------------------------------ forces

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
static double exact_share(const foi_object *o, const fo_state *s, double a, const double *psi)
{
    double sum = 0;
    uint32_t k = 0;
    for (uint32_t i = 0; i < o->count; i++) {
        if (s->d[i] == 0) continue;
        sum += a - psi[i];
        k++;
    }
    return shared(sum, o->def.mass, k);
}

/// Since sum z / m is the share, object and nodes accelerate by a - share, in the same bits.
static void exact_rates(const fo_field *f, const fo_state *s, double t, const view *v, double *down)
{
    const foi_object *o = f->object;
    double a = pull(f, s, t), together = a - exact_share(o, s, a, v->psi);
    for (uint32_t i = 0; i < o->count; i++)
        if (s->d[i] != 0) v->psi[i] = together;
    down[1] = together;
}

static void sliding_rates(const fo_field *f, const fo_state *s, double t, const view *v,
                          double *down)
{
    const foi_object *o = f->object;
    const double *z = v->own + 2;
    double mu = o->def.mu, eps = o->def.eps, press = 0, sum = 0, *dz = down + 2;
    uint32_t k = 0;
    for (uint32_t i = 0; i < o->count; i++)
        if (s->d[i] != 0) press += z[i];
    double a = pull(f, s, t) - press / o->def.mass;
    for (uint32_t i = 0; i < o->count; i++) {
        dz[i] = 0;
        if (s->d[i] == 0) continue;
        v->psi[i] += z[i];
        dz[i] = mu * mu * (a - v->psi[i]) - 2 * mu * gap_speed(v, i) - gap(o, v, i);
        sum += dz[i];
        k++;
    }
    double share = shared(sum, o->def.mass, k);
    for (uint32_t i = 0; i < o->count; i++)
        if (s->d[i] != 0) dz[i] = (dz[i] - share) / (mu * mu * eps);
    down[1] = a;
}

fo_status foi_object_rates(const foi_part *p, const fo_state *s, double t, const double *x,
                           double *dx)
{
    const fo_field *f = p->f;
    double *dw = dx + p->nodes, *down = dx + 2 * (size_t)p->nodes;
    view v;
    fo_status status = look(p, s, x, dw, &v);
    down[0] = v.own[1];
    if (f->object->def.contact == FO_CONTACT_SLIDING)
        sliding_rates(f, s, t, &v, down);
    else
        exact_rates(f, s, t, &v, down);
    for (uint32_t i = 0; i < p->under_count; i++) dw[p->under[i].at] = v.psi[p->under[i].object];
    return status;
}

// ------------------------------------------------------------------------------------------
// moments

/// All that touch get one velocity, as after an inelastic impact: the share less.
static void strike(const foi_part *p, fo_state *s, const view *v)
{
    const foi_object *o = p->f->object;
    double *w = s->x + p->nodes, *speed = s->x + 2 * (size_t)p->nodes + 1, sum = 0;
    uint32_t k = 0;
    for (uint32_t i = 0; i < o->count; i++) {
        if (s->d[i] == 0) continue;
        sum += *speed - v->w[i];
        k++;
    }
    *speed -= shared(sum, o->def.mass, k);
    for (uint32_t i = 0; i < p->under_count; i++)
        if (s->d[p->under[i].object] != 0) w[p->under[i].at] = *speed;
}

fo_status foi_object_start(const foi_part *p, fo_state *s)
{
    const foi_object *o = p->f->object;
    double *own = s->x + 2 * (size_t)p->nodes;
    view v;
    own[0] = o->def.y;
    own[1] = o->def.v;
    fo_status status = look(p, s, s->x, NULL, &v);
    if (status) return status;
    for (uint32_t i = 0; i < o->count; i++) {
        double g = gap(o, &v, i);
        s->d[i] = o->def.bonded || g <= 0;
        if (s->d[i] == 0 || o->def.contact == FO_CONTACT_SLIDING || fabs(g) <= 1e-9) continue;
        return fo_refuse(s,
                         "%s: at the start the object must touch the surface or be above it, at "
                         "node %u it is off by %g",
                         p->f->name, o->node[i], -g);
    }
    if (o->def.contact == FO_CONTACT_EXACT) strike(p, s, &v);
    return FO_OK;
}

fo_status foi_object_guards_at(const foi_part *p, const fo_state *s, double t, const double *x,
                               const double *psi, double *g)
{
    const foi_object *o = p->f->object;
    bool sliding = o->def.contact == FO_CONTACT_SLIDING;
    view v;
    fo_status status = look(p, s, x, psi, &v);
    double a = sliding ? 0 : pull(p->f, s, t), share = sliding ? 0 : exact_share(o, s, a, v.psi);
    for (uint32_t i = 0; i < o->count; i++) {
        if (s->d[i] == 0)
            g[i] = gap(o, &v, i);
        else
            g[i] = sliding ? v.own[2 + i] : a - v.psi[i] - share;
    }
    return status;
}

fo_status foi_object_jump(const foi_part *p, fo_state *s, uint32_t index)
{
    const foi_object *o = p->f->object;
    bool sliding = o->def.contact == FO_CONTACT_SLIDING;
    double y = s->x[2 * (size_t)p->nodes];
    view v;
    s->d[index] = s->d[index] == 0;
    if (sliding) {
        s->x[2 * (size_t)p->nodes + 2 + index] = 0;
        return FO_OK;
    }
    for (uint32_t i = 0; i < p->under_count; i++)
        if (p->under[i].object == index)
            s->x[p->under[i].at] = y - o->shape[index]; // off by rounding only
    if (s->d[index] == 0) return FO_OK;
    fo_status status = look(p, s, s->x, NULL, &v);
    if (!status) strike(p, s, &v);
    return status;
}

fo_status foi_object_observe(const foi_part *p, const fo_state *s, double t, const double *x,
                             const double *psi, double *y)
{
    const foi_object *o = p->f->object;
    bool sliding = o->def.contact == FO_CONTACT_SLIDING;
    view v;
    fo_status status = look(p, s, x, psi, &v);
    double a = sliding ? 0 : pull(p->f, s, t), share = sliding ? 0 : exact_share(o, s, a, v.psi);
    y[0] = v.own[0], y[1] = v.own[1], y[2] = 0, y[3] = 0;
    for (uint32_t i = 0; i < o->count; i++) {
        if (s->d[i] == 0) continue;
        y[2] += sliding ? v.own[2 + i] : a - v.psi[i] - share;
        y[3] += 1;
    }
    return status;
}
