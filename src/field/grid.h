/// A bare grid with its sides, and the matrix diag u - s lap u + v . grad u over it.
#ifndef FOI_FIELD_GRID_H
#define FOI_FIELD_GRID_H

#include "field/field.h"

typedef struct foi_grid {
    int dimensions;
    uint32_t n[3], nodes;
    double dx[3], k[3]; ///< k = 1 / dx^2
    foi_reach reach[6];
    const bool *still; ///< of each node
} foi_grid;

foi_grid foi_grid_of(const fo_field *f);

/// The neighbours of a node below and above along an axis, mirrored or wrapped; itself at a held
/// side.
static inline void foi_grid_near(const foi_grid *g, uint32_t node, int axis, uint32_t *low,
                                 uint32_t *high)
{
    uint32_t stride = axis == 0 ? 1 : axis == 1 ? g->n[0] : g->n[0] * g->n[1];
    uint32_t n = g->n[axis], i = node / stride % n;
    bool mirror_low = g->reach[2 * axis] == FOI_MIRROR;
    bool mirror_high = g->reach[2 * axis + 1] == FOI_MIRROR;
    bool wrap = g->reach[2 * axis] == FOI_WRAP;
    *low = i > 0        ? node - stride
           : mirror_low ? node + stride
           : wrap       ? node + (n - 1) * stride
                        : node;
    *high = i + 1 < n     ? node + stride
            : mirror_high ? node - stride
            : wrap        ? node - (n - 1) * stride
                          : node;
}

/// Half for each side that mirrors: with these weights the Laplacian is symmetric.
double foi_grid_weight(const foi_grid *g, uint32_t node);

/// Where the matrix has entries. Room: nodes + 1 and (2 dimensions + 1) nodes.
void foi_grid_pattern(const foi_grid *g, uint32_t *start, uint32_t *row);

/// The matrix's values in the order of the pattern; rows of still nodes are those of the identity,
/// and their columns have nothing else. `s` may be one number (s_each NULL). v may be NULL.
void foi_grid_values(const foi_grid *g, const fo_pattern *pattern, const double *diag, double s,
                     const double *s_each, const double *v, bool upwind, double *values);

#endif
