#include "structure/polynomial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static int by_variable(const void *a, const void *b)
{
    const foi_factor *x = a, *y = b;
    return (x->variable > y->variable) - (x->variable < y->variable);
}

static fo_status no_memory(fo_message *why)
{
    return fo_fail(why, FO_ERROR_MEMORY, "no memory for the terms of an energy");
}

// Sorted and merged in place: x * y * x becomes x^2 * y. Returns how many are left.
static size_t merge(foi_factor *list, size_t count)
{
    size_t kept = 0;
    if (count) qsort(list, count, sizeof *list, by_variable);
    for (size_t i = 0; i < count; i++) {
        if (kept && list[kept - 1].variable == list[i].variable)
            list[kept - 1].power += list[i].power;
        else
            list[kept++] = list[i];
    }
    return kept;
}

fo_status foi_polynomial_add(foi_polynomial *p, double coefficient, const uint32_t *list,
                             size_t count, fo_message *why)
{
    if (!isfinite(coefficient))
        return fo_fail(why, FO_ERROR_ARGUMENT, "term %zu: the coefficient must be finite, is %g",
                       p->terms, coefficient);
    if (count > UINT32_MAX / 2)
        return fo_fail(why, FO_ERROR_ARGUMENT, "term %zu has %zu variables", p->terms, count);
    for (size_t i = 0; i < count; i++)
        if (list[i] >= p->variables)
            return fo_fail(why, FO_ERROR_ARGUMENT,
                           "term %zu: there is no variable %u, only 0 to %u", p->terms, list[i],
                           p->variables - 1);
    size_t room = p->term_room;
    if (!foi_array_room(p->allocator, &p->coefficient, &room, p->terms + 2, sizeof(double)))
        return no_memory(why);
    if (!foi_array_room(p->allocator, &p->start, &p->term_room, p->terms + 2, sizeof *p->start))
        return no_memory(why);
    if (!foi_array_room(p->allocator, &p->factor, &p->factor_room, p->factors + count,
                        sizeof *p->factor))
        return no_memory(why);
    foi_factor *to = p->factor ? p->factor + p->factors : NULL; // a constant term has none
    for (size_t i = 0; i < count; i++) to[i] = (foi_factor){list[i], 1};
    size_t kept = merge(to, count);
    p->factors += kept;
    p->coefficient[p->terms] = coefficient;
    p->start[p->terms] = p->factors - kept;
    p->start[++p->terms] = p->factors;
    return FO_OK;
}

fo_status foi_polynomial_finish(foi_polynomial *p, fo_message *why)
{
    p->with_start = foi_new(p->allocator, (size_t)p->variables + 2, sizeof *p->with_start);
    p->with = foi_new(p->allocator, p->factors, sizeof *p->with);
    if (!p->with_start || !p->with) return no_memory(why);
    size_t *next = p->with_start + 1; // counted two places ahead, so that filling ends right
    for (size_t f = 0; f < p->factors; f++)
        if (p->factor[f].variable + 1 < p->variables) next[p->factor[f].variable + 1]++;
    for (uint32_t v = 1; v < p->variables; v++) next[v] += next[v - 1];
    for (size_t i = 0; i < p->terms; i++)
        for (size_t f = p->start[i]; f < p->start[i + 1]; f++)
            p->with[next[p->factor[f].variable]++] = i;
    return FO_OK;
}

void foi_polynomial_destroy(foi_polynomial *p)
{
    foi_free(p->allocator, p->coefficient);
    foi_free(p->allocator, p->start);
    foi_free(p->allocator, p->factor);
    foi_free(p->allocator, p->with_start);
    foi_free(p->allocator, p->with);
    *p = (foi_polynomial){.allocator = p->allocator};
}

// ---------------------------------------------------------------------------------- evaluation

static double power(double x, uint32_t n)
{
    double result = 1;
    for (; n; n >>= 1, x *= x)
        if (n & 1) result *= x;
    return result;
}

// d^k/dx^k of x^n.
static double slope(double x, uint32_t n, int k)
{
    double front = 1;
    for (int i = 0; i < k; i++, n--) {
        if (!n) return 0;
        front *= n;
    }
    return front * power(x, n);
}

// The term without the factors a and b.
static double rest(const foi_polynomial *p, const double *x, size_t term, size_t a, size_t b)
{
    double value = p->coefficient[term];
    for (size_t f = p->start[term]; f < p->start[term + 1]; f++)
        if (f != a && f != b) value *= power(x[p->factor[f].variable], p->factor[f].power);
    return value;
}

double foi_polynomial_value(const foi_polynomial *p, const double *x)
{
    double sum = 0;
    for (size_t i = 0; i < p->terms; i++) sum += rest(p, x, i, SIZE_MAX, SIZE_MAX);
    return sum;
}

// d/dx_v of c x_u^m x_v^n ... = c n x_v^(n-1) times the other factors, without a division, so that
// x_v = 0 is as good as any other value.
void foi_polynomial_gradient(const foi_polynomial *p, const double *x, double *g)
{
    for (uint32_t v = 0; v < p->variables; v++) g[v] = 0;
    for (size_t i = 0; i < p->terms; i++)
        for (size_t f = p->start[i]; f < p->start[i + 1]; f++) {
            foi_factor q = p->factor[f];
            g[q.variable] += slope(x[q.variable], q.power, 1) * rest(p, x, i, f, SIZE_MAX);
        }
}

double foi_polynomial_partial(const foi_polynomial *p, const double *x, uint32_t variable)
{
    double sum = 0;
    for (size_t w = p->with_start[variable]; w < p->with_start[variable + 1]; w++) {
        size_t i = p->with[w];
        for (size_t f = p->start[i]; f < p->start[i + 1]; f++)
            if (p->factor[f].variable == variable)
                sum += slope(x[variable], p->factor[f].power, 1) * rest(p, x, i, f, SIZE_MAX);
    }
    return sum;
}

void foi_polynomial_second(const foi_polynomial *p, const double *x,
                           void (*take)(void *self, uint32_t a, uint32_t b, double value),
                           void *self)
{
    for (size_t i = 0; i < p->terms; i++)
        for (size_t f = p->start[i]; f < p->start[i + 1]; f++) {
            foi_factor a = p->factor[f];
            double xa = x[a.variable];
            if (a.power > 1)
                take(self, a.variable, a.variable,
                     slope(xa, a.power, 2) * rest(p, x, i, f, SIZE_MAX));
            for (size_t h = f + 1; h < p->start[i + 1]; h++) {
                foi_factor b = p->factor[h];
                take(self, a.variable, b.variable,
                     slope(xa, a.power, 1) * slope(x[b.variable], b.power, 1) *
                         rest(p, x, i, f, h));
            }
        }
}
