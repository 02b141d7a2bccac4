/// Conjugate gradients (Hestenes, Stiefel 1952) with the diagonal as preconditioner, for
/// w (sigma x - lap x) = w b. Sums are taken node by node in one order.
#include <math.h>

#include "field/grid.h"
#include "field/implicit.h"

void foi_shift_apply(const foi_shift *a, const double *x, double *y)
{
    foi_grid g = foi_grid_of(a->f);
    foi_laplacian(a->f, x, y);
    for (uint32_t i = 0; i < g.nodes; i++)
        y[i] = g.still[i] ? 0 : foi_grid_weight(&g, i) * (a->sigma[i] * x[i] - y[i]);
}

static double dot(const double *a, const double *b, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

double foi_conjugate_gradients(const foi_shift *a, const double *b, double *x, double *work,
                               double tolerance, uint32_t fixed, uint64_t *iterations)
{
    foi_grid g = foi_grid_of(a->f);
    uint32_t n = g.nodes, most = fixed ? fixed : 10 * n + 100;
    double *r = work, *p = work + n, *q = work + 2 * (size_t)n, *z = work + 3 * (size_t)n;
    double ring = 0;
    for (int axis = 0; axis < g.dimensions; axis++) ring += 2 * g.k[axis];
    foi_shift_apply(a, x, q);
    for (uint32_t i = 0; i < n; i++) r[i] = g.still[i] ? 0 : foi_grid_weight(&g, i) * b[i] - q[i];
    double size = sqrt(dot(r, r, n)), rest = size > 0, rho = 0;
    for (uint32_t k = 0; k < most && size > 0 && (fixed || rest > tolerance); k++) {
        for (uint32_t i = 0; i < n; i++)
            z[i] = r[i] / (foi_grid_weight(&g, i) * (a->sigma[i] + ring));
        double rho_new = dot(r, z, n), beta = k ? rho_new / rho : 0;
        if (rho_new == 0) break;
        for (uint32_t i = 0; i < n; i++) p[i] = z[i] + beta * p[i];
        foi_shift_apply(a, p, q);
        double alpha = rho_new / dot(p, q, n);
        for (uint32_t i = 0; i < n; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        rho = rho_new;
        rest = sqrt(dot(r, r, n)) / size;
        ++*iterations;
    }
    return rest;
}
