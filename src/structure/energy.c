/// Energies and forces, each in a fixed order: the same state gives the same bits.
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "structure/structure.h"

foi_damage foi_damage_of(const fo_structure *s, const foi_spring *spring, const double *d)
{
    if (spring->slot == FOI_NO_INDEX || !d) return (foi_damage){true, spring->d, 0};
    const double *at = d + s->port_count + (size_t)spring->slot * FOI_SLOT_DISCRETES;
    return (foi_damage){at[FOI_WHOLE] != 0, at[FOI_LENGTH], at[FOI_FLOWING]};
}

// squares:  V = 1/2 k (l^2 - d^2)^2    c = 2 k (l^2 - d^2)   e = 4 k
// lengths:  V = 1/2 k (l - d)^2        c = k (1 - d/l)       e = k d / l^3
// flowing:  |l - d| = y, force k y     c = +-k y / l         e = -c / l^2
static double lengths_law(const foi_spring *spring, const foi_damage *damage, double yield,
                          double l2, double *c, double *e)
{
    double l = sqrt(l2), k = spring->k;
    *c = *e = 0;
    if (!(l > 0)) return 0.5 * k * damage->length * damage->length; // no direction to push to
    if (damage->flowing != 0) {
        double stretch = damage->flowing * yield;
        *c = k * stretch / l;
        *e = -*c / l2;
        return 0.5 * k * stretch * stretch;
    }
    double stretch = l - damage->length;
    *c = k * stretch / l;
    *e = k * damage->length / (l2 * l);
    return 0.5 * k * stretch * stretch;
}

double foi_spring_law(const fo_structure *s, const foi_spring *spring, const double *d, double l2,
                      double *c, double *e)
{
    if (spring->slot != FOI_NO_INDEX || spring->energy == FO_SPRING_LENGTHS) {
        foi_damage damage = foi_damage_of(s, spring, d);
        *c = *e = 0;
        if (!damage.whole) return 0;
        double yields = spring->slot == FOI_NO_INDEX ? 0 : s->slots[spring->slot].yields;
        if (spring->energy == FO_SPRING_LENGTHS)
            return lengths_law(spring, &damage, yields * spring->d, l2, c, e);
    }
    double stretch = l2 - spring->d * spring->d;
    *c = 2 * spring->k * stretch;
    *e = 4 * spring->k;
    return 0.5 * spring->k * stretch * stretch;
}

static double spring_potential(const fo_structure *s, const double *d, const double *q, double *f)
{
    size_t dim = (size_t)s->dim;
    double sum = 0;
    for (size_t i = 0; i < s->spring_count; i++) {
        const foi_spring *spring = &s->springs[i];
        const double *a = q + spring->a * dim, *b = q + spring->b * dim;
        double r[3], l2 = 0, c, e;
        for (size_t k = 0; k < dim; k++) r[k] = b[k] - a[k], l2 += r[k] * r[k];
        sum += foi_spring_law(s, spring, d, l2, &c, &e);
        if (!f) continue;
        double *fa = f + spring->a * dim, *fb = f + spring->b * dim;
        for (size_t k = 0; k < dim; k++) fa[k] += c * r[k], fb[k] -= c * r[k];
    }
    return sum;
}

static double bend_potential(const fo_structure *s, const double *q, double *f)
{
    size_t dim = (size_t)s->dim;
    double sum = 0;
    for (size_t i = 0; i < s->bend_count; i++) {
        const foi_bend *bend = &s->bends[i];
        const uint32_t *node = s->bend_node + bend->first;
        const double *coefficient = s->bend_coefficient + bend->first;
        double y[3] = {0};
        for (uint32_t j = 0; j < bend->count; j++)
            for (size_t k = 0; k < dim; k++) y[k] += coefficient[j] * q[node[j] * dim + k];
        for (size_t k = 0; k < dim; k++) sum += 0.5 * bend->k * y[k] * y[k];
        for (uint32_t j = 0; f && j < bend->count; j++)
            for (size_t k = 0; k < dim; k++)
                f[node[j] * dim + k] -= bend->k * coefficient[j] * y[k];
    }
    return sum;
}

// ------------------------------------------------------------------------------------- surfaces

static void cross(const double a[3], const double b[3], double c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

// Edges: V = sum 1/2 (x_i y_j - x_j y_i). Triangles: V = sum 1/6 x_i . (x_j x x_k).
double foi_enclosed(const fo_structure *s, const foi_volume *v, const double *q)
{
    double sum = 0;
    for (uint32_t n = 0; n < v->count; n++) {
        const uint32_t *facet = s->facets + v->first + (size_t)n * (size_t)s->dim;
        const double *a = q + (size_t)facet[0] * (size_t)s->dim;
        const double *b = q + (size_t)facet[1] * (size_t)s->dim;
        if (s->dim == 2) {
            sum += (a[0] * b[1] - b[0] * a[1]) / 2;
        } else {
            double area[3];
            cross(b, q + (size_t)facet[2] * 3, area);
            sum += (a[0] * area[0] + a[1] * area[1] + a[2] * area[2]) / 6;
        }
    }
    return sum;
}

double foi_volume_law(const foi_volume *v, double volume, double *slope, double *curvature)
{
    double away = volume - v->begin;
    switch (v->law) {
    case FO_VOLUME_BULK:
        *slope = v->value * away / v->begin;
        *curvature = v->value / v->begin;
        return 0.5 * v->value * away * away / v->begin;
    case FO_VOLUME_PRESSURE:
        *slope = -v->value;
        *curvature = 0;
        return -v->value * volume;
    default:
        *slope = -v->value * v->begin / volume;
        *curvature = v->value * v->begin / (volume * volume);
        return -v->value * v->begin * foi_log(volume / v->begin);
    }
}

void foi_push_facet(const fo_structure *s, const uint32_t *facet, double slope, const double *q,
                    double *f)
{
    size_t dim = (size_t)s->dim;
    if (dim == 2) {
        const double *a = q + facet[0] * dim, *b = q + facet[1] * dim;
        double *fa = f + facet[0] * dim, *fb = f + facet[1] * dim;
        fa[0] -= slope * b[1] / 2, fa[1] += slope * b[0] / 2;
        fb[0] += slope * a[1] / 2, fb[1] -= slope * a[0] / 2;
        return;
    }
    for (int i = 0; i < 3; i++) {
        double area[3];
        cross(q + facet[(i + 1) % 3] * dim, q + facet[(i + 2) % 3] * dim, area);
        for (size_t k = 0; k < 3; k++) f[facet[i] * dim + k] -= slope * area[k] / 6;
    }
}

static double volume_potential(const fo_structure *s, const double *q, double *f)
{
    double sum = 0;
    for (size_t i = 0; i < s->volume_count; i++) {
        const foi_volume *v = &s->volumes[i];
        double slope, curvature;
        sum += foi_volume_law(v, foi_enclosed(s, v, q), &slope, &curvature);
        for (uint32_t n = 0; f && n < v->count; n++)
            foi_push_facet(s, s->facets + v->first + (size_t)n * (size_t)s->dim, slope, q, f);
    }
    return sum;
}

// A = 1/2 |N|, N = (x_j - x_i) x (x_k - x_i);  dA/dx_i = 1/2 n x (x_k - x_j)
static double triangle(const double *q, const uint32_t *facet, double tension, double *f)
{
    double e[3][3], normal[3];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            e[i][k] = q[facet[(i + 2) % 3] * 3 + k] - q[facet[(i + 1) % 3] * 3 + k];
    cross(e[2], e[0], normal); // (x_j - x_i) x (x_k - x_j), the same N
    double length = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
    if (f && length > 0) {
        for (int k = 0; k < 3; k++) normal[k] /= length;
        for (int i = 0; i < 3; i++) {
            double g[3];
            cross(normal, e[i], g);
            for (int k = 0; k < 3; k++) f[facet[i] * 3 + k] -= tension * g[k] / 2;
        }
    }
    return tension * length / 2;
}

static double edge(const double *q, const uint32_t *facet, double tension, double *f)
{
    double r[2], l;
    for (int k = 0; k < 2; k++) r[k] = q[facet[1] * 2 + k] - q[facet[0] * 2 + k];
    l = sqrt(r[0] * r[0] + r[1] * r[1]);
    for (int k = 0; f && l > 0 && k < 2; k++) {
        f[facet[0] * 2 + k] += tension * r[k] / l;
        f[facet[1] * 2 + k] -= tension * r[k] / l;
    }
    return tension * l;
}

double foi_stretch_facet(const fo_structure *s, const uint32_t *facet, double tension,
                         const double *q, double *f)
{
    return s->dim == 2 ? edge(q, facet, tension, f) : triangle(q, facet, tension, f);
}

double foi_skin_area(const fo_structure *s, const foi_skin *skin, const double *q)
{
    double area = 0;
    for (uint32_t n = 0; n < skin->count; n++)
        area +=
            foi_stretch_facet(s, s->facets + skin->first + (size_t)n * (size_t)s->dim, 1, q, NULL);
    return area;
}

double foi_skin_law(const foi_skin *skin, double area, double *slope, double *curvature)
{
    double away = skin->modulus != 0 ? area - skin->begin : 0;
    *curvature = skin->modulus / skin->begin;
    *slope = skin->tension + *curvature * away;
    return skin->tension * area + 0.5 * *curvature * away * away;
}

static double skin_potential(const fo_structure *s, const double *q, double *f)
{
    double sum = 0;
    for (size_t i = 0; i < s->skin_count; i++) {
        const foi_skin *skin = &s->skins[i];
        double slope, curvature;
        sum += foi_skin_law(skin, foi_skin_area(s, skin, q), &slope, &curvature);
        for (uint32_t n = 0; f && n < skin->count; n++)
            foi_stretch_facet(s, s->facets + skin->first + (size_t)n * (size_t)s->dim, slope, q, f);
    }
    return sum;
}

// -------------------------------------------------------------------------- gravity and the bowl

static double gravity_potential(const fo_structure *s, double factor, const double *q, double *f)
{
    size_t dim = (size_t)s->dim;
    double sum = 0;
    const double *g = s->def.gravity;
    if (g[0] == 0 && g[1] == 0 && g[2] == 0) return 0;
    for (uint32_t i = 0; i < s->nodes; i++)
        for (size_t k = 0; k < dim; k++) {
            double force = s->mass[i] * g[k] * factor;
            sum -= force * q[i * dim + k];
            if (f) f[i * dim + k] += force;
        }
    return sum;
}

foi_load foi_load_of(const fo_structure *s, const fo_state *state, const double *x)
{
    return (foi_load){.d = state->d,
                      .u = state->u,
                      .bowl = s->shape.states > 2 * foi_coordinates(s)
                                  ? x + 2 * (size_t)foi_coordinates(s)
                                  : NULL,
                      .gravity = state->p + FOI_GRAVITY};
}

double foi_port_input(const fo_structure *s, const foi_load *load, size_t i)
{
    return (load->u ? load->u[i] : s->ports[i].start) + (load->d ? load->d[i] : 0);
}

// Every node is held by k ((q - q0) - r), r the displacement of the bowl. Where an effort F acts on
// it, the massless bowl is always in balance: sum k ((q - q0) - r) + F = 0, so that
// r = mean(q - q0) + F / (N k).
void foi_bowl(const fo_structure *s, const foi_load *load, const double *q, double r[3])
{
    size_t dim = (size_t)s->dim;
    for (size_t k = 0; k < dim; k++) {
        r[k] = 0;
        if (s->bowl_mode[k] == FOI_BOWL_FLOW && load->bowl) r[k] = load->bowl[k];
        if (s->bowl_mode[k] != FOI_BOWL_EFFORT) continue;
        for (uint32_t i = 0; i < s->nodes; i++) r[k] += q[i * dim + k] - s->begin[i * dim + k];
        r[k] += foi_port_input(s, load, s->bowl_port[k]) / s->def.bowl;
        r[k] /= s->nodes;
    }
}

static double bowl_potential(const fo_structure *s, const foi_load *load, const double *q,
                             double *f)
{
    size_t dim = (size_t)s->dim;
    double r[3], sum = 0, stiffness = s->def.bowl;
    if (!(stiffness > 0)) return 0;
    foi_bowl(s, load, q, r);
    for (uint32_t i = 0; i < s->nodes; i++)
        for (size_t k = 0; k < dim; k++) {
            double y = q[i * dim + k] - s->begin[i * dim + k] - r[k];
            sum += 0.5 * stiffness * y * y;
            if (f) f[i * dim + k] -= stiffness * y;
        }
    return sum;
}

double foi_potential(const fo_structure *s, const foi_load *load, const double *q, double *f)
{
    if (f) memset(f, 0, foi_coordinates(s) * sizeof *f);
    double sum = spring_potential(s, load->d, q, f);
    sum += bend_potential(s, q, f);
    sum += volume_potential(s, q, f);
    sum += skin_potential(s, q, f);
    sum += gravity_potential(s, load->gravity ? *load->gravity : 1, q, f);
    return sum + bowl_potential(s, load, q, f);
}

void foi_add_efforts(const fo_structure *s, const foi_load *load, double *f)
{
    for (size_t i = 0; i < s->port_count; i++) {
        const foi_port *p = &s->ports[i];
        if (p->flow_in || p->node == FO_BOWL) continue;
        double effort = foi_port_input(s, load, i);
        for (int k = 0; k < s->dim; k++)
            f[(size_t)p->node * (size_t)s->dim + (size_t)k] += effort * p->direction[k];
    }
}
