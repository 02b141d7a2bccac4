#include "solver/jacobian.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "math/math.h"

void foi_jacobian_destroy(foi_jacobian *j)
{
    foi_free(j->allocator, j->colour);
    foi_free(j->allocator, j->work);
    j->colour = NULL, j->work = NULL;
}

static bool well_formed(const fo_pattern *p, uint32_t n)
{
    if (p->n != n || p->start[0] != 0) return false;
    for (uint32_t c = 0; c < n; c++) {
        if (p->start[c] > p->start[c + 1]) return false;
        for (uint32_t e = p->start[c]; e < p->start[c + 1]; e++)
            if (p->row[e] >= n || (e > p->start[c] && p->row[e - 1] >= p->row[e])) return false;
    }
    return true;
}

size_t foi_jacobian_entries(const foi_solver *o)
{
    const fo_system_type *type = o->system.type;
    const fo_pattern *p = type->pattern ? type->pattern(o->system.model, o->s) : NULL;
    if (!p) return (size_t)o->n * o->n;
    return well_formed(p, o->n) ? p->start[o->n] : 0;
}

static fo_status check(foi_jacobian *j, const foi_solver *o)
{
    const fo_pattern *p = j->pattern;
    if (!well_formed(p, j->n))
        return fo_fail(o->message, FO_ERROR_ARGUMENT,
                       "the Jacobian's pattern is not one of %u columns with ascending rows", j->n);
    for (uint32_t c = 0; c < p->n; c++) {
        for (uint32_t e = p->start[c]; e < p->start[c + 1]; e++) {
            if (p->row[e] > c && p->row[e] - c > j->lower) j->lower = p->row[e] - c;
            if (p->row[e] < c && c - p->row[e] > j->upper) j->upper = c - p->row[e];
        }
    }
    return FO_OK;
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

/// The least that a state is moved: `relative` times its tolerance, and `absolute`.
typedef struct least_move {
    double relative, absolute;
} least_move;

// A state must move so far that the change of the rates stands out of their rounding. After a step
// h that rounding is h eps |f|, and the move is a thousand times that (as CVODE does: Hindmarsh et
// al., ACM TOMS 31 (2005) 363). With a mass matrix there may be equations 0 = f where large states
// cancel, so that small f says nothing of its rounding: then the largest state gives a measure.
static least_move least_of(const foi_solver *o, const double *x, const double *f)
{
    bool adaptive = o->method && (o->method->info.traits & FO_ADAPTIVE);
    double h = adaptive ? o->h_next : o->step, largest = 0;
    double relative = 1000 * fabs(h) * DBL_EPSILON * o->n * foi_error_norm(o, f, x, x, NULL);
    for (uint32_t i = 0; o->system.type->mass && i < o->n; i++)
        largest = foi_fmax(largest, fabs(x[i]));
    return (least_move){relative > 0 && relative <= DBL_MAX ? relative : 1,
                        sqrt(DBL_EPSILON) * 1e-5 * largest};
}

// A difference step that balances truncation and rounding: sqrt(eps) of the state, but at least
// what the rates can show. In the direction of the rate, so that a domain's edge is not left.
static double increment(const foi_solver *o, double x, least_move least, bool down)
{
    double tolerance = o->atol + o->rtol * fabs(x);
    double step = foi_fmax(sqrt(DBL_EPSILON) * fabs(x), least.relative * tolerance);
    step = foi_fmax(step, least.absolute);
    if (!(step > 0)) step = sqrt(DBL_EPSILON) * 1e-5;  // no tolerance at all for a state at zero
    volatile double moved = x + (down ? -step : step); // the step that is really taken
    return moved - x;
}

/// True where column c is moved in pass k: the columns of one colour, or one column alone.
static bool moves(const foi_jacobian *j, uint32_t c, uint32_t k)
{
    return j->pattern ? j->colour[c] == k : c == k;
}

/// g = f at x with the columns of pass k moved (the other way where the model refuses that one).
static fo_status probe(foi_jacobian *j, foi_solver *o, double t, const double *x, const double *f,
                       uint32_t k, least_move least)
{
    double *y = j->work, *g = j->work + j->n;
    fo_status status = FO_RETRY;
    for (int way = 1; way >= -1 && status == FO_RETRY; way -= 2) {
        memcpy(y, x, j->n * sizeof(double));
        for (uint32_t c = 0; c < j->n; c++)
            if (moves(j, c, k)) y[c] = x[c] + increment(o, x[c], least, (f[c] < 0) != (way < 0));
        status = foi_rates(o, t, y, g);
    }
    return status;
}

static fo_status differences(foi_jacobian *j, foi_solver *o, double t, const double *x,
                             const double *f, double *values)
{
    const fo_pattern *p = j->pattern;
    const double *y = j->work, *g = j->work + j->n;
    least_move least = least_of(o, x, f);
    for (uint32_t k = 0; k < j->colours; k++) {
        fo_status status = probe(j, o, t, x, f, k, least);
        if (status != FO_OK) return status;
        for (uint32_t c = p ? 0 : k; c < (p ? j->n : k + 1); c++) {
            if (!moves(j, c, k)) continue;
            double step = y[c] - x[c];
            if (!p)
                for (uint32_t i = 0; i < j->n; i++)
                    values[(size_t)c * j->n + i] = (g[i] - f[i]) / step;
            else
                for (uint32_t e = p->start[c]; e < p->start[c + 1]; e++)
                    values[e] = (g[p->row[e]] - f[p->row[e]]) / step;
        }
    }
    return FO_OK;
}

static bool is_finite(const double *values, size_t from, size_t to)
{
    for (size_t e = from; e < to; e++)
        if (!isfinite(values[e])) return false;
    return true;
}

// Where the derivative is infinite, as sqrt's at zero (a tank that is empty), the column is a
// quotient of differences over what the tolerance cannot tell apart. The matrix decides how fast
// the iterations converge, not what to.
static fo_status mend(foi_jacobian *j, foi_solver *o, double t, const double *x, const double *f,
                      double *values)
{
    const fo_pattern *p = j->pattern;
    double *y = j->work, *g = j->work + j->n;
    least_move least = least_of(o, x, f);
    for (uint32_t c = 0; c < j->n; c++) {
        size_t from = p ? p->start[c] : (size_t)c * j->n, to = p ? p->start[c + 1] : from + j->n;
        if (is_finite(values, from, to)) continue;
        fo_status status = FO_RETRY;
        for (int way = 1; way >= -1 && status == FO_RETRY; way -= 2) {
            memcpy(y, x, j->n * sizeof(double));
            y[c] = x[c] + increment(o, x[c], least, (f[c] < 0) != (way < 0));
            status = foi_rates(o, t, y, g);
        }
        if (status != FO_OK) return status;
        for (size_t e = from; e < to; e++) {
            uint32_t row = p ? p->row[e] : (uint32_t)(e - from);
            values[e] = (g[row] - f[row]) / (y[c] - x[c]);
        }
    }
    return FO_OK;
}

fo_status foi_jacobian_evaluate(foi_jacobian *j, foi_solver *o, double t, const double *x,
                                const double *f, double *values)
{
    o->counts.jacobians++;
    const fo_system_type *type = o->system.type;
    if (!type->jacobian) return differences(j, o, t, x, f, values);
    fo_status status = type->jacobian(o->system.model, o->s, t, x, values);
    return status == FO_OK ? mend(j, o, t, x, f, values) : status;
}
