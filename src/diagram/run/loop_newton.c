// Newton's method for algebraic loops of diagrams.
//
// F(z) = G(z) - z = 0 is solved with differences for the Jacobian, and with damping:
//
//     J dz = -F(z),   z := z + s dz,   s = 1, 1/2, 1/4, ... until |F| becomes smaller
//
// (Deuflhard, Newton Methods for Nonlinear Problems, 2004, section 3.1). It begins at the solution
// of the last moment or step, which is kept in memory, so that the result is a function of time,
// states and memory only. A linear loop is solved by the first step, up to rounding.
//
// |F| is the largest residual in units of its own terms,
//
//     |F| = max_i |F_i| / E_i,   E_i = |z_i| + |G_i| + sum_j |dG_i/dz_j| |z_j|
//
// with the E of the step's beginning: signals of one loop may differ by many powers of ten, and
// rounding errors of a large one must not hide what is left of a small one.
//
// This is not Newton's method of programs (program/newton.c), and cannot be. That one has the
// equations: derivatives in closed form, the rounding errors of every term, enclosures. Nodes are
// functions that only answer (some are the user's own), so that derivatives are differences and
// rounding errors are measured: by sweeps in which every signal of the loop is moved by some units
// in its last place (the idea of Vignes, A stochastic arithmetic for reliable scientific
// computation, 1993, with signs that are the same in every run). A diagram with such a loop is
// never lowered to a program: it runs by nodes in every way of running, which is why all have the
// same bits.
#include <stdio.h>
#include <string.h>

#include "base/lu.h"
#include "diagram/diagram.h"
#include "diagram/run/loop.h"
#include "math/math.h"

enum { MAX_ITERATIONS = 60, MAX_HALVINGS = 30, SHAKES = 4 };

// z into the copies.
static void give(const foi_loop *l, const foi_run *r, const double *z)
{
    for (uint32_t i = 0; i < l->cut_count; i++) {
        foi_array a = foi_signal_array(r, l->cuts[i].copy);
        memcpy(a.data, z, foi_array_width(&a) * sizeof(double));
        z += foi_array_width(&a);
    }
}

// What the signals are now, into g.
static void take(const foi_loop *l, const foi_run *r, double *g)
{
    for (uint32_t i = 0; i < l->cut_count; i++) {
        foi_array a = foi_signal_array(r, l->cuts[i].signal);
        memcpy(g, a.data, foi_array_width(&a) * sizeof(double));
        g += foi_array_width(&a);
    }
}

// What the members keep (own memory, and the sides of their guards) into `before`, or back from
// there: a trial may change it where sides are found anew, and the next one is to begin as the
// first.
static void keep(const foi_loop_work *w, bool back)
{
    double *at = w->before;
    for (uint32_t i = 0; i < w->l->member_count; i++) {
        const foi_node *n = w->l->members[i];
        double *parts[2] = {foi_own(n, w->r), w->r->memory + 2 + n->guard};
        uint32_t sizes[2] = {n->own_count, n->guard_count};
        for (int k = 0; k < 2; at += sizes[k++])
            memcpy(back ? parts[k] : at, back ? at : parts[k], sizes[k] * sizeof(double));
    }
}

/// The size of what element `at` of an output was computed from. A type whose rounding errors are
/// those of its output says so; in others (a Sum, a table) the inputs may cancel.
static double size_before(const foi_node *n, const foi_run *r, const foi_array *out, uint32_t at)
{
    double most = fabs(out->data[at]);
    if (out->kind == FOI_SIGNAL_COMPLEX) most = foi_fmax(most, fabs(out->data[at ^ 1]));
    for (uint32_t j = 0; j < n->input_count && !n->type->relative; j++) {
        if (!n->inputs[j]) continue;
        foi_array u = foi_in(n, r, j);
        uint32_t width = foi_array_width(&u);
        bool alike = width == foi_array_width(out);
        for (uint32_t k = alike ? at : 0; k < (alike ? at + 1 : width); k++)
            most = foi_fmax(most, fabs(u.data[k]));
    }
    return most;
}

// Moves every output of a node by some rounding errors, up or down as `*signs` has it.
static void shake(const foi_node *n, const foi_run *r, uint64_t *signs)
{
    for (uint32_t i = 0; i < n->output_count; i++) {
        foi_array y = foi_out(n, r, i);
        if (y.kind == FOI_SIGNAL_BOOLEAN) continue;
        for (uint32_t k = 0; k < foi_array_width(&y); k++) {
            *signs = *signs * 6364136223846793005u + 1442695040888963407u; // Knuth's
            double by = 0x1p-51 * size_before(n, r, &y, k);
            y.data[k] += *signs >> 63 ? by : -by;
        }
    }
}

// One sweep with z; with `shaken` every signal is moved, by signs that follow from that number.
static bool sweep(foi_loop_work *w, const double *z, double *f, uint64_t shaken)
{
    foi_run *r = w->r;
    const fo_state *told = r->s;
    r->s = NULL; // a trial: nobody is told of a refusal
    w->sweeps++;
    keep(w, true);
    give(w->l, r, z);
    for (uint32_t i = 0; i < w->l->member_count; i++) {
        foi_evaluate_node(w->l->members[i], r);
        if (shaken) shake(w->l->members[i], r, &shaken);
    }
    take(w->l, r, f);
    bool fine = r->status == FO_OK;
    r->status = FO_OK;
    r->s = told;
    for (uint32_t i = 0; i < w->n; i++) {
        f[i] -= z[i];
        fine &= isfinite(f[i]);
    }
    return fine;
}

bool foi_loop_sweep(foi_loop_work *w, const double *z, double *f)
{
    return sweep(w, z, f, 0);
}

static double largest(const double *v, uint32_t n)
{
    double most = 0;
    for (uint32_t i = 0; i < n; i++) most = foi_fmax(most, fabs(v[i]));
    return most;
}

double foi_loop_extent(const foi_loop_work *w)
{
    const foi_loop *l = w->l;
    const foi_run *r = w->r;
    double most = 0;
    for (uint32_t i = 0; i < l->member_count; i++) {
        const foi_node *n = l->members[i];
        for (uint32_t k = 0; k < n->input_count + n->output_count; k++) {
            const foi_signal *signal =
                k < n->input_count ? n->inputs[k] : &n->outputs[k - n->input_count];
            if (!signal || signal->shape.kind == FOI_SIGNAL_BOOLEAN) continue;
            foi_array a = foi_signal_array(r, signal);
            most = foi_fmax(most, largest(a.data, foi_array_width(&a)));
        }
    }
    return most;
}

// E, from the Jacobian of F = G - z that is in j.
static void weigh(foi_loop_work *w)
{
    for (uint32_t i = 0; i < w->n; i++) {
        double sum = fabs(w->z[i]) + fabs(w->z[i] + w->f[i]);
        for (uint32_t c = 0; c < w->n; c++) sum += fabs((w->j[i * w->n + c] + (i == c)) * w->z[c]);
        w->e[i] = sum;
    }
}

static double norm(const foi_loop_work *w, const double *f)
{
    double most = 0;
    for (uint32_t i = 0; i < w->n; i++)
        if (f[i] != 0) most = foi_fmax(most, fabs(f[i]) / w->e[i]);
    return most;
}

// Column by column from one-sided differences; what is left of F says how far z may have to go.
static bool find_step(foi_loop_work *w)
{
    for (uint32_t c = 0; c < w->n; c++) {
        double kept = w->z[c], size = foi_fmax(fabs(w->f[c]), fabs(kept));
        double h = 1.4901161193847656e-8 * (size > 0 ? size : largest(w->f, w->n));
        w->z[c] = kept + h;
        h = w->z[c] - kept;
        if (!foi_loop_sweep(w, w->z, w->trial_f)) {
            w->z[c] = kept - h;
            h = -h;
            if (!foi_loop_sweep(w, w->z, w->trial_f)) return false;
        }
        w->z[c] = kept;
        for (uint32_t i = 0; i < w->n; i++) w->j[i * w->n + c] = (w->trial_f[i] - w->f[i]) / h;
    }
    weigh(w);
    for (uint32_t i = 0; i < w->n; i++) w->dz[i] = -w->f[i];
    return foi_lu_eliminate(w->n, w->j, w->dz);
}

// One damped step. False where no part of it makes |F| smaller.
static bool take_step(foi_loop_work *w)
{
    double s = 1, before = norm(w, w->f);
    for (int k = 0; k < MAX_HALVINGS; k++, s /= 2) {
        for (uint32_t i = 0; i < w->n; i++) w->trial[i] = w->z[i] + s * w->dz[i];
        if (!foi_loop_sweep(w, w->trial, w->trial_f)) continue;
        if (!(norm(w, w->trial_f) < before)) continue;
        memcpy(w->z, w->trial, w->n * sizeof(double));
        memcpy(w->f, w->trial_f, w->n * sizeof(double));
        for (uint32_t i = 0; i < w->n; i++) w->dz[i] *= s;
        return true;
    }
    return false;
}

// Every unknown has moved by rounding errors only.
static bool stands(const foi_loop_work *w)
{
    for (uint32_t i = 0; i < w->n; i++)
        if (!(fabs(w->dz[i]) <= 4e-16 * fabs(w->z[i]))) return false;
    return true;
}

// How far rounding errors move F: all signals of a sweep are moved, SHAKES times.
static bool measure_noise(foi_loop_work *w)
{
    memset(w->noise, 0, w->n * sizeof(double));
    for (uint64_t k = 1; k <= SHAKES; k++) {
        if (!sweep(w, w->z, w->trial_f, k * 0x9e3779b97f4a7c15u)) return false;
        for (uint32_t i = 0; i < w->n; i++)
            w->noise[i] = foi_fmax(w->noise[i], fabs(w->trial_f[i] - w->f[i]));
    }
    return true;
}

// What is left is rounding: of each unknown by its own noise, and of none more than 1e-12 of the
// largest number in the loop, because next to a jump of F its height would pass for noise. Where
// noise is no longer small beside the unknown itself (the sine of 1e16), there is no solution.
bool foi_loop_solved(foi_loop_work *w)
{
    if (largest(w->f, w->n) == 0) return true;
    if (!(largest(w->f, w->n) <= 1e-12 * foi_loop_extent(w)) || !measure_noise(w)) return false;
    for (uint32_t i = 0; i < w->n; i++) {
        double left = fabs(w->f[i]);
        if (!(left <= 8 * w->noise[i] && left <= 1e-3 * fabs(w->z[i]))) return false;
    }
    return true;
}

// Ends where the last step is rounding, or where no step finds anything smaller: what is left
// decides. It may be much: of 1e9 + z - 1e9 hardly anything is left.
bool foi_loop_newton(foi_loop_work *w)
{
    if (!foi_loop_sweep(w, w->z, w->f)) return false;
    for (int k = 0; k < MAX_ITERATIONS; k++) {
        if (largest(w->f, w->n) == 0) return true;
        if (!find_step(w)) return false;
        if (!take_step(w) || stands(w)) break;
    }
    return foi_loop_solved(w);
}

static foi_loop_work work_of(const foi_node *n, foi_run *r)
{
    const foi_loop *l = n->extra;
    foi_loop_work w = {.l = l, .r = r, .n = l->width, .start = foi_own(n, r)};
    w.z = foi_work(n, r) + w.n; // behind the copies
    w.f = w.z + w.n;
    w.dz = w.f + w.n;
    w.trial = w.dz + w.n;
    w.trial_f = w.trial + w.n;
    w.e = w.trial_f + w.n;
    w.noise = w.e + w.n;
    w.j = w.noise + w.n;
    w.before = w.j + (size_t)w.n * w.n;
    return w;
}

// At a moment something may have jumped, and the solution with it: then it is looked for elsewhere.
// Between moments it follows the last one.
void foi_loop_solve(const foi_node *n, foi_run *r)
{
    char names[300];
    foi_loop_work w = work_of(n, r);
    bool anew = r->x_new != NULL;
    memcpy(w.z, w.start, w.n * sizeof(double));
    keep(&w, false);
    bool found = foi_loop_newton(&w) || (anew && foi_loop_search(&w));
    if (!found) memcpy(w.z, w.start, w.n * sizeof(double));
    // once more, with those in charge told of a refusal; outputs follow from z
    keep(&w, true);
    give(w.l, r, w.z);
    for (uint32_t i = 0; i < w.l->member_count; i++) foi_evaluate_node(w.l->members[i], r);
    if (!found) {
        foi_loop_names(w.l, names, sizeof names);
        foi_run_refuse(r, w.l->members[0],
                       "the algebraic loop %s has no solution near the last one%s", names,
                       anew ? ", and farther away none was found" : "");
    }
    if (found && (anew || r->settling)) memcpy(w.start, w.z, w.n * sizeof(double));
}
