/// Static solutions: Newton on the energy, with line search.
#include <float.h>
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "structure/stiffness.h"

enum { ITERATIONS = 500, HALVINGS = 60, SHIFTS = 40, PATIENCE = 30 };

// Phi(q) = V(q) - sum F q has a minimum where all forces balance. Newton: (K + shift I) dq = -g,
// with the smallest shift from {0, first, 4 first, ...} that gives a direction of descent; then
// halves of it until Phi descends by a part of what its slope promises (Armijo).
typedef struct search {
    const fo_structure *s;
    foi_load load;
    foi_stiffness k;
    double *q, *g, *step, *trial;
    uint32_t n;
    double phi, extent, most; // most: the largest diagonal element of K
    bool plain;               // the last direction was Newton's own
} search;

// Phi and, where g is not NULL, its slope, with zeros where nothing is free.
static double evaluate(const search *r, const double *q, double *g)
{
    const fo_structure *s = r->s;
    size_t dim = (size_t)s->dim;
    double phi = foi_potential(s, &r->load, q, g);
    for (size_t i = 0; i < s->port_count; i++) {
        const foi_port *p = &s->ports[i];
        if (p->flow_in) continue;
        double effort = foi_port_input(s, &r->load, i);
        if (p->node == FO_BOWL) {
            double place[3];
            foi_bowl(s, &r->load, q, place);
            phi -= effort * place[p->axis] * p->direction[p->axis];
            continue;
        }
        for (size_t k = 0; k < dim; k++) phi -= effort * p->direction[k] * q[p->node * dim + k];
    }
    if (!g) return phi;
    foi_add_efforts(s, &r->load, g);
    for (uint32_t c = 0; c < r->n; c++) g[c] = s->inverse_mass[c] != 0 ? -g[c] : 0;
    return phi;
}

static double largest(const double *v, uint32_t n)
{
    double most = 0;
    for (uint32_t c = 0; c < n; c++)
        if (!(fabs(v[c]) <= most)) most = fabs(v[c]);
    return most;
}

static double product(const double *a, const double *b, uint32_t n)
{
    double sum = 0;
    for (uint32_t c = 0; c < n; c++) sum += a[c] * b[c];
    return sum;
}

// A direction of descent in r->step; its slope is returned, 0 when there is none.
static fo_status direction(search *r, double *slope, fo_message *why)
{
    double shift = 0;
    r->most = 0;
    fo_status status = foi_stiffness_evaluate(&r->k, &r->load, r->q, why);
    if (status != FO_OK) return status;
    for (uint32_t c = 0; c < r->n; c++)
        for (uint32_t e = r->k.start[c]; e < r->k.start[c + 1]; e++)
            if (r->k.row[e] == c && fabs(r->k.values[e]) > r->most) r->most = fabs(r->k.values[e]);
    for (int tries = 0; tries < SHIFTS; tries++) {
        status = foi_stiffness_factor(&r->k, shift, 0);
        if (status == FO_ERROR_MEMORY)
            return fo_fail(why, status, "no memory for the factors of a stiffness matrix");
        if (status == FO_OK) {
            for (uint32_t c = 0; c < r->n; c++) r->step[c] = -r->g[c];
            foi_stiffness_solve(&r->k, r->step);
            *slope = product(r->step, r->g, r->n);
            if (*slope < 0 && isfinite(*slope) && largest(r->step, r->n) < 1e3 * r->extent) {
                r->plain = shift == 0;
                return FO_OK;
            }
        }
        shift = shift > 0 ? 4 * shift : 1e-6 * r->most + DBL_MIN;
    }
    *slope = 0;
    return FO_OK;
}

// Goes along the step; false when Phi cannot be made smaller in doubles.
static bool descend(search *r, double slope)
{
    double part = 1, longest = largest(r->step, r->n), limit = r->extent / 4;
    if (longest > limit) part = limit / longest;
    for (int i = 0; i < HALVINGS; i++, part /= 2) {
        for (uint32_t c = 0; c < r->n; c++) r->trial[c] = r->q[c] + part * r->step[c];
        double phi = evaluate(r, r->trial, NULL);
        if (!(phi <= r->phi + 1e-4 * part * slope)) continue;
        memcpy(r->q, r->trial, r->n * sizeof *r->q);
        r->phi = evaluate(r, r->q, r->g);
        return true;
    }
    return false;
}

// Near the end the energy is too flat for doubles to compare; the forces still can be.
static bool polish(search *r)
{
    double before = largest(r->g, r->n);
    for (uint32_t c = 0; c < r->n; c++) r->trial[c] = r->q[c] + r->step[c];
    double phi = evaluate(r, r->trial, r->g);
    if (largest(r->g, r->n) < before) {
        memcpy(r->q, r->trial, r->n * sizeof *r->q);
        r->phi = phi;
        return true;
    }
    evaluate(r, r->q, r->g);
    return false;
}

static fo_status iterate(search *r, fo_rest *found, fo_message *why)
{
    r->phi = evaluate(r, r->q, r->g);
    for (found->iterations = 0; found->iterations < ITERATIONS; found->iterations++) {
        double slope = 0;
        if (!isfinite(r->phi))
            return fo_fail(why, FO_ERROR_NUMBER, "the energy of the begin state is not finite");
        if (largest(r->g, r->n) == 0) return FO_OK;
        fo_status status = direction(r, &slope, why);
        if (status != FO_OK) return status;
        // where something can turn, float or slide freely K is nearly singular, and only the forces
        // tell the end
        bool floats = (!r->plain || found->iterations >= PATIENCE) &&
                      largest(r->g, r->n) <= 1e-10 * r->most * r->extent;
        if (floats) return FO_OK;
        if (slope == 0) break;
        bool small = r->plain && largest(r->step, r->n) <= 1e-9 * r->extent;
        bool moved = small ? polish(r) : descend(r, slope) || (r->plain && polish(r));
        if (!moved && r->plain && largest(r->step, r->n) <= 1e-6 * r->extent) return FO_OK;
        if (!moved) break;
    }
    return fo_fail(why, FO_ERROR_CONVERGE,
                   "no static solution near the begin state: after %d iterations a force of %.3g N "
                   "is left",
                   found->iterations, largest(r->g, r->n));
}

static double extent_of(const fo_structure *s, const double *q)
{
    double most = 0;
    for (int k = 0; k < s->dim; k++) {
        double low = INFINITY, high = -INFINITY;
        for (uint32_t i = 0; i < s->nodes; i++) {
            double at = q[i * (uint32_t)s->dim + (uint32_t)k];
            low = foi_fmin(low, at), high = foi_fmax(high, at);
        }
        most = foi_fmax(most, high - low);
    }
    return most > 0 ? most : 1;
}

fo_status fo_structure_rest(const fo_structure *s, const double *inputs, double *x, fo_rest *found,
                            fo_message *why)
{
    const fo_allocator *a = s->def.allocator;
    uint32_t n = foi_coordinates(s);
    fo_rest ignored;
    if (!found) found = &ignored;
    *found = (fo_rest){0};
    search r = {.s = s, .load = {.u = inputs}, .q = x, .n = n, .extent = extent_of(s, x)};
    r.g = foi_new(a, n, sizeof *r.g);
    r.step = foi_new(a, n, sizeof *r.step);
    r.trial = foi_new(a, n, sizeof *r.trial);
    fo_status status = r.g && r.step && r.trial
                           ? FO_OK
                           : fo_fail(why, FO_ERROR_MEMORY, "no memory for a static solution");
    if (status == FO_OK) status = foi_stiffness_prepare(&r.k, s, why);
    if (status == FO_OK) status = iterate(&r, found, why);
    if (status == FO_OK) status = foi_stiffness_evaluate(&r.k, &r.load, x, why);
    if (status == FO_OK) status = foi_stiffness_definite(&r.k, &found->stable, why);
    found->energy = r.phi;
    if (r.g) found->force = largest(r.g, n);
    foi_stiffness_destroy(&r.k);
    foi_free(a, r.g);
    foi_free(a, r.step);
    foi_free(a, r.trial);
    return status;
}

fo_status fo_structure_begin_at_rest(fo_structure *s, const double *inputs, fo_message *why)
{
    uint32_t n = foi_coordinates(s);
    double *q = foi_new(s->def.allocator, n, sizeof *q);
    if (!q) return fo_fail(why, FO_ERROR_MEMORY, "no memory for a static solution");
    memcpy(q, s->start, n * sizeof *q);
    fo_status status = fo_structure_rest(s, inputs, q, NULL, why);
    if (status == FO_OK) {
        memcpy(s->start, q, n * sizeof *q);
        for (uint32_t c = 0; c < n && s->description.states.count; c++)
            s->variables[c].start = q[c];
    }
    foi_free(s->def.allocator, q);
    return status;
}
