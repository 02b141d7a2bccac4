/// Whether a loop has one solution at most, wherever its unknowns are (up to 2^500 in size, so that
/// differences stay finite) and whatever is given: then there are no branches, and nothing has to
/// be followed.
///
/// If F has a derivative everywhere, F(y) - F(z) = J (y - z) with a J whose entries lie between the
/// least and the greatest that the derivatives can be. So if no such matrix is singular, F(y) =
/// F(z) only for y = z. Most entries are constant; the others, g_1 ... g_k, come from functions of
/// one variable, like the conductance of a diode, which may be anything from 0 to infinity. The
/// determinant is affine in each of them. Therefore, with g = end + s for a finite end of its range
/// and s >= 0, s unbounded or up to the other end, it has no zero if it has the same sign in all
/// corners, where an infinite end stands for the coefficient of s: the determinant with the row of
/// g replaced by the unit vector of its column. (The same argument makes P-matrices of D. Gale and
/// H. Nikaido, The Jacobian matrix and global univalence of mappings, 1965.)
#include <string.h>

#include "program/branch.h"

enum { LARGEST = 64, MOST_MOVING = 6 };

/// An entry that is not constant.
typedef struct moving {
    uint32_t row, column;
    foi_interval range;
} moving;

static bool is_constant(foi_interval a)
{
    return a.hi - a.lo <= 0x1p-40 * foi_i_size(a);
}

// Whether the range is bounded on one side at least; half-lines of one row must not be two.
static bool collect(const foi_loop_code *l, const foi_enclosed *r, moving *list, uint32_t *count)
{
    const foi_loop_about *about = l->about;
    uint64_t unbounded = 0; // rows
    *count = 0;
    for (uint32_t j = 0; j < l->count; j++)
        for (uint32_t k = about->start[j]; k < about->start[j + 1]; k++) {
            foi_interval a = r[l->entry[k]].range;
            bool below = a.lo == -INFINITY, above = a.hi == INFINITY;
            if (!below && !above && is_constant(a)) continue;
            if (*count == MOST_MOVING || (below && above)) return false;
            if ((below || above) && unbounded >> about->row[k] & 1) return false;
            if (below || above) unbounded |= UINT64_C(1) << about->row[k];
            list[(*count)++] = (moving){about->row[k], j, a};
        }
    return true;
}

// The sign of the determinant; 0: not sure. Destroys the matrix.
static int sign_of(double *M, uint32_t n)
{
    int sign = 1;
    for (uint32_t i = 0; i < n; i++) {
        double most = 0;
        for (uint32_t j = 0; j < n; j++) most = fmax(most, fabs(M[(size_t)i * n + j]));
        if (!(most > 0 && most <= DBL_MAX)) return 0;
        for (uint32_t j = 0; j < n; j++) M[(size_t)i * n + j] /= most;
    }
    for (uint32_t k = 0; k < n; k++) {
        uint32_t q = k;
        for (uint32_t i = k + 1; i < n; i++)
            if (fabs(M[(size_t)i * n + k]) > fabs(M[(size_t)q * n + k])) q = i;
        double pivot = M[(size_t)q * n + k], most = 0;
        for (uint32_t j = k; j < n; j++) most = fmax(most, fabs(M[(size_t)q * n + j]));
        if (!(fabs(pivot) > 0x1p-30 * most)) return 0;
        if ((pivot < 0) != (q != k)) sign = -sign;
        for (uint32_t j = 0; j < n; j++) {
            double other = M[(size_t)q * n + j];
            M[(size_t)q * n + j] = M[(size_t)k * n + j], M[(size_t)k * n + j] = other;
        }
        for (uint32_t i = k + 1; i < n; i++) {
            double f = M[(size_t)i * n + k] / pivot;
            for (uint32_t j = k; j < n && f != 0; j++)
                M[(size_t)i * n + j] -= f * M[(size_t)k * n + j];
        }
    }
    return sign;
}

static void fill(const foi_loop_code *l, const foi_enclosed *r, double *M)
{
    const foi_loop_about *about = l->about;
    uint32_t n = l->count;
    memset(M, 0, (size_t)n * n * sizeof *M);
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t k = about->start[j]; k < about->start[j + 1]; k++) {
            foi_interval a = r[l->entry[k]].range;
            M[(size_t)about->row[k] * n + j] = 0.5 * a.lo + 0.5 * a.hi;
        }
}

// Entry m at its lower or upper end.
static void put(double *M, uint32_t n, const moving *m, bool upper)
{
    double end = upper ? m->range.hi : m->range.lo, *row = M + (size_t)m->row * n;
    if (fabs(end) <= DBL_MAX) {
        row[m->column] = end;
        return;
    }
    memset(row, 0, n * sizeof *row);
    row[m->column] = upper ? 1 : -1;
}

// Finite ends first: an infinite one replaces all of its row.
static int sign_in_corner(const foi_loop_code *l, const foi_enclosed *r, const moving *list,
                          uint32_t count, uint32_t corner, double *M)
{
    fill(l, r, M);
    for (int infinite = 0; infinite < 2; infinite++)
        for (uint32_t k = 0; k < count; k++) {
            bool upper = corner >> k & 1;
            double end = upper ? list[k].range.hi : list[k].range.lo;
            if ((fabs(end) > DBL_MAX) == infinite) put(M, l->count, &list[k], upper);
        }
    return sign_of(M, l->count);
}

static bool is_defined(const foi_loop_code *l, const foi_enclosed *r)
{
    uint32_t nature = 0;
    for (uint32_t i = 0; i < l->count; i++) nature |= r[l->residual[i]].nature;
    for (uint32_t k = 0; k < l->about->start[l->count]; k++) nature |= r[l->entry[k]].nature;
    return (nature & ~(uint32_t)FO_NOT_ENCLOSED) == 0;
}

// With everything that flows anywhere.
static bool is_unique(const foi_code *code, const foi_loop_code *l, foi_enclosed *r, double *M)
{
    moving list[MOST_MOVING];
    uint32_t count;
    for (uint32_t i = 0; i < l->count; i++) r[l->unknown[i]] = foi_enclosed_anywhere();
    foi_code part = {.list = code->list + l->begin, .count = l->end - l->begin};
    foi_code_enclose(&part, r, INFINITY, NULL);
    if (l->count > LARGEST || !is_defined(l, r) || !collect(l, r, list, &count)) return false;
    int sign = sign_in_corner(l, r, list, count, 0, M);
    for (uint32_t corner = 1; corner < 1u << count && sign != 0; corner++)
        if (sign_in_corner(l, r, list, count, corner, M) != sign) return false;
    return sign != 0;
}

void foi_branch_find_unique(const foi_code *code, foi_enclosed *r, double *work, double *unique)
{
    for (uint32_t i = 0; i < code->constant_count; i++)
        r[code->constant_at + i] = foi_enclosed_constant(code->constants[i]);
    for (uint32_t at = 0, stop; at < code->count; at = stop + 1) {
        for (stop = at; stop < code->count && code->list[stop].op != FOI_I_SOLVE;) stop++;
        foi_code part = {.list = code->list + at, .count = stop - at};
        foi_code_enclose(&part, r, INFINITY, NULL);
        if (stop == code->count) return;
        const foi_loop_code *l = &code->loops[code->list[stop].a];
        bool is = is_unique(code, l, r, work);
        if (foi_loop_is_followed(l)) unique[l->about->number] = is;
        for (uint32_t i = 0; i < l->count; i++) r[l->unknown[i]] = foi_enclosed_anywhere();
    }
}
