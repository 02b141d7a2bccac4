/// Variables over a line: central differences on evenly spaced nodes, h apart.
///
///     u'  = (u[i+1] - u[i-1]) / (2 h),    u'' = (u[i+1] - 2 u[i] + u[i-1]) / h^2
///
/// At an end the missing neighbour is the one that makes u' what the boundary condition says. Where
/// the condition gives u itself, the node stands still, and differences there are one-sided.
#include "process/internal.h"

static double spacing(const fo_profile *p)
{
    return (p->to - p->from) / (double)(p->n - 1);
}

double fo_profile_x(const fo_profile *p, size_t i)
{
    return i == p->n - 1 ? p->to : p->from + (double)i * spacing(p);
}

static const fo_profile_end *end_at(const fo_profile *p, size_t i)
{
    return i == 0 ? &p->left : i == p->n - 1 ? &p->right : NULL;
}

// du/dx at an end that is not of Dirichlet's kind.
static double slope(const fo_profile *p, size_t i, const fo_profile_end *end)
{
    return end->kind == FO_NEUMANN ? end->c : (end->c - end->a * p->u[i].state) / end->b;
}

double fo_profile_first(const fo_profile *p, size_t i)
{
    const fo_profile_end *end = end_at(p, i);
    const fo_level *u = p->u;
    double h = spacing(p);
    if (!end) return (u[i + 1].state - u[i - 1].state) / (2 * h);
    if (end->kind != FO_DIRICHLET) return slope(p, i, end);
    if (i == 0) return (-3 * u[0].state + 4 * u[1].state - u[2].state) / (2 * h);
    return (3 * u[i].state - 4 * u[i - 1].state + u[i - 2].state) / (2 * h);
}

double fo_profile_second(const fo_profile *p, size_t i)
{
    const fo_profile_end *end = end_at(p, i);
    const fo_level *u = p->u;
    double h = spacing(p);
    size_t middle = !end || end->kind != FO_DIRICHLET ? i : i == 0 ? 1 : i - 1;
    if (!end || end->kind == FO_DIRICHLET)
        return (u[middle + 1].state - 2 * u[middle].state + u[middle - 1].state) / (h * h);
    double outwards = (i == 0 ? -1 : 1) * slope(p, i, end), inside = u[i == 0 ? 1 : i - 1].state;
    return (2 * inside - 2 * u[i].state + 2 * h * outwards) / (h * h);
}

static void flow(fo_world *w, void *self)
{
    const fo_profile *p = self;
    for (size_t i = 0; i < p->n; i++) {
        const fo_profile_end *end = end_at(p, i);
        bool stands = end && end->kind == FO_DIRICHLET;
        p->u[i].rate = stands ? 0 : p->equation(w, p, i, p->self);
    }
}

static fo_status check(fo_world *w, const fo_profile *p)
{
    if (p->n < 3 || !(p->to > p->from))
        return foi_fail(w, FO_ERROR_ARGUMENT,
                        "a profile needs 3 nodes or more from left to right, not %zu from %g to %g",
                        p->n, p->from, p->to);
    for (int i = 0; i < 2; i++) {
        const fo_profile_end *end = i ? &p->right : &p->left;
        if (end->kind == FO_MIXED && end->b == 0)
            return foi_fail(w, FO_ERROR_ARGUMENT,
                            "the %s end of a profile is mixed with b = 0: use FO_DIRICHLET",
                            i ? "right" : "left");
    }
    return FO_OK;
}

fo_status fo_profile_start(fo_world *w, fo_profile *p)
{
    fo_status status = check(w, p);
    if (status != FO_OK) return status;
    if (p->left.kind == FO_DIRICHLET) p->u[0].state = p->left.c;
    if (p->right.kind == FO_DIRICHLET) p->u[p->n - 1].state = p->right.c;
    for (size_t i = 0; i < p->n && status == FO_OK; i++) {
        status = fo_level_start(w, &p->u[i]);
        if (status == FO_OK) continue;
        while (i-- > 0) fo_level_stop(w, &p->u[i]);
        return status;
    }
    return fo_continuous_start(w, &p->flow, flow, p);
}

fo_status fo_profile_stop(fo_world *w, fo_profile *p)
{
    fo_status status = fo_continuous_stop(w, &p->flow);
    for (size_t i = 0; i < p->n && status == FO_OK; i++) status = fo_level_stop(w, &p->u[i]);
    return status;
}
