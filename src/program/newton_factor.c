/// The Jacobian of a loop: scaled, and factored into L and U with partial pivoting.
///
/// Rows and columns are scaled by powers of two until the largest entry of each is about 1, so that
/// the choice of pivots does not depend on units, and that pivots can be compared with eps.
#include <float.h>
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "program/newton.h"

// ------------------------------------------------------------------------------------- scaling

// The power of two at or below the size of a normal number.
static double power_below(double a)
{
    uint64_t bits;
    memcpy(&bits, &a, sizeof bits);
    bits &= UINT64_C(0x7FF0000000000000);
    double power;
    memcpy(&power, &bits, sizeof power);
    return power > 0 ? power : DBL_MIN;
}

// One over that.
static double inverse_power(double a)
{
    uint64_t bits = foi_bits(a) & UINT64_C(0x7FF0000000000000);
    bool odd = bits == 0 || bits >= UINT64_C(0x7FE0000000000000);
    return odd ? 1 / power_below(a) : foi_from_bits(UINT64_C(0x7FE0000000000000) - bits);
}

// False: all of a row is zero, or something is not a number.
static bool scale_rows(foi_newton_state *w)
{
    const foi_loop_about *about = w->loop->about;
    uint32_t n = w->loop->count;
    for (uint32_t i = 0; i < n; i++) w->next[i] = 0;
    for (uint32_t k = 0; k < about->start[n]; k++) {
        double *most = &w->next[about->row[k]], size = fabs(w->entries[k]);
        if (!(size <= *most)) *most = size;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (!(w->next[i] > 0 && w->next[i] <= DBL_MAX)) return false;
        w->next[i] = inverse_power(w->next[i]);
        w->row_scale[i] *= w->next[i];
    }
    for (uint32_t k = 0; k < about->start[n]; k++) w->entries[k] *= w->next[about->row[k]];
    return true;
}

static bool scale_columns(foi_newton_state *w)
{
    const foi_loop_about *about = w->loop->about;
    for (uint32_t j = 0; j < w->loop->count; j++) {
        double most = 0;
        for (uint32_t k = about->start[j]; k < about->start[j + 1]; k++)
            most = foi_fmax(most, fabs(w->entries[k]));
        if (!(most > 0)) return false;
        double scale = inverse_power(most);
        for (uint32_t k = about->start[j]; k < about->start[j + 1]; k++) w->entries[k] *= scale;
        w->column_scale[j] *= scale;
    }
    return true;
}

static void gather(foi_newton_state *w)
{
    uint32_t n = w->loop->count;
    for (uint32_t k = 0; k < w->loop->about->start[n]; k++) w->entries[k] = w->r[w->loop->entry[k]];
    for (uint32_t i = 0; i < n; i++) w->row_scale[i] = w->column_scale[i] = 1;
}

static bool scale(foi_newton_state *w)
{
    gather(w);
    if (w->loop->count == 1) return w->entries[0] != 0 && isfinite(w->entries[0]);
    return scale_rows(w) && scale_columns(w) && scale_rows(w);
}

static double exponent(double a)
{
    int e;
    frexp(a, &e);
    return e;
}

// Where units differ by many decades in a sparse loop, largest entries say little. Then the sum of
// (log |a_ij| + r_i + c_j)^2 is made small (A. R. Curtis and J. K. Reid, On the automatic scaling
// of matrices for Gaussian elimination, 1972), by rows and columns in turn: what units did to the
// matrix is undone whatever they were.
static bool scale_by_means(foi_newton_state *w)
{
    const foi_loop_about *about = w->loop->about;
    uint32_t n = w->loop->count;
    double *r = w->next, *sum = w->d, *count = w->size, *c = w->column_scale;
    gather(w);
    for (uint32_t i = 0; i < n; i++) r[i] = c[i] = 0;
    for (int sweeps = 0; sweeps < 40; sweeps++) {
        for (uint32_t i = 0; i < n; i++) sum[i] = count[i] = 0;
        for (uint32_t j = 0; j < n; j++) {
            double all = 0, many = 0;
            for (uint32_t k = about->start[j]; k < about->start[j + 1]; k++)
                if (w->entries[k] != 0) all += exponent(w->entries[k]) + r[about->row[k]], many++;
            c[j] = many > 0 ? -all / many : 0;
            for (uint32_t k = about->start[j]; k < about->start[j + 1]; k++)
                if (w->entries[k] != 0)
                    sum[about->row[k]] += exponent(w->entries[k]) + c[j], count[about->row[k]]++;
        }
        for (uint32_t i = 0; i < n; i++) r[i] = count[i] > 0 ? -sum[i] / count[i] : 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        w->row_scale[i] = ldexp(1, (int)foi_fmax(-1000, foi_fmin(1000, rint(r[i]))));
        c[i] = ldexp(1, (int)foi_fmax(-1000, foi_fmin(1000, rint(c[i]))));
    }
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t k = about->start[j]; k < about->start[j + 1]; k++)
            w->entries[k] = w->entries[k] * w->row_scale[about->row[k]] * c[j];
    return scale_rows(w) && scale_columns(w) && scale_rows(w);
}

// ------------------------------------------------------------------------------------- factors

// Of a dense loop's row the columns that are not zero are bits: most of a circuit's are.
static inline uint32_t next_column(uint64_t *row)
{
    uint32_t k = (uint32_t)__builtin_ctzll(*row);
    *row &= *row - 1;
    return k;
}

static inline uint64_t columns_from(uint32_t k)
{
    return k < 64 ? ~UINT64_C(0) << k : 0;
}

static void place_entries(foi_newton_state *w)
{
    const foi_loop_about *about = w->loop->about;
    uint32_t n = w->loop->count;
    memset(w->lu, 0, (size_t)n * n * sizeof *w->lu);
    memset(w->columns, 0, n * sizeof *w->columns);
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t k = about->start[j]; k < about->start[j + 1]; k++)
            if (w->entries[k] != 0) {
                w->lu[(size_t)about->row[k] * n + j] = w->entries[k];
                w->columns[about->row[k]] |= UINT64_C(1) << j;
            }
}

// The row with the largest entry of column k comes to row k.
static void choose_pivot(foi_newton_state *w, uint32_t k)
{
    uint32_t n = w->loop->count, p = k;
    double most = fabs(w->lu[(size_t)k * n + k]);
    for (uint32_t i = k + 1; i < n; i++) {
        double size = fabs(w->lu[(size_t)i * n + k]);
        if (size > most) most = size, p = i;
    }
    w->pivot[k] = p;
    if (p == k) return;
    double *row = w->lu + (size_t)k * n, *to = w->lu + (size_t)p * n;
    for (uint32_t j = 0; j < n; j++) {
        double other = row[j];
        row[j] = to[j], to[j] = other;
    }
    uint64_t other = w->columns[k];
    w->columns[k] = w->columns[p], w->columns[p] = other;
}

// to -= f row, where that has these columns of those from k on.
static inline void subtract_row(double *restrict to, double f, const double *restrict row,
                                uint64_t columns, uint32_t k, uint32_t n)
{
    if (columns == (columns_from(k) & ~columns_from(n))) {
        for (uint32_t j = k; j < n; j++) to[j] -= f * row[j];
        return;
    }
    while (columns) {
        uint32_t j = next_column(&columns);
        to[j] -= f * row[j];
    }
}

// LU factors with partial pivoting.
static bool factor_dense(foi_newton_state *w)
{
    uint32_t n = w->loop->count;
    if (n == 1) {
        w->lu[0] = w->entries[0], w->pivot[0] = 0, w->least = 1;
        return true;
    }
    place_entries(w);
    w->least = INFINITY;
    for (uint32_t k = 0; k < n; k++) {
        choose_pivot(w, k);
        const double *row = w->lu + (size_t)k * n;
        uint64_t after = w->columns[k] & columns_from(k + 1);
        if (!(fabs(row[k]) > 0)) return false;
        w->least = foi_fmin(w->least, fabs(row[k]));
        for (uint32_t i = k + 1; i < n; i++) {
            double *to = w->lu + (size_t)i * n;
            if (to[k] == 0) continue;
            to[k] /= row[k];
            w->columns[i] |= after;
            subtract_row(to, to[k], row, after, k + 1, n);
        }
    }
    return true;
}

// The same for a large loop; the factors lie on the heap while the loop is solved.
static fo_status factor_large(foi_newton_state *w)
{
    const foi_loop_about *about = w->loop->about;
    fo_status status = FO_OK;
    if (!w->large.n) {
        fo_pattern pattern = {w->loop->count, about->start, about->row};
        foi_linear_def def = {.n = pattern.n, .pattern = &pattern, .kind = about->kind};
        def.order = about->order, def.fill = about->fill;
        status = foi_linear_prepare(&w->large, &def);
    }
    if (status == FO_OK) // of 0 M - J
        status = foi_linear_factor(&w->large, (foi_complex){0, 0}, w->entries, NULL, NULL);
    if (status == FO_OK) w->least = foi_linear_least_pivot(&w->large);
    return status;
}

static fo_status factor(foi_newton_state *w)
{
    if (w->loop->about->order) return factor_large(w);
    return factor_dense(w) ? FO_OK : FO_ERROR_CONVERGE;
}

fo_status foi_newton_factor(foi_newton_state *w)
{
    if (!scale(w)) return FO_ERROR_CONVERGE;
    fo_status status = factor(w);
    bool bad = status == FO_ERROR_CONVERGE || (status == FO_OK && w->least < 1e-8);
    if (!bad || w->loop->count == 1) return status;
    return scale_by_means(w) ? factor(w) : FO_ERROR_CONVERGE;
}

fo_status foi_newton_factor_by_size(foi_newton_state *w)
{
    const foi_loop_about *about = w->loop->about;
    if (w->loop->count == 1) return foi_newton_factor(w);
    for (uint32_t k = 0; k < about->start[w->loop->count]; k++)
        w->entries[k] = w->r[w->loop->entry[k]];
    for (uint32_t j = 0; j < w->loop->count; j++) {
        double size = fabs(w->r[w->loop->unknown[j]]);
        if (size > 0) w->column_scale[j] = power_below(size);
        w->row_scale[j] = 1;
        for (uint32_t k = about->start[j]; k < about->start[j + 1]; k++)
            w->entries[k] *= w->column_scale[j];
    }
    return scale_rows(w) ? factor(w) : FO_ERROR_CONVERGE;
}

static void solve_dense(const foi_newton_state *w, double *d)
{
    uint32_t n = w->loop->count;
    // whole rows were swapped, the multipliers too: so all swaps come before substitution
    for (uint32_t k = 0; k < n; k++) {
        double other = d[k];
        d[k] = d[w->pivot[k]], d[w->pivot[k]] = other;
    }
    for (uint32_t i = 0; i < n; i++) {
        const double *row = w->lu + (size_t)i * n;
        double sum = d[i];
        for (uint64_t at = w->columns[i] & ~columns_from(i); at;) {
            uint32_t k = next_column(&at);
            sum -= row[k] * d[k];
        }
        d[i] = sum;
    }
    for (uint32_t i = n; i-- > 0;) {
        const double *row = w->lu + (size_t)i * n;
        double sum = d[i];
        for (uint64_t at = w->columns[i] & columns_from(i + 1); at;) {
            uint32_t k = next_column(&at);
            sum -= row[k] * d[k];
        }
        d[i] = sum / row[i];
    }
}

/// The right sides of one equation.
typedef struct sides {
    double of[FOI_NEWTON_SIDES];
} sides;

// d -= a x
static inline void subtract(sides *d, double a, const sides *x)
{
    for (int t = 0; t < FOI_NEWTON_SIDES; t++) d->of[t] -= a * x->of[t];
}

// solve_dense for many: each of them is solved as there.
static void solve_sides(const foi_newton_state *w, sides *d)
{
    uint32_t n = w->loop->count;
    for (uint32_t k = 0; k < n; k++) {
        sides other = d[k];
        d[k] = d[w->pivot[k]], d[w->pivot[k]] = other;
    }
    for (uint32_t i = 0; i < n; i++) {
        const double *row = w->lu + (size_t)i * n;
        for (uint32_t k = 0; k < i; k++) subtract(&d[i], row[k], &d[k]);
    }
    for (uint32_t i = n; i-- > 0;) {
        const double *row = w->lu + (size_t)i * n;
        for (uint32_t k = i + 1; k < n; k++) subtract(&d[i], row[k], &d[k]);
        for (int t = 0; t < FOI_NEWTON_SIDES; t++) d[i].of[t] /= row[i];
    }
}

void foi_newton_correct(foi_newton_state *w, double *d)
{
    uint32_t n = w->loop->count;
    if (n == 1) {
        d[0] = -d[0] / w->lu[0];
        return;
    }
    for (uint32_t i = 0; i < n; i++) d[i] = w->row_scale[i] * d[i];
    if (w->loop->about->order) {
        foi_linear_solve(&w->large, d);
    } else {
        for (uint32_t i = 0; i < n; i++) d[i] = -d[i];
        solve_dense(w, d);
    }
    for (uint32_t i = 0; i < n; i++) d[i] *= w->column_scale[i];
}

void foi_newton_correct_sides(foi_newton_state *w)
{
    uint32_t n = w->loop->count;
    sides *all = (sides *)(void *)w->sides;
    if (n == 1 || w->loop->about->order) {
        for (int t = 0; t < FOI_NEWTON_SIDES; t++) {
            for (uint32_t i = 0; i < n; i++) w->next[i] = all[i].of[t];
            foi_newton_correct(w, w->next);
            for (uint32_t i = 0; i < n; i++) all[i].of[t] = w->next[i];
        }
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        for (int t = 0; t < FOI_NEWTON_SIDES; t++) all[i].of[t] *= -w->row_scale[i];
    solve_sides(w, all);
    for (uint32_t i = 0; i < n; i++)
        for (int t = 0; t < FOI_NEWTON_SIDES; t++) all[i].of[t] *= w->column_scale[i];
}

static inline double sum_of_sizes(const double *a, const double *d, uint64_t columns)
{
    double sum = 0;
    while (columns) {
        uint32_t k = next_column(&columns);
        sum += fabs(a[k]) * d[k];
    }
    return sum;
}

// |J^-1| <= |U^-1| |L^-1|, and both are at most the inverses of these where all signs are such that
// nothing cancels (N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2002, 8.2).
void foi_newton_bound(const foi_newton_state *w, double *d)
{
    uint32_t n = w->loop->count;
    if (n == 1) {
        d[0] /= fabs(w->lu[0]);
        return;
    }
    for (uint32_t i = 0; i < n; i++) d[i] *= w->row_scale[i];
    for (uint32_t k = 0; k < n; k++) {
        double other = d[k];
        d[k] = d[w->pivot[k]], d[w->pivot[k]] = other;
    }
    for (uint32_t i = 0; i < n; i++) {
        const double *row = w->lu + (size_t)i * n;
        d[i] += sum_of_sizes(row, d, w->columns[i] & ~columns_from(i));
    }
    for (uint32_t i = n; i-- > 0;) {
        const double *row = w->lu + (size_t)i * n;
        d[i] = (d[i] + sum_of_sizes(row, d, w->columns[i] & columns_from(i + 1))) / fabs(row[i]);
    }
    for (uint32_t i = 0; i < n; i++) d[i] *= w->column_scale[i];
}

void foi_newton_solve(foi_newton_state *w, double *d)
{
    for (uint32_t i = 0; i < w->loop->count; i++)
        d[i] = w->r[w->loop->residual[i]] - (w->offset ? w->offset[i] : 0);
    foi_newton_correct(w, d);
}

// How much larger than two right sides without pattern their solutions are.
double foi_newton_inverse_norm(foi_newton_state *w)
{
    uint32_t n = w->loop->count;
    double norm = 1;
    for (int k = 0; k < 4; k++) {
        for (uint32_t i = 0; i < n && k % 2 == 0; i++)
            w->next[i] = (i * 2654435761u >> (9 + k)) % 2 ? 1 : -1;
        if (w->loop->about->order)
            foi_linear_solve(&w->large, w->next);
        else
            solve_dense(w, w->next);
        double most = 0;
        for (uint32_t i = 0; i < n; i++) most = foi_fmax(most, fabs(w->next[i]));
        norm = foi_fmax(norm, most);
        for (uint32_t i = 0; i < n; i++) w->next[i] /= most;
    }
    return norm;
}
