#include "structure/stiffness.h"

#include <math.h>
#include <string.h>

static fo_status no_memory(fo_message *why)
{
    return fo_fail(why, FO_ERROR_MEMORY, "no memory for a stiffness matrix");
}

static bool free_coordinate(const fo_structure *s, uint32_t c)
{
    return s->inverse_mass[c] != 0;
}

fo_status foi_stiffness_prepare(foi_stiffness *k, const fo_structure *s, fo_message *why)
{
    const fo_allocator *a = s->def.allocator;
    uint32_t n = foi_coordinates(s);
    if (!s->adjacent_start)
        return fo_fail(
            why, FO_ERROR_UNFIT,
            "a structure with 'leapfrog' has no stiffness matrix, and so no rest and no modes");
    size_t size = foi_hessian_size(s);
    k->s = s;
    k->start = foi_new(a, (size_t)n + 1, sizeof *k->start);
    k->row = foi_new(a, size, sizeof *k->row);
    k->values = foi_new(a, size, sizeof *k->values);
    k->negative = foi_new(a, size, sizeof *k->negative);
    k->pivots = foi_new(a, n, sizeof *k->pivots);
    if (!k->start || !k->row || !k->values || !k->negative || !k->pivots) return no_memory(why);
    memcpy(k->start, s->pattern_start, ((size_t)n + 1) * sizeof *k->start);
    for (size_t e = 0; e < size; e++) k->row[e] = s->pattern_row[e] - n;
    k->pattern = (fo_pattern){n, k->start, k->row};
    return FO_OK;
}

void foi_stiffness_destroy(foi_stiffness *k)
{
    if (!k->s) return;
    const fo_allocator *a = k->s->def.allocator;
    foi_linear_destroy(&k->factors);
    foi_free(a, k->start);
    foi_free(a, k->row);
    foi_free(a, k->values);
    foi_free(a, k->negative);
    foi_free(a, k->pivots);
    *k = (foi_stiffness){0};
}

fo_status foi_stiffness_evaluate(foi_stiffness *k, const foi_load *load, const double *q,
                                 fo_message *why)
{
    const fo_structure *s = k->s;
    fo_status status = foi_hessian(s, load, q, k->values, why);
    for (uint32_t c = 0; c < k->pattern.n && status == FO_OK; c++)
        for (uint32_t e = k->start[c]; e < k->start[c + 1]; e++)
            if (!free_coordinate(s, c) || !free_coordinate(s, k->row[e]))
                k->values[e] = k->row[e] == c;
    return status;
}

fo_status foi_stiffness_factor(foi_stiffness *k, double identity, double mass)
{
    const fo_structure *s = k->s;
    foi_linear_def def = {.n = k->pattern.n, .pattern = &k->pattern, .allocator = s->def.allocator};
    if (!k->prepared && foi_linear_prepare(&k->factors, &def) != FO_OK) return FO_ERROR_MEMORY;
    k->prepared = true;
    for (uint32_t c = 0; c < k->pattern.n; c++)
        for (uint32_t e = k->start[c]; e < k->start[c + 1]; e++) {
            double shift = k->row[e] == c ? mass * s->mass[c / (uint32_t)s->dim] : 0;
            k->negative[e] = -(k->values[e] + shift);
        }
    return foi_linear_factor(&k->factors, (foi_complex){identity, 0}, k->negative, NULL, k->pivots);
}

void foi_stiffness_solve(foi_stiffness *k, double *b)
{
    foi_linear_solve(&k->factors, b);
}

void foi_stiffness_times(const foi_stiffness *k, const double *x, double *y)
{
    memset(y, 0, k->pattern.n * sizeof *y);
    for (uint32_t c = 0; c < k->pattern.n; c++)
        for (uint32_t e = k->start[c]; e < k->start[c + 1]; e++)
            y[k->row[e]] += k->values[e] * x[c];
}

// Row i of L from its first entry on: l_ij = (a_ij - sum_k l_ik l_jk) / l_jj. False: not definite.
static bool envelope_row(double *const *rows, const uint32_t *first, uint32_t i)
{
    double *li = rows[i] - first[i];
    for (uint32_t j = first[i]; j <= i; j++) {
        const double *lj = rows[j] - first[j];
        double sum = li[j];
        for (uint32_t k = first[i] > first[j] ? first[i] : first[j]; k < j; k++)
            sum -= li[k] * lj[k];
        if (j < i)
            li[j] = sum / lj[j];
        else if (!(sum > 0))
            return false;
        else
            li[i] = sqrt(sum);
    }
    return true;
}

fo_status foi_stiffness_definite(const foi_stiffness *k, bool *definite, fo_message *why)
{
    const fo_allocator *a = k->s->def.allocator;
    uint32_t n = k->pattern.n;
    uint32_t *first = foi_new(a, n, sizeof *first);
    double **rows = foi_new(a, n, sizeof *rows), *block = NULL;
    size_t size = 0;
    for (uint32_t i = 0; first && i < n; i++) {
        first[i] = k->row[k->start[i]] < i ? k->row[k->start[i]] : i;
        size += i - first[i] + 1;
    }
    if (first && rows) block = foi_new(a, size, sizeof *block);
    fo_status status = block ? FO_OK : no_memory(why);
    *definite = block != NULL;
    double *at = block;
    for (uint32_t i = 0; block && i < n; i++) {
        rows[i] = at;
        at += i - first[i] + 1;
        for (uint32_t e = k->start[i]; e < k->start[i + 1]; e++) // symmetric: column i is row i
            if (k->row[e] <= i) rows[i][k->row[e] - first[i]] = k->values[e];
    }
    for (uint32_t i = 0; block && *definite && i < n; i++) *definite = envelope_row(rows, first, i);
    foi_free(a, first);
    foi_free(a, rows);
    foi_free(a, block);
    return status;
}
