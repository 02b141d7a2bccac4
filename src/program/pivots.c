/// Which candidates are to be computed from the others: those whose slopes are furthest from being
/// dependent on each other. Level by level, from the highest derivatives down, with G = dg/dz over
/// all constraints and all candidates that have to do with each other, rows divided by the greatest
/// length that they had and columns multiplied by the nominal values: QR factors with column
/// pivoting (Businger and Golub, Numerische Mathematik 7, 1965). The columns that it takes are
/// computed. What is computed at one level is taken from what is computed at the level above, as
/// dummy derivatives want it (S. Mattsson and G. Söderlind, SIAM J. Sci. Comput. 14, 1993).
///
/// The present choice is measured in the same way, by the smallest pivot among its own columns; it
/// is bad when that is less than 0.7 of the best choice's. Errors of what is computed are those of
/// the states divided by about this ratio, and the solver pays for curvature that is not the
/// motion's. Double and triple pendulum, 100 s at rtol 1e-8, dop853:
///
///     ratio             0.3       0.4       0.5       0.6       0.7       0.8       0.9
///     double: steps     3448      3195      3195      3183      3103      3078      3032
///             error     2.3e-5    1.3e-5    1.5e-6    5.1e-6    5.2e-6    4.0e-6    4.9e-6
///     triple: steps               4329      4330      4145      4144      4033      3973
///             error               3.3e-5    2.6e-5    4.6e-6    5.8e-6    5.6e-6    2.5e-6
///
/// (error: of the energy, in J where m g l is 9.81 J). More often costs more restarts.
///
/// Where the best choice's smallest pivot becomes very small the constraints depend on each other:
/// a mechanism at a point at which it may go on in several ways. Solutions of different branches
/// are then as near to each other as that pivot, and their rounding errors are eps divided by it:
/// at sqrt(eps) they cannot be told apart. A run ends before.
#include <float.h>
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "program/program.h"

#define BAD       0.7
#define SINGULAR  1e-6 ///< of the best pivot so far; 64 sqrt(eps)
#define RELUCTANT 1e-6 ///< the weight of what was set: anything else is computed rather

// Whether a candidate may be computed: its derivative must be, if that is a candidate itself.
static bool is_there(const foi_manifold *m, uint32_t k)
{
    uint32_t above = m->g->constraints.above[k];
    return above == FOI_NOTHING || m->computed[above] != 0;
}

// The scaled slopes of a group, column by column in the order of its candidates. False: the row
// `failed` is zero.
static bool fill(foi_manifold *m, uint32_t l, const bool *set)
{
    const foi_constraints *c = &m->g->constraints;
    uint32_t first = c->first_candidate[l], n = c->first_candidate[l + 1] - first;
    uint32_t row = c->first_constraint[l], rows = c->first_constraint[l + 1] - row;
    memset(m->matrix, 0, (size_t)rows * n * sizeof *m->matrix);
    for (uint32_t i = c->first_slope[l]; i < c->first_slope[l + 1]; i++) {
        uint32_t k = c->column[i];
        double weight = is_there(m, k) ? c->weight[k] * (set && set[k] ? RELUCTANT : 1) : 0;
        double slope = weight != 0 ? m->results[c->count + i] * weight : 0;
        m->matrix[(size_t)(k - first) * rows + c->row[i] - row] = slope;
    }
    for (uint32_t i = 0; i < rows; i++) {
        double most = 0, sum = 0;
        for (uint32_t j = 0; j < n; j++)
            most = foi_fmax(most, fabs(m->matrix[(size_t)j * rows + i]));
        m->failed = row + i;
        if (!(most > 0) || !isfinite(most)) return false;
        for (uint32_t j = 0; j < n; j++) {
            double part = m->matrix[(size_t)j * rows + i] / most;
            sum += part * part;
        }
        most *= sqrt(sum);
        if (!set && most > m->length[row + i]) m->length[row + i] = most;
        if (!set) most = m->length[row + i];
        for (uint32_t j = 0; j < n; j++) m->matrix[(size_t)j * rows + i] /= most;
    }
    return true;
}

static double length(const double *column, uint32_t rows)
{
    double sum = 0;
    for (uint32_t i = 0; i < rows; i++) sum += column[i] * column[i];
    return sqrt(sum);
}

// Takes the direction of column q out of another one.
static void make_orthogonal(double *column, const double *q, uint32_t rows)
{
    double part = 0;
    for (uint32_t i = 0; i < rows; i++) part += q[i] * column[i];
    for (uint32_t i = 0; i < rows; i++) column[i] -= part * q[i];
}

// The constraint that has most of a direction which no column has: it depends on the others.
static void name_failed(foi_manifold *m, uint32_t l, uint32_t taken)
{
    const foi_constraints *c = &m->g->constraints;
    uint32_t row = c->first_constraint[l], rows = c->first_constraint[l + 1] - row;
    double most = -1;
    for (uint32_t i = 0; i < rows; i++) {
        double left = 1;
        for (uint32_t k = 0; k < taken; k++) {
            double part = m->matrix[(size_t)m->pivot[k] * rows + i];
            left -= part * part;
        }
        if (left > most) most = left, m->failed = row + i;
    }
}

// Takes as many columns as there are rows, the longest of what is left each time; their places in
// the group are in `pivot`. With `own` only of those that are computed now. Returns the smallest
// pivot; 0 where there are not enough.
static double take(foi_manifold *m, uint32_t l, const bool *set, bool own)
{
    const foi_constraints *c = &m->g->constraints;
    uint32_t first = c->first_candidate[l], n = c->first_candidate[l + 1] - first;
    uint32_t rows = c->first_constraint[l + 1] - c->first_constraint[l];
    double smallest = INFINITY;
    if (!fill(m, l, set)) return 0;
    for (uint32_t j = 0; j < n; j++) m->list[j] = own && m->computed[first + j] == 0;
    for (uint32_t k = 0; k < rows; k++) {
        uint32_t best = 0;
        double most = 0;
        for (uint32_t j = 0; j < n; j++) {
            double size = m->list[j] ? 0 : length(m->matrix + (size_t)j * rows, rows);
            if (size > most) most = size, best = j;
        }
        if (!(most > 8 * n * DBL_EPSILON)) {
            name_failed(m, l, k);
            return 0;
        }
        double *q = m->matrix + (size_t)best * rows;
        for (uint32_t i = 0; i < rows; i++) q[i] /= most;
        m->list[best] = true, m->pivot[k] = best;
        for (uint32_t j = 0; j < n; j++)
            if (!m->list[j]) make_orthogonal(m->matrix + (size_t)j * rows, q, rows);
        if (most < smallest) smallest = most;
    }
    name_failed(m, l, rows - 1);
    return smallest;
}

static fo_status no_choice(const foi_manifold *m, double t)
{
    return fo_refuse(m->v,
                     "at t = %.15g there is no choice of states: %s is singular, or depends on the "
                     "others there",
                     t, m->g->constraints.text[m->failed]);
}

void foi_manifold_forget(foi_manifold *m)
{
    for (uint32_t b = 0; b < m->g->constraints.groups; b++) m->best[b] = 0;
    for (uint32_t i = 0; i < m->g->constraints.count; i++) m->length[i] = 0;
}

static bool is_singular(foi_manifold *m, uint32_t l, double pivot)
{
    if (pivot > m->best[l]) m->best[l] = pivot;
    return !(pivot > SINGULAR * m->best[l]);
}

fo_status foi_manifold_choose(foi_manifold *m, double t, const double *z, const bool *set)
{
    const foi_constraints *c = &m->g->constraints;
    fo_status status = foi_manifold_evaluate(m, t, z);
    for (uint32_t l = 0; l < c->groups && status == FO_OK; l++) {
        uint32_t rows = c->first_constraint[l + 1] - c->first_constraint[l];
        if (rows && take(m, l, set, false) == 0) return no_choice(m, t);
        for (uint32_t k = c->first_candidate[l]; k < c->first_candidate[l + 1]; k++)
            m->computed[k] = 0;
        for (uint32_t k = 0; k < rows; k++) m->computed[c->first_candidate[l] + m->pivot[k]] = 1;
        m->sign[l] = 0;
    }
    return status;
}

fo_status foi_manifold_judge(foi_manifold *m, double t, bool *bad)
{
    const foi_constraints *c = &m->g->constraints;
    *bad = false;
    for (uint32_t l = 0; l < c->groups; l++) {
        if (c->first_constraint[l + 1] == c->first_constraint[l]) continue;
        double best = take(m, l, NULL, false);
        if (is_singular(m, l, best)) return no_choice(m, t);
        *bad |= take(m, l, NULL, true) < BAD * best;
    }
    return FO_OK;
}
