/// The linear part of a Newton iteration: a I + b J in the form that fits the Jacobian's pattern.
///
/// Without a pattern, or when there are few states: dense. With a narrow band: band. Otherwise
/// sparse, factorised by KLU (Davis, Palamadai Natarajan, ACM TOMS 37 (2010) 36), with the
/// diagonal added to the pattern where it is missing.
#include <string.h>
#include <sunlinsol/sunlinsol_band.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_band.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include "solver/sundials.h"

enum {
    DENSE_MOST = 12, ///< states up to which dense is as fast as anything
    BAND_MOST = 24,  ///< width of a band beyond which KLU has less to do
};

static foi_sundials_form choose(const foi_jacobian *j, bool mass)
{
    if (!j->pattern || mass || j->n <= DENSE_MOST) return FOI_DENSE;
    return j->lower + j->upper <= BAND_MOST ? FOI_BAND : FOI_SPARSE;
}

// The pattern with every (c, c) added: column by column, rows still ascending.
static fo_status merge_diagonal(foi_sundials_linear *l, foi_sundials *d)
{
    const fo_allocator *a = d->o->allocator;
    const fo_pattern *p = l->jacobian.pattern;
    uint32_t n = p->n;
    size_t most = (size_t)p->start[n] + n;
    l->start = foi_new(a, n + 1, sizeof *l->start);
    l->row = foi_new(a, most, sizeof *l->row);
    l->slot = foi_new(a, p->start[n], sizeof *l->slot);
    l->diagonal = foi_new(a, n, sizeof *l->diagonal);
    if (!l->start || !l->row || !l->slot || !l->diagonal)
        return fo_fail(d->o->message, FO_ERROR_MEMORY, "no memory for %zu matrix entries", most);
    uint32_t at = 0;
    for (uint32_t c = 0; c < n; c++) {
        bool placed = false;
        for (uint32_t e = p->start[c]; e < p->start[c + 1]; e++) {
            if (!placed && p->row[e] >= c) {
                l->diagonal[c] = at, placed = true;
                if (p->row[e] != c) l->row[at++] = c;
            }
            l->slot[e] = at, l->row[at++] = p->row[e];
        }
        if (!placed) l->diagonal[c] = at, l->row[at++] = c;
        l->start[c + 1] = at;
    }
    l->entries = at;
    return FO_OK;
}

static void make_matrix(foi_sundials_linear *l, foi_sundials *d)
{
    int64_t n = d->n;
    if (l->form == FOI_DENSE) {
        l->matrix = SUNDenseMatrix(n, n, d->context);
        if (l->matrix) l->solver = SUNLinSol_Dense(d->x, l->matrix, d->context);
    } else if (l->form == FOI_BAND) {
        l->matrix = SUNBandMatrix(n, l->jacobian.upper, l->jacobian.lower, d->context);
        if (l->matrix) l->solver = SUNLinSol_Band(d->x, l->matrix, d->context);
    } else {
        l->matrix = SUNSparseMatrix(n, n, (int64_t)l->entries, CSC_MAT, d->context);
        if (l->matrix) l->solver = SUNLinSol_KLU(d->x, l->matrix, d->context);
    }
}

fo_status foi_sundials_linear_prepare(foi_sundials_linear *l, foi_sundials *d, bool mass)
{
    foi_solver *o = d->o;
    fo_status status = foi_jacobian_prepare(&l->jacobian, o);
    if (status != FO_OK) return status;
    l->form = choose(&l->jacobian, mass);
    if (l->form == FOI_SPARSE && (status = merge_diagonal(l, d)) != FO_OK) return status;
    size_t n = d->n, most = l->jacobian.entries;
    l->values = foi_new(o->allocator, most, sizeof(double));
    if (mass) l->mass = foi_new(o->allocator, n * n, sizeof(double));
    if (l->values && (l->mass || !mass)) make_matrix(l, d);
    if (!l->solver)
        return fo_fail(o->message, FO_ERROR_MEMORY, "no memory for a matrix of %zu states", n);
    return FO_OK;
}

void foi_sundials_linear_destroy(foi_sundials_linear *l, const fo_allocator *allocator)
{
    if (l->solver) SUNLinSolFree(l->solver);
    if (l->matrix) SUNMatDestroy(l->matrix);
    foi_jacobian_destroy(&l->jacobian);
    foi_free(allocator, l->values);
    foi_free(allocator, l->mass);
    foi_free(allocator, l->start);
    foi_free(allocator, l->row);
    foi_free(allocator, l->slot);
    foi_free(allocator, l->diagonal);
    *l = (foi_sundials_linear){0};
}

static void fill_dense(foi_sundials_linear *l, double a, double b)
{
    double *to = SM_DATA_D(l->matrix);
    uint32_t n = l->jacobian.n;
    const fo_pattern *p = l->jacobian.pattern;
    size_t all = (size_t)n * n;
    for (size_t i = 0; i < all; i++) to[i] = l->mass ? a * l->mass[i] : 0;
    if (!l->mass)
        for (size_t c = 0; c < n; c++) to[c * n + c] = a;
    if (!p)
        for (size_t i = 0; i < all; i++) to[i] += b * l->values[i];
    else
        for (uint32_t c = 0; c < n; c++)
            for (uint32_t e = p->start[c]; e < p->start[c + 1]; e++)
                to[(size_t)c * n + p->row[e]] += b * l->values[e];
}

static void fill_band(foi_sundials_linear *l, double a, double b)
{
    const fo_pattern *p = l->jacobian.pattern;
    SUNMatZero(l->matrix);
    for (uint32_t c = 0; c < p->n; c++) {
        double *column = SM_COLUMN_B(l->matrix, c); // column[i - c] is entry (i, c)
        column[0] = a;
        for (uint32_t e = p->start[c]; e < p->start[c + 1]; e++)
            column[(int64_t)p->row[e] - c] += b * l->values[e];
    }
}

// The structure is written each time, because IDA clears it with the numbers.
static void fill_sparse(foi_sundials_linear *l, double a, double b)
{
    const fo_pattern *p = l->jacobian.pattern;
    double *to = SM_DATA_S(l->matrix);
    memcpy(SM_INDEXPTRS_S(l->matrix), l->start, (p->n + 1) * sizeof *l->start);
    memcpy(SM_INDEXVALS_S(l->matrix), l->row, l->entries * sizeof *l->row);
    memset(to, 0, l->entries * sizeof *to);
    for (uint32_t e = 0; e < p->start[p->n]; e++) to[l->slot[e]] = b * l->values[e];
    for (uint32_t c = 0; c < p->n; c++) to[l->diagonal[c]] += a;
}

void foi_sundials_linear_fill(foi_sundials_linear *l, double a, double b)
{
    if (l->form == FOI_DENSE)
        fill_dense(l, a, b);
    else if (l->form == FOI_BAND)
        fill_band(l, a, b);
    else
        fill_sparse(l, a, b);
}
