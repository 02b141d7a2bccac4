// Compositions with parts that are not x' = f: mass matrices and residuals.
#include <string.h>

#include "system/compose.h"

// A part with m states writes its m*m values, column by column, at the beginning of its m columns
// of n values. They are spread from the last column to the first: what is written never reaches
// what is still to be read, since j n + a >= j m.
static void spread(double *columns, size_t n, size_t a, size_t m)
{
    for (size_t j = m; j-- > 0;) {
        double *column = columns + j * n;
        memmove(column + a, columns + j * m, m * sizeof *column);
        memset(column, 0, a * sizeof *column);
        memset(column + a + m, 0, (n - a - m) * sizeof *column);
    }
}

static void identity(double *values, size_t m)
{
    memset(values, 0, m * m * sizeof *values);
    for (size_t j = 0; j < m; j++) values[j * m + j] = 1;
}

fo_status foi_compose_mass(const void *model, const fo_state *s, double *values)
{
    const fo_composition *c = model;
    size_t n = s->shape.states;
    for (uint32_t i = 0; i < c->part_count; i++) {
        const foi_extent *e = &foi_extents(s)[i];
        const fo_system *system = &c->parts[i].system;
        double *columns = values + e->x * n;
        if (!e->states) continue;
        if (system->type->mass) {
            fo_state view = foi_part_view(c, s, i, false);
            fo_status status = system->type->mass(system->model, &view, columns);
            if (status) return foi_part_failed(&c->parts[i], s, status);
        } else {
            identity(columns, e->states);
        }
        spread(columns, n, e->x, e->states);
    }
    return FO_OK;
}

// r = M x' - f, or x' - f, for a part that has no residual of its own.
static fo_status explicit_residual(const fo_composition *c, const fo_system *system,
                                   const fo_state *whole, const fo_state *view, double t,
                                   const double *x, const double *dx, double *r)
{
    size_t m = view->shape.states;
    fo_status status = system->type->rates(system->model, view, t, x, r);
    if (status) return status;
    if (!system->type->mass) {
        for (size_t i = 0; i < m; i++) r[i] = dx[i] - r[i];
        return FO_OK;
    }
    double *mass = foi_compose_work(c, whole);
    status = system->type->mass(system->model, view, mass);
    for (size_t i = 0; i < m && !status; i++) {
        double sum = 0;
        for (size_t j = 0; j < m; j++) sum += mass[j * m + i] * dx[j];
        r[i] = sum - r[i];
    }
    return status;
}

fo_status foi_compose_residual(const void *model, const fo_state *s, double t, const double *x,
                               const double *dx, double *r)
{
    const fo_composition *c = model;
    fo_status status = foi_compose_inputs(c, s, t, x, NULL, c->rates_depth);
    for (uint32_t i = 0; i < c->part_count && !status; i++) {
        const foi_extent *e = &foi_extents(s)[i];
        const fo_system *system = &c->parts[i].system;
        if (!e->states) continue;
        fo_state view = foi_part_view(c, s, i, false);
        if (system->type->residual)
            status = system->type->residual(system->model, &view, t, x + e->x, dx + e->x, r + e->x);
        else
            status = explicit_residual(c, system, s, &view, t, x + e->x, dx + e->x, r + e->x);
        if (status) status = foi_part_failed(&c->parts[i], s, status);
    }
    return status;
}

fo_status foi_compose_start_rates(const void *model, const fo_state *s, double t, const double *x,
                                  double *dx)
{
    const fo_composition *c = model;
    fo_status status = foi_compose_inputs(c, s, t, x, NULL, c->rates_depth);
    for (uint32_t i = 0; i < c->part_count && !status; i++) {
        const foi_extent *e = &foi_extents(s)[i];
        const fo_system *system = &c->parts[i].system;
        if (!e->states) continue;
        fo_state view = foi_part_view(c, s, i, false);
        // with a mass matrix the rates are M x', which is no guess of x'
        bool guess = system->type->rates && !system->type->mass;
        if (system->type->start_rates)
            status = system->type->start_rates(system->model, &view, t, x + e->x, dx + e->x);
        else if (guess)
            status = system->type->rates(system->model, &view, t, x + e->x, dx + e->x);
        else
            memset(dx + e->x, 0, e->states * sizeof *dx);
        if (status) status = foi_part_failed(&c->parts[i], s, status);
    }
    return status;
}
