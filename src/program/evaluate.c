/// The functions of a program that are pure: rates, guards, outputs, Jacobian, bounds.
#include <float.h>
#include <math.h>
#include <string.h>

#include "equations/outside.h"
#include "program/emit.h"
#include "program/walk.h"

static size_t frame_at(const foi_program *g);

// The address of the frame, for whoever runs next: a number and the cells.
static const double *frame_of(const foi_program *g, const fo_state *s)
{
    if (!g->outside) return NULL;
    double *at = (double *)s->scratch + frame_at(g);
    at[0] = foi_outside_frame((foi_cell *)(at + 1), g->outside);
    return at;
}

// One by one, which is faster than clearing all of it before.
void foi_give(foi_given *given, const foi_program *g, const fo_state *s, double t, const double *x)
{
    const double **from = given->from;
    given->t = t, given->guesses = foi_memory(s, g->guess);
    from[FOI_LEAF_VARIABLE] = from[FOI_LEAF_PRE] = from[FOI_LEAF_TIME] = from[FOI_LEAF_RATE] = NULL;
    from[FOI_LEAF_SAMPLE] = from[FOI_LEAF_START] = from[FOI_LEAF_INITIAL] = NULL;
    from[FOI_LEAF_LAMBDA] = from[FOI_LEAF_TERMINAL] = from[FOI_LEAF_DELAYED] = NULL;
    from[FOI_LEAF_UNKNOWN] = from[FOI_LEAF_SOLVED] = NULL;
    from[FOI_LEAF_STATE] = x;
    from[FOI_LEAF_DISCRETE] = s->d, from[FOI_LEAF_INPUT] = s->u, from[FOI_LEAF_PARAMETER] = s->p;
    from[FOI_LEAF_HELD] = foi_memory(s, g->held);
    from[FOI_LEAF_WAS] = foi_memory(s, g->was);
    from[FOI_LEAF_FRAME] = frame_of(g, s);
}

// Only what the code uses; most lists are too short for memcpy to pay.
static void fill(const foi_program *g, const foi_code *code, const foi_given *given, double *r)
{
    r[g->layout.at[FOI_LEAF_TIME]] = given->t;
    for (uint32_t i = 0; i < code->used_count; i++) {
        uint32_t kind = code->used[i], count = g->layout.count[kind];
        double *to = r + g->layout.at[kind];
        const double *from = given->from[kind];
        if (!from) continue;
        for (uint32_t k = 0; k < count; k++) to[k] = from[k];
    }
}

// scratch:  registers | what bounds need, enclosed | loops | moments | delays
static foi_enclosed *enclosed_at(const foi_program *g, const fo_state *s)
{
    return (foi_enclosed *)((double *)s->scratch + g->registers);
}

static size_t of_task(const foi_program *g, foi_task task)
{
    return (size_t)g->codes[task].registers + g->codes[task].result_count;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

// Registers and results of one task; for slopes the rates, their bounds and those of the states,
// too.
static size_t newton_at(const foi_program *g)
{
    size_t enclosed = g->guards ? of_task(g, FOI_TASK_GUARDS) : 0;
    if (foi_program_looks_for_failure(g) || foi_program_looks_for_poles(g))
        enclosed =
            larger(enclosed, larger(of_task(g, FOI_TASK_RATES), of_task(g, FOI_TASK_OBSERVE)));
    if (foi_program_encloses_outputs(g)) enclosed = larger(enclosed, of_task(g, FOI_TASK_OBSERVE));
    if (foi_program_encloses_slopes(g)) {
        size_t flow = larger(of_task(g, FOI_TASK_RATES), of_task(g, FOI_TASK_SLOPES));
        enclosed = larger(enclosed, flow + 2 * (size_t)g->layout.count[FOI_LEAF_STATE]);
    }
    return g->registers + foi_enclose_work(enclosed);
}

static size_t work_at(const foi_program *g)
{
    return newton_at(g) + g->newton;
}

double *foi_program_work(const foi_program *g, const fo_state *s)
{
    return (double *)s->scratch + work_at(g);
}

static size_t carried_size(const foi_program *g)
{
    return g->carrieds ? 2 * (size_t)g->carrieds + g->about.states.count : 0;
}

static size_t moment_size(const foi_program *g)
{
    size_t moment =
        g->codes[FOI_TASK_MOMENT].result_count + g->codes[FOI_TASK_START].result_count +
        g->codes[FOI_TASK_INSTANTS].result_count + g->codes[FOI_TASK_HOLDS].result_count +
        4 * g->codes[FOI_TASK_FLOORS].result_count + g->codes[FOI_TASK_SOLVED].result_count +
        g->codes[FOI_TASK_WORDS].result_count + g->checks;
    size_t n = g->about.states.count, d = g->about.discretes.count;
    moment += 5 * n + 3 * d + g->samplers + 9 * (size_t)g->guards + 2 * (size_t)g->relations;
    moment += n + d + g->conditions + (size_t)g->relations; // kept by a moment that may slide
    moment += n + d + g->guards;                            // how it came, and a mode to come
    moment += n + d + (size_t)g->relations;                 // before the last turn
    moment += 1;                                            // lambda
    moment += carried_size(g);
    return moment;
}

double *foi_program_carried(const foi_program *g, const fo_state *s)
{
    return foi_program_work(g, s) + moment_size(g) - carried_size(g);
}

static size_t precise_at(const foi_program *g)
{
    return work_at(g) + moment_size(g) + foi_delays_scratch(g) + foi_follow_scratch(g);
}

// What outputs may be off by, where they stand behind loops.
static size_t precise_size(const foi_program *g)
{
    const foi_code *code = &g->codes[FOI_TASK_OBSERVE];
    return code->loop_count ? code->registers : 0;
}

// After all else.
static size_t frame_at(const foi_program *g)
{
    return precise_at(g) + precise_size(g);
}

size_t foi_program_scratch(const foi_program *g)
{
    return (frame_at(g) + (g->outside ? 1 + 3 * (size_t)g->cells : 0)) * sizeof(double);
}

double *foi_program_follow_scratch(const foi_program *g, const fo_state *s)
{
    return foi_program_work(g, s) + moment_size(g) + foi_delays_scratch(g);
}

double *foi_program_lags(const foi_program *g, const fo_state *s)
{
    return foi_program_work(g, s) + moment_size(g);
}

// The way may change from one call to the next, while the bits may not.
foi_task_function *foi_program_function(const foi_program *g, foi_task task)
{
    const foi_native *native = atomic_load_explicit(&g->native, memory_order_acquire);
    foi_task_function *compiled = native ? native->functions->run[task] : NULL;
    return compiled ? compiled : foi_code_run;
}

// Nothing has failed yet.
static foi_cell *frame_begin(const foi_program *g, const fo_state *s, foi_given *given)
{
    given->from[FOI_LEAF_FRAME] = frame_of(g, s);
    return (foi_cell *)((double *)s->scratch + frame_at(g) + 1);
}

// Once in a run.
static void tell_of_lost(const foi_program *g, const fo_state *s, double t)
{
    double *lost = foi_memory(s, g->lost);
    if (!(*lost > 0)) return;
    fo_note(
        s,
        "'%s' may have lost digits, as at t = %.9g: it is what is left of larger numbers behind "
        "a loop of equations, of which not enough is known. Others may have, too",
        g->about.outputs.list[(uint32_t)*lost - 1].name, t);
    *lost = -1;
}

// An output that has lost digits for good is told of where it is seen, so that no value is without
// that which comes after the last step; where nobody listens yet, at the end of the step.
static fo_status make_precise(const foi_program *g, const fo_state *s, double t, const foi_run *run)
{
    uint32_t unknown;
    double *lost = foi_memory(s, g->lost);
    fo_status status = foi_precise(&g->codes[FOI_TASK_OBSERVE], run, &unknown);
    if (unknown != FOI_NOTHING && *lost == 0) *lost = 1 + unknown;
    if (s->host && s->host->note) tell_of_lost(g, s, t);
    return status;
}

// Which expression it was; `run->message` says only that there is one.
static void say_numberless(const foi_program *g, const foi_code *code, foi_run *run)
{
    char text[200];
    foi_run again = *run;
    again.message = NULL, again.found = NULL, again.spread = NULL;
    if (!foi_trace_number(g, code, &again, text, sizeof text)) return;
    fo_fail(run->message, FO_ERROR_CONVERGE, "`%s` in them is not a number", text);
}

fo_status foi_program_run_once(const foi_program *g, const fo_state *s, foi_task task,
                               const foi_given *given, const foi_solving *solving, double *results)
{
    const foi_code *code = &g->codes[task];
    double *r = s->scratch;
    foi_run run = {.r = r, .x = given->from[FOI_LEAF_STATE], .y = results};
    if (solving)
        run.found = solving->found, run.brief = solving->brief, run.first = solving->first,
        run.any = solving->any, run.lenient = solving->lenient, run.only = solving->only,
        run.rank = solving->rank, run.reach = solving->reach, run.stopped = solving->stopped;
    run.guesses = given->guesses, run.work = r + newton_at(g);
    run.solve = foi_code_solve, run.message = s->message;
    foi_given all = *given;
    fo_status status = FO_OK;
    if (code->uses[FOI_LEAF_DELAYED])
        status = foi_delays_read(g, s, given, &all.from[FOI_LEAF_DELAYED]);
    if (status != FO_OK) return status;
    foi_cell *frame = code->uses[FOI_LEAF_FRAME] ? frame_begin(g, s, &all) : NULL;
    fill(g, code, &all, r);
    if (task == FOI_TASK_OBSERVE && precise_size(g) && !run.lenient) {
        run.spread = r + precise_at(g);
        memset(run.spread, 0, precise_size(g) * sizeof *run.spread);
    }
    status = foi_program_function(g, task)(code, &run);
    if (frame && frame->before != 0)
        return fo_fail(s->message, FO_ERROR_CONVERGE, "%.400s, at t = %.15g", g->outside->why.text,
                       given->t);
    if (status == FO_OK && run.spread) status = make_precise(g, s, given->t, &run);
    if (status == FO_ERROR_MEMORY)
        return fo_fail(s->message, status, "no memory for a loop of equations");
    if (status == FO_ERROR_CONVERGE && run.numberless) say_numberless(g, code, &run);
    if (status != FO_OK)
        fo_message_prefix(s->message,
                          "the equations for `%s` cannot be solved at t = %.15g: ", run.failed,
                          given->t);
    return status;
}

fo_status foi_program_run(const foi_program *g, const fo_state *s, foi_task task,
                          const foi_given *given, double *results)
{
    if (g->about.follows && task == FOI_TASK_GUESSES) foi_follow_forget(g, s);
    if (g->about.follows && g->codes[task].follows) return foi_follow(g, s, task, given, results);
    return foi_program_run_once(g, s, task, given, NULL, results);
}

// What the state gives for a kind of leaf, in the flow.
static const double *flow_from(const foi_program *g, const fo_state *s, const double *x,
                               uint32_t kind)
{
    switch ((foi_leaf)kind) {
    case FOI_LEAF_STATE: return x;
    case FOI_LEAF_DISCRETE: return s->d;
    case FOI_LEAF_INPUT: return s->u;
    case FOI_LEAF_PARAMETER: return s->p;
    default: return foi_memory(s, g->held);
    }
}

// The short way, for what is called all the time: no loops, nothing but the flow's leaves.
fo_status foi_program_flow(const foi_program *g, const fo_state *s, foi_task task, double t,
                           const double *x, double *results)
{
    const foi_code *code = &g->codes[task];
    if (code->loop_count || code->uses[FOI_LEAF_DELAYED] || code->uses[FOI_LEAF_FRAME]) {
        foi_given given;
        foi_give(&given, g, s, t, x);
        return foi_program_run(g, s, task, &given, results);
    }
    double *r = s->scratch;
    foi_task_function *function = foi_program_function(g, task);
    bool compiled = function != foi_code_run; // it reads states where they are
    r[g->layout.at[FOI_LEAF_TIME]] = t;
    for (uint32_t i = 0; i < code->used_count; i++) {
        uint32_t kind = code->used[i], count = g->layout.count[kind];
        if (compiled && kind == FOI_LEAF_STATE) continue;
        const double *from = flow_from(g, s, x, kind);
        double *to = r + g->layout.at[kind];
        for (uint32_t k = 0; k < count; k++) to[k] = from[k];
    }
    foi_run run = {.r = r, .x = x, .y = results};
    return function(code, &run);
}

fo_status foi_program_rates(const void *model, const fo_state *s, double t, const double *x,
                            double *dx)
{
    fo_status status = foi_program_flow(model, s, FOI_TASK_RATES, t, x, dx);
    return status == FO_ERROR_CONVERGE ? FO_RETRY : status;
}

bool foi_program_march(const void *model, const fo_state *s, fo_march *m)
{
    const foi_program *g = model;
    const foi_code *code = &g->codes[FOI_TASK_RATES];
    const foi_native *native = atomic_load_explicit(&g->native, memory_order_acquire);
    if (!native) return false;
    foi_marching which = strcmp(m->method, "dp45") == 0  ? FOI_MARCH_DP45
                         : strcmp(m->method, "rk4") == 0 ? FOI_MARCH_RK4
                                                         : FOI_MARCHES;
    bool compiled = which != FOI_MARCHES && native->functions->march[which];
    bool emitted = which != FOI_MARCHES && native->emitted && native->emitted->steps;
    if (!compiled && !emitted) return false;
    double *r = s->scratch;
    for (uint32_t i = 0; i < code->used_count; i++) {
        uint32_t kind = code->used[i], count = g->layout.count[kind];
        if (kind == FOI_LEAF_STATE) continue;
        const double *from = flow_from(g, s, NULL, kind);
        double *to = r + g->layout.at[kind];
        for (uint32_t k = 0; k < count; k++) to[k] = from[k];
    }
    if (emitted)
        foi_march_emitted(native->emitted, g, which, r, m);
    else
        native->functions->march[which](r, m);
    return true;
}

fo_status foi_program_guards(const void *model, const fo_state *s, double t, const double *x,
                             double *values)
{
    return foi_program_flow(model, s, FOI_TASK_GUARDS, t, x, values);
}

fo_status foi_program_look_at_checks(const foi_program *g, const fo_state *s, double t,
                                     const double *x)
{
    double *bad = foi_program_work(g, s);
    fo_status status = foi_program_flow(g, s, FOI_TASK_CHECKS, t, x, bad);
    if (status != FO_OK || bad[0] == 0) return status;
    uint32_t which = 1;
    while (which + 1 < g->checks && bad[which] == 0) which++;
    return fo_fail(s->message, FO_ERROR_NUMBER, "`%s` compares what is not a number at t = %.15g",
                   g->check_text[which], t);
}

fo_status foi_program_observe(const void *model, const fo_state *s, double t, const double *x,
                              double *y)
{
    const foi_program *g = model;
    fo_status status = foi_program_flow(g, s, FOI_TASK_OBSERVE, t, x, y);
    return status == FO_OK && g->checks ? foi_program_look_at_checks(g, s, t, x) : status;
}

fo_status foi_program_jacobian(const void *model, const fo_state *s, double t, const double *x,
                               double *values)
{
    fo_status status = foi_program_flow(model, s, FOI_TASK_JACOBIAN, t, x, values);
    return status == FO_ERROR_CONVERGE ? FO_RETRY : status;
}

const fo_pattern *foi_program_pattern(const void *model, const fo_state *s)
{
    const foi_program *g = model;
    (void)s;
    return &g->pattern;
}

// ----------------------------------------------------------------------------------------- bounds

// `rates`: those of the states, for tasks that look at them; may be NULL.
static void fill_enclosed(const foi_program *g, const fo_state *s, foi_task task,
                          const fo_stretch *on, const foi_enclosed *rates, foi_enclosed *r)
{
    const foi_code *code = &g->codes[task];
    const foi_layout *l = &g->layout;
    foi_given given;
    foi_give(&given, g, s, on->t_lo, on->x.lo);
    r[l->at[FOI_LEAF_TIME]] = foi_enclosed_time(on);
    for (uint32_t k = 0; k < code->used_count; k++) {
        uint32_t kind = code->used[k];
        const double *from = given.from[kind];
        foi_enclosed *to = r + l->at[kind];
        if (kind == FOI_LEAF_DELAYED) {
            foi_delays_enclose(g, s, &given, on, to);
            continue;
        }
        for (uint32_t i = 0; i < l->count[kind]; i++)
            to[i] = kind == FOI_LEAF_STATE           ? foi_enclosed_state(on, i)
                    : kind == FOI_LEAF_RATE && rates ? rates[i]
                    : from                           ? foi_enclosed_constant(from[i])
                                                     : foi_enclosed_anything(FO_NOT_ENCLOSED);
    }
}

static fo_status enclose_task(const foi_program *g, const fo_state *s, foi_task task,
                              uint32_t count, const fo_stretch *on, fo_enclosure *e)
{
    const foi_code *code = &g->codes[task];
    foi_enclosed *r = enclosed_at(g, s);
    fill_enclosed(g, s, task, on, NULL, r);
    foi_enclosed *y = r + code->registers;
    foi_code_enclose(code, r, foi_stretch_radius(on), y);
    for (uint32_t i = 0; i < count; i++) {
        e->g.lo[i] = y[i].range.lo, e->g.hi[i] = y[i].range.hi;
        if (e->dg.lo) e->dg.lo[i] = y[i].slope.lo, e->dg.hi[i] = y[i].slope.hi;
        e->nature[i] |= (uint8_t)y[i].nature;
    }
    return FO_OK;
}

fo_status foi_program_guard_bounds(const void *model, const fo_state *s, const fo_stretch *on,
                                   fo_enclosure *e)
{
    const foi_program *g = model;
    return enclose_task(g, s, FOI_TASK_GUARDS, g->guards, on, e);
}

// What is enclosed takes eight times the room of a register: large models do without.
bool foi_program_encloses_outputs(const foi_program *g)
{
    enum { MOST = 50000 };
    return g->about.outputs.count && of_task(g, FOI_TASK_OBSERVE) <= MOST;
}

fo_status foi_program_output_bounds(const void *model, const fo_state *s, const fo_stretch *on,
                                    fo_enclosure *e)
{
    const foi_program *g = model;
    return enclose_task(g, s, FOI_TASK_OBSERVE, (uint32_t)g->about.outputs.count, on, e);
}

// ---------------------------------------------------------------------------- bounds of slopes

bool foi_program_encloses_slopes(const foi_program *g)
{
    const foi_code *rates = &g->codes[FOI_TASK_RATES], *slopes = &g->codes[FOI_TASK_SLOPES];
    return g->guards && g->layout.count[FOI_LEAF_STATE] && slopes->result_count &&
           !rates->loop_count && !slopes->loop_count && !rates->uses[FOI_LEAF_DELAYED] &&
           !slopes->uses[FOI_LEAF_DELAYED];
}

bool foi_program_looks_for_failure(const foi_program *g)
{
    const foi_code *rates = &g->codes[FOI_TASK_RATES], *outputs = &g->codes[FOI_TASK_OBSERVE];
    return g->leaves_domains && !rates->loop_count && !outputs->loop_count &&
           !rates->uses[FOI_LEAF_DELAYED] && !outputs->uses[FOI_LEAF_DELAYED];
}

bool foi_program_may_fail(const void *model, const fo_state *s, const fo_stretch *on)
{
    const foi_program *g = model;
    static const foi_task tasks[] = {FOI_TASK_RATES, FOI_TASK_OBSERVE};
    for (int i = 0; i < 2; i++) {
        const foi_code *code = &g->codes[tasks[i]];
        foi_enclosed *r = enclosed_at(g, s), *y = r + code->registers;
        fill_enclosed(g, s, tasks[i], on, NULL, r);
        foi_code_enclose(code, r, foi_stretch_radius(on), y);
        for (uint32_t k = 0; k < code->result_count; k++)
            if (y[k].nature & FO_MAY_BE_UNDEFINED) return true;
    }
    return false;
}

static bool tells_poles(const foi_code *code)
{
    return !code->loop_count && !code->uses[FOI_LEAF_DELAYED];
}

bool foi_program_looks_for_poles(const foi_program *g)
{
    return (g->rate_poles && tells_poles(&g->codes[FOI_TASK_RATES])) ||
           (g->output_poles && tells_poles(&g->codes[FOI_TASK_OBSERVE]));
}

bool foi_program_may_diverge(const void *model, const fo_state *s, const fo_stretch *on,
                             fo_quantity of)
{
    const foi_program *g = model;
    foi_task task = of == FO_STATE ? FOI_TASK_RATES : FOI_TASK_OBSERVE;
    const foi_code *code = &g->codes[task];
    if (!(of == FO_STATE ? g->rate_poles : g->output_poles) || !tells_poles(code)) return false;
    foi_enclosed *r = enclosed_at(g, s), *y = r + code->registers;
    fill_enclosed(g, s, task, on, NULL, r);
    foi_code_enclose(code, r, foi_stretch_radius(on), y);
    for (uint32_t k = 0; k < code->result_count; k++)
        if (!foi_i_is_finite(y[k].range)) return true;
    return false;
}

// One run over all t and x of the stretch, which move as its dx says. That is not the way along
// which the stretch was made, so the mean-value theorem has no part in it.
static foi_enclosed *run_enclosed(const foi_program *g, const fo_state *s, foi_task task,
                                  const fo_stretch *on, bool stands, const foi_enclosed *rates)
{
    const foi_code *code = &g->codes[task];
    foi_enclosed *r = enclosed_at(g, s), *y = r + code->registers;
    fill_enclosed(g, s, task, on, rates, r);
    if (stands) r[g->layout.at[FOI_LEAF_TIME]].slope = (foi_interval){0, 0};
    foi_code_enclose(code, r, INFINITY, y);
    return y;
}

// Where x stands still on the stretch it moves all the same along the rates: no bound is a point,
// because what is zero all over a stretch counts as something that does not move.
static void put_around(const double *lo, const double *hi, uint32_t count, const fo_bounds *to)
{
    for (uint32_t i = 0; i < count; i++) {
        to->lo[i] = lo[i] - (DBL_EPSILON * fabs(lo[i]) + DBL_MIN);
        to->hi[i] = hi[i] + (DBL_EPSILON * fabs(hi[i]) + DBL_MIN);
    }
}

// The slopes are expressions of t, x and x'. With f over the stretch, and f' along f (or the push),
// one run of them gives both: a with x' = f, and a' with x'' = f'.
fo_status foi_program_slope_bounds(const void *model, const fo_state *s, const fo_stretch *on,
                                   const double *push, fo_enclosure *e)
{
    const foi_program *g = model;
    uint32_t n = g->layout.count[FOI_LEAF_STATE];
    size_t of_rates = of_task(g, FOI_TASK_RATES), of_slopes = of_task(g, FOI_TASK_SLOPES);
    foi_enclosed *rates = enclosed_at(g, s) + larger(of_rates, of_slopes);
    double *row = (double *)(rates + n);
    fo_bounds x = {row, row + n}, t = {row + 4 * (size_t)n, row + 4 * (size_t)n + 1};
    fo_bounds dx = {row + 2 * (size_t)n, row + 3 * (size_t)n};
    put_around(on->x.lo, on->x.hi, n, &x);
    put_around(&on->t_lo, &on->t_hi, 1, &t);
    fo_stretch here = {.t_lo = *t.lo, .t_hi = *t.hi, .x = x};
    const foi_enclosed *f = run_enclosed(g, s, FOI_TASK_RATES, &here, push, NULL);
    for (uint32_t i = 0; i < n; i++) {
        dx.lo[i] = push ? push[i] : f[i].range.lo;
        dx.hi[i] = push ? push[i] : f[i].range.hi;
    }
    here.dx = dx;
    f = run_enclosed(g, s, FOI_TASK_RATES, &here, push, NULL);
    memcpy(rates, f, n * sizeof *rates);
    const foi_enclosed *a = run_enclosed(g, s, FOI_TASK_SLOPES, &here, push, rates);
    for (uint32_t i = 0; i < g->guards; i++) {
        uint32_t k = g->slope_of[i];
        e->nature[i] |= k == FOI_NOTHING ? FO_NOT_ENCLOSED : (uint8_t)a[k].nature;
        if (k == FOI_NOTHING) continue;
        e->g.lo[i] = a[k].range.lo, e->g.hi[i] = a[k].range.hi;
        if (e->dg.lo) e->dg.lo[i] = a[k].slope.lo, e->dg.hi[i] = a[k].slope.hi;
    }
    return FO_OK;
}

// ---------------------------------------------------------------------------------- after a step

// A warning is given once whenever its condition has become false.
static fo_status look_at_asserts(const foi_program *g, fo_state *s, double t, const double *x,
                                 const double *holds)
{
    double *warned = foi_memory(s, g->warned);
    char text[400];
    for (uint32_t i = 0; i < g->holds; i++) {
        const foi_action *a = &g->action[g->hold_action[i]];
        bool fails = holds[i] == 0, news = fails && warned[i] == 0;
        warned[i] = fails;
        if (!news) continue;
        foi_action_text(g, s, t, x, a, text, sizeof text);
        if (!a->warning)
            return fo_refuse(s, "assertion failed at t = %.15g: %s (line %u)", t, text,
                             a->place.line);
        fo_note(s, "warning at t = %.15g: %s (line %u)", t, text, a->place.line);
    }
    return FO_OK;
}

// Loops start the next time from what they found, on the line through the last two steps.
static void keep_solutions(const foi_program *g, fo_state *s, const foi_given *now,
                           const double *work)
{
    double *last = foi_memory(s, g->guess), *since = foi_memory(s, g->since);
    double *tilt = foi_memory(s, g->tilt), passed = now->t - *since;
    *since = now->t;
    if (!g->about.follows) {
        for (uint32_t i = 0; i < g->codes[FOI_TASK_SOLVED].result_count; i++)
            last[g->solved_guess[i]] = work[i];
        return;
    }
    const double *found = foi_follow_found(g, s);
    for (uint32_t i = 0; i < g->guesses; i++) {
        tilt[i] = passed > 0 ? (found[i] - last[i]) / passed : 0;
        last[i] = found[i];
    }
    foi_follow_keep(g, s, now, passed);
}

// Asserts must hold, and what loops have found is kept.
fo_status foi_program_settle(const void *model, fo_state *s, double t, const double *x)
{
    const foi_program *g = model;
    foi_given given;
    foi_give(&given, g, s, t, x);
    double *work = foi_program_work(g, s);
    const foi_code *solved = &g->codes[FOI_TASK_SOLVED], *holds = &g->codes[FOI_TASK_HOLDS];
    fo_status status = g->delays ? foi_delays_record(g, s, t, x) : FO_OK;
    tell_of_lost(g, s, t);
    if (status == FO_OK && solved->result_count)
        status = foi_program_run(g, s, FOI_TASK_SOLVED, &given, work);
    if (status == FO_OK && solved->result_count) keep_solutions(g, s, &given, work);
    if (!holds->result_count || status != FO_OK) return status;
    status = foi_program_run(g, s, FOI_TASK_HOLDS, &given, work);
    return status == FO_OK ? look_at_asserts(g, s, t, x, work) : status;
}
