#include <math.h>
#include <string.h>

#include "analysis/branch.h"
#include "analysis/dense.h"
#include "base/memory.h"
#include "math/math.h"

fo_status foi_branches_scale(foi_branches *b, const double *scale, fo_message *why)
{
    b->scale = foi_new(b->allocator, b->n + 1, sizeof *b->scale);
    if (!b->scale) return fo_fail(why, FO_ERROR_MEMORY, "no memory for equilibria");
    memcpy(b->scale, scale, b->n * sizeof *scale);
    return FO_OK;
}

bool foi_branches_know(const foi_branches *b, const double *x)
{
    for (size_t k = 0; k < b->count; k++) {
        double far = 0;
        for (size_t i = 0; i < b->n; i++)
            far = foi_fmax(far, fabs(x[i] - b->list[k].x[i]) / b->scale[i]);
        if (far < 1e-6) return true;
    }
    return false;
}

fo_status foi_branches_add(foi_branches *b, foi_point *p, const double *x, double parameter,
                           uint32_t branch, const char *mark, foi_stability *is, fo_message *why)
{
    size_t n = b->n;
    foi_stability found = {0};
    if (b->count == b->room) {
        size_t room = b->room ? 2 * b->room : 16;
        fo_equilibrium *list = foi_grow(b->allocator, b->list, b->room, room, sizeof *list);
        if (!list) return fo_fail(why, FO_ERROR_MEMORY, "no memory for equilibria");
        b->list = list, b->room = room;
    }
    double *numbers = foi_new(b->allocator, 3 * n, sizeof *numbers);
    fo_status status = numbers ? FO_OK : fo_fail(why, FO_ERROR_MEMORY, "no memory for equilibria");
    if (status == FO_OK)
        status = foi_stability_at(p, x, b->scale, numbers + n, numbers + 2 * n, &found, why);
    if (status != FO_OK) {
        foi_free(b->allocator, numbers);
        return status;
    }
    memcpy(numbers, x, n * sizeof *x);
    b->list[b->count++] = (fo_equilibrium){
        .parameter = parameter,
        .x = numbers,
        .re = numbers + n,
        .im = numbers + 2 * n,
        .stability = found.right     ? -1
                     : found.on_axis ? 0
                                     : 1,
        .mark = !*mark && !found.right && found.pair ? "centre" : mark,
        .branch = branch,
    };
    if (is) *is = found;
    return FO_OK;
}

void foi_branches_destroy(foi_branches *b)
{
    for (size_t i = 0; i < b->count; i++) foi_free(b->allocator, (void *)(uintptr_t)b->list[i].x);
    foi_free(b->allocator, b->list);
    foi_free(b->allocator, b->scale);
    *b = (foi_branches){0};
}
