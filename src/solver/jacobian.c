#include "solver/jacobian.h"

#include <float.h>
#include <math.h>
#include <string.h>

void foi_jacobian_destroy(foi_jacobian *j)
{
    foi_free(j->allocator, j->colour);
    foi_free(j->allocator, j->work);
    j->colour = NULL, j->work = NULL;
}

static fo_status check(foi_jacobian *j, const foi_solver *o)
{
    const fo_pattern *p = j->pattern;
    bool good = p->n == j->n && p->start[0] == 0;
    for (uint32_t c = 0; good && c < p->n; c++) {
        good = p->start[c] <= p->start[c + 1];
        for (uint32_t e = p->start[c]; good && e < p->start[c + 1]; e++) {
            good = p->row[e] < p->n && (e == p->start[c] || p->row[e - 1] < p->row[e]);
            if (p->row[e] > c && p->row[e] - c > j->lower) j->lower = p->row[e] - c;
            if (p->row[e] < c && c - p->row[e] > j->upper) j->upper = c - p->row[e];
        }
    }
    if (good) return FO_OK;
    return fo_fail(o->message, FO_ERROR_ARGUMENT,
                   "the Jacobian's pattern is not one of %u columns with ascending rows", j->n);
}

// Greedy colouring in the columns' order (Curtis, Powell, Reid 1974): a column takes the first
// colour that none of its rows has yet. seen[row] lists are kept as "last column per colour" marks:
// for each column, all columns that share one of its rows forbid their colours.
static fo_status paint(foi_jacobian *j, const foi_solver *o)
{
    const fo_pattern *p = j->pattern;
    uint32_t n = j->n;
    size_t entries = p->start[n];
    // rows to columns, and for each colour the last column that it was forbidden for
    uint32_t *at = foi_new(j->allocator, n + 1, sizeof *at);
    uint32_t *column = foi_new(j->allocator, entries, sizeof *column);
    uint32_t *forbidden = foi_new(j->allocator, n + 1, sizeof *forbidden);
    j->colour = foi_new(j->allocator, n, sizeof *j->colour);
    fo_status status = FO_OK;
    if (!at || !column || !forbidden || !j->colour) {
        status = fo_fail(o->message, FO_ERROR_MEMORY, "no memory to colour the Jacobian");
        goto end;
    }
    for (size_t e = 0; e < entries; e++) at[p->row[e]]++;
    for (uint32_t r = 0, sum = 0; r <= n; r++) {
        uint32_t count = at[r];
        at[r] = sum, sum += count;
    }
    for (uint32_t c = 0; c < n; c++)
        for (uint32_t e = p->start[c]; e < p->start[c + 1]; e++) column[at[p->row[e]]++] = c;
    // at[r] is now the end of row r, so row r begins at at[r - 1]
    for (uint32_t c = 0; c < n; c++) {
        for (uint32_t e = p->start[c]; e < p->start[c + 1]; e++) {
            uint32_t r = p->row[e];
            for (uint32_t i = r ? at[r - 1] : 0; i < at[r] && column[i] < c; i++)
                forbidden[j->colour[column[i]]] = c + 1;
        }
        uint32_t k = 0;
        while (forbidden[k] == c + 1) k++;
        j->colour[c] = k;
        if (k + 1 > j->colours) j->colours = k + 1;
    }
end:
    foi_free(j->allocator, at);
    foi_free(j->allocator, column);
    foi_free(j->allocator, forbidden);
    return status;
}

fo_status foi_jacobian_prepare(foi_jacobian *j, const foi_solver *o)
{
    foi_jacobian_destroy(j);
    const fo_system_type *type = o->system.type;
    *j = (foi_jacobian){.n = o->n, .allocator = o->allocator};
    if (type->pattern) j->pattern = type->pattern(o->system.model, o->s);
    j->work = foi_new(j->allocator, 2 * (size_t)j->n, sizeof(double));
    if (!j->work) return fo_fail(o->message, FO_ERROR_MEMORY, "no memory for the Jacobian");
    if (!j->pattern) {
        j->entries = (size_t)j->n * j->n;
        j->lower = j->upper = j->n ? j->n - 1 : 0;
        j->colours = j->n;
        return FO_OK;
    }
    fo_status status = check(j, o);
    if (status != FO_OK) return status;
    j->entries = j->pattern->start[j->n];
    return type->jacobian ? FO_OK : paint(j, o);
}

// A difference step that balances truncation and rounding: sqrt(eps) of the state's size, at least
// of what the tolerance can see, in the direction of the rate so that a domain's edge is not left.
static double increment(const foi_solver *o, double x, double f)
{
    double size = fmax(fabs(x), o->atol / fmax(o->rtol, DBL_EPSILON));
    double step = sqrt(DBL_EPSILON) * fmax(size, 1e-5);
    volatile double moved = x + (f < 0 ? -step : step); // the step that is really taken
    return moved - x;
}

static fo_status dense_differences(foi_jacobian *j, foi_solver *o, double t, const double *x,
                                   const double *f, double *values)
{
    double *y = j->work, *g = j->work + j->n;
    memcpy(y, x, j->n * sizeof(double));
    for (uint32_t c = 0; c < j->n; c++) {
        double step = increment(o, x[c], f[c]);
        y[c] = x[c] + step;
        fo_status status = foi_rates(o, t, y, g);
        if (status != FO_OK) return status;
        y[c] = x[c];
        double *column = values + (size_t)c * j->n;
        for (uint32_t i = 0; i < j->n; i++) column[i] = (g[i] - f[i]) / step;
    }
    return FO_OK;
}

static fo_status coloured_differences(foi_jacobian *j, foi_solver *o, double t, const double *x,
                                      const double *f, double *values)
{
    const fo_pattern *p = j->pattern;
    double *y = j->work, *g = j->work + j->n;
    memcpy(y, x, j->n * sizeof(double));
    for (uint32_t k = 0; k < j->colours; k++) {
        for (uint32_t c = 0; c < j->n; c++)
            if (j->colour[c] == k) y[c] = x[c] + increment(o, x[c], f[c]);
        fo_status status = foi_rates(o, t, y, g);
        if (status != FO_OK) return status;
        for (uint32_t c = 0; c < j->n; c++) {
            if (j->colour[c] != k) continue;
            double step = y[c] - x[c];
            for (uint32_t e = p->start[c]; e < p->start[c + 1]; e++)
                values[e] = (g[p->row[e]] - f[p->row[e]]) / step;
            y[c] = x[c];
        }
    }
    return FO_OK;
}

fo_status foi_jacobian_evaluate(foi_jacobian *j, foi_solver *o, double t, const double *x,
                                const double *f, double *values)
{
    o->counts.jacobians++;
    const fo_system_type *type = o->system.type;
    if (type->jacobian) return type->jacobian(o->system.model, o->s, t, x, values);
    return j->pattern ? coloured_differences(j, o, t, x, f, values)
                      : dense_differences(j, o, t, x, f, values);
}
