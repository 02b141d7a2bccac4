/// The kernels: what a row of nodes becomes. Every node is computed by the same operations in the
/// same order wherever the row lies and whoever computes it, so that threads, ranks and boxes
/// change no bit.
#include <math.h>
#include <string.h>

#include "field/field.h"
#include "field/wide.h"

// ------------------------------------------------------------------------------------- neighbours

/// The distance to the node before (low) or after place i along an axis.
static ptrdiff_t lower(foi_reach reach, uint32_t i, uint32_t n, ptrdiff_t stride)
{
    if (i > 0 || reach == FOI_HALO) return -stride;
    if (reach == FOI_MIRROR) return stride;
    return reach == FOI_WRAP ? (ptrdiff_t)(n - 1) * stride : 0;
}

static ptrdiff_t upper(foi_reach reach, uint32_t i, uint32_t n, ptrdiff_t stride)
{
    if (i + 1 < n || reach == FOI_HALO) return stride;
    if (reach == FOI_MIRROR) return -stride;
    return reach == FOI_WRAP ? -(ptrdiff_t)(n - 1) * stride : 0;
}

foi_row foi_row_of(const fo_field *f, const foi_box *b, uint32_t row)
{
    uint32_t j = row % b->n[1], k = row / b->n[1];
    size_t nx = f->n[0], ny = f->n[1];
    foi_row r = {
        .j = j,
        .k = k,
        .node = b->first[0] + nx * (b->first[1] + j + ny * (b->first[2] + k)),
        .at = (ptrdiff_t)j * b->stride[1] + (ptrdiff_t)k * b->stride[2],
    };
    if (f->def.dimensions > 1) {
        r.front = lower(b->reach[2], j, b->n[1], b->stride[1]);
        r.back = upper(b->reach[3], j, b->n[1], b->stride[1]);
        r.still |= j == 0 && b->reach[2] == FOI_HELD;
        r.still |= j + 1 == b->n[1] && b->reach[3] == FOI_HELD;
        if (b->first[1] + j == 0) r.extra += f->edge[2];
        if (b->first[1] + j + 1 == f->n[1]) r.extra += f->edge[3];
    }
    if (f->def.dimensions > 2) {
        r.below = lower(b->reach[4], k, b->n[2], b->stride[2]);
        r.above = upper(b->reach[5], k, b->n[2], b->stride[2]);
        r.still |= k == 0 && b->reach[4] == FOI_HELD;
        r.still |= k + 1 == b->n[2] && b->reach[5] == FOI_HELD;
        if (b->first[2] + k == 0) r.extra += f->edge[4];
        if (b->first[2] + k + 1 == f->n[2]) r.extra += f->edge[5];
    }
    return r;
}

/// One node of a row: its neighbours along the row, and the damping of absorbing sides.
typedef struct place {
    ptrdiff_t left, right;
    double extra;
} place;

static place place_of(const fo_field *f, const foi_box *b, const foi_row *r, uint32_t i)
{
    place p = {lower(b->reach[0], i, b->n[0], 1), upper(b->reach[1], i, b->n[0], 1), r->extra};
    if (b->first[0] + i == 0) p.extra += f->edge[0];
    if (b->first[0] + i + 1 == f->n[0]) p.extra += f->edge[1];
    return p;
}

static inline double laplace(const fo_field *f, const double *u, ptrdiff_t left, ptrdiff_t right,
                             const foi_row *r, int dimensions)
{
    double sum = f->k[0] * (u[left] + u[right] - 2 * u[0]);
    if (dimensions > 1) sum += f->k[1] * (u[r->front] + u[r->back] - 2 * u[0]);
    if (dimensions > 2) sum += f->k[2] * (u[r->below] + u[r->above] - 2 * u[0]);
    return sum;
}

// ------------------------------------------------------------------------------------------- waves

/// w' = c^2 lap u - b1 w + b2 lap w
static inline double wave(const fo_field *f, const foi_row *r, size_t node, const double *u,
                          const double *w, place p, int dimensions)
{
    double force = foi_coefficient_at(&f->c2, node) * laplace(f, u, p.left, p.right, r, dimensions);
    double damping = (foi_coefficient_at(&f->b1, node) + p.extra) * w[0];
    if (!foi_is_damped_inside(f)) return force - damping;
    double inner = foi_coefficient_at(&f->b2, node);
    return force - damping + inner * laplace(f, w, p.left, p.right, r, dimensions);
}

// --------------------------------------------------------------------------------------- transport

/// v du/dx, by central differences or against the stream.
static inline double slope(const fo_field *f, int axis, const double *u, ptrdiff_t low,
                           ptrdiff_t high)
{
    double v = f->def.velocity[axis], dx = f->dx[axis];
    if (!f->def.upwind) return v * (u[high] - u[low]) / (2 * dx);
    return v > 0 ? v * (u[0] - u[low]) / dx : v * (u[high] - u[0]) / dx;
}

static inline double transport(const fo_field *f, const foi_row *r, size_t node, const double *u,
                               place p, int dimensions)
{
    const double *c = f->def.reaction, *v = f->def.velocity;
    double sum = foi_coefficient_at(&f->d, node) * laplace(f, u, p.left, p.right, r, dimensions);
    if (v[0] != 0) sum -= slope(f, 0, u, p.left, p.right);
    if (dimensions > 1 && v[1] != 0) sum -= slope(f, 1, u, r->front, r->back);
    if (dimensions > 2 && v[2] != 0) sum -= slope(f, 2, u, r->below, r->above);
    return sum + (c[0] + u[0] * (c[1] + u[0] * (c[2] + u[0] * c[3])));
}

// -------------------------------------------------------------------------------- a user's stencil

static double users(const fo_field *f, const foi_box *b, const foi_row *r, uint32_t i, double t,
                    const double *u, const double *w, place p)
{
    const ptrdiff_t to[7] = {0, p.left, p.right, r->front, r->back, r->below, r->above};
    double value[7], velocity[7];
    for (int n = 0; n < 7; n++) {
        value[n] = u[to[n]];
        velocity[n] = w ? w[to[n]] : 0;
    }
    fo_stencil at = {.t = t, .value = value, .velocity = w ? velocity : NULL};
    const uint32_t whole[3] = {b->first[0] + i, b->first[1] + r->j, b->first[2] + r->k};
    for (int axis = 0; axis < 3; axis++) {
        at.spacing[axis] = f->dx[axis];
        at.position[axis] = whole[axis] * f->dx[axis];
    }
    return f->def.stencil(f->def.stencil_self, &at);
}

// --------------------------------------------------------------------------------------------
// rates

typedef struct pass {
    const fo_field *f;
    const foi_box *box;
    double t;
    const double *u, *w;
    double *result;
} pass;

/// The highest rate at node i of a row.
static inline double rate(const pass *a, const foi_row *r, uint32_t i, place p, int dimensions)
{
    const fo_field *f = a->f;
    ptrdiff_t at = r->at + i;
    switch (f->def.equation) {
    case FO_FIELD_WAVE: return wave(f, r, r->node + i, a->u + at, a->w + at, p, dimensions);
    case FO_FIELD_TRANSPORT: return transport(f, r, r->node + i, a->u + at, p, dimensions);
    case FO_FIELD_STENCIL: break;
    }
    return users(f, a->box, r, i, a->t, a->u + at, a->w ? a->w + at : NULL, p);
}

static inline void row_between(const pass *a, const foi_row *r, int dimensions)
{
    const place p = {-1, 1, r->extra};
    uint32_t n = a->box->n[0];
    for (uint32_t i = 1; i + 1 < n; i++) a->result[r->at + i] = rate(a, r, i, p, dimensions);
}

/// The same for a wave with the same coefficients everywhere and no internal damping, by the same
/// operations, in vectors.
__attribute__((always_inline)) static inline void even_between(const pass *a, const foi_row *row,
                                                               int dimensions)
{
    const foi_row r = *row;
    const double *u = a->u + r.at, *w = a->w + r.at;
    double *restrict result = a->result + r.at;
    double kx = a->f->k[0], ky = a->f->k[1], kz = a->f->k[2];
    double c2 = a->f->c2.value, b = a->f->b1.value + r.extra;
    for (ptrdiff_t i = 1, n = a->box->n[0]; i + 1 < n; i++) {
        double sum = kx * (u[i - 1] + u[i + 1] - 2 * u[i]);
        if (dimensions > 1) sum += ky * (u[i + r.front] + u[i + r.back] - 2 * u[i]);
        if (dimensions > 2) sum += kz * (u[i + r.below] + u[i + r.above] - 2 * u[i]);
        result[i] = c2 * sum - b * w[i];
    }
}

FOI_WIDE static void even_row(const pass *a, const foi_row *r)
{
    switch (a->f->def.dimensions) {
    case 1: even_between(a, r, 1); break;
    case 2: even_between(a, r, 2); break;
    default: even_between(a, r, 3);
    }
}

static bool is_even(const fo_field *f)
{
    return f->def.equation == FO_FIELD_WAVE && !f->c2.each && !f->b1.each &&
           !foi_is_damped_inside(f);
}

static void row_rates(const pass *a, uint32_t row)
{
    const fo_field *f = a->f;
    const foi_box *b = a->box;
    foi_row r = foi_row_of(f, b, row);
    uint32_t n = b->n[0];
    if (r.still) {
        for (uint32_t i = 0; i < n; i++) a->result[r.at + i] = 0;
        return;
    }
    switch (is_even(f) ? 0 : f->def.dimensions) {
    case 0: even_row(a, &r); break;
    case 1: row_between(a, &r, 1); break;
    case 2: row_between(a, &r, 2); break;
    default: row_between(a, &r, 3);
    }
    for (int end = 0; end < 2; end++) {
        uint32_t i = end ? n - 1 : 0;
        bool held = b->reach[end] == FOI_HELD;
        double *result = &a->result[r.at + i];
        *result = held ? 0 : rate(a, &r, i, place_of(f, b, &r, i), (int)f->def.dimensions);
    }
}

void foi_rates_rows(const fo_field *f, const foi_box *box, uint32_t from, uint32_t to, double t,
                    const double *u, const double *w, double *du, double *dw)
{
    pass a = {f, box, t, u, w, f->order == 2 ? dw : du};
    for (uint32_t row = from; row < to; row++) {
        row_rates(&a, row);
        if (f->order == 1 || !du) continue;
        foi_row r = foi_row_of(f, box, row);
        uint32_t n = box->n[0];
        if (r.still)
            memset(du + r.at, 0, n * sizeof *du);
        else
            memcpy(du + r.at, w + r.at, n * sizeof *du);
        if (box->reach[0] == FOI_HELD) du[r.at] = 0;
        if (box->reach[1] == FOI_HELD) du[r.at + n - 1] = 0;
    }
}

void foi_laplacian(const fo_field *f, const double *u, double *result)
{
    const foi_box *b = &f->box;
    int dimensions = (int)f->def.dimensions;
    for (uint32_t row = 0; row < foi_rows(b); row++) {
        foi_row r = foi_row_of(f, b, row);
        for (uint32_t i = 0; i < b->n[0]; i++) {
            place p = place_of(f, b, &r, i);
            size_t node = (size_t)r.at + i;
            result[node] =
                f->still[node] ? 0 : laplace(f, u + node, p.left, p.right, &r, dimensions);
        }
    }
}
