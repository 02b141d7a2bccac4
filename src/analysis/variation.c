// A run with its derivatives. This file: between moments; variation_moment.c: at them.
#include "analysis/variation_inside.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analysis/dense.h"
#include "analysis/tape.h"
#include "math/math.h"

enum { MOST_STATES = 150, STAGES = FOI_STAGES };

// ------------------------------------------------------------------------------------------ making

const char *foi_variation_unfit(fo_system system)
{
    if (system.type->start != foi_program_start || system.type->rates != foi_program_rates)
        return "the model is not given by equations alone, or selects its states during the run";
    const foi_program *g = system.model;
    if (g->delays) return "the model has delays";
    if (g->limits) return "an event uses a continuous variable's value just before it";
    if (!g->layout.count[FOI_LEAF_STATE]) return "the model has no continuous states";
    return g->layout.count[FOI_LEAF_STATE] > MOST_STATES ? "the model has more than 150 states"
                                                         : NULL;
}

static bool make_room(foi_variation *v)
{
    const fo_allocator *a = v->allocator;
    size_t n = v->n, m = v->m, p = v->count, w = p + 1, g = v->program.guards;
    size_t big = STAGES * n, total = v->program.layout.total;
    bool good = true;
#define ROOM(what, size) good &= (v->what = foi_new(a, (size) + 1, sizeof *v->what)) != NULL
    ROOM(x, n), ROOM(S, n * p), ROOM(D, m * p), ROOM(f, n), ROOM(bend, n), ROOM(x_before, n);
    ROOM(X, n * w), ROOM(XD, m * w), ROOM(turn_X, n * w), ROOM(turn_D, m * w), ROOM(turn_set, n);
    ROOM(inputs, total), ROOM(tau, p), ROOM(guard, g), ROOM(guard_slope, g), ROOM(guard_by, g * p),
        ROOM(guard_size, g * p);
    ROOM(nodes_x, big), ROOM(A, big * n), ROOM(B, big * p), ROOM(stage, big * p);
    ROOM(matrix, big * big), ROOM(column, big), ROOM(pivot, big);
    ROOM(f1, n), ROOM(bend1, n), ROOM(S1, n * p), ROOM(S2, n * p), ROOM(x1, n), ROOM(nodes_f, big);
    ROOM(near_g, 6 * g), ROOM(near_x, 2 * n);
#undef ROOM
    good &= foi_dual_create(&v->flow, &v->program, n + w, a) == FO_OK;
    return good & (foi_dual_create(&v->moment, &v->program, w, a) == FO_OK);
}

foi_variation *foi_variation_create(fo_system system, const foi_direction *directions,
                                    const double *weights, size_t count,
                                    const fo_allocator *allocator, fo_message *why)
{
    const foi_program *g = system.model;
    foi_variation *v = foi_new(allocator, 1, sizeof *v);
    if (v) {
        memcpy(&v->program, g, sizeof *g);
        v->type = *system.type, v->directions = directions, v->weights = weights;
        v->named = count, v->count = weights ? 1 : count;
        v->allocator = allocator;
        v->n = g->layout.count[FOI_LEAF_STATE], v->m = g->about.discretes.count;
        foi_variation_watch(v);
        v->system = (fo_system){&v->type, system.about, &v->program};
        if (make_room(v)) return v;
    }
    foi_variation_destroy(v);
    fo_fail(why, FO_ERROR_MEMORY, "no memory for derivatives along a run");
    return NULL;
}

void foi_variation_destroy(foi_variation *v)
{
    if (!v) return;
    const fo_allocator *a = v->allocator;
    double *all[] = {v->x,           v->S,      v->D,      v->f,       v->bend,     v->x_before,
                     v->X,           v->XD,     v->tau,    v->guard,   v->guard_by, v->guard_size,
                     v->guard_slope, v->turn_X, v->inputs, v->nodes_x, v->A,        v->B,
                     v->stage,       v->matrix, v->column, v->turn_D,  v->f1,       v->bend1,
                     v->S1,          v->x1,     v->S2,     v->nodes_f, v->near_g,   v->near_x};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) foi_free(a, all[i]);
    foi_free(a, v->turn_set);

    foi_free(a, v->pivot);
    foi_dual_destroy(&v->flow);
    foi_dual_destroy(&v->moment);
    foi_free(a, v);
}

const fo_system *foi_variation_system(const foi_variation *v)
{
    return &v->system;
}

const char *foi_variation_lost(const foi_variation *v)
{
    return v->lost;
}

const double *foi_variation_tau(const foi_variation *v)
{
    return v->tau;
}

const double *foi_variation_discrete(const foi_variation *v, size_t index)
{
    return v->D + index * v->count;
}

foi_leaf foi_variation_leaf(foi_direction d)
{
    static const foi_leaf leaves[] = {FOI_LEAF_PARAMETER, FOI_LEAF_INPUT, FOI_LEAF_START};
    return leaves[d.kind];
}

void foi_variation_begin(foi_variation *v, const fo_simulation *sim, const fo_run_def *run,
                         const foi_variation_hooks *hooks)
{
    v->hooks = *hooks;
    v->real = fo_simulation_state(sim);
    v->rtol = run->rtol, v->atol = run->atol, v->start = run->start;
    v->span = run->stop - run->start;
    v->event_t = -INFINITY, v->lost = NULL, v->lost_at = INFINITY;
    v->began = v->watched = v->pending = v->has_turn = false, v->kinks = 0;
}

void foi_variation_lose(foi_variation *v, double t, const char *format, ...)
{
    if (v->lost) return;
    va_list list;
    va_start(list, format);
    vsnprintf(v->text, sizeof v->text, format, list);
    va_end(list);
    v->lost = v->text, v->lost_at = t;
}

// ----------------------------------------------------------------------------------- derivatives

// What the flow is given at (t, x): by the state, or as it was kept. Returns the guesses.
static const double *give(foi_variation *v, const fo_state *s, double t, const double *x)
{
    const foi_layout *l = &v->program.layout;
    if (!v->again) {
        foi_given given;
        foi_give(&given, &v->program, s, t, x);
        foi_dual_give(&v->flow, &given);
        return given.guesses;
    }
    foi_dual_give_registers(&v->flow, v->again);
    v->flow.r[l->at[FOI_LEAF_TIME]] = t;
    memcpy(v->flow.r + l->at[FOI_LEAF_STATE], x, v->n * sizeof *x);
    return v->again_guesses;
}

fo_status foi_variation_flow(foi_variation *v, const fo_state *s, foi_task task, double t,
                             const double *x)
{
    foi_dual *q = &v->flow;
    const foi_program *g = &v->program;
    const double *guesses = give(v, s, t, x);
    for (size_t i = 0; i < v->n; i++) foi_dual_given(q, FOI_LEAF_STATE, i)[i] = 1;
    for (size_t i = 0; i < v->m; i++)
        memcpy(foi_dual_given(q, FOI_LEAF_DISCRETE, i) + v->n, v->D + i * v->count,
               v->count * sizeof *v->D);
    for (size_t j = 0; j < v->named; j++)
        if (v->directions[j].kind != FOI_BY_START)
            foi_dual_given(q, foi_variation_leaf(v->directions[j]),
                           v->directions[j].index)[v->n + foi_variation_column(v, j)] +=
                foi_variation_weight(v, j);
    foi_dual_given(q, FOI_LEAF_TIME, 0)[v->n + v->count] = 1;
    q->switched = false;
    fo_status status = foi_dual_run(q, task, guesses);
    // something that moves passes its kink at one instant; a number that stands in it stays there
    bool bends = false;
    for (size_t i = 0; i < g->codes[task].result_count && status == FO_OK; i++)
        bends |= foi_dual_bends(q, task, i);
    if (task == FOI_TASK_RATES) v->kinks = bends ? v->kinks + 1 : 0;
    if (v->kinks > STAGES || (bends && task == FOI_TASK_GUARDS))
        foi_variation_lose(v, t, "abs, min or max stands at its kink at t = %.9g", t);
    if (status != FO_OK && task != FOI_TASK_OBSERVE)
        foi_variation_lose(v, t, "an algebraic loop has no derivative at t = %.9g", t);
    else if (q->switched && task != FOI_TASK_OBSERVE)
        foi_variation_lose(
            v, t, "a discontinuity without an event (noEvent, sign, floor) at t = %.9g", t);
    return status;
}

/// Rates at (t, x), their derivatives by states and directions, and along the run.
static bool take_rates(foi_variation *v, const fo_state *s, double t, const double *x, double *f,
                       double *bend, double *A, double *B)
{
    size_t n = v->n, p = v->count;
    if (foi_variation_flow(v, s, FOI_TASK_RATES, t, x) != FO_OK || v->lost) return false;
    for (size_t i = 0; i < n && f; i++) f[i] = foi_dual_value(&v->flow, FOI_TASK_RATES, i);
    for (size_t i = 0; i < n; i++) {
        const double *row = foi_dual_tangent(&v->flow, FOI_TASK_RATES, i);
        if (A) memcpy(A + i * n, row, n * sizeof *A);
        if (B) memcpy(B + i * p, row + n, p * sizeof *B);
        if (!bend) continue;
        bend[i] = row[n + p];
        for (size_t k = 0; k < n; k++) bend[i] += row[k] * f[k];
    }
    return true;
}

bool foi_variation_rates(foi_variation *v, const fo_state *s, double t, const double *x, double *f)
{
    return take_rates(v, s, t, x, f, NULL, NULL, NULL);
}

// ---------------------------------------------------------------------------------------- one step

// Between two points the run is the polynomial of degree 5 with their values, rates and bends.
void foi_variation_between(const foi_variation *v, double h, const double *x1, double c, double *x)
{
    double c2 = c * c, c3 = c2 * c, c4 = c3 * c, c5 = c4 * c;
    double at1 = 10 * c3 - 15 * c4 + 6 * c5, f0 = c - 6 * c3 + 8 * c4 - 3 * c5;
    double f1 = -4 * c3 + 7 * c4 - 3 * c5, b0 = 0.5 * c2 - 1.5 * c3 + 1.5 * c4 - 0.5 * c5;
    double b1 = 0.5 * c3 - c4 + 0.5 * c5;
    for (size_t i = 0; i < v->n; i++)
        x[i] = v->x[i] + at1 * (x1[i] - v->x[i]) + h * (f0 * v->f[i] + f1 * v->f1[i]) +
               h * h * (b0 * v->bend[i] + b1 * v->bend1[i]);
}

#define ROOT6 2.449489742783178
const double foi_radau_c[STAGES] = {(4 - ROOT6) / 10, (4 + ROOT6) / 10, 1};
const double foi_radau_a[STAGES][STAGES] = {
    {(88 - 7 * ROOT6) / 360, (296 - 169 * ROOT6) / 1800, (-2 + 3 * ROOT6) / 225},
    {(296 + 169 * ROOT6) / 1800, (88 + 7 * ROOT6) / 360, (-2 - 3 * ROOT6) / 225},
    {(16 - ROOT6) / 36, (16 + ROOT6) / 36, 1.0 / 9}};

static bool factor(foi_variation *v, double h)
{
    size_t n = v->n, all = STAGES * n;
    for (size_t i = 0; i < STAGES; i++)
        for (size_t j = 0; j < STAGES; j++)
            for (size_t k = 0; k < n; k++)
                for (size_t l = 0; l < n; l++)
                    v->matrix[(i * n + k) * all + j * n + l] =
                        (double)(i == j && k == l) -
                        h * foi_radau_a[i][j] * v->A[(j * n + k) * n + l];
    return foi_lu_factor(all, v->matrix, v->pivot);
}

// From S to the stages.
static void solve(foi_variation *v, double h, const double *S)
{
    size_t n = v->n, p = v->count, all = STAGES * n;
    for (size_t c = 0; c < p; c++) {
        for (size_t i = 0; i < STAGES; i++)
            for (size_t k = 0; k < n; k++) {
                double sum = 0;
                for (size_t j = 0; j < STAGES; j++)
                    sum += foi_radau_a[i][j] * v->B[(j * n + k) * p + c];
                v->column[i * n + k] = S[k * p + c] + h * sum;
            }
        foi_lu_solve(all, v->matrix, v->pivot, v->column);
        for (size_t i = 0; i < all; i++) v->stage[i * p + c] = v->column[i];
    }
}

// Newton's correction of the nodes, x_i - h sum_j a_ij f(x_j) = x: how large it was, in units of
// the tolerance.
static double correct(foi_variation *v, double h, const double *x)
{
    size_t n = v->n;
    double most = 0;
    for (size_t i = 0; i < STAGES; i++)
        for (size_t k = 0; k < n; k++) {
            double sum = 0;
            for (size_t j = 0; j < STAGES; j++) sum += foi_radau_a[i][j] * v->nodes_f[j * n + k];
            v->column[i * n + k] = x[k] + h * sum - v->nodes_x[i * n + k];
        }
    foi_lu_solve(STAGES * n, v->matrix, v->pivot, v->column);
    for (size_t i = 0; i < STAGES * n; i++) {
        double size = fabs(v->column[i]) / (v->rtol * fabs(v->nodes_x[i]) + v->atol);
        if (!(size <= most)) most = size;
        v->nodes_x[i] += v->column[i];
    }
    return most;
}

// One part of a step from (t, x): nodes, their rates and derivatives, and factors.
static bool collocate(foi_variation *v, const fo_state *s, double t, double h, const double *x)
{
    enum { MOST_CORRECTIONS = 6 };
    size_t n = v->n, p = v->count;
    for (int times = 0; times < MOST_CORRECTIONS; times++) {
        for (size_t i = 0; i < STAGES; i++)
            if (!take_rates(v, s, t + foi_radau_c[i] * h, v->nodes_x + i * n, v->nodes_f + i * n,
                            NULL, v->A + i * n * n, v->B + i * n * p))
                return false;
        if (!factor(v, h)) {
            foi_variation_lose(v, t, "the linear equations of a step are singular at t = %.9g", t);
            return false;
        }
        if (correct(v, h, x) <= 1e-3) break;
    }
    return true;
}

static void tell_nodes(foi_variation *v, const fo_state *s, double t, double h)
{
    for (size_t i = 0; i < STAGES && !v->lost; i++) {
        foi_varied at = {t + foi_radau_c[i] * h, v->nodes_x + i * v->n,
                         v->stage + i * v->n * v->count};
        v->hooks.node(v->hooks.self, s, &at, h * foi_radau_a[STAGES - 1][i]);
    }
}

// A step in so many parts; S1 afterwards is S at its end.
static bool in_parts(foi_variation *v, const fo_state *s, double t, const double *x, size_t parts,
                     bool tell)
{
    size_t n = v->n, p = v->count;
    double h = (t - v->t) / (double)parts;
    memcpy(v->S1, v->S, n * p * sizeof *v->S1);
    memcpy(v->x1, v->x, n * sizeof *v->x1);
    for (size_t k = 0; k < parts; k++) {
        double from = v->t + (double)k * h;
        for (size_t i = 0; i < STAGES; i++)
            foi_variation_between(v, t - v->t, x, ((double)k + foi_radau_c[i]) / (double)parts,
                                  v->nodes_x + i * n);
        if (!collocate(v, s, from, h, v->x1)) return false;
        solve(v, h, v->S1);
        memcpy(v->S1, v->stage + (STAGES - 1) * n * p, n * p * sizeof *v->S1);
        memcpy(v->x1, v->nodes_x + (STAGES - 1) * n, n * sizeof *v->x1);
        if (tell) tell_nodes(v, s, from, h);
    }
    return !v->lost;
}

bool foi_variation_matrix(foi_variation *v, double t, const double *x, double *A)
{
    v->kinks = 0;
    return take_rates(v, NULL, t, x, v->f1, NULL, A, NULL);
}

bool foi_variation_nodes(foi_variation *v, double t, const double *x, size_t parts, double *nodes)
{
    size_t n = v->n;
    double h = (t - v->t) / (double)parts;
    v->kinks = 0;
    if (!take_rates(v, NULL, v->t, v->x, v->f, v->bend, NULL, NULL)) return false;
    if (!take_rates(v, NULL, t, x, v->f1, v->bend1, NULL, NULL)) return false;
    memcpy(v->x1, v->x, n * sizeof *v->x1);
    for (size_t k = 0; k < parts; k++, nodes += STAGES * n) {
        for (size_t i = 0; i < STAGES; i++)
            foi_variation_between(v, t - v->t, x, ((double)k + foi_radau_c[i]) / (double)parts,
                                  v->nodes_x + i * n);
        v->kinks = 0;
        if (!collocate(v, NULL, v->t + (double)k * h, h, v->x1)) return false;
        memcpy(nodes, v->nodes_x, STAGES * n * sizeof *nodes);
        memcpy(v->x1, v->nodes_x + (STAGES - 1) * n, n * sizeof *v->x1);
    }
    return true;
}

// What S1 and another result differ by, in units of the tolerance.
static double distance(const foi_variation *v, const double *other)
{
    double most = 0;
    for (size_t j = 0; j < v->count; j++) {
        double size = 0, apart = 0;
        for (size_t i = 0; i < v->n; i++) {
            size = foi_fmax(size, fabs(v->S1[i * v->count + j]));
            apart = foi_fmax(apart, fabs(v->S1[i * v->count + j] - other[i * v->count + j]));
        }
        if (apart > 0) most = foi_fmax(most, apart / (v->rtol * size));
    }
    return most;
}

// From the last point to (t, x), in as many parts as S needs: steps of a method of high order are
// long. S1 afterwards is S there; f1 and bend1 are the rates.
static bool step(foi_variation *v, const fo_state *s, double t, const double *x, bool tell)
{
    enum { MOST_PARTS = 64 };
    size_t size = v->n * v->count * sizeof *v->S1, parts = 1;
    if (!take_rates(v, s, t, x, v->f1, v->bend1, NULL, NULL)) return false;
    if (!in_parts(v, s, t, x, parts, false)) return false;
    for (; parts < MOST_PARTS; parts *= 2) {
        memcpy(v->S2, v->S1, size);
        if (!in_parts(v, s, t, x, 2 * parts, false)) return false;
        if (distance(v, v->S2) <= 1) break;
    }
    if (parts > MOST_PARTS / 2) parts = MOST_PARTS / 2;
    v->parts = 2 * parts;
    return !tell || in_parts(v, s, t, x, 2 * parts, true);
}

static void keep(foi_variation *v, double t, const double *x)
{
    size_t n = v->n, p = v->count;
    v->before = v->t;
    memcpy(v->x_before, v->x, n * sizeof *x);
    memcpy(v->S, v->S1, n * p * sizeof *v->S);
    memcpy(v->x, x, n * sizeof *x);
    memcpy(v->f, v->f1, n * sizeof *x);
    memcpy(v->bend, v->bend1, n * sizeof *x);
    v->t = t;
}

// S+ = (R_x S- + R_p) + (R_x f- + R_t - f+) tau.
static bool land(foi_variation *v, const fo_state *s)
{
    size_t n = v->n, p = v->count, w = p + 1;
    for (size_t k = 0; k < v->m; k++)
        for (size_t j = 0; j < p; j++)
            v->D[k * p + j] = v->XD[k * w + j] + v->XD[k * w + p] * v->tau[j];
    v->pending = false;
    if (!take_rates(v, s, v->t, v->x, v->f, v->bend, NULL, NULL)) return false;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < p; j++)
            v->S[i * p + j] = v->X[i * w + j] + (v->X[i * w + p] - v->f[i]) * v->tau[j];
    v->before = v->t;
    foi_variation_look_at_guards(v, s);
    foi_varied at = {v->t, v->x, v->S};
    if (v->tape) foi_tape_land(v->tape, v->f);
    if (v->hooks.passed) v->hooks.passed(v->hooks.self, s, &at, v->tau);
    return !v->lost;
}

bool foi_variation_flow_to(foi_variation *v, const fo_state *s, double t, const double *x)
{
    if (v->lost || (v->pending && t > v->t && !land(v, s))) return false;
    if (!(t > v->t)) return true;
    if (!step(v, s, t, x, v->hooks.node)) return false;
    if (!v->again) foi_variation_look_for_touch(v, s, t, x);
    if (v->tape) foi_tape_step(v->tape, s, t, x, true);
    keep(v, t, x);
    return !v->lost;
}

// ----------------------------------------------------------------------------------------- looking

bool foi_variation_look(foi_variation *v, foi_varied *at)
{
    const fo_state *s = v->real;
    if (v->lost || (v->pending && !land(v, s))) return false;
    *at = (foi_varied){v->t, v->x, v->S};
    if (!(s->t > v->t)) {
        if (v->tape) foi_tape_point(v->tape, s);
        return true;
    }
    if (!step(v, s, s->t, s->x, false)) return false;
    if (v->tape) foi_tape_step(v->tape, s, s->t, s->x, false);
    memcpy(v->x1, s->x, v->n * sizeof *v->x1);
    *at = (foi_varied){s->t, v->x1, v->S1};
    return true;
}

bool foi_variation_stopped(foi_variation *v, foi_varied *at)
{
    size_t p = v->count, w = p + 1;
    if (!v->pending || v->lost) return false;
    for (size_t i = 0; i < v->n; i++)
        for (size_t j = 0; j < p; j++)
            v->S1[i * p + j] = v->X[i * w + j] + v->X[i * w + p] * v->tau[j];
    for (size_t k = 0; k < v->m; k++)
        for (size_t j = 0; j < p; j++)
            v->D[k * p + j] = v->XD[k * w + j] + v->XD[k * w + p] * v->tau[j];
    *at = (foi_varied){v->t, v->x, v->S1};
    if (v->tape) foi_tape_land(v->tape, NULL), foi_tape_point(v->tape, v->real);
    return true;
}

bool foi_variation_outputs(foi_variation *v, const fo_state *s, const foi_varied *at,
                           const double *tau, double *values, double *rows)
{
    size_t n = v->n, p = v->count;
    if (foi_variation_flow(v, s, FOI_TASK_OBSERVE, at->t, at->x) != FO_OK || v->flow.switched)
        return false;
    for (size_t k = 0; k < v->program.about.outputs.count; k++) {
        const double *d = foi_dual_tangent(&v->flow, FOI_TASK_OBSERVE, k);
        values[k] = foi_dual_value(&v->flow, FOI_TASK_OBSERVE, k);
        for (size_t j = 0; j < p; j++) {
            rows[k * p + j] = foi_dual_bends(&v->flow, FOI_TASK_OBSERVE, k) ? NAN : d[n + j];
            for (size_t i = 0; i < n; i++) rows[k * p + j] += d[i] * at->S[i * p + j];
            if (tau) rows[k * p + j] += d[n + p] * tau[j];
        }
    }
    return true;
}

bool foi_variation_is_near(foi_variation *v, const foi_varied *at)
{
    const fo_state *s = v->real;
    const double t = at->t, *x = at->x;
    const double near = 1e-9 * v->span;
    size_t n = v->n, p = v->count;
    if (fabs(t - v->event_t) <= near) return true;
    if (!v->program.guards) return false;
    if (!foi_variation_rates(v, s, t, x, v->f1)) return true;
    if (foi_variation_flow(v, s, FOI_TASK_GUARDS, t, x) != FO_OK || v->lost) return true;
    for (size_t k = 0; k < v->program.guards; k++) {
        const double *row = foi_dual_tangent(&v->flow, FOI_TASK_GUARDS, k);
        double g = foi_dual_value(&v->flow, FOI_TASK_GUARDS, k), slope = row[n + p];
        for (size_t i = 0; i < n; i++) slope += row[i] * v->f1[i];
        if (g * slope < 0 && fabs(g) <= near * fabs(slope)) return true;
    }
    return false;
}
