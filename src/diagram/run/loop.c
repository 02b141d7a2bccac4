// Algebraic loops that the document allows to be solved.
//
// The signals z that lead backwards in the loop's order are cut: those who read them read copies in
// the loop's work space. One sweep over the nodes with z in the copies yields G(z) in the signals;
// wanted is F(z) = G(z) - z = 0. Newton's method with
// differences for the Jacobian, and with damping:
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
// rounding errors are guessed from the sizes of signals. A diagram with such a loop is never
// lowered to a program: it runs by nodes in every way of running, which is why all have the same
// bits.
#include <stdio.h>
#include <string.h>

#include "base/lu.h"
#include "diagram/diagram.h"
#include "math/math.h"

enum { MAX_CUTS = 400, MAX_ITERATIONS = 60, MAX_HALVINGS = 30 };

/// What a loop consists of; `extra` of its node.
typedef struct loop {
    foi_node **members;
    uint32_t member_count;
    struct cut {
        foi_signal *signal, *copy;
    } * cuts;
    uint32_t cut_count;
    uint32_t width; ///< doubles of all cuts
} loop;

static fo_status no_memory(foi_build *b)
{
    return fo_fail(b->why, FO_ERROR_MEMORY, "no memory for a diagram");
}

// ----------------------------------------------------------------------------------------- making

// The copy of a signal, which is cut by that. NULL without memory.
static foi_signal *copy_of(foi_build *b, loop *l, foi_signal *signal)
{
    for (uint32_t i = 0; i < l->cut_count; i++)
        if (l->cuts[i].signal == signal) return l->cuts[i].copy;
    foi_signal *copy = foi_arena_new(b->arena, 1, sizeof *copy);
    struct cut *place = foi_arena_add(b->arena, &l->cuts, &l->cut_count, sizeof *place);
    if (!copy || !place) return NULL;
    *place = (struct cut){signal, copy};
    *copy = *signal;
    // a first guess of the type, which may grow
    copy->shape = (foi_array){1, 1, FOI_SIGNAL_REAL, NULL};
    copy->known = true;
    return copy;
}

// What a member reads of itself or of a later one.
static fo_status find_cuts(foi_build *b, loop *l)
{
    for (uint32_t i = 0; i < l->member_count; i++) {
        foi_node *n = l->members[i];
        for (uint32_t j = 0; j < n->input_count; j++) {
            const foi_node *driver = n->inputs[j]->node;
            bool backward =
                (n->through >> j & 1) && driver->loop == n->loop && driver->rank >= n->rank;
            if (!backward) continue;
            n->inputs[j] = copy_of(b, l, n->inputs[j]);
            if (!n->inputs[j]) return no_memory(b);
            if (l->cut_count > MAX_CUTS)
                return foi_node_refuse(
                    b, n, "an algebraic loop that is cut at more than %d signals", MAX_CUTS);
        }
    }
    return FO_OK;
}

bool foi_loop_grow(foi_node *n)
{
    loop *l = n->extra;
    bool changed = false;
    for (uint32_t i = 0; i < l->cut_count; i++) {
        const foi_array *now = &l->cuts[i].signal->shape;
        foi_array *before = &l->cuts[i].copy->shape;
        bool same =
            now->rows == before->rows && now->cols == before->cols && now->kind == before->kind;
        if (same || !l->cuts[i].signal->known) continue;
        *before = *now;
        changed = true;
    }
    return changed;
}

static void solve(const foi_node *n, foi_run *r);
static const foi_node_type loop_type = {.name = "algebraic loop", .output = solve};

fo_status foi_loop_make(foi_build *b, const foi_loop_member *members, uint32_t count)
{
    foi_diagram *d = b->diagram;
    loop *l = foi_arena_new(b->arena, 1, sizeof *l);
    foi_node *n = foi_arena_new(b->arena, 1, sizeof *n);
    foi_node **place = foi_arena_add(b->arena, &d->loops, &d->loop_count, sizeof n);
    if (!l || !n || !place) return no_memory(b);
    *place = n;
    l->members = foi_arena_new(b->arena, count, sizeof(foi_node *));
    if (!l->members) return no_memory(b);
    *n = (foi_node){.type = &loop_type, .name = members[0].node->name, .extra = l, .every = 1};
    for (uint32_t i = 0; i < count; i++) {
        l->members[i] = members[i].node;
        members[i].node->loop = n;
        members[i].node->rank = i;
    }
    l->member_count = count;
    return find_cuts(b, l);
}

// "'sum' -> 'gain' -> 'sum'".
static void write_names(const loop *l, char *text, size_t size)
{
    size_t used = 0;
    for (uint32_t i = 0; i < l->member_count && used + 48 < size; i++)
        used += (size_t)snprintf(text + used, size - used, "'%.30s' -> ", l->members[i]->name);
    snprintf(text + used, size - used, "'%.30s'", l->members[0]->name);
}

fo_status foi_loop_measure(foi_build *b, foi_node *n)
{
    loop *l = n->extra;
    uint64_t width = 0;
    char names[300];
    write_names(l, names, sizeof names);
    for (uint32_t i = 0; i < l->cut_count; i++) {
        if (l->cuts[i].signal->shape.kind == FOI_SIGNAL_BOOLEAN)
            return foi_node_refuse(b, l->cuts[i].signal->node,
                                   "the algebraic loop %s leads through boolean values and cannot "
                                   "be solved",
                                   names);
        width += foi_array_width(&l->cuts[i].signal->shape);
    }
    if (width > MAX_CUTS)
        return foi_node_refuse(b, l->members[0],
                               "the algebraic loop %s has %llu unknowns, more than %d", names,
                               (unsigned long long)width, MAX_CUTS);
    l->width = (uint32_t)width;
    n->own_count = l->width;
    n->work_count = l->width * (l->width + 7);
    return FO_OK;
}

void foi_loop_place(foi_node *n)
{
    const loop *l = n->extra;
    uint32_t at = n->work;
    for (uint32_t i = 0; i < l->cut_count; i++) {
        l->cuts[i].copy->offset = at;
        at += foi_array_width(&l->cuts[i].copy->shape);
    }
}

bool foi_loop_ends(const foi_node *member)
{
    const loop *l = member->loop->extra;
    return l->members[l->member_count - 1] == member;
}

// ---------------------------------------------------------------------------------------- solving

// z into the copies.
static void give(const loop *l, const foi_run *r, const double *z)
{
    for (uint32_t i = 0; i < l->cut_count; i++) {
        foi_array a = foi_signal_array(r, l->cuts[i].copy);
        memcpy(a.data, z, foi_array_width(&a) * sizeof(double));
        z += foi_array_width(&a);
    }
}

// What the signals are now, into g.
static void take(const loop *l, const foi_run *r, double *g)
{
    for (uint32_t i = 0; i < l->cut_count; i++) {
        foi_array a = foi_signal_array(r, l->cuts[i].signal);
        memcpy(g, a.data, foi_array_width(&a) * sizeof(double));
        g += foi_array_width(&a);
    }
}

// f = G(z) - z. False where a node refuses or something is not finite.
static bool sweep(const loop *l, foi_run *r, double *z, double *f)
{
    const fo_state *told = r->s;
    r->s = NULL; // a trial: nobody is told of a refusal
    give(l, r, z);
    for (uint32_t i = 0; i < l->member_count; i++) foi_evaluate_node(l->members[i], r);
    take(l, r, f);
    bool fine = r->status == FO_OK;
    r->status = FO_OK;
    r->s = told;
    for (uint32_t i = 0; i < l->width; i++) {
        f[i] -= z[i];
        fine &= isfinite(f[i]);
    }
    return fine;
}

/// Work space of a solution: n numbers each, and the matrix.
typedef struct newton {
    const loop *l;
    foi_run *r;
    double *z, *f, *dz, *trial, *trial_f, *e, *j;
    uint32_t n;
} newton;

static double largest(const double *v, uint32_t n)
{
    double most = 0;
    for (uint32_t i = 0; i < n; i++) most = foi_fmax(most, fabs(v[i]));
    return most;
}

// The largest number that goes into a node of the loop or comes out of it: rounding errors of G
// have its scale.
static double extent(const loop *l, const foi_run *r)
{
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
static void weigh(newton *w)
{
    for (uint32_t i = 0; i < w->n; i++) {
        double sum = fabs(w->z[i]) + fabs(w->z[i] + w->f[i]);
        for (uint32_t c = 0; c < w->n; c++) sum += fabs((w->j[i * w->n + c] + (i == c)) * w->z[c]);
        w->e[i] = sum;
    }
}

static double norm(const newton *w, const double *f)
{
    double most = 0;
    for (uint32_t i = 0; i < w->n; i++)
        if (f[i] != 0) most = foi_fmax(most, fabs(f[i]) / w->e[i]);
    return most;
}

// Column by column from one-sided differences; what is left of F says how far z may have to go.
static bool find_step(newton *w)
{
    for (uint32_t c = 0; c < w->n; c++) {
        double kept = w->z[c], size = foi_fmax(fabs(w->f[c]), fabs(kept));
        double h = 1.4901161193847656e-8 * (size > 0 ? size : largest(w->f, w->n));
        w->z[c] = kept + h;
        h = w->z[c] - kept;
        if (!sweep(w->l, w->r, w->z, w->trial_f)) {
            w->z[c] = kept - h;
            h = -h;
            if (!sweep(w->l, w->r, w->z, w->trial_f)) return false;
        }
        w->z[c] = kept;
        for (uint32_t i = 0; i < w->n; i++) w->j[i * w->n + c] = (w->trial_f[i] - w->f[i]) / h;
    }
    weigh(w);
    for (uint32_t i = 0; i < w->n; i++) w->dz[i] = -w->f[i];
    return foi_lu_eliminate(w->n, w->j, w->dz);
}

// One damped step. False where no part of it makes |F| smaller.
static bool take_step(newton *w)
{
    double s = 1, before = norm(w, w->f);
    for (int k = 0; k < MAX_HALVINGS; k++, s /= 2) {
        for (uint32_t i = 0; i < w->n; i++) w->trial[i] = w->z[i] + s * w->dz[i];
        if (!sweep(w->l, w->r, w->trial, w->trial_f)) continue;
        if (!(norm(w, w->trial_f) < before)) continue;
        memcpy(w->z, w->trial, w->n * sizeof(double));
        memcpy(w->f, w->trial_f, w->n * sizeof(double));
        for (uint32_t i = 0; i < w->n; i++) w->dz[i] *= s;
        return true;
    }
    return false;
}

// Every unknown has moved by rounding errors only.
static bool stands(const newton *w)
{
    for (uint32_t i = 0; i < w->n; i++)
        if (!(fabs(w->dz[i]) <= 4e-16 * fabs(w->z[i]))) return false;
    return true;
}

// Done when the last step or what is left is rounding: a step that finds nothing smaller where F is
// tiny is as far as the numbers go. They may be far: of 1e9 + z - 1e9 hardly anything is left.
static bool converge(newton *w)
{
    if (!sweep(w->l, w->r, w->z, w->f)) return false;
    for (int k = 0; k < MAX_ITERATIONS; k++) {
        if (largest(w->f, w->n) == 0) return true;
        if (!find_step(w)) return false;
        if (!take_step(w) || stands(w)) break;
    }
    return largest(w->f, w->n) <= 1e-12 * extent(w->l, w->r);
}

static void solve(const foi_node *n, foi_run *r)
{
    const loop *l = n->extra;
    char names[300];
    double *kept = foi_own(n, r), *work = foi_work(n, r) + l->width; // behind the copies
    newton w = {.l = l, .r = r, .n = l->width, .z = work};
    w.f = w.z + w.n;
    w.dz = w.f + w.n;
    w.trial = w.dz + w.n;
    w.trial_f = w.trial + w.n;
    w.e = w.trial_f + w.n;
    w.j = w.e + w.n;
    memcpy(w.z, kept, w.n * sizeof(double));
    bool found = converge(&w);
    // once more, with those in charge told of a refusal; outputs follow from z
    give(l, r, w.z);
    for (uint32_t i = 0; i < l->member_count; i++) foi_evaluate_node(l->members[i], r);
    if (!found) {
        write_names(l, names, sizeof names);
        foi_run_refuse(r, l->members[0], "the algebraic loop %s has no solution near the last one",
                       names);
    }
    if (found && (r->refresh || r->settling)) memcpy(kept, w.z, w.n * sizeof(double));
}
