#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "process/internal.h"

/// When the definition names no stop: later than anything.
static const double NO_STOP = 1e18;
/// Of one replication, as fo_replication_stream counts them.
static const uint64_t STREAMS = 1 << 20;

// ------------------------------------------------------------------------------------- messages

fo_status fo_world_fail(fo_world *w, fo_status status, const char *format, ...)
{
    if (w->running && w->status != FO_OK) return status; // the first reason counts
    foi_complaint complaint = {.format = format};
    va_start(complaint.arguments, format);
    w->message.status = status;
    if (w->current)
        foi_world_complain(w, &complaint);
    else
        vsnprintf(w->message.text, sizeof w->message.text, format, complaint.arguments);
    va_end(complaint.arguments);
    if (w->running) w->status = status, w->until = -INFINITY;
    return status;
}

fo_status foi_no_memory(fo_world *w, const char *what)
{
    return foi_fail(w, FO_ERROR_MEMORY, "no memory for %s, at t = %.15g", what, w->now);
}

const fo_message *fo_world_message(const fo_world *w)
{
    return &w->message;
}

// -------------------------------------------------------------------------- making and unmaking

static void fill_in(fo_world_def *def)
{
    if (!def->name) def->name = "world";
    if (!def->about) def->about = "a world of processes";
    if (def->stop == 0) def->stop = NO_STOP;
    if (!def->solver) def->solver = "rkf45";
    if (def->max_abs_error == 0 && def->max_rel_error == 0)
        def->max_abs_error = 1e-9, def->max_rel_error = 1e-6;
    if (!def->stack) def->stack = 64 << 10;
    if (!def->max_events) def->max_events = 10000000;
    if (def->step == 0) def->step = def->dt_max;
}

fo_world_def fo_default_world_def(void)
{
    return (fo_world_def){.name = "world", .solver = "rkf45"};
}

fo_world *fo_world_create(const fo_world_def *def, fo_message *why)
{
    const fo_world_def none = {0};
    if (!def) def = &none;
    fo_world *w = foi_new(def->allocator, 1, sizeof *w);
    if (!w) {
        fo_fail(why, FO_ERROR_MEMORY, "no memory for a world");
        return NULL;
    }
    w->def = *def;
    fill_in(&w->def);
    w->allocator = w->stacks.allocator = def->allocator;
    w->events.first = w->events.last = UINT64_C(1) << 63;
    w->now = def->start, w->stop = INFINITY;
    w->instant = NAN;
    w->settled = INFINITY;
    w->until = -INFINITY;
    static const fo_event events = {.name = "events"};
    w->about = (fo_description){.name = w->def.name,
                                .moments = {&events, 1},
                                .about = w->def.about,
                                .equations = w->def.equations,
                                .max_step = w->def.dt_max};
    return w;
}

void foi_own(fo_world *w, foi_owned *owned, void (*destroy)(foi_owned *, const fo_allocator *))
{
    owned->destroy = destroy;
    owned->next = w->owned;
    w->owned = owned;
}

// What the user has embedded is as if it had been stopped.
static void let_go(fo_world *w)
{
    for (size_t i = 0; i < w->levels.count; i++) w->levels.at[i]->world = NULL;
    for (size_t i = 0; i < w->continuous.count; i++) w->continuous.at[i]->world = NULL;
    for (size_t i = 0; i < w->reporters.count; i++) w->reporters.at[i]->world = NULL;
}

void fo_world_destroy(fo_world *w)
{
    if (!w) return;
    const fo_allocator *a = w->allocator;
    fo_simulation_destroy(w->sim);
    let_go(w);
    foi_processes_free(w);
    for (foi_owned *owned = w->owned, *next; owned; owned = next) {
        next = owned->next;
        owned->destroy(owned, a);
    }
    foi_holdings_free(w);
    void *blocks[] = {w->events.block,
                      w->levels.at,
                      w->continuous.at,
                      w->reporters.at,
                      w->crossings.at,
                      w->untils.at,
                      w->due.at,
                      w->posed.at,
                      w->armed_crossings.at,
                      w->armed_untils.at,
                      w->guard_values,
                      w->condition_values,
                      w->abouts,
                      w->names,
                      w->outputs,
                      w->parameters,
                      (void *)w->output_values,
                      (void *)w->parameter_values,
                      w->dense,
                      w->trace};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) foi_free(a, blocks[i]);
    foi_stacks_destroy(&w->stacks);
    foi_overflow_free(w);
    foi_free(a, w);
}

// --------------------------------------------------------------------------------------- running

static fo_status prepare(fo_world *w)
{
    if (w->sim) return FO_OK;
    fo_run_def def = fo_default_run_def();
    def.start = w->def.start, def.stop = w->def.stop;
    def.solver = w->def.solver;
    def.step = w->def.step;
    def.rtol = w->def.max_rel_error, def.atol = w->def.max_abs_error;
    def.min_step = w->def.dt_min, def.max_step = w->def.dt_max;
    def.zeno = 0;
    def.seed = w->def.seed;
    def.observers = w->def.observers, def.observer_count = w->def.observer_count;
    def.allocator = w->allocator;
    w->sim = fo_simulation_create(fo_world_system(w), &def, &w->message);
    return w->sim ? FO_OK : w->message.status;
}

static fo_status advance(fo_world *w, double until)
{
    if (w->advancing)
        return foi_fail(w, FO_ERROR_MODEL, "a world cannot be run by one of its own processes");
    if (w->status != FO_OK) return w->status;
    fo_status status = prepare(w);
    if (status != FO_OK) return w->status = status;
    w->running = w->advancing = true;
    status = fo_simulation_advance(w->sim, until);
    const fo_state *s = fo_simulation_state(w->sim);
    if (!w->reshape && !fo_failed(status)) foi_world_pose(w, s->t, s->x);
    w->running = w->advancing = false;
    if (!fo_failed(status)) return status;
    w->message = *fo_simulation_message(w->sim);
    return w->status = status;
}

fo_status fo_world_run(fo_world *w, double until)
{
    return advance(w, until);
}

fo_status fo_main_create(fo_world *w, fo_actions *actions, void *self)
{
    if (w->advancing || w->main)
        return foi_fail(w, FO_ERROR_MODEL, "a world has one main process and runs it once");
    w->main = fo_process_create(w, "main", actions, self);
    return w->main ? fo_activate(w->main) : FO_ERROR_MEMORY;
}

fo_status fo_world_simulate(fo_world *w, fo_actions *actions, void *self)
{
    fo_status status = fo_main_create(w, actions, self);
    if (status == FO_OK) status = advance(w, w->def.stop);
    if (status == FO_REACHED && w->def.stop == NO_STOP && w->main->phase != FOI_ENDED)
        return w->status = foi_deadlock(w);
    return status;
}

// --------------------------------------------------------------------------------- looking at it

fo_system fo_world_system(fo_world *w)
{
    return (fo_system){&foi_world_type, &w->about, w};
}

fo_simulation *fo_world_simulation(fo_world *w)
{
    return w->sim;
}

static bool too_late(fo_world *w, const char *what, const char *name)
{
    if (!w->sim && w->happened == 0) return false;
    foi_fail(w, FO_ERROR_MODEL, "%s '%s' must be declared before the world runs, not at t = %.15g",
             what, name, fo_time(w));
    return true;
}

fo_status fo_world_parameter(fo_world *w, const fo_variable *about, double *value)
{
    size_t count = w->about.parameters.count;
    if (too_late(w, "parameter", about->name)) return FO_ERROR_MODEL;
    if (!foi_array_room(w->allocator, &w->parameters, &w->parameter_room, count + 1,
                        sizeof *w->parameters) ||
        !foi_array_room(w->allocator, &w->parameter_values, &w->parameter_value_room, count + 1,
                        sizeof *w->parameter_values))
        return foi_no_memory(w, "a parameter");
    w->parameters[count] = *about;
    w->parameter_values[count] = value;
    *value = about->start;
    w->about.parameters = (fo_variables){w->parameters, count + 1};
    return FO_OK;
}

fo_status fo_world_output(fo_world *w, const char *name, const char *unit, const double *value)
{
    size_t count = w->about.outputs.count;
    if (too_late(w, "output", name)) return FO_ERROR_MODEL;
    if (!foi_array_room(w->allocator, &w->outputs, &w->output_room, count + 1,
                        sizeof *w->outputs) ||
        !foi_array_room(w->allocator, &w->output_values, &w->output_value_room, count + 1,
                        sizeof *w->output_values))
        return foi_no_memory(w, "an output");
    w->outputs[count] = (fo_variable){.name = name, .unit = unit};
    w->output_values[count] = value;
    w->about.outputs = (fo_variables){w->outputs, count + 1};
    return FO_OK;
}

double fo_time(const fo_world *w)
{
    return w->now;
}

uint64_t fo_world_seed(const fo_world *w)
{
    return w->def.seed;
}

uint64_t fo_world_replication(const fo_world *w)
{
    return w->def.replication;
}

fo_random fo_world_stream(const fo_world *w, uint32_t k)
{
    assert(k < STREAMS);
    return fo_random_stream(w->def.seed, w->def.replication * STREAMS + k);
}

fo_process *fo_current(const fo_world *w)
{
    return w->current;
}

fo_process *fo_main(const fo_world *w)
{
    return w->main;
}

fo_process *fo_world_next(fo_world *w)
{
    return foi_events_first(w);
}

void fo_world_stop(fo_world *w)
{
    w->stopping = true;
    w->until = -INFINITY;
}

fo_status fo_world_accuracy(fo_world *w, const fo_accuracy *to)
{
    const double asked[] = {to->rtol, to->atol, to->min_step, to->max_step};
    double *at[] = {&w->accuracy.rtol, &w->accuracy.atol, &w->accuracy.min_step,
                    &w->accuracy.max_step};
    for (int i = 0; i < 4; i++)
        if (!isfinite(asked[i]))
            return foi_fail(w, FO_ERROR_MODEL, "an accuracy must be a number, not %g", asked[i]);
    if (!w->accuracy_asked) w->accuracy = fo_same_accuracy();
    for (int i = 0; i < 4; i++)
        if (asked[i] >= 0) *at[i] = asked[i];
    w->accuracy_asked = true;
    return FO_OK;
}

uint64_t fo_world_events(const fo_world *w)
{
    return w->happened;
}
