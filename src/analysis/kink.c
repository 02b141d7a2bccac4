#include "analysis/kink.h"

#include <math.h>
#include <string.h>

#include "base/lu.h"
#include "base/memory.h"
#include "math/math.h"

foi_kink *foi_kink_create(size_t n, size_t m, const fo_allocator *allocator)
{
    foi_kink *k = foi_new(allocator, 1, sizeof *k);
    size_t all = 2 * n, vectors = 3 * n + 2 * m + 2 * m * n + 2 * m + n + all * all + all + n;
    if (!k) return NULL;
    k->n = n, k->m = m, k->allocator = allocator;
    k->a = foi_new(allocator, vectors, sizeof *k->a);
    k->rows = foi_new(allocator, n + 1, sizeof *k->rows);
    k->pivot = foi_new(allocator, all + 1, sizeof *k->pivot);
    if (!k->a || !k->rows || !k->pivot) return foi_kink_destroy(k), NULL;
    k->b = k->a + n, k->d = k->b + n, k->r_a = k->d + n, k->r_b = k->r_a + m;
    k->j_a = k->r_b + m, k->j_b = k->j_a + m * n, k->slope = k->j_b + m * n;
    k->bend = k->slope + m, k->scale = k->bend + m, k->matrix = k->scale + n;
    k->right = k->matrix + all * all, k->part = k->right + all;
    return k;
}

void foi_kink_destroy(foi_kink *k)
{
    if (!k) return;
    const fo_allocator *allocator = k->allocator;
    foi_free(allocator, k->a);
    foi_free(allocator, k->rows);
    foi_free(allocator, k->pivot);
    foi_free(allocator, k);
}

// Length of the columns, by which numbers are made comparable.
static void find_scale(foi_kink *k)
{
    for (size_t j = 0; j < k->n; j++) {
        double sum = 0;
        for (size_t i = 0; i < k->m; i++)
            sum += k->bend[i] * k->j_a[j * k->m + i] * k->j_a[j * k->m + i];
        k->scale[j] = sqrt(sum);
    }
}

static double normal(const foi_kink *k, size_t row, size_t j)
{
    return k->j_a[j * k->m + row] - k->j_b[j * k->m + row];
}

static double offset(const foi_kink *k, size_t row)
{
    double c = k->r_b[row] - k->r_a[row];
    for (size_t j = 0; j < k->n; j++) c -= k->j_b[j * k->m + row] * (k->b[j] - k->a[j]);
    return c;
}

// Slopes that differ by much more than so short a way can bend them.
static bool is_kinked(const foi_kink *k, size_t row)
{
    const double much = 1e-2;
    double apart = 0, size = 0;
    for (size_t j = 0; j < k->n; j++) {
        double s = k->scale[j] > 0 ? 1 / k->scale[j] : 0;
        apart = foi_fmax(apart, fabs(normal(k, row, j)) * s);
        size = foi_fmax(size, fabs(k->j_a[j * k->m + row]) * s);
        size = foi_fmax(size, fabs(k->j_b[j * k->m + row]) * s);
    }
    return apart > much * size;
}

void foi_kink_find(foi_kink *k)
{
    k->count = 0, k->jumps = false;
    find_scale(k);
    for (size_t i = 0; i < k->m; i++) {
        if (!is_kinked(k, i)) continue;
        double across = 0, c = offset(k, i);
        for (size_t j = 0; j < k->n; j++) across += normal(k, i, j) * (k->b[j] - k->a[j]);
        // the two lines meet between the points, or nearly; otherwise there is a jump
        double where = c / across;
        if (!(where > -1 && where < 2)) k->jumps = true;
        if (k->count == k->n) k->jumps = true; // more than there are numbers: a corner, or chaos
        if (k->count < k->n) k->rows[k->count++] = i;
    }
}

static void fill_least_squares(foi_kink *k, const bool *fixed, double lambda)
{
    size_t n = k->n, m = k->m, all = n + k->count;
    for (size_t p = 0; p < n; p++) {
        bool still = fixed[p] || !(k->scale[p] > 0);
        double g = 0;
        for (size_t i = 0; i < m && !still; i++)
            g += k->slope[i] * k->r_a[i] * k->j_a[p * m + i] / k->scale[p];
        k->right[p] = -g;
        for (size_t q = 0; q < n; q++) {
            double sum = 0;
            bool other = still || fixed[q] || !(k->scale[q] > 0);
            for (size_t i = 0; i < m && !other; i++)
                sum += k->bend[i] * k->j_a[p * m + i] * k->j_a[q * m + i];
            k->matrix[p * all + q] = other ? p == q : sum / k->scale[p] / k->scale[q];
        }
        k->matrix[p * all + p] += lambda;
    }
}

bool foi_kink_solve(foi_kink *k, const bool *fixed, double lambda)
{
    size_t n = k->n, all = n + k->count;
    memset(k->matrix, 0, all * all * sizeof *k->matrix);
    fill_least_squares(k, fixed, lambda);
    for (size_t i = 0; i < k->count; i++) {
        size_t row = n + i;
        for (size_t j = 0; j < n; j++) {
            bool still = fixed[j] || !(k->scale[j] > 0);
            double v = still ? 0 : normal(k, k->rows[i], j) / k->scale[j];
            k->matrix[row * all + j] = k->matrix[j * all + row] = v;
        }
        k->right[row] = offset(k, k->rows[i]);
    }
    if (!foi_lu_factor(all, k->matrix, k->pivot)) return false;
    foi_lu_solve(all, k->matrix, k->pivot, k->right);
    for (size_t j = 0; j < n; j++) {
        k->d[j] = k->scale[j] > 0 ? k->right[j] / k->scale[j] : 0;
        if (!isfinite(k->d[j])) return false;
    }
    for (size_t i = 0; i < k->count; i++) {
        size_t row = k->rows[i];
        double r = k->r_a[row];
        for (size_t j = 0; j < n; j++) r += k->j_a[j * k->m + row] * k->d[j];
        k->part[i] = -k->right[n + i] / (k->slope[row] * r);
    }
    return true;
}
