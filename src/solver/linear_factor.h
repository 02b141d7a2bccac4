/// The LU factorisations for one kind of number. Included by linear_real.c and linear_complex.c,
/// which define `number`, its arithmetic, and the names FACTOR and SOLVE.
#include <float.h>
#include <string.h>

#include "math/math.h"

// How much smaller than the largest candidate a pivot may be: on the diagonal when pivots are
// chosen (the ordering counts on the diagonal), and anywhere when known ones are used again. Each
// is measured by the largest entry of its row, so that neither the units of the equations nor the
// length of the step decide.
static const double diagonal_threshold = 0.1, known_threshold = 1e-3;

static bool usable(double size)
{
    return size > 0 && size <= DBL_MAX;
}

/// Where entry (r, c) lies in a band: column by column, its diagonal at lower + upper.
static size_t band_at(const foi_linear *l, uint32_t r, uint32_t c)
{
    size_t width = 2 * (size_t)l->lower + l->upper + 1;
    return c * width + l->lower + l->upper + r - c;
}

static void assemble(foi_linear *l, foi_complex fac, const double *jacobian, const double *mass)
{
    number *a = l->values;
    size_t n = l->n;
    if (!l->start) {
        for (size_t c = 0, i = 0; c < n; c++)
            for (size_t r = 0; r < n; r++, i++)
                a[i] = entry(fac, mass ? mass[i] : r == c, jacobian[i]);
        return;
    }
    if (l->kind == FOI_LINEAR_DENSE) memset(a, 0, n * n * sizeof *a);
    if (l->kind == FOI_LINEAR_BAND)
        memset(a, 0, n * (2 * (size_t)l->lower + l->upper + 1) * sizeof *a);
    for (uint32_t c = 0; c < n; c++) {
        for (uint32_t e = l->start[c]; e < l->start[c + 1]; e++) {
            uint32_t r = l->row[e];
            double m = mass ? mass[c * n + r] : r == c;
            double j = l->source[e] == FOI_NONE ? 0 : jacobian[l->source[e]];
            size_t at = l->kind == FOI_LINEAR_SPARSE ? e
                        : l->kind == FOI_LINEAR_BAND ? band_at(l, r, c)
                                                     : c * n + r;
            a[at] = entry(fac, m, j);
        }
    }
}

static uint32_t largest(const number *column, uint32_t count)
{
    uint32_t p = 0;
    double best = magnitude(column[0]);
    for (uint32_t i = 1; i < count; i++)
        if (magnitude(column[i]) > best) best = magnitude(column[i]), p = i;
    return p;
}

static void swap(number *a, number *b)
{
    number kept = *a;
    *a = *b, *b = kept;
}

/// to[i] -= u * from[i]
static void eliminate(number *restrict to, const number *restrict from, number u, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) to[i] = minus_product(to[i], u, from[i]);
}

// ------------------------------------------------------------------------------------- dense

// Right-looking: column k is divided by its pivot, then taken from all columns right of it. Rows
// are exchanged in whole.
static fo_status factor_dense(foi_linear *l)
{
    size_t n = l->n;
    number *a = l->values;
    for (uint32_t k = 0; k < n; k++) {
        number *column = a + k * n + k;
        uint32_t p = largest(column, l->n - k);
        l->pivot[k] = k + p;
        if (!usable(magnitude(column[p]))) return FO_ERROR_CONVERGE;
        if (p)
            for (size_t c = 0; c < n; c++) swap(&a[c * n + k], &a[c * n + k + p]);
        for (uint32_t i = 1; i < n - k; i++) column[i] = quotient(column[i], column[0]);
        for (size_t c = k + 1; c < n; c++) {
            number *to = a + c * n + k;
            if (magnitude(to[0]) != 0) eliminate(to + 1, column + 1, to[0], l->n - k - 1);
        }
    }
    return FO_OK;
}

static void solve_dense(const foi_linear *l, number *b)
{
    size_t n = l->n;
    const number *a = l->values;
    for (uint32_t k = 0; k < n; k++)
        if (l->pivot[k] != k) swap(&b[k], &b[l->pivot[k]]);
    for (uint32_t k = 0; k < n; k++) eliminate(b + k + 1, a + k * n + k + 1, b[k], l->n - k - 1);
    for (uint32_t k = l->n; k-- > 0;) {
        b[k] = quotient(b[k], a[k * n + k]);
        eliminate(b, a + k * n, b[k], k);
    }
}

// -------------------------------------------------------------------------------------- band

static uint32_t below(const foi_linear *l, uint32_t k)
{
    return l->lower < l->n - 1 - k ? l->lower : l->n - 1 - k;
}

// As dense, within the band; exchanges widen U's band by `lower`. L's rows stay where they were
// when their column was made, so the solution exchanges on the way.
static fo_status factor_band(foi_linear *l)
{
    number *a = l->values;
    uint32_t last = 0; // the last column that row exchanges have reached
    for (uint32_t k = 0; k < l->n; k++) {
        number *column = a + band_at(l, k, k);
        uint32_t count = below(l, k), p = largest(column, count + 1);
        l->pivot[k] = k + p;
        if (!usable(magnitude(column[p]))) return FO_ERROR_CONVERGE;
        uint32_t right = l->n - 1 - k < l->upper + p ? l->n - 1 : k + l->upper + p;
        if (right > last) last = right;
        if (p)
            for (uint32_t c = k; c <= last; c++)
                swap(&a[band_at(l, k, c)], &a[band_at(l, k + p, c)]);
        for (uint32_t i = 1; i <= count; i++) column[i] = quotient(column[i], column[0]);
        for (uint32_t c = k + 1; c <= last; c++) {
            number *to = a + band_at(l, k, c);
            if (magnitude(to[0]) != 0) eliminate(to + 1, column + 1, to[0], count);
        }
    }
    return FO_OK;
}

static void solve_band(const foi_linear *l, number *b)
{
    const number *a = l->values;
    for (uint32_t k = 0; k < l->n; k++) {
        if (l->pivot[k] != k) swap(&b[k], &b[l->pivot[k]]);
        eliminate(b + k + 1, a + band_at(l, k, k) + 1, b[k], below(l, k));
    }
    for (uint32_t k = l->n; k-- > 0;) {
        uint32_t above = k < l->lower + l->upper ? k : l->lower + l->upper;
        b[k] = quotient(b[k], a[band_at(l, k, k)]);
        eliminate(b + k - above, a + band_at(l, k, k) - above, b[k], above);
    }
}

// ------------------------------------------------------------------------------------ sparse
//
// Gilbert, Peierls: Sparse partial pivoting in time proportional to arithmetic operations, SIAM J.
// Sci. Stat. Comput. 9 (1988) 862. Column k of A Q is solved with the columns of L so far; what is
// reached in L's graph is its pattern. Updates are made in ascending positions, so that the same
// pivots give the same bits whether the pattern was known or not.

static void sort(uint32_t *list, uint32_t count)
{
    for (uint32_t half = count / 2, end = count; end > 1;) { // heapsort
        uint32_t moved, at;
        if (half > 0) {
            at = --half, moved = list[at];
        } else {
            moved = list[--end], list[end] = list[0], at = 0;
        }
        for (uint32_t child; (child = 2 * at + 1) < end; at = child) {
            if (child + 1 < end && list[child + 1] > list[child]) child++;
            if (list[child] <= moved) break;
            list[at] = list[child];
        }
        list[at] = moved;
    }
}

/// Finds the pattern of column k: positions above the diagonal in reach, sorted, and rows that are
/// not pivots yet in candidates.
static void search(foi_linear *l, uint32_t k, uint32_t *above, uint32_t *free_rows)
{
    foi_sparse *s = &l->sparse;
    uint32_t column = s->order[k], pending = 0, found = 0, candidates = 0;
    for (uint32_t e = l->start[column]; e < l->start[column + 1]; e++) {
        s->mark[l->row[e]] = k + 1;
        s->stack[pending++] = l->row[e];
    }
    while (pending) {
        uint32_t r = s->stack[--pending], j = s->position[r];
        if (j == FOI_NONE) {
            s->candidates[candidates++] = r;
            continue;
        }
        s->reach[found++] = j;
        for (uint32_t e = s->l_start[j]; e < s->l_start[j + 1]; e++) {
            if (s->mark[s->l_row[e]] == k + 1) continue;
            s->mark[s->l_row[e]] = k + 1;
            s->stack[pending++] = s->l_row[e];
        }
    }
    sort(s->reach, found);
    *above = found, *free_rows = candidates;
}

/// Solves for column k in s->work, given the positions of its entries above the diagonal.
static void reduce(foi_linear *l, uint32_t k, const uint32_t *above, uint32_t count, number *u)
{
    foi_sparse *s = &l->sparse;
    number *x = s->work, *lower = s->l;
    const number *a = l->values;
    uint32_t column = s->order[k];
    for (uint32_t e = l->start[column]; e < l->start[column + 1]; e++) x[l->row[e]] = a[e];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t j = above[i];
        number v = x[s->pivot_row[j]];
        u[i] = v;
        x[s->pivot_row[j]] = (number){0};
        for (uint32_t e = s->l_start[j]; e < s->l_start[j + 1]; e++)
            x[s->l_row[e]] = minus_product(x[s->l_row[e]], v, lower[e]);
    }
}

/// What the rows are measured by: one over the largest entry.
static void measure_rows(foi_linear *l)
{
    double *scale = l->sparse.scale;
    const number *a = l->values;
    memset(scale, 0, l->n * sizeof *scale);
    for (uint32_t e = 0; e < l->start[l->n]; e++)
        scale[l->row[e]] = foi_fmax(scale[l->row[e]], magnitude(a[e]));
    for (uint32_t r = 0; r < l->n; r++) scale[r] = usable(1 / scale[r]) ? 1 / scale[r] : 1;
}

/// The size of entry r of a column, by the measure of its row.
static double size_in(const foi_sparse *s, const number *x, uint32_t r)
{
    return magnitude(x[r]) * s->scale[r];
}

static uint32_t choose(const foi_linear *l, const number *x, uint32_t count, uint32_t diagonal)
{
    const foi_sparse *s = &l->sparse;
    uint32_t best = FOI_NONE;
    double largest_size = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t r = s->candidates[i];
        double size = size_in(s, x, r);
        // the smaller row wins a tie: the order of the search must not matter
        if (size > largest_size || (size == largest_size && size > 0 && r < best))
            largest_size = size, best = r;
    }
    bool free_yet = s->position[diagonal] == FOI_NONE; // and zero in x where it is no candidate
    if (free_yet && usable(largest_size) &&
        size_in(s, x, diagonal) >= diagonal_threshold * largest_size)
        return diagonal;
    return best;
}

static bool make_room(const foi_linear *l, uint32_t **rows, void **numbers, size_t *room,
                      size_t needed)
{
    if (needed <= *room) return true;
    size_t more = needed + needed / 2;
    void *grown = foi_grow(l->allocator, *rows, *room, more, sizeof **rows);
    if (!grown) return false;
    *rows = grown;
    grown = foi_grow(l->allocator, *numbers, *room, more, sizeof(number));
    if (!grown) return false;
    *numbers = grown;
    *room = more;
    return true;
}

/// Divides column k by its pivot and moves it from s->work to L. `wanted` FOI_NONE: choose a pivot.
static fo_status finish(foi_linear *l, uint32_t k, uint32_t count, uint32_t wanted)
{
    foi_sparse *s = &l->sparse;
    number *x = s->work, *lower = s->l, *diagonal = s->diagonal;
    double size = 0;
    for (uint32_t i = 0; i < count; i++) size = foi_fmax(size, size_in(s, x, s->candidates[i]));
    uint32_t p = wanted == FOI_NONE ? choose(l, x, count, s->order[k]) : wanted;
    bool bad = p == FOI_NONE || s->position[p] != FOI_NONE || !usable(magnitude(x[p])) ||
               (wanted != FOI_NONE && !(size_in(s, x, p) >= known_threshold * size));
    number pivot = bad ? (number){0} : x[p];
    uint32_t e = s->l_start[k];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t r = s->candidates[i];
        if (!bad && r != p) {
            s->l_row[e] = r;
            lower[e++] = quotient(x[r], pivot);
        }
        x[r] = (number){0};
    }
    s->l_start[k + 1] = e;
    if (bad) return FO_ERROR_CONVERGE;
    diagonal[k] = pivot;
    s->pivot_row[k] = p, s->position[p] = k;
    return FO_OK;
}

/// Factors with patterns found on the way; `wanted` gives the pivots, NULL: chosen.
static fo_status factor_searching(foi_linear *l, const uint32_t *wanted)
{
    foi_sparse *s = &l->sparse;
    s->known = false;
    memset(s->mark, 0, l->n * sizeof *s->mark);
    for (uint32_t r = 0; r < l->n; r++) s->position[r] = FOI_NONE;
    s->l_start[0] = s->u_start[0] = 0;
    for (uint32_t k = 0; k < l->n; k++) {
        uint32_t above, candidates;
        search(l, k, &above, &candidates);
        if (!make_room(l, &s->l_row, &s->l, &s->l_room, (size_t)s->l_start[k] + candidates) ||
            !make_room(l, &s->u_row, &s->u, &s->u_room, (size_t)s->u_start[k] + above))
            return FO_ERROR_MEMORY;
        memcpy(s->u_row + s->u_start[k], s->reach, above * sizeof *s->u_row);
        s->u_start[k + 1] = s->u_start[k] + above;
        reduce(l, k, s->reach, above, (number *)s->u + s->u_start[k]);
        fo_status status = finish(l, k, candidates, wanted ? wanted[k] : FOI_NONE);
        if (status != FO_OK) return status;
    }
    s->known = true;
    return FO_OK;
}

/// Factors with the pivots and patterns of before: values only.
static fo_status factor_known(foi_linear *l)
{
    foi_sparse *s = &l->sparse;
    number *x = s->work, *lower = s->l, *diagonal = s->diagonal;
    for (uint32_t k = 0; k < l->n; k++) {
        uint32_t p = s->pivot_row[k], at = s->u_start[k];
        reduce(l, k, s->u_row + at, s->u_start[k + 1] - at, (number *)s->u + at);
        number pivot = x[p];
        double size = size_in(s, x, p);
        for (uint32_t e = s->l_start[k]; e < s->l_start[k + 1]; e++)
            size = foi_fmax(size, size_in(s, x, s->l_row[e]));
        bool bad = !usable(magnitude(pivot)) || !(size_in(s, x, p) >= known_threshold * size);
        x[p] = (number){0};
        for (uint32_t e = s->l_start[k]; e < s->l_start[k + 1]; e++) {
            if (!bad) lower[e] = quotient(x[s->l_row[e]], pivot);
            x[s->l_row[e]] = (number){0};
        }
        if (bad) return FO_ERROR_CONVERGE;
        diagonal[k] = pivot;
    }
    return FO_OK;
}

static fo_status factor_sparse(foi_linear *l, uint32_t *pivots)
{
    foi_sparse *s = &l->sparse;
    size_t bytes = l->n * sizeof *pivots;
    bool given = pivots && (l->n < 2 || pivots[0] != pivots[1]);
    fo_status status = FO_ERROR_CONVERGE;
    measure_rows(l);
    if (given) {
        bool same = s->known && memcmp(pivots, s->pivot_row, bytes) == 0;
        status = same ? factor_known(l) : factor_searching(l, pivots);
    }
    if (status == FO_ERROR_CONVERGE) status = factor_searching(l, NULL);
    if (pivots && status == FO_OK) memcpy(pivots, s->pivot_row, bytes);
    if (pivots && status != FO_OK) memset(pivots, 0, bytes);
    return status;
}

static void solve_sparse(foi_linear *l, number *b)
{
    foi_sparse *s = &l->sparse;
    const number *lower = s->l, *upper = s->u, *diagonal = s->diagonal;
    number *y = s->work;
    for (uint32_t k = 0; k < l->n; k++) {
        y[k] = b[s->pivot_row[k]];
        for (uint32_t e = s->l_start[k]; e < s->l_start[k + 1]; e++)
            b[s->l_row[e]] = minus_product(b[s->l_row[e]], y[k], lower[e]);
    }
    for (uint32_t k = l->n; k-- > 0;) {
        y[k] = quotient(y[k], diagonal[k]);
        for (uint32_t e = s->u_start[k]; e < s->u_start[k + 1]; e++)
            y[s->u_row[e]] = minus_product(y[s->u_row[e]], y[k], upper[e]);
        b[s->order[k]] = y[k];
        y[k] = (number){0}; // the work space is all zero between calls
    }
}

// -------------------------------------------------------------------------------------- both

fo_status FACTOR(foi_linear *l, foi_complex fac, const double *jacobian, const double *mass,
                 uint32_t *pivots)
{
    assemble(l, fac, jacobian, mass);
    switch (l->kind) {
    case FOI_LINEAR_SPARSE: return factor_sparse(l, pivots);
    case FOI_LINEAR_BAND: return factor_band(l);
    default: return factor_dense(l);
    }
}

void SOLVE(foi_linear *l, void *b)
{
    switch (l->kind) {
    case FOI_LINEAR_SPARSE: solve_sparse(l, b); break;
    case FOI_LINEAR_BAND: solve_band(l, b); break;
    default: solve_dense(l, b); break;
    }
}
