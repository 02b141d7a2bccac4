#include <math.h>
#include <string.h>

#include "base/text.h"
#include "math/math.h"
#include "simulation/internal.h"
#include "system/value.h"

enum { MOST_QUEUED = 65536, LOOKS = 500, ABRUPT = 100 };

fo_run_def fo_default_run_def(void)
{
    return (fo_run_def){.stop = 1, .rtol = 1e-6, .atol = 1e-9, .max_jumps = 1000, .zeno = 1e-9};
}

// ------------------------------------------------------------------------- making and unmaking

fo_status foi_check_accuracy(const fo_accuracy *a, fo_message *why)
{
    const struct {
        const char *name;
        double value;
    } sizes[] = {
        {"rtol", a->rtol}, {"atol", a->atol}, {"max step", a->max_step}, {"min step", a->min_step}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (!isfinite(sizes[i].value) || sizes[i].value < 0)
            return fo_fail(why, FO_ERROR_ARGUMENT, "%s must be a positive number, not %g",
                           sizes[i].name, sizes[i].value);
    if (a->rtol + a->atol <= 0)
        return fo_fail(why, FO_ERROR_ARGUMENT, "rtol and atol cannot both be 0");
    if (a->max_step > 0 && a->min_step > a->max_step)
        return fo_fail(why, FO_ERROR_ARGUMENT, "min step %g is larger than max step %g",
                       a->min_step, a->max_step);
    return FO_OK;
}

static fo_status check_def(const fo_run_def *def, fo_message *why)
{
    if (!isfinite(def->start) || !isfinite(def->stop) || def->stop < def->start)
        return fo_fail(why, FO_ERROR_ARGUMENT, "a run cannot go from t = %g to t = %g", def->start,
                       def->stop);
    const struct {
        const char *name;
        double value;
    } sizes[] = {{"step", def->step},
                 {"first step", def->first_step},
                 {"epsilon", def->epsilon},
                 {"zeno", def->zeno}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (!isfinite(sizes[i].value) || sizes[i].value < 0)
            return fo_fail(why, FO_ERROR_ARGUMENT, "%s must be a positive number, not %g",
                           sizes[i].name, sizes[i].value);
    const fo_accuracy accuracy = {def->rtol, def->atol, def->min_step, def->max_step};
    return foi_check_accuracy(&accuracy, why);
}

// A run that is shorter than what its model is made for is judged by its own length.
static fo_status resize_state(fo_host *host, fo_state *s, const fo_shape *shape)
{
    fo_simulation *sim = (fo_simulation *)((char *)host - offsetof(fo_simulation, host));
    (void)s; // it is the simulation's own
    fo_status status = foi_state_reshape(&sim->state, shape, &sim->message);
    if (status != FO_OK) return status;
    sim->reshaped = true, sim->fitted = false;
    foi_hold_abandon(sim);
    return FO_OK;
}

static void pass_note(fo_host *host, double t, const char *text)
{
    fo_simulation *sim = (fo_simulation *)((char *)host - offsetof(fo_simulation, host));
    for (uint32_t i = 0; i < sim->seat_count; i++)
        if (sim->seats[i].who.note) sim->seats[i].who.note(sim->seats[i].who.self, t, text);
}

// Of the error that a kink inside a step makes, estimates that are made for smooth rates see a
// tenth or less.
static const double ABRUPT_TOLERANCE = 0.1;

// Where states are chosen in the run, an error of a state is one of several sizes in what the
// constraints make of it, and each choice begins with it.
static const double CONSTRAINED_TOLERANCE = 0.05;

static double strictness(const fo_description *about)
{
    if (about->constrained) return CONSTRAINED_TOLERANCE;
    return about->abrupt ? ABRUPT_TOLERANCE : 1;
}

// The length of a run that has an end; a live one, whose end is 1e9 s away, has none: 0.
static double length_of(const fo_simulation *sim)
{
    const double for_ever = 1e9;
    double whole = sim->def.stop - sim->def.start;
    return whole < for_ever ? whole : 0;
}

// The longest step over rates that may change abruptly: a part of the scale, which is the same for
// a run with an end and for a live one. A run of more than ten thousand times its scale has a
// million of them.
static double over_kinks(const fo_simulation *sim, double span)
{
    const double most = 1e6;
    return foi_fmax(span / ABRUPT, length_of(sim) / most);
}

// And over guards that can only be sampled: a part of the run, however long its model is made for.
static double over_samples(const fo_simulation *sim, double span)
{
    return foi_fmax(span, length_of(sim)) / 20;
}

// What the solver may not step over: delays that the model names, and, where guards can only be
// sampled, a part of the run that sampling can be trusted with; a smaller one where rates may
// change abruptly between moments, which the stages of a step have to meet.
static double max_step(const fo_simulation *sim)
{
    double limit = INFINITY, span = foi_run_scale(&sim->def);
    // forces vary where nothing moves; where it is proved that they keep their signs, they may
    if (foi_is_held(sim) && !foi_hold_proves_rest(sim->hold)) limit = foi_held_step(sim);
    if (sim->def.max_step > 0) limit = sim->def.max_step;
    if (sim->system.about->max_step > 0) limit = foi_fmin(limit, sim->system.about->max_step);
    if (sim->watch.opaque && span > 0) limit = foi_fmin(limit, over_samples(sim, span));
    if (sim->system.about->abrupt && span > 0) limit = foi_fmin(limit, over_kinks(sim, span));
    // where nothing flows a step would be the whole run: outputs would be looked at once, and
    // loops would be solved from where they were at the start
    bool looks = sim->system.about->outputs_fail || sim->system.about->follows;
    if (looks && !sim->state.s.shape.states && span > 0) limit = foi_fmin(limit, span / LOOKS);
    return isinf(limit) ? 0 : limit;
}

foi_solver foi_simulation_solver_define(fo_simulation *sim, const foi_method *method)
{
    const fo_run_def *def = &sim->def;
    double span = foi_run_scale(def);
    double strict = strictness(sim->system.about);
    return (foi_solver){
        .method = method,
        .system = sim->flow,
        .s = &sim->state.s,
        .n = sim->state.s.shape.states,
        .rtol = foi_fmax(strict * def->rtol, 0x1p-50),
        .atol = strict * def->atol,
        .step = def->step > 0 ? def->step
                : span > 0    ? span / 1000
                              : 1,
        .first_step = def->first_step,
        .max_step = max_step(sim),
        .min_step = def->min_step,
        .substeps = def->substeps,
        .epsilon = def->epsilon,
        .stop = def->stop,
        .scale = span,
        .allocator = sim->allocator,
        .message = &sim->message,
    };
}

fo_status foi_simulation_solver_make(fo_simulation *sim, const foi_method *method)
{
    foi_solver was = sim->solver;
    foi_solver_destroy(&sim->solver);
    sim->solver = foi_simulation_solver_define(sim, method);
    sim->solver.size = was.size;
    // where a guard is held from here on, the system may be stiff all the same
    if (was.method == method)
        sim->solver.look_from = was.look_from, sim->solver.doubt_from = was.doubt_from;
    return foi_solver_prepare(&sim->solver);
}

static bool shows_outputs(const fo_simulation *sim)
{
    for (uint32_t i = 0; i < sim->seat_count; i++)
        if (sim->seats[i].outputs) return true;
    return sim->system.about->outputs_fail;
}

fo_status foi_simulation_fit(fo_simulation *sim)
{
    const fo_shape *shape = &sim->state.s.shape;
    fo_status status = foi_watch_create(&sim->watch, &sim->solver);
    if (status != FO_OK) return status;
    double *outputs = foi_new(sim->allocator, shape->outputs, sizeof *outputs);
    double *sample = foi_new(sim->allocator, shape->states, sizeof *sample);
    bool fails = sim->system.type->may_fail || foi_poles_matter(sim);
    bool probes = shows_outputs(sim) || sim->system.about->abrupt;
    size_t rows = fails ? 7 : probes; // the probe, and bounds of three
    double *probe = foi_new(sim->allocator, rows * shape->states, sizeof *probe);
    foi_pulse *pulses = foi_new(sim->allocator, shape->guards, sizeof *pulses);
    bool *poles = foi_new(sim->allocator, shape->outputs, sizeof *poles);
    if (!outputs || !sample || !probe || !pulses || !poles) {
        foi_free(sim->allocator, poles);
        foi_free(sim->allocator, outputs);
        foi_free(sim->allocator, sample);
        foi_free(sim->allocator, probe);
        foi_free(sim->allocator, pulses);
        return fo_fail(&sim->message, FO_ERROR_MEMORY, "no memory for the simulation");
    }
    foi_free(sim->allocator, sim->outputs);
    foi_free(sim->allocator, sim->sample);
    foi_free(sim->allocator, sim->probe);
    foi_free(sim->allocator, sim->pulses);
    foi_free(sim->allocator, sim->poles);
    sim->poles = poles, sim->pole_looks = 256;
    sim->outputs = outputs, sim->sample = sample, sim->probe = probe, sim->pulses = pulses;
    sim->stretch = fails ? probe + shape->states : NULL;
    sim->pulse_count = shape->guards;
    for (uint32_t i = 0; i < shape->guards; i++) {
        pulses[i].last = sim->state.s.t;
        pulses[i].blow_t = -INFINITY;
    }
    sim->watching = shape->guards || shape->conditions;
    bool others = sim->each_step && !sim->each_divided;
    others |= sim->watching || sim->system.type->settle || sim->system.about->outputs_fail;
    others |= sim->system.type->may_fail || foi_poles_matter(sim);
    others |= foi_is_implicit(sim); // for its trail
    if ((status = foi_divisors_fit(sim)) != FO_OK) return status;
    sim->each_divided = sim->divisors.block && !others;
    sim->each_step = others || sim->divisors.block;
    sim->fitted = true;
    return foi_cause_room(sim, (size_t)shape->guards + shape->conditions + 2);
}

static fo_status build(fo_simulation *sim)
{
    fo_shape shape = fo_system_shape(sim->system);
    fo_status status = foi_state_create(&sim->state, &shape, sim->allocator, &sim->message);
    if (status == FO_OK)
        status = foi_state_create(&sim->good, &shape, sim->allocator, &sim->message);
    if (status != FO_OK) return status;
    fo_state *s = &sim->state.s;
    s->t = sim->def.start;
    s->stop = sim->def.stop;
    s->seed = sim->def.seed;
    s->message = &sim->message;
    s->host = &sim->host;
    foi_state_defaults(sim->system, s);
    if ((status = foi_rows_create(sim)) != FO_OK) return status;
    // the watch needs the solver's description of the system, the solver the watch's opacity
    sim->flow = sim->system;
    sim->solver = (foi_solver){.system = sim->system, .s = s, .allocator = sim->allocator};
    sim->solver.message = &sim->message;
    if ((status = foi_simulation_fit(sim)) != FO_OK) return status;
    const foi_method *method = foi_choose(sim);
    if (!method) return sim->message.status;
    status = foi_simulation_solver_make(sim, method);
    if (status == FO_OK && !sim->stretch && foi_poles_matter(sim)) status = foi_simulation_fit(sim);
    foi_stiffness_start(sim);
    return status;
}

fo_simulation *fo_simulation_create(fo_system system, const fo_run_def *def, fo_message *why)
{
    fo_run_def defaults = fo_default_run_def();
    if (!def) def = &defaults;
    if (why) *why = (fo_message){FO_OK, ""};
    if (fo_system_check(system, why) != FO_OK || check_def(def, why) != FO_OK) return NULL;
    fo_simulation *sim = foi_new(def->allocator, 1, sizeof *sim);
    if (!sim) {
        fo_fail(why, FO_ERROR_MEMORY, "no memory for a simulation");
        return NULL;
    }
    sim->system = system;
    sim->def = *def;
    if (!sim->def.max_jumps) sim->def.max_jumps = fo_default_run_def().max_jumps;
    sim->allocator = def->allocator;
    sim->host = (fo_host){resize_state, pass_note, foi_accuracy_in_jump};
    sim->root = INFINITY;
    if (build(sim) == FO_OK) return sim;
    if (why) *why = sim->message;
    fo_simulation_destroy(sim);
    return NULL;
}

void fo_simulation_destroy(fo_simulation *sim)
{
    if (!sim) return;
    const fo_allocator *a = sim->allocator;
    foi_rows_destroy(sim);
    foi_free(sim->allocator, sim->follow.work);
    foi_hold_destroy(sim);
    foi_crawl_forget(sim);
    foi_solver_destroy(&sim->solver);
    foi_watch_destroy(&sim->watch);
    foi_state_destroy(&sim->state);
    foi_state_destroy(&sim->good);
    foi_free(a, sim->queue);
    foi_free(a, sim->causes);
    foi_free(a, sim->crossings);
    foi_free(a, sim->pulses);
    foi_free(a, sim->poles);
    foi_free(a, sim->divisors.block);
    foi_free(a, sim->outputs);
    foi_free(a, sim->sample);
    foi_free(a, sim->probe);
    foi_free(a, sim->trail);
    foi_free(a, sim);
}

// ------------------------------------------------------------------------------------ starting

static fo_status check_start(fo_simulation *sim)
{
    const fo_state *s = &sim->state.s;
    for (uint32_t i = 0; i < s->shape.states; i++) {
        char name[64];
        if (isfinite(s->x[i])) continue;
        return fo_fail(&sim->message, FO_ERROR_NUMBER, "the start value of '%s' is %g",
                       fo_system_name(sim->system, (fo_reference){FO_STATE, i}, name, sizeof name),
                       s->x[i]);
    }
    return FO_OK;
}

static fo_status start_watching(fo_simulation *sim)
{
    bool any = false;
    fo_status status = FO_OK;
    if (sim->watching) status = foi_watch_start(&sim->watch, &sim->solver, &sim->state.s, &any);
    if (status == FO_OK && any) status = foi_gather_watched(sim);
    return status == FO_OK ? foi_gather_due(sim) : status;
}

static fo_status start(fo_simulation *sim, bool *stop)
{
    const fo_system_type *type = sim->system.type;
    fo_state *s = &sim->state.s;
    fo_status status = type->start ? type->start(sim->system.model, s) : FO_OK;
    if (status == FO_OK) status = check_start(sim);
    if (status == FO_OK && sim->reshaped) status = foi_simulation_fit(sim);
    if (status == FO_OK && !type->starts_in_moments) status = foi_rows_show(sim, FO_ROW_SAMPLE);
    if (status != FO_OK) return status;
    for (uint32_t i = 0; i < sim->seat_count; i++) sim->seats[i].next = 1;
    status = start_watching(sim);
    sim->unborn = type->starts_in_moments;
    if (status == FO_OK && sim->cause_count) status = foi_happen(sim, stop);
    sim->unborn = false;
    if (status == FO_OK && sim->system.about->outputs_fail) status = foi_finite_jump(sim);
    if (status == FO_OK) status = foi_rows_show(sim, FO_ROW_SAMPLE); // unless there was one
    if (status == FO_OK && !*stop && !sim->reshaped) status = foi_hold_look(sim, stop);
    if (status == FO_OK && sim->refit)
        sim->refit = false, status = foi_simulation_solver_make(sim, sim->solver.method);
    if (status == FO_OK && sim->reshaped) {
        sim->reshaped = false;
        sim->solver.n = s->shape.states;
        status = foi_solver_prepare(&sim->solver);
    }
    sim->restart = false;
    sim->last_jump = sim->over_from = sim->over_to = s->t;
    return status == FO_OK ? foi_solver_begin(&sim->solver, s->t, s->x, FOI_COLD) : status;
}

fo_status fo_simulation_start(fo_simulation *sim)
{
    if (sim->phase == FOI_FAILED) return sim->message.status;
    if (sim->phase != FOI_NEW) return FO_OK;
    sim->begun = foi_begun_of(sim);
    bool stop = false;
    fo_status status = start(sim, &stop);
    sim->phase = status != FO_OK ? FOI_FAILED : stop ? FOI_STOPPED : FOI_RUNNING;
    if (status != FO_OK && sim->message.status != status)
        fo_fail(&sim->message, status, "%s at the start", fo_status_text(status));
    return stop && status == FO_OK ? FO_STOPPED : status;
}

// ---------------------------------------------------------------------------------- from outside

static fo_status enqueue(fo_simulation *sim, foi_external e)
{
    if (!isfinite(e.t) || e.t < sim->state.s.t)
        return fo_fail(&sim->message, FO_ERROR_ARGUMENT,
                       "an event for t = %.15g comes too late: the simulation is at %.15g", e.t,
                       sim->state.s.t);
    if (sim->queued >= MOST_QUEUED)
        return fo_fail(&sim->message, FO_ERROR_MEMORY, "more than %d events wait", MOST_QUEUED);
    if (sim->queued == sim->queue_room) {
        size_t room = 2 * sim->queue_room + 16;
        foi_external *grown =
            foi_grow(sim->allocator, sim->queue, sim->queue_room, room, sizeof *grown);
        if (!grown) return fo_fail(&sim->message, FO_ERROR_MEMORY, "no memory for an event");
        sim->queue = grown, sim->queue_room = room;
    }
    e.order = sim->sent++;
    size_t i = sim->queued++;
    for (; i > 0 && sim->queue[i - 1].t > e.t; i--) sim->queue[i] = sim->queue[i - 1];
    sim->queue[i] = e;
    return FO_OK;
}

fo_status fo_simulation_send(fo_simulation *sim, double t, const char *name, double value)
{
    fo_events events = sim->system.about->events;
    foi_nearest nearest = foi_nearest_to(name);
    if (!isfinite(value))
        return fo_fail(&sim->message, FO_ERROR_ARGUMENT, "event '%s' cannot bring %g", name, value);
    for (uint32_t i = 0; i < events.count; i++) {
        if (strcmp(events.list[i].name, name) == 0)
            return enqueue(sim, (foi_external){.t = t, .event = i, .value = value});
        foi_nearest_try(&nearest, events.list[i].name);
    }
    return fo_fail(&sim->message, FO_ERROR_ARGUMENT, "'%s' has no event '%s'%s",
                   sim->system.about->name, name, foi_nearest_hint(&nearest));
}

fo_status fo_simulation_send_set(fo_simulation *sim, double t, const char *name, double value)
{
    fo_reference which;
    fo_status status = fo_system_find(sim->system, name, &which, &sim->message);
    if (status == FO_OK)
        status = foi_system_allows(sim->system, which, name, value, true, &sim->message);
    if (status != FO_OK) return status;
    return enqueue(sim, (foi_external){.t = t, .set = which, .value = value});
}

fo_status fo_simulation_set(fo_simulation *sim, const char *name, double value)
{
    if (sim->phase == FOI_FAILED) return sim->message.status;
    if (sim->phase != FOI_NEW) {
        fo_status status = fo_simulation_send_set(sim, sim->state.s.t, name, value);
        if (status != FO_OK) return status;
        status = fo_simulation_advance(sim, sim->state.s.t);
        return status == FO_REACHED ? FO_OK : status;
    }
    fo_reference which;
    fo_status status = fo_system_find(sim->system, name, &which, &sim->message);
    if (status == FO_OK)
        status = foi_system_allows(sim->system, which, name, value, false, &sim->message);
    if (status != FO_OK) return status;
    fo_state *s = &sim->state.s;
    double *where[] = {
        [FO_STATE] = s->x, [FO_DISCRETE] = s->d, [FO_INPUT] = s->u, [FO_PARAMETER] = s->p};
    where[which.quantity][which.index] = value;
    return FO_OK;
}

// ---------------------------------------------------------------------------------- looking at it

const fo_state *fo_simulation_state(const fo_simulation *sim)
{
    return &sim->state.s;
}

double fo_simulation_time(const fo_simulation *sim)
{
    return sim->state.s.t;
}

fo_system fo_simulation_system(const fo_simulation *sim)
{
    return sim->system;
}

const fo_message *fo_simulation_message(const fo_simulation *sim)
{
    return &sim->message;
}

const fo_solver_info *fo_simulation_solver(const fo_simulation *sim)
{
    return &sim->solver.method->info;
}

const char *fo_simulation_solver_reason(const fo_simulation *sim)
{
    return sim->reason;
}

fo_statistics fo_simulation_statistics(const fo_simulation *sim)
{
    const foi_solver *o = &sim->solver;
    const foi_watch *w = &sim->watch;
    fo_statistics s = {.steps = o->counts.steps,
                       .rejected = o->counts.rejected,
                       .rates = o->counts.rates,
                       .jacobians = o->counts.jacobians,
                       .factorisations = o->counts.factorisations,
                       .iterations = o->counts.iterations,
                       .guards = w->evaluations,
                       .moments = sim->moments,
                       .guard_count = w->guards,
                       .last_step = o->t1 - o->t0,
                       .residual = o->counts.residual};
    for (uint32_t i = 0; i < w->guards; i++) s.certified_guards += foi_watch_certified(w, i);
    return s;
}

bool fo_simulation_guard_report(const fo_simulation *sim, uint32_t index, fo_guard_report *report)
{
    const foi_watch *w = &sim->watch;
    if (index >= w->guards) return false;
    const foi_tally *t = &w->tally[index];
    *report = (fo_guard_report){.name = w->about[index]->name,
                                .proved = t->proved,
                                .isolated = t->isolated,
                                .undecided = t->undecided,
                                .searched = t->searched,
                                .limited = t->limited,
                                .limited_from = t->limited_from,
                                .limited_to = t->limited_to,
                                .loose = t->loose,
                                .certified = foi_watch_certified(w, index)};
    return true;
}
