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
            return fo_fail(why, FO_ERROR_NUMBER, "the energy of the start state is not finite");
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
                   "no static solution near the start state: after %d iterations a force of %.3g N "
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

// --------------------------------------------------------------------------------- off a saddle

// A direction v along which the energy falls, into r->step: v^T K v < 0 by more than rounding.
// Where K + sigma I is definite, the powers of its inverse turn any vector towards the lowest
// eigenvalue of K. False: there is none, or memory is lacking.
static bool falling(search *r, double *curvature)
{
    enum { TURNS = 200 };
    static const double ROUNDING = 1e-9;
    double sigma = 1e-3 * r->most, *v = r->step, *kv = r->trial;
    bool definite = false;
    for (int tries = 0; tries < SHIFTS && !definite; tries++, sigma *= 2) {
        definite = foi_stiffness_factor(&r->k, sigma, 0) == FO_OK;
        if (!definite) continue;
        // the factors of an indefinite matrix exist, too: only a definite one has v^T A^-1 v > 0
        for (uint32_t c = 0; c < r->n; c++)
            v[c] = r->s->inverse_mass[c] != 0 ? 1 + c % 7 - c % 3 : 0;
        for (int turn = 0; turn < TURNS && definite; turn++) {
            memcpy(kv, v, r->n * sizeof *v);
            foi_stiffness_solve(&r->k, v);
            double size = largest(v, r->n);
            definite = product(v, kv, r->n) > 0 && size > 0 && isfinite(size);
            for (uint32_t c = 0; c < r->n && definite; c++) v[c] /= size;
        }
    }
    if (!definite) return false;
    foi_stiffness_times(&r->k, v, kv);
    *curvature = product(v, kv, r->n) / product(v, v, r->n);
    return *curvature < -ROUNDING * r->most;
}

// To the side on which the energy is lower; of equal ones that of the positive direction, whose
// first large component is made positive.
static void leave(search *r)
{
    static const double AWAY = 1e-2; // of the extent
    double by = AWAY * r->extent, *v = r->step;
    uint32_t first = 0;
    while (first + 1 < r->n && fabs(v[first]) < 0.5) first++;
    if (v[first] < 0) by = -by;
    for (uint32_t c = 0; c < r->n; c++) r->trial[c] = r->q[c] - by * v[c];
    double other = evaluate(r, r->trial, NULL);
    for (uint32_t c = 0; c < r->n; c++) r->trial[c] = r->q[c] + by * v[c];
    double this = evaluate(r, r->trial, NULL);
    double slack = 1e-12 * foi_fmax(fabs(this), fabs(other));
    if (other < this - slack) by = -by;
    for (uint32_t c = 0; c < r->n; c++) r->q[c] += by * v[c];
}

// ------------------------------------------------------------------------------------ solutions

static fo_status judge(search *r, fo_rest *found, fo_message *why)
{
    fo_status status = foi_stiffness_evaluate(&r->k, &r->load, r->q, why);
    if (status == FO_OK) status = foi_stiffness_definite(&r->k, &found->stable, why);
    return status;
}

static fo_status settle(search *r, bool stable, fo_rest *found, fo_message *why)
{
    enum { SADDLES = 20 };
    double curvature;
    fo_status status = iterate(r, found, why);
    if (status == FO_OK) status = judge(r, found, why);
    while (status == FO_OK && stable && !found->stable && found->saddles < SADDLES &&
           falling(r, &curvature)) {
        int before = found->iterations;
        found->saddles++;
        leave(r);
        status = iterate(r, found, why);
        found->iterations += before;
        if (status == FO_OK) status = judge(r, found, why);
    }
    return status;
}

static fo_status find(const fo_structure *s, const double *inputs, bool stable, double *x,
                      fo_rest *found, fo_message *why)
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
    if (status == FO_OK) status = settle(&r, stable, found, why);
    found->energy = r.phi;
    if (r.g) found->force = largest(r.g, n);
    foi_stiffness_destroy(&r.k);
    foi_free(a, r.g);
    foi_free(a, r.step);
    foi_free(a, r.trial);
    return status;
}

fo_status fo_structure_rest(const fo_structure *s, const double *inputs, double *x, fo_rest *found,
                            fo_message *why)
{
    return find(s, inputs, false, x, found, why);
}

fo_status fo_structure_stable_rest(const fo_structure *s, const double *inputs, double *x,
                                   fo_rest *found, fo_message *why)
{
    return find(s, inputs, true, x, found, why);
}

fo_status fo_structure_begin_at_rest(fo_structure *s, const double *inputs, fo_message *why)
{
    uint32_t n = foi_coordinates(s);
    double *q = foi_new(s->def.allocator, n, sizeof *q);
    if (!q) return fo_fail(why, FO_ERROR_MEMORY, "no memory for a static solution");
    memcpy(q, s->start, n * sizeof *q);
    fo_rest found;
    fo_status status = fo_structure_stable_rest(s, inputs, q, &found, why);
    if (status == FO_OK) {
        s->rest = found;
        memcpy(s->start, q, n * sizeof *q);
        for (uint32_t c = 0; c < n && s->description.states.count; c++)
            s->variables[c].start = q[c];
    }
    foi_free(s->def.allocator, q);
    return status;
}
