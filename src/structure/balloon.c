/// Balloons: a closed skin with surface tension around a gas.
#include <math.h>
#include <stdlib.h>

#include "math/math.h"
#include "structure/parts.h"

enum { MOST_DIVISIONS = 64 };

static fo_status add_surface(foi_part *p, const uint32_t *facets, uint32_t count)
{
    const fo_part_def *def = p->def;
    fo_skin_def skin = {facets, count, def->tension};
    fo_volume_def gas = {facets, count, FO_VOLUME_GAS, def->pressure};
    fo_status status = fo_structure_add_skin(p->s, &skin, p->why);
    return status == FO_OK ? fo_structure_add_volume(p->s, &gas, p->why) : status;
}

static fo_status add_ring(foi_part *p)
{
    const fo_part_def *def = p->def;
    uint32_t n = def->cells[0];
    if (n < 3)
        return fo_fail(p->why, FO_ERROR_ARGUMENT, "part '%s' needs at least 3 edges", def->name);
    uint32_t *edges = foi_new(p->s->def.allocator, 2 * (size_t)n, sizeof *edges);
    if (!edges) return fo_fail(p->why, FO_ERROR_MEMORY, "no memory for part '%s'", def->name);
    const double turn = 2 * 3.14159265358979323846;
    double mass = def->material.density * def->thickness * turn * def->radius / n;
    fo_status status = FO_OK;
    for (uint32_t i = 0; i < n && status == FO_OK; i++) {
        double place[3] = {def->centre[0] + def->radius * foi_cos(turn * i / n),
                           def->centre[1] + def->radius * foi_sin(turn * i / n), 0};
        status = foi_part_node(p, place, mass, NULL, 0, &edges[2 * i]);
        edges[2 * ((i + n - 1) % n) + 1] = edges[2 * i];
    }
    if (status == FO_OK) status = add_surface(p, edges, n);
    foi_free(p->s->def.allocator, edges);
    return status;
}

// The nodes of a sphere are the whole points |i| + |j| + |k| = f of an octahedron, pushed out; its
// eight faces are f^2 triangles each.
typedef struct sphere {
    foi_part *p;
    int f;
    uint32_t *node; ///< (2 f + 1)^3 places
    uint32_t *facets;
    size_t count;
} sphere;

static uint32_t *slot(sphere *o, int i, int j, int k)
{
    int side = 2 * o->f + 1;
    return &o->node[((k + o->f) * side + j + o->f) * side + i + o->f];
}

static fo_status place_nodes(sphere *o)
{
    const fo_part_def *def = o->p->def;
    int f = o->f;
    double area = 4 * 3.14159265358979323846 * def->radius * def->radius;
    double mass = def->material.density * def->thickness * area / (4.0 * f * f + 2);
    fo_status status = FO_OK;
    for (int k = -f; k <= f; k++)
        for (int j = -f; j <= f; j++)
            for (int i = -f; i <= f && status == FO_OK; i++) {
                if (abs(i) + abs(j) + abs(k) != f) continue;
                double l = sqrt((double)(i * i + j * j + k * k)), r = def->radius / l;
                double place[3] = {def->centre[0] + r * i, def->centre[1] + r * j,
                                   def->centre[2] + r * k};
                status = foi_part_node(o->p, place, mass, NULL, 0, slot(o, i, j, k));
            }
    return status;
}

static void add_face(sphere *o, const int sign[3], int a, int b, int c, bool down)
{
    int corners[3][3] = {{a + 1, b, c}, {a, b + 1, c}, {a, b, c + 1}};
    int inverted[3][3] = {{a, b + 1, c + 1}, {a + 1, b, c + 1}, {a + 1, b + 1, c}};
    int(*use)[3] = down ? inverted : corners;
    bool mirrored = sign[0] * sign[1] * sign[2] < 0;
    for (int n = 0; n < 3; n++) {
        int *v = use[mirrored ? 2 - n : n];
        o->facets[o->count++] = *slot(o, sign[0] * v[0], sign[1] * v[1], sign[2] * v[2]);
    }
}

static void add_faces(sphere *o)
{
    for (int octant = 0; octant < 8; octant++) {
        int sign[3] = {octant & 1 ? -1 : 1, octant & 2 ? -1 : 1, octant & 4 ? -1 : 1};
        for (int a = 0; a < o->f; a++)
            for (int b = 0; a + b < o->f; b++) {
                int c = o->f - 1 - a - b;
                add_face(o, sign, a, b, c, false);
                if (c > 0) add_face(o, sign, a, b, c - 1, true);
            }
    }
}

static fo_status add_sphere(foi_part *p)
{
    sphere o = {.p = p, .f = (int)p->def->cells[0]};
    const fo_allocator *a = p->s->def.allocator;
    if (o.f > MOST_DIVISIONS)
        return fo_fail(p->why, FO_ERROR_ARGUMENT, "part '%s': at most %d divisions, found %d",
                       p->def->name, MOST_DIVISIONS, o.f);
    size_t side = 2 * (size_t)o.f + 1, faces = 8 * (size_t)o.f * (size_t)o.f;
    o.node = foi_new(a, side * side * side, sizeof *o.node);
    o.facets = foi_new(a, 3 * faces, sizeof *o.facets);
    fo_status status = o.node && o.facets ? place_nodes(&o)
                                          : fo_fail(p->why, FO_ERROR_MEMORY,
                                                    "no memory for part '%s'", p->def->name);
    if (status == FO_OK) {
        add_faces(&o);
        status = add_surface(p, o.facets, (uint32_t)faces);
    }
    foi_free(a, o.node);
    foi_free(a, o.facets);
    return status;
}

fo_status foi_part_balloon(foi_part *p)
{
    if (!(isfinite(p->def->radius) && p->def->radius > 0))
        return fo_fail(p->why, FO_ERROR_ARGUMENT, "part '%s': the radius must be positive, is %g",
                       p->def->name, p->def->radius);
    p->near2 = 1e-18 * p->def->radius * p->def->radius;
    return p->s->dim == 2 ? add_ring(p) : add_sphere(p);
}
