#include "equations/pieces.h"

#include <math.h>
#include <stddef.h>

// The same questions as a tree of choices by halves, without a branch that is hard to foretell.
uint32_t foi_pieces_find(const double *ends, uint32_t count, double u)
{
    const double *at = ends;
    while (count > 0) {
        uint32_t half = count / 2;
        bool below = u < at[half];
        at = below ? at : at + half + 1;
        count = below ? half : count - half - 1;
    }
    return (uint32_t)(at - ends);
}

// ------------------------------------------------------------------------------------- guides

// Of a number between the first and the last end: the difference and the product rise with u, also
// as they are rounded.
static uint32_t bucket_of(const foi_buckets *g, const double *ends, double u)
{
    double k = (u - ends[0]) * g->scale;
    return k < g->buckets - 1 ? (uint32_t)k : g->buckets - 1;
}

uint32_t foi_buckets_find(const foi_buckets *g, const double *ends, double u)
{
    if (u < ends[0]) return 0;
    if (!(u < ends[g->count - 1])) return g->count;
    uint32_t k = bucket_of(g, ends, u), first = g->first[k];
    return first + foi_pieces_find(ends + first, g->first[k + 1] - first, u);
}

const foi_buckets *foi_buckets_make(foi_arena *arena, const double *ends, uint32_t count)
{
    enum { FEW = 256 }; // halves are found as quickly
    double span = count > FEW ? ends[count - 1] - ends[0] : 0;
    if (!(span > 0 && count / span < INFINITY)) return NULL;
    foi_buckets *g = foi_arena_new(arena, 1, sizeof *g + (count + 1u) * sizeof *g->first);
    if (!g) return NULL;
    g->count = g->buckets = count, g->scale = count / span;
    uint32_t at = 0;
    for (uint32_t k = 0; k <= count; k++) {
        while (at < count && bucket_of(g, ends, ends[at]) < k) at++;
        g->first[k] = at;
    }
    g->first[count] = count;
    return g;
}

// -------------------------------------------------------------------------------------------------

uint32_t foi_piece_rates(const foi_cubic *p, uint32_t order, double a[FOI_DEGREE + 1])
{
    a[0] = 0;
    if (order > FOI_DEGREE) return 1;
    uint32_t count = FOI_DEGREE + 1 - order;
    for (uint32_t i = 0; i < count; i++) {
        a[i] = p->a[i + order];
        for (uint32_t k = 0; k < order; k++) a[i] *= i + order - k;
    }
    while (count > 1 && a[count - 1] == 0) count--;
    return count;
}

const foi_cubic *foi_piece_at(double u, double which)
{
    const foi_pieces *c = foi_pieces_address(which);
    if (!c) return NULL;
    if (c->guide) {
        uint32_t i = foi_buckets_find(c->guide, c->ends, u);
        return &c->list[i < c->first ? c->first : i < c->last ? i : c->last];
    }
    return &c->list[c->first + foi_pieces_find(c->ends + c->first, c->last - c->first, u)];
}

double foi_along(double u, double which)
{
    double a[FOI_DEGREE + 1];
    const foi_cubic *p = foi_piece_at(u, which);
    if (!p) return NAN;
    uint32_t degree = foi_piece_rates(p, foi_pieces_order(which), a) - 1;
    double y = a[degree], h = p->x == 0 ? u : u - p->x;
    while (degree-- > 0) {
        y *= h;
        if (a[degree] != 0) y = a[degree] + y;
    }
    return y;
}

double foi_among(double u, double which)
{
    const foi_choices *p = foi_pieces_address(which);
    if (!p) return NAN;
    uint32_t i =
        p->guide ? foi_buckets_find(p->guide, p->ends, u) : foi_pieces_find(p->ends, p->count, u);
    return foi_pieces_number(&p->list[i]) + foi_pieces_order(which);
}

double foi_along_size(double u, double which)
{
    double a[FOI_DEGREE + 1];
    const foi_cubic *p = foi_piece_at(u, which);
    if (!p) return NAN;
    uint32_t degree = foi_piece_rates(p, foi_pieces_order(which), a) - 1;
    double y = fabs(a[degree]), h = fabs(u - p->x);
    while (degree-- > 0) y = y * h + fabs(a[degree]);
    return y;
}
