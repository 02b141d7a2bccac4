// A run with its derivatives: where it stands, kept to go on from there once more.
#include <string.h>

#include "analysis/variation_inside.h"
#include "base/memory.h"

struct foi_variation_mark {
    double t, before, event_t;
    size_t parts;
    int kinks;
    bool began, pending, from_start;
    char cause[128];
    const fo_allocator *allocator;
    double numbers[];
};

/// The lists that the future depends on: all but the work space of a step.
enum { LISTS = 14 };
typedef struct lists {
    double *at[LISTS];
    size_t size[LISTS], all;
} lists;

static lists lists_of(const foi_variation *v)
{
    size_t n = v->n, m = v->m, p = v->count, w = p + 1, g = v->program.guards;
    lists l = {
        {v->x, v->S, v->D, v->f, v->bend, v->x_before, v->X, v->XD, v->inputs, v->tau, v->guard,
         v->guard_slope, v->guard_by, v->guard_size},
        {n, n * p, m * p, n, n, n, n * w, m * w, v->program.layout.total, p, g, g, g * p, g * p},
        0};
    for (int i = 0; i < LISTS; i++) l.all += l.size[i];
    return l;
}

foi_variation_mark *foi_variation_save(const foi_variation *v, const fo_allocator *a)
{
    lists l = lists_of(v);
    foi_variation_mark *k = foi_new(a, 1, sizeof *k + l.all * sizeof *k->numbers);
    if (!k) return NULL;
    k->t = v->t, k->before = v->before, k->event_t = v->event_t;
    k->parts = v->parts, k->kinks = v->kinks, k->allocator = a;
    k->began = v->began, k->pending = v->pending, k->from_start = v->from_start;
    memcpy(k->cause, v->cause, sizeof k->cause);
    double *to = k->numbers;
    for (int i = 0; i < LISTS; to += l.size[i], i++)
        if (l.size[i]) memcpy(to, l.at[i], l.size[i] * sizeof *to);
    return k;
}

void foi_variation_restore(foi_variation *v, const foi_variation_mark *k)
{
    lists l = lists_of(v);
    v->t = k->t, v->before = k->before, v->event_t = k->event_t;
    v->parts = k->parts, v->kinks = k->kinks;
    v->began = k->began, v->pending = k->pending, v->from_start = k->from_start;
    v->watched = v->has_turn = false, v->lost = NULL, v->again = NULL;
    memcpy(v->cause, k->cause, sizeof v->cause);
    const double *from = k->numbers;
    for (int i = 0; i < LISTS; from += l.size[i], i++)
        if (l.size[i]) memcpy(l.at[i], from, l.size[i] * sizeof *from);
}

void foi_variation_mark_destroy(foi_variation_mark *k)
{
    if (k) foi_free(k->allocator, k);
}
