// A run with its derivatives: start and moments.
//
// What a moment does to states and discretes is a chain of turns (program/moment.c), each of which
// computes next discretes and the values of reinit from those before. The turns are seen where they
// are computed: the task's function in the copy of the program is one that runs it once more, with
// tangents. A turn is computed again when relations in it turn; then what it is given but for these
// is the same, and only the last one counts.
#include "analysis/variation_inside.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/tape.h"

static foi_variation *variation_of(const void *model)
{
    return (foi_variation *)(uintptr_t)model; // its program is its first member
}

static foi_variation *owner_of(const foi_code *code, foi_task task)
{
    const char *program = (const char *)(code - task) - offsetof(foi_program, codes);
    return variation_of(program);
}

// ------------------------------------------------------------------------------------------- turns

static void commit(foi_variation *v)
{
    size_t w = v->count + 1;
    if (!v->has_turn) return;
    v->has_turn = false;
    if (v->tape) foi_tape_turn(v->tape, v->inputs);
    memcpy(v->XD, v->turn_D, v->m * w * sizeof *v->XD);
    for (size_t i = 0; i < v->n; i++)
        if (v->turn_set[i]) memcpy(v->X + i * w, v->turn_X + i * w, w * sizeof *v->X);
}

static bool is_another_turn(const foi_variation *v, const foi_code *code, const double *r)
{
    static const foi_leaf kinds[] = {FOI_LEAF_STATE, FOI_LEAF_DISCRETE, FOI_LEAF_PRE, FOI_LEAF_WAS,
                                     FOI_LEAF_SAMPLE};
    const foi_layout *l = &v->program.layout;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (code->uses[kinds[i]] && memcmp(r + l->at[kinds[i]], v->inputs + l->at[kinds[i]],
                                           l->count[kinds[i]] * sizeof *r) != 0)
            return true;
    return false;
}

static void put_directions(const foi_variation *v, foi_dual *q)
{
    for (size_t j = 0; j < v->named; j++)
        foi_dual_given(q, foi_variation_leaf(v->directions[j]),
                       v->directions[j].index)[foi_variation_column(v, j)] +=
            foi_variation_weight(v, j);
    foi_dual_given(q, FOI_LEAF_TIME, 0)[v->count] = 1;
}

static void put_tangents(const foi_variation *v, foi_dual *q)
{
    size_t w = v->count + 1;
    memcpy(foi_dual_given(q, FOI_LEAF_STATE, 0), v->X, v->n * w * sizeof *v->X);
    memcpy(foi_dual_given(q, FOI_LEAF_DISCRETE, 0), v->XD, v->m * w * sizeof *v->XD);
    if (v->program.layout.count[FOI_LEAF_PRE])
        memcpy(foi_dual_given(q, FOI_LEAF_PRE, 0), v->XD, v->m * w * sizeof *v->XD);
}

static void look_at_kink(foi_variation *v, foi_task task, size_t result)
{
    if (foi_dual_bends(&v->moment, task, result))
        foi_variation_lose(v, v->t, "abs, min or max has no derivative in the event at t = %.9g",
                           v->t);
}

/// The states that the actions of a turn set; `active` and `value` are places among the results.
static void take_actions(foi_variation *v, foi_task task, size_t active, size_t value)
{
    const foi_program *g = &v->program;
    size_t w = v->count + 1;
    for (uint32_t i = 0; i < g->actions; i++) {
        if (g->action[i].action != FOI_DO_REINIT) continue;
        if (foi_dual_value(&v->moment, task, active + i) == 0) continue;
        uint32_t k = g->action_state[i];
        look_at_kink(v, task, value + i);
        v->turn_set[k] = true;
        memcpy(v->turn_X + k * w, foi_dual_tangent(&v->moment, task, value + i), w * sizeof *v->X);
    }
}

static void take_turn(foi_variation *v, const foi_code *code, const foi_run *run)
{
    foi_dual *q = &v->moment;
    const foi_program *g = &v->program;
    size_t w = v->count + 1, active = v->m + g->conditions;
    if (v->has_turn && is_another_turn(v, code, run->r)) commit(v);
    memcpy(v->inputs, run->r, g->layout.total * sizeof *v->inputs);
    if (v->tape) foi_tape_guesses(v->tape, run->guesses);
    foi_dual_give_registers(q, run->r);
    put_directions(v, q);
    put_tangents(v, q);
    if (foi_dual_run(q, FOI_TASK_MOMENT, run->guesses) != FO_OK) {
        foi_variation_lose(v, v->t, "an algebraic loop has no derivative in the event at t = %.9g",
                           v->t);
        return;
    }
    v->has_turn = true;
    memset(v->turn_set, 0, v->n * sizeof *v->turn_set);
    for (size_t i = 0; i < v->m; i++) {
        look_at_kink(v, FOI_TASK_MOMENT, i);
        memcpy(v->turn_D + i * w, foi_dual_tangent(q, FOI_TASK_MOMENT, i), w * sizeof *v->XD);
    }
    take_actions(v, FOI_TASK_MOMENT, active, active + g->actions);
}

static fo_status watched_turn(const foi_code *code, foi_run *run)
{
    foi_variation *v = owner_of(code, FOI_TASK_MOMENT);
    fo_status status = foi_code_run(code, run);
    if (status == FO_OK && v->watched && !v->lost) take_turn(v, code, run);
    return status;
}

// The states and discretes of the initial system; the last one that is solved counts.
static fo_status watched_first(const foi_code *code, foi_run *run)
{
    foi_variation *v = owner_of(code, FOI_TASK_START);
    foi_dual *q = &v->moment;
    const foi_program *g = &v->program;
    size_t w = v->count + 1, active = v->n + v->m;
    fo_status status = foi_code_run(code, run);
    if (status != FO_OK || !v->watched) return status;
    foi_dual_give_registers(q, run->r);
    if (v->tape) foi_tape_first(v->tape, run->r, run->guesses);
    put_directions(v, q);
    memset(foi_dual_given(q, FOI_LEAF_TIME, 0), 0, w * sizeof *q->d); // the start does not move
    if (foi_dual_run(q, FOI_TASK_START, run->guesses) != FO_OK) {
        foi_variation_lose(v, v->start, "an algebraic loop has no derivative at the start");
        return status;
    }
    for (size_t i = 0; i < v->n + v->m; i++) look_at_kink(v, FOI_TASK_START, i);
    for (size_t i = 0; i < v->n; i++)
        memcpy(v->X + i * w, foi_dual_tangent(q, FOI_TASK_START, i), w * sizeof *v->X);
    for (size_t i = 0; i < v->m; i++)
        memcpy(v->XD + i * w, foi_dual_tangent(q, FOI_TASK_START, v->n + i), w * sizeof *v->XD);
    memset(v->turn_set, 0, v->n * sizeof *v->turn_set);
    take_actions(v, FOI_TASK_START, active, active + g->actions);
    for (size_t i = 0; i < v->n; i++)
        if (v->turn_set[i]) memcpy(v->X + i * w, v->turn_X + i * w, w * sizeof *v->X);
    return status;
}

// ------------------------------------------------------------------------------- when a moment is

// Guards at the last point: value, slope along the run, derivative by directions and its terms'
// sizes.
static bool take_guards(foi_variation *v, const fo_state *s, const double *f)
{
    size_t n = v->n, p = v->count;
    const foi_dual *q = &v->flow;
    if (!v->program.guards) return true;
    if (foi_variation_flow(v, s, FOI_TASK_GUARDS, v->t, v->x) != FO_OK || v->lost) return false;
    for (size_t k = 0; k < v->program.guards; k++) {
        const double *row = foi_dual_tangent(q, FOI_TASK_GUARDS, k);
        double slope = row[n + p];
        for (size_t i = 0; i < n; i++) slope += row[i] * f[i];
        v->guard[k] = foi_dual_value(q, FOI_TASK_GUARDS, k), v->guard_slope[k] = slope;
        for (size_t j = 0; j < p; j++) {
            double sum = row[n + j], size = fabs(sum);
            for (size_t i = 0; i < n; i++)
                sum += row[i] * v->S[i * p + j], size += fabs(row[i] * v->S[i * p + j]);
            v->guard_by[k * p + j] = sum, v->guard_size[k * p + j] = size;
        }
    }
    return true;
}

// Whether a guard is at zero, and would go through it at other times than tau says.
static bool goes_its_own_way(const foi_variation *v, size_t k, const double *tau)
{
    double g = v->guard[k], slope = v->guard_slope[k];
    if (slope == 0 || !(fabs(g) <= 1e-11 * v->span * fabs(slope))) return false;
    for (size_t j = 0; j < v->count; j++) {
        double by = v->guard_by[k * v->count + j] + slope * tau[j];
        double size = v->guard_size[k * v->count + j] + fabs(slope * tau[j]);
        if (!(fabs(by) <= 1e-7 * size)) return true;
    }
    return false;
}

// A guard that a moment has left at zero for this number alone: for others it is crossed later, or
// has been before.
void foi_variation_look_at_guards(foi_variation *v, const fo_state *s)
{
    if (!take_guards(v, s, v->f)) return;
    for (size_t k = 0; k < v->program.guards; k++)
        if (goes_its_own_way(v, k, v->tau))
            foi_variation_lose(v, v->t, "the guard '%s' is zero after %s%s%s at t = %.9g",
                               v->system.about->guards.list[k].name, v->from_start ? "" : "'",
                               v->cause, v->from_start ? "" : "'", v->t);
}

// Grazing: with the slope a and its rate b, g goes beyond zero by a^2 / (2 b) at most. Where that
// is not more than a hundred times the error that the run may have, the crossing is there by
// chance.
static bool grazes(foi_variation *v, const fo_state *s, uint32_t k)
{
    size_t n = v->n, p = v->count;
    double now = v->guard_slope[k], room = 0, then;
    const double *row = foi_dual_tangent(&v->flow, FOI_TASK_GUARDS, k);
    for (size_t i = 0; i < n; i++) room += fabs(row[i]) * (v->rtol * fabs(v->x[i]) + v->atol);
    if (now == 0) return true;
    if (!(v->t > v->before)) return false;
    if (!foi_variation_rates(v, s, v->before, v->x_before, v->f1)) return true;
    if (foi_variation_flow(v, s, FOI_TASK_GUARDS, v->before, v->x_before) != FO_OK) return true;
    row = foi_dual_tangent(&v->flow, FOI_TASK_GUARDS, k);
    then = row[n + p];
    for (size_t i = 0; i < n; i++) then += row[i] * v->f1[i];
    return now * now <= 200 * room * fabs(then - now) / (v->t - v->before);
}

/// What the time of a scheduled moment does. False: it is not known.
static bool scheduled_tau(foi_variation *v, const fo_state *s, uint32_t index, double *tau)
{
    const foi_program *g = &v->program;
    foi_dual *q = &v->moment;
    foi_given given;
    foi_give(&given, g, s, s->t, s->x);
    memset(tau, 0, v->count * sizeof *tau);
    if (index >= g->samplers + g->instants) return false;
    foi_dual_give(q, &given);
    put_tangents(v, q);
    put_directions(v, q);
    memset(foi_dual_given(q, FOI_LEAF_TIME, 0), 0, (v->count + 1) * sizeof *q->d);
    if (foi_dual_run(q, FOI_TASK_INSTANTS, given.guesses) != FO_OK) return false;
    if (index >= g->samplers) {
        memcpy(tau, foi_dual_tangent(q, FOI_TASK_INSTANTS, index - g->samplers),
               v->count * sizeof *tau);
        return true;
    }
    const double *start = foi_dual_tangent(q, FOI_TASK_INSTANTS, g->instants + index);
    const double *interval =
        foi_dual_tangent(q, FOI_TASK_INSTANTS, g->instants + g->samplers + index);
    double tick = foi_memory(s, g->ticks)[index];
    for (size_t j = 0; j < v->count; j++) tau[j] = start[j] + tick * interval[j];
    return true;
}

static bool moves(const foi_variation *v, const double *tau)
{
    for (size_t j = 0; j < v->count; j++)
        if (tau[j] != 0) return true;
    return false;
}

// The first jump of an instant: everything by directions and time, and what its time does.
static void open_moment(foi_variation *v, const fo_state *s, const fo_moment *m)
{
    size_t n = v->n, p = v->count, w = p + 1;
    if (!foi_variation_flow_to(v, s, s->t, s->x)) return;
    foi_varied at = {v->t, v->x, v->S};
    if (v->hooks.comes) v->hooks.comes(v->hooks.self, s, &at);
    memcpy(v->x, s->x, n * sizeof *v->x);
    if (!foi_variation_rates(v, s, v->t, v->x, v->f) || !take_guards(v, s, v->f)) return;
    for (size_t i = 0; i < n; i++) {
        memcpy(v->X + i * w, v->S + i * p, p * sizeof *v->X);
        v->X[i * w + p] = v->f[i];
    }
    for (size_t i = 0; i < v->m; i++) {
        memcpy(v->XD + i * w, v->D + i * p, p * sizeof *v->XD);
        v->XD[i * w + p] = 0;
    }
    memset(v->tau, 0, p * sizeof *v->tau);
    snprintf(v->cause, sizeof v->cause, "%s", m->name ? m->name : "");
    v->from_start = false;
    if (m->kind == FO_GUARD && grazes(v, s, m->index)) {
        foi_variation_lose(v, v->t,
                           "the zero of '%s' is only touched at t = %.9g: whether it is crossed at "
                           "all depends on the parameter",
                           v->cause, v->t);
    } else if (m->kind == FO_GUARD) {
        for (size_t j = 0; j < p; j++)
            v->tau[j] = -v->guard_by[m->index * p + j] / v->guard_slope[m->index] + 0.0;
    } else if (m->kind == FO_SCHEDULED && !scheduled_tau(v, s, m->index, v->tau)) {
        foi_variation_lose(
            v, v->t,
            "how the time of the event '%s' depends on the parameter is not known at t = %.9g",
            v->cause, v->t);
    }
    if (moves(v, v->tau)) v->event_t = v->t;
    if (v->tape) foi_tape_moment(v->tape, s, m);
}

// Another cause at the same instant. One that was there before the first jump moves by itself:
// where it does not move with the first, their order changes with the number.
static void look_at_tie(foi_variation *v, const fo_state *s, const fo_moment *m)
{
    bool parts = false;
    if (m->kind == FO_GUARD) {
        parts = goes_its_own_way(v, m->index, v->tau);
    } else if (m->kind == FO_SCHEDULED && scheduled_tau(v, s, m->index, v->stage)) {
        const double *its = v->stage;
        for (size_t j = 0; j < v->count; j++)
            parts |= !(fabs(its[j] - v->tau[j]) <= 1e-7 * (fabs(its[j]) + fabs(v->tau[j])));
    }
    if (parts)
        foi_variation_lose(
            v, v->t, "'%s' and '%s' meet at t = %.9g: which comes first depends on the parameter",
            v->cause, m->name ? m->name : "", v->t);
}

static bool is_lasting(fo_moment_kind kind)
{
    return kind == FO_ZENO || kind == FO_REST || kind == FO_SLIDE;
}

void foi_variation_hear(foi_variation *v, const fo_moment *m)
{
    if (is_lasting(m->kind))
        foi_variation_lose(v, m->t, "'%s' is held at zero from t = %.9g on", m->name ? m->name : "",
                           m->t);
}

// ------------------------------------------------------------------------------ watched functions

static fo_status watched_start(const void *model, fo_state *s)
{
    foi_variation *v = variation_of(model);
    v->real = s;
    v->watched = true, v->has_turn = false;
    v->t = v->before = s->t;
    fo_status status = foi_program_start(model, s);
    commit(v);
    v->watched = false;
    if (status != FO_OK) return status;
    size_t w = v->count + 1;
    memcpy(v->x, s->x, v->n * sizeof *v->x);
    memset(v->tau, 0, v->count * sizeof *v->tau);
    for (size_t i = 0; i < v->n; i++) // for the guards, which may stand at zero
        memcpy(v->S + i * v->count, v->X + i * w, v->count * sizeof *v->S);
    for (size_t i = 0; i < v->m; i++)
        memcpy(v->D + i * v->count, v->XD + i * w, v->count * sizeof *v->D);
    snprintf(v->cause, sizeof v->cause, "the start");
    v->began = v->pending = v->from_start = true;
    if (!v->lost && foi_variation_rates(v, s, v->t, v->x, v->f)) foi_variation_look_at_guards(v, s);
    return status;
}

static fo_status watched_jump(const void *model, fo_state *s, const fo_moment *m, fo_effect *e)
{
    foi_variation *v = variation_of(model);
    if (s != v->real || v->lost || !v->began) return foi_program_jump(model, s, m, e);
    if (is_lasting(m->kind)) foi_variation_hear(v, m);
    if (v->program.codes[FOI_TASK_MOMENT].follows)
        foi_variation_lose(v, s->t, "a nonlinear algebraic loop is part of the event at t = %.9g",
                           s->t);
    if (v->pending && s->t > v->t) foi_variation_flow_to(v, s, s->t, s->x);
    if (v->pending)
        look_at_tie(v, s, m);
    else
        open_moment(v, s, m);
    v->watched = !v->lost, v->has_turn = false;
    fo_status status = foi_program_jump(model, s, m, e);
    commit(v);
    v->watched = false, v->pending = true;
    memcpy(v->x, s->x, v->n * sizeof *v->x);
    return status;
}

static fo_status watched_settle(const void *model, fo_state *s, double t, const double *x)
{
    foi_variation *v = variation_of(model);
    if (s == v->real && v->began) foi_variation_flow_to(v, s, t, x);
    return v->program.type.settle ? v->program.type.settle(model, s, t, x) : FO_OK;
}

void foi_variation_watch(foi_variation *v)
{
    v->exports.run[FOI_TASK_MOMENT] = watched_turn;
    v->exports.run[FOI_TASK_START] = watched_first;
    v->native = (foi_native){.way = FO_WAY_BYTECODE, .functions = &v->exports};
    atomic_store(&v->program.native, &v->native);
    v->type.start = watched_start;
    if (v->type.jump) v->type.jump = watched_jump;
    v->type.settle = watched_settle;
    v->type.march = NULL;
}
