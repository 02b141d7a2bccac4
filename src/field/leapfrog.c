/// Leapfrog over (u, u one step before) for waves, in place where there is no internal damping.
///
///     after = (2 u - (1 - e) before + h^2 c^2 lap u + h b2 lap (u - before)) / (1 + e)
///     e = h (b1 + absorbing sides) / 2
///
/// The external damping is centred, the internal one lags by half a step. Stable for
/// h^2 c^2 K + 2 h b2 K <= 4, K = 4/dx^2 + 4/dy^2 + 4/dz^2.
#include <math.h>

#include "field/field.h"
#include "field/wide.h"

/// Constant coefficients and no internal damping: after = a u - b before + x (..) + y (..) + z (..)
typedef struct lean {
    double a, b, x, y, z;
    int dimensions;
} lean;

static bool lean_fits(const fo_field *f)
{
    return !f->c2.each && !f->b1.each && !foi_is_damped_inside(f);
}

static inline double lap(const fo_field *f, const double *u, ptrdiff_t left, ptrdiff_t right,
                         const foi_row *r, int dimensions)
{
    double sum = f->k[0] * (u[left] + u[right] - 2 * u[0]);
    if (dimensions > 1) sum += f->k[1] * (u[r->front] + u[r->back] - 2 * u[0]);
    if (dimensions > 2) sum += f->k[2] * (u[r->below] + u[r->above] - 2 * u[0]);
    return sum;
}

/// One node by the formula above; ends of rows, and whatever is not lean.
static inline double node_after(const fo_field *f, const foi_row *r, uint32_t i, double h,
                                const double *u, const double *before, ptrdiff_t left,
                                ptrdiff_t right, double extra)
{
    int dimensions = (int)f->def.dimensions;
    size_t node = r->node + i;
    double e = h * (foi_coefficient_at(&f->b1, node) + extra) / 2;
    double l = lap(f, u, left, right, r, dimensions);
    double sum = 2 * u[0] - (1 - e) * before[0] + h * h * foi_coefficient_at(&f->c2, node) * l;
    if (foi_is_damped_inside(f))
        sum +=
            h * foi_coefficient_at(&f->b2, node) * (l - lap(f, before, left, right, r, dimensions));
    return sum / (1 + e);
}

/// The nodes [from, to) of a row, constant coefficients: after = a u - b before + sum of
/// neighbours. Inlined, so that it is compiled for what calls it.
__attribute__((always_inline)) static inline void lean_nodes(const lean *m, const foi_row *r,
                                                             ptrdiff_t from, ptrdiff_t to,
                                                             const double *restrict u,
                                                             double *restrict q)
{
    const double *front = u + r->front, *back = u + r->back;
    const double *below = u + r->below, *above = u + r->above;
    double a = m->a, b = m->b, x = m->x, y = m->y, z = m->z;
    if (m->dimensions == 1)
        for (ptrdiff_t i = from; i < to; i++)
            q[i] = a * u[i] - b * q[i] + x * (u[i - 1] + u[i + 1]);
    else if (m->dimensions == 2 && x == y && b == 1) // the usual large wave, with fewer operations
        for (ptrdiff_t i = from; i < to; i++)
            q[i] = a * u[i] - q[i] + x * ((u[i - 1] + u[i + 1]) + (front[i] + back[i]));
    else if (m->dimensions == 2)
        for (ptrdiff_t i = from; i < to; i++)
            q[i] = a * u[i] - b * q[i] + x * (u[i - 1] + u[i + 1]) + y * (front[i] + back[i]);
    else
        for (ptrdiff_t i = from; i < to; i++)
            q[i] = a * u[i] - b * q[i] + x * (u[i - 1] + u[i + 1]) + y * (front[i] + back[i]) +
                   z * (below[i] + above[i]);
}

enum { SPAN = 16, LINE = 8, AHEAD = 512 }; // nodes

/// The nodes between the ends of a row whose neighbours are in a cache. The widest vectors are not
/// for this: nearly all of their reads of neighbours lie across two lines.
FOI_HALF_WIDE static void near_row(const lean *m, const foi_row *r, uint32_t from, uint32_t to,
                                   const double *restrict u, double *restrict q)
{
    lean_nodes(m, r, from, to, u, q);
}

/// The same for rows that come from memory. Meanwhile what lies a page further on is fetched: of
/// the row that is read last, `furthest` nodes behind this one, and of the one that is written. A
/// core by itself waits for memory otherwise, since five streams of neighbours hide from it that
/// only two of them are new.
FOI_HALF_WIDE static void far_row(const lean *m, const foi_row *r, uint32_t from, uint32_t to,
                                  const double *restrict u, double *restrict q, ptrdiff_t furthest)
{
    ptrdiff_t i = from, end = to;
    // numbers, not pointers: behind the last row there is nothing, and nothing comes of fetching it
    uintptr_t next_u = (uintptr_t)(u + furthest), next_q = (uintptr_t)q;
    for (; i + SPAN <= end; i += SPAN) {
        for (ptrdiff_t k = i + AHEAD; k < i + AHEAD + SPAN; k += LINE) {
            uintptr_t bytes = (uintptr_t)k * sizeof(double);
            __builtin_prefetch((const void *)(next_u + bytes));
            __builtin_prefetch((const void *)(next_q + bytes));
        }
        lean_nodes(m, r, i, i + SPAN, u, q);
    }
    lean_nodes(m, r, i, end, u, q);
}

static lean lean_of(const fo_field *f, const foi_row *r, double h)
{
    double e = h * (f->b1.value + r->extra) / 2, s = h * h * f->c2.value / (1 + e);
    double x = s * f->k[0], y = s * f->k[1], z = s * f->k[2];
    return (lean){2 / (1 + e) - 2 * (x + y + z), (1 - e) / (1 + e), x, y, z,
                  (int)f->def.dimensions};
}

/// True when this end of a box is an end of the whole grid. Its node is computed by node_after
/// always, and the nodes between by the lean row, so that the bits do not depend on the boxes.
static bool is_end(const fo_field *f, const foi_box *box, int end)
{
    return end ? box->first[0] + box->n[0] == f->n[0] : box->first[0] == 0;
}

static void row_ends(const fo_field *f, const foi_box *box, const foi_row *r, double h,
                     const double *u, const double *before, double *after)
{
    uint32_t n = box->n[0];
    for (int end = 0; end < 2; end++) {
        uint32_t i = end ? n - 1 : 0;
        if (!is_end(f, box, end)) continue;
        ptrdiff_t wrap = (ptrdiff_t)n - 1;
        ptrdiff_t beyond = box->reach[end] == FOI_HALO     ? (end ? 1 : -1)
                           : box->reach[end] == FOI_MIRROR ? (end ? -1 : 1)
                                                           : (end ? -wrap : wrap);
        if (box->reach[end] == FOI_HELD) {
            after[i] = u[i];
            continue;
        }
        after[i] = node_after(f, r, i, h, u + i, before + i, end ? -1 : beyond, end ? beyond : 1,
                              r->extra + f->edge[end]);
    }
}

/// The row that this one reads last: the one behind it, or above it.
static ptrdiff_t furthest(const lean *m, const foi_row *r)
{
    return m->dimensions == 3 ? r->above : m->dimensions == 2 ? r->back : 0;
}

void foi_leapfrog_rows(const fo_field *f, const foi_box *box, uint32_t from, uint32_t to, double h,
                       const double *u, const double *before, double *after, bool near)
{
    bool fits = lean_fits(f) && before == after;
    uint32_t n = box->n[0], first = is_end(f, box, 0), last = n - is_end(f, box, 1);
    for (uint32_t row = from; row < to; row++) {
        foi_row r = foi_row_of(f, box, row);
        const double *p = u + r.at, *q = before + r.at;
        double *out = after + r.at;
        for (uint32_t i = 0; r.still && i < n; i++) out[i] = p[i];
        if (r.still) continue;
        // the ends first: they read `before` at their own place only
        row_ends(f, box, &r, h, p, q, out);
        if (fits) {
            lean m = lean_of(f, &r, h);
            if (near)
                near_row(&m, &r, first, last, p, out);
            else
                far_row(&m, &r, first, last, p, out, furthest(&m, &r));
            continue;
        }
        for (uint32_t i = first; i < last; i++)
            out[i] = node_after(f, &r, i, h, p + i, q + i, -1, 1, r.extra);
    }
}
