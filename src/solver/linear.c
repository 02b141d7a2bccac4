#include "solver/linear.h"

#include <math.h>
#include <string.h>

#include "math/math.h"

static void destroy_sparse(foi_linear *l)
{
    foi_sparse *s = &l->sparse;
    void *blocks[] = {s->order,   s->pivot_row,  s->position, s->l_start,  s->l_row, s->l,
                      s->u_start, s->u_row,      s->u,        s->diagonal, s->mark,  s->stack,
                      s->reach,   s->candidates, s->work,     s->scale};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) foi_free(l->allocator, blocks[i]);
}

void foi_linear_destroy(foi_linear *l)
{
    destroy_sparse(l);
    foi_free(l->allocator, l->start);
    foi_free(l->allocator, l->row);
    foi_free(l->allocator, l->source);
    foi_free(l->allocator, l->values);
    foi_free(l->allocator, l->pivot);
    *l = (foi_linear){0};
}

// ---------------------------------------------------------------------------------- the pattern

/// Walks column c of J, M and the diagonal together; returns its number of entries, and writes them
/// where `row` is not NULL.
static uint32_t unite(const foi_linear_def *def, uint32_t c, uint32_t *row, uint32_t *source)
{
    const fo_pattern *p = def->pattern;
    const double *mass = def->mass ? def->mass + (size_t)c * def->n : NULL;
    uint32_t e = p->start[c], end = p->start[c + 1], count = 0;
    for (uint32_t r = mass ? 0 : e < end && p->row[e] < c ? p->row[e] : c; r < def->n;) {
        bool in_j = e < end && p->row[e] == r;
        if (in_j || r == c || (mass && mass[r] != 0)) {
            if (row) row[count] = r, source[count] = in_j ? e : FOI_NONE;
            count++;
        }
        e += in_j;
        uint32_t next = e < end ? p->row[e] : def->n; // without a mass matrix: no row by row
        if (next > c && r < c) next = c;
        r = mass ? r + 1 : next;
    }
    return count;
}

static fo_status unite_all(foi_linear *l, const foi_linear_def *def)
{
    size_t entries = 0;
    for (uint32_t c = 0; c < l->n; c++) entries += unite(def, c, NULL, NULL);
    l->start = foi_new(l->allocator, (size_t)l->n + 1, sizeof *l->start);
    l->row = foi_new(l->allocator, entries, sizeof *l->row);
    l->source = foi_new(l->allocator, entries, sizeof *l->source);
    if (!l->start || !l->row || !l->source) return FO_ERROR_MEMORY;
    for (uint32_t c = 0; c < l->n; c++) {
        uint32_t at = l->start[c], count = unite(def, c, l->row + at, l->source + at);
        l->start[c + 1] = at + count;
        uint32_t first = l->row[at], last = l->row[at + count - 1]; // the diagonal is there
        if (c - first > l->upper) l->upper = c - first;
        if (last - c > l->lower) l->lower = last - c;
    }
    return FO_OK;
}

/// The pattern of A + A^T, which the ordering wants.
static fo_status order(foi_linear *l)
{
    uint32_t n = l->n, entries = l->start[n];
    uint32_t *start = foi_new(l->allocator, (size_t)n + 2, sizeof *start);
    uint32_t *row = foi_new(l->allocator, 2 * (size_t)entries, sizeof *row);
    l->sparse.order = foi_new(l->allocator, n, sizeof *l->sparse.order);
    fo_status status = FO_ERROR_MEMORY;
    if (start && row && l->sparse.order) {
        for (uint32_t c = 0; c < n; c++)
            for (uint32_t e = l->start[c]; e < l->start[c + 1]; e++)
                start[c + 2]++, start[l->row[e] + 2]++;
        for (uint32_t c = 0; c < n; c++) start[c + 2] += start[c + 1];
        for (uint32_t c = 0; c < n; c++)
            for (uint32_t e = l->start[c]; e < l->start[c + 1]; e++) {
                uint32_t r = l->row[e];
                row[start[c + 1]++] = r, row[start[r + 1]++] = c;
            }
        status = foi_minimum_degree(n, start, row, l->sparse.order, &l->fill, l->allocator);
    }
    foi_free(l->allocator, start);
    foi_free(l->allocator, row);
    return status;
}

static fo_status keep_order(foi_linear *l, const foi_linear_def *def)
{
    l->sparse.order = foi_new(l->allocator, l->n, sizeof *l->sparse.order);
    if (!l->sparse.order) return FO_ERROR_MEMORY;
    memcpy(l->sparse.order, def->order, l->n * sizeof *def->order);
    l->fill = def->fill;
    return FO_OK;
}

// --------------------------------------------------------------------------------- the factors

static size_t band_size(const foi_linear *l)
{
    return l->n * (2 * (size_t)l->lower + l->upper + 1);
}

/// The least storage: an entry of a sparse factor counts twice, for its index and its detours.
static foi_linear_kind cheapest(const foi_linear *l)
{
    size_t dense = (size_t)l->n * l->n, band = band_size(l), sparse = 2 * (2 * l->fill + l->n);
    if (band <= sparse && band < dense) return FOI_LINEAR_BAND;
    return sparse < dense / 2 ? FOI_LINEAR_SPARSE : FOI_LINEAR_DENSE;
}

static fo_status prepare_sparse(foi_linear *l)
{
    foi_sparse *s = &l->sparse;
    size_t n = l->n;
    // a little more than diagonal pivots need; row exchanges may ask for more, which grows them
    s->l_room = s->u_room = l->fill + l->fill / 4 + n;
    uint32_t **lists[] = {&s->pivot_row, &s->position, &s->mark,
                          &s->stack,     &s->reach,    &s->candidates};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        if (!(*lists[i] = foi_new(l->allocator, n, sizeof(uint32_t)))) return FO_ERROR_MEMORY;
    s->l_start = foi_new(l->allocator, n + 1, sizeof *s->l_start);
    s->u_start = foi_new(l->allocator, n + 1, sizeof *s->u_start);
    s->l_row = foi_new(l->allocator, s->l_room, sizeof *s->l_row);
    s->u_row = foi_new(l->allocator, s->u_room, sizeof *s->u_row);
    s->l = foi_new(l->allocator, s->l_room, l->number);
    s->u = foi_new(l->allocator, s->u_room, l->number);
    s->diagonal = foi_new(l->allocator, n, l->number);
    s->work = foi_new(l->allocator, n, l->number);
    s->scale = foi_new(l->allocator, n, sizeof *s->scale);
    const void *made[] = {s->l_start, s->u_start,  s->l_row, s->u_row, s->l,
                          s->u,       s->diagonal, s->work,  s->scale};
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
        if (!made[i]) return FO_ERROR_MEMORY;
    return FO_OK;
}

static fo_status prepare(foi_linear *l, const foi_linear_def *def)
{
    fo_status status = FO_OK;
    l->lower = l->upper = l->n ? l->n - 1 : 0;
    if (def->pattern) {
        l->lower = l->upper = 0;
        if ((status = unite_all(l, def)) != FO_OK) return status;
        if ((status = def->order ? keep_order(l, def) : order(l)) != FO_OK) return status;
    }
    l->kind = def->kind;
    if (!def->pattern)
        l->kind = FOI_LINEAR_DENSE;
    else if (def->kind == FOI_LINEAR_CHOOSE)
        l->kind = cheapest(l);
    size_t size = l->kind == FOI_LINEAR_SPARSE ? l->start[l->n]
                  : l->kind == FOI_LINEAR_BAND ? band_size(l)
                                               : (size_t)l->n * l->n;
    l->values = foi_new(l->allocator, size, l->number);
    l->pivot = foi_new(l->allocator, l->n, sizeof *l->pivot);
    if (!l->values || !l->pivot) return FO_ERROR_MEMORY;
    return l->kind == FOI_LINEAR_SPARSE ? prepare_sparse(l) : FO_OK;
}

fo_status foi_linear_prepare(foi_linear *l, const foi_linear_def *def)
{
    foi_linear_destroy(l);
    l->n = def->n, l->allocator = def->allocator;
    l->pairs = def->pairs;
    l->number = def->pairs ? sizeof(foi_complex) : sizeof(double);
    fo_status status = prepare(l, def);
    if (status != FO_OK) foi_linear_destroy(l);
    return status;
}

fo_status foi_linear_factor(foi_linear *l, foi_complex fac, const double *jacobian,
                            const double *mass, uint32_t *pivots)
{
    return l->pairs ? foi_linear_factor_complex(l, fac, jacobian, mass, pivots)
                    : foi_linear_factor_real(l, fac, jacobian, mass, pivots);
}

void foi_linear_solve(foi_linear *l, void *b)
{
    if (l->pairs)
        foi_linear_solve_complex(l, b);
    else
        foi_linear_solve_real(l, b);
}

double foi_linear_least_pivot(const foi_linear *l)
{
    const double *all = l->values, *sparse = l->sparse.diagonal;
    size_t width = 2 * (size_t)l->lower + l->upper + 1, n = l->n;
    double least = INFINITY;
    for (size_t k = 0; k < n; k++) {
        double pivot = l->kind == FOI_LINEAR_SPARSE ? sparse[k]
                       : l->kind == FOI_LINEAR_BAND ? all[k * width + l->lower + l->upper]
                                                    : all[k * n + k];
        least = foi_fmin(least, fabs(pivot));
    }
    return least;
}
