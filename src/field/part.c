#include "field/part.h"

#include "field/grid.h"
#include "field/implicit.h"
#include "field/object.h"

// ----------------------------------------------------------------------------------------- objects

bool foi_object_span(const fo_field *f, uint32_t axis, uint32_t *first, uint32_t *count)
{
    if (!f->object || axis >= f->def.dimensions) return false;
    *first = f->object->def.first[axis], *count = f->object->def.count[axis];
    return true;
}

bool foi_object_opens(const fo_field *f)
{
    return f->object && f->object->def.contact == FO_CONTACT_EXACT && !f->object->def.bonded;
}

uint32_t foi_object_nodes(const fo_field *f)
{
    return f->object ? f->object->count : 0;
}

uint32_t foi_object_node(const fo_field *f, uint32_t i)
{
    return f->object->node[i];
}

// ------------------------------------------------------------------------------------------- parts

fo_status foi_part_create(foi_part *p)
{
    return p->f->def.method >= FO_FIELD_IMPLICIT_EULER ? foi_implicit_create(p, NULL) : FO_OK;
}

void foi_part_destroy(foi_part *p, const fo_allocator *allocator)
{
    foi_implicit_destroy(p, allocator);
}

// -------------------------------------------------------------------------------------- the matrix

/// The entries of one axis: to the nodes below and above, and what the middle gets.
static double axis_entries(const fo_field *f, int axis, double c, double side[2])
{
    double k = f->k[axis], v = f->def.equation == FO_FIELD_TRANSPORT ? f->def.velocity[axis] : 0;
    double one = v / f->dx[axis], middle = 2 * c * k;
    side[0] = side[1] = -c * k;
    if (!f->def.upwind)
        side[0] -= one / 2, side[1] += one / 2;
    else if (v > 0)
        side[0] -= one, middle += one;
    else
        side[1] += one, middle -= one;
    return middle;
}

double foi_part_row(const fo_field *f, uint32_t node, double diag, double c, bool symmetric,
                    double *row)
{
    foi_grid grid = foi_grid_of(f), *g = &grid;
    double scale = symmetric ? foi_grid_weight(g, node) / c : 1;
    row[0] = diag;
    for (int axis = 0; axis < g->dimensions; axis++) {
        uint32_t near[2];
        double side[2], *entry = row + 1 + 2 * axis;
        row[0] += axis_entries(f, axis, c, side);
        foi_grid_near(g, node, axis, &near[0], &near[1]);
        entry[0] = entry[1] = 0;
        uint32_t stride = axis == 0 ? 1 : axis == 1 ? g->n[0] : g->n[0] * g->n[1];
        uint32_t i = node / stride % g->n[axis];
        for (int end = 0; end < 2; end++) {
            bool last = end ? i + 1 == g->n[axis] : i == 0;
            bool mirrored = last && g->reach[2 * axis + end] == FOI_MIRROR;
            if (!f->still[near[end]]) entry[mirrored ? !end : end] += side[end];
        }
    }
    for (int entry = 1; entry < 1 + 2 * g->dimensions; entry++)
        row[entry] *= f->still[node] ? 0 : scale;
    row[0] *= scale;
    return scale;
}
