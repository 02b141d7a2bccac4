#include "field/grid.h"

#include <string.h>

foi_grid foi_grid_of(const fo_field *f)
{
    foi_grid g = {.dimensions = (int)f->def.dimensions, .nodes = f->nodes, .still = f->still};
    memcpy(g.n, f->n, sizeof g.n);
    memcpy(g.dx, f->dx, sizeof g.dx);
    memcpy(g.k, f->k, sizeof g.k);
    memcpy(g.reach, f->box.reach, sizeof g.reach);
    return g;
}

double foi_grid_weight(const foi_grid *g, uint32_t node)
{
    double w = 1;
    uint32_t rest = node;
    for (int axis = 0; axis < g->dimensions; axis++) {
        uint32_t i = rest % g->n[axis];
        if (i == 0 && g->reach[2 * axis] == FOI_MIRROR) w /= 2;
        if (i + 1 == g->n[axis] && g->reach[2 * axis + 1] == FOI_MIRROR) w /= 2;
        rest /= g->n[axis];
    }
    return w;
}

/// Adds a number to a short ascending list that holds each once.
static uint32_t insert(uint32_t *list, uint32_t count, uint32_t value)
{
    uint32_t at = 0;
    while (at < count && list[at] < value) at++;
    if (at < count && list[at] == value) return count;
    memmove(list + at + 1, list + at, (count - at) * sizeof *list);
    list[at] = value;
    return count + 1;
}

// Along an axis a node is a neighbour of those that it has as neighbours, so that rows and columns
// have one pattern.
void foi_grid_pattern(const foi_grid *g, uint32_t *start, uint32_t *row)
{
    uint32_t total = 0;
    for (uint32_t node = 0; node < g->nodes; node++) {
        uint32_t list[7] = {node}, count = 1, low, high;
        for (int axis = 0; axis < g->dimensions; axis++) {
            foi_grid_near(g, node, axis, &low, &high);
            count = insert(list, count, low);
            count = insert(list, count, high);
        }
        start[node] = total;
        memcpy(row + total, list, count * sizeof *list);
        total += count;
    }
    start[g->nodes] = total;
}

static void add(const fo_pattern *p, uint32_t row, uint32_t column, double value, double *values)
{
    uint32_t at = p->start[column];
    while (p->row[at] != row) at++;
    values[at] += value;
}

void foi_grid_values(const foi_grid *g, const fo_pattern *p, const double *diag, double s,
                     const double *s_each, const double *v, bool upwind, double *values)
{
    memset(values, 0, p->start[g->nodes] * sizeof *values);
    for (uint32_t node = 0; node < g->nodes; node++) {
        add(p, node, node, g->still[node] ? 1 : diag[node], values);
        if (g->still[node]) continue;
        double si = s_each ? s_each[node] : s;
        for (int axis = 0; axis < g->dimensions; axis++) {
            uint32_t near[2];
            foi_grid_near(g, node, axis, &near[0], &near[1]);
            double speed = v ? v[axis] : 0, one = speed / g->dx[axis], middle = 2 * si * g->k[axis];
            double side[2] = {-si * g->k[axis], -si * g->k[axis]};
            if (!upwind)
                side[0] -= one / 2, side[1] += one / 2;
            else if (speed > 0)
                side[0] -= one, middle += one;
            else
                side[1] += one, middle -= one;
            add(p, node, node, middle, values);
            for (int end = 0; end < 2; end++)
                if (!g->still[near[end]]) add(p, node, near[end], side[end], values);
        }
    }
}
