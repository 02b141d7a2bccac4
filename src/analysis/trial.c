#include "analysis/trial.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "analysis/reuse.h"
#include "base/memory.h"

fo_experiment_def fo_default_experiment_def(void)
{
    return (fo_experiment_def){.model = fo_default_model_def(), .stop = NAN, .seed = 1};
}

// ---------------------------------------------------------------------------------------- opening

// Opens a model, and says what is wrong with it as the first of its errors does.
static fo_status open_model(const fo_model_def *def, fo_model **model, fo_message *why)
{
    fo_status status = fo_model_open(def, model);
    const fo_model *m = *model;
    if (status == FO_OK) return FO_OK;
    for (size_t i = 0; m && i < fo_model_finding_count(m); i++) {
        const fo_finding *f = fo_model_finding(m, i);
        if (f->severity != FO_SEVERITY_ERROR) continue;
        if (!f->file) return fo_fail(why, status, "%s", f->text);
        if (!f->line) return fo_fail(why, status, "%s: %s", f->file, f->text);
        return fo_fail(why, status, "%s:%u:%u: %s", f->file, f->line, f->column, f->text);
    }
    return fo_fail(why, status, "%s", fo_status_text(status));
}

// A number of the document: by its name, or by a unique end of it.
static const fo_variable *find_number(const fo_model *m, const char *name)
{
    const fo_variable *found = NULL;
    size_t length = strlen(name);
    for (size_t i = 0; i < fo_model_number_count(m); i++) {
        const fo_variable *v = fo_model_number(m, i);
        size_t all = strlen(v->name);
        if (strcmp(v->name, name) == 0) return v;
        bool ends = all > length && v->name[all - length - 1] == '.' &&
                    strcmp(v->name + all - length, name) == 0;
        if (ends && found) return NULL;
        if (ends) found = v;
    }
    return found;
}

static fo_status put_name(foi_trial *e, size_t i, const char *name, bool fixed, fo_message *why)
{
    e->names[i] = foi_copy_text(e->allocator, name);
    e->fixed[i] = fixed;
    if (!e->names[i]) return fo_fail(why, FO_ERROR_MEMORY, "no memory for names");
    for (size_t k = 0; k < i; k++)
        if (strcmp(e->names[k], name) == 0)
            return fo_fail(why, FO_ERROR_ARGUMENT, "'%s' is given twice", name);
    return FO_OK;
}

static fo_status find_name(foi_trial *e, size_t i, const char *name, fo_message *why)
{
    fo_system system = fo_model_system(e->model);
    char full[256];
    fo_reference found;
    fo_status status = fo_system_find(system, name, &found, why);
    if (status == FO_OK) snprintf(full, sizeof full, "%s", name);
    if (status != FO_OK && fo_system_complete(system, name, full, sizeof full, NULL) == FO_OK)
        status = fo_system_find(system, full, &found, why);
    bool fixed = status == FO_OK && found.quantity == FO_PARAMETER &&
                 fo_system_variability(system, found) < FO_VARIABILITY_TUNABLE;
    if (status == FO_OK && (found.quantity == FO_TIME || found.quantity == FO_OUTPUT))
        return fo_fail(why, FO_ERROR_ARGUMENT, "'%s' is computed by the model and cannot be set",
                       name);
    if (status == FO_OK && !fixed) return put_name(e, i, full, false, why);
    const fo_variable *number = find_number(e->model, name);
    if (number) return put_name(e, i, number->name, true, why);
    return status == FO_OK ? put_name(e, i, full, false, why) : status;
}

// What is given is refused rather than left out.
static fo_status check_numbers(const foi_trial *e, fo_message *why)
{
    const fo_experiment_def *d = &e->def;
    fo_run_def run = fo_model_run_def(e->model);
    double stop = foi_trial_stop(e, &run);
    const struct {
        const char *name;
        double value;
    } sizes[] = {
        {"step", d->step}, {"rtol", d->rtol}, {"atol", d->atol}, {"max step", d->max_step}};
    if (!(stop > run.start))
        return fo_fail(why, FO_ERROR_ARGUMENT, "a run cannot go from t = %g to t = %g", run.start,
                       stop);
    for (size_t i = 0; i < FO_COUNT(sizes); i++)
        if (!isfinite(sizes[i].value) || sizes[i].value < 0)
            return fo_fail(why, FO_ERROR_ARGUMENT, "%s must be a positive number, not %g",
                           sizes[i].name, sizes[i].value);
    return FO_OK;
}

fo_status foi_trial_open(foi_trial *e, const fo_experiment_def *def, const char *const *names,
                         size_t count, fo_message *why)
{
    *e = (foi_trial){.def = *def, .allocator = def->model.allocator};
    e->names = foi_new(e->allocator, count, sizeof *e->names);
    e->fixed = foi_new(e->allocator, count, sizeof *e->fixed);
    fo_status status = FO_OK;
    if (!e->names || !e->fixed) status = fo_fail(why, FO_ERROR_MEMORY, "no memory for names");
    if (status == FO_OK) status = open_model(&def->model, &e->model, why);
    if (status == FO_OK) status = check_numbers(e, why);
    for (; e->count < count && status == FO_OK; e->count++)
        status = find_name(e, e->count, names[e->count], why);
    for (size_t i = 0; i < e->count && status == FO_OK; i++) e->reopen |= e->fixed[i];
    if (status != FO_OK) {
        foi_trial_close(e);
        return status;
    }
    e->reopen |= fo_model_world(e->model, NULL, NULL) != NULL;
    return FO_OK;
}

void foi_trial_close(foi_trial *e)
{
    for (size_t i = 0; i < e->count; i++) foi_free(e->allocator, e->names[i]);
    foi_free(e->allocator, e->names);
    foi_free(e->allocator, e->fixed);
    fo_model_close(e->model);
    *e = (foi_trial){0};
}

// What --start says of a name, which may be the end of a longer one.
static bool find_start(const foi_trial *e, const char *name, double *value)
{
    fo_system system = fo_model_system(e->model);
    fo_reference wanted, found;
    char full[256];
    bool there = false;
    if (fo_system_find(system, name, &wanted, NULL) != FO_OK) return false;
    for (size_t i = 0; i < e->def.start_count; i++) {
        const char *start = e->def.start[i].name;
        if (fo_system_find(system, start, &found, NULL) != FO_OK &&
            (fo_system_complete(system, start, full, sizeof full, NULL) != FO_OK ||
             fo_system_find(system, full, &found, NULL) != FO_OK))
            continue;
        if (found.quantity != wanted.quantity || found.index != wanted.index) continue;
        *value = e->def.start[i].value, there = true;
    }
    return there;
}

double foi_trial_default(const foi_trial *e, size_t index)
{
    fo_reference found;
    fo_system system = fo_model_system(e->model);
    double start;
    if (!e->fixed[index] && find_start(e, e->names[index], &start)) return start;
    const fo_variable *v = e->fixed[index] ? find_number(e->model, e->names[index]) : NULL;
    if (!v && fo_system_find(system, e->names[index], &found, NULL) == FO_OK)
        v = fo_system_variable(system, found);
    return v ? v->start : NAN;
}

// ---------------------------------------------------------------------------------------- one run

// Opens the model again, with the numbers that are fixed when it is opened.
static fo_status open_again(const foi_trial *e, const double *values, uint64_t number,
                            fo_model **model, fo_message *why)
{
    fo_model_def def = e->def.model;
    size_t before = def.setting_count;
    fo_setting *list = foi_new(e->allocator, before + e->count, sizeof *list);
    if (!list) return fo_fail(why, FO_ERROR_MEMORY, "no memory for settings");
    if (before) memcpy(list, def.settings, before * sizeof *list);
    for (size_t i = 0; i < e->count; i++)
        if (e->fixed[i]) list[before++] = (fo_setting){e->names[i], values[i], false};
    def.settings = list, def.setting_count = before;
    def.seed = e->def.seed, def.replication = number;
    fo_status status = open_model(&def, model, why);
    foi_free(e->allocator, list);
    return status;
}

static void choose(double given, double *value)
{
    if (given > 0) *value = given;
}

double foi_trial_stop(const foi_trial *e, const fo_run_def *run)
{
    return isnan(e->def.stop) ? run->stop : e->def.stop;
}

static fo_run_def run_of(const foi_trial *e, const fo_model *model)
{
    const fo_experiment_def *d = &e->def;
    fo_run_def run = fo_model_run_def_with(model, d->solver);
    run.stop = foi_trial_stop(e, &run);
    choose(d->step, &run.step);
    choose(d->rtol, &run.rtol);
    choose(d->atol, &run.atol);
    choose(d->max_step, &run.max_step);
    if (d->max_steps) run.max_steps = d->max_steps;
    run.seed = d->seed;
    run.allocator = d->model.allocator;
    return run;
}

static fo_status set_all(const foi_trial *e, fo_simulation *sim, const double *values)
{
    fo_status status = FO_OK;
    for (size_t i = 0; i < e->def.start_count && status == FO_OK; i++)
        status = fo_simulation_set(sim, e->def.start[i].name, e->def.start[i].value);
    for (size_t i = 0; i < e->count && status == FO_OK; i++)
        if (!e->fixed[i]) status = fo_simulation_set(sim, e->names[i], values[i]);
    return status;
}

bool foi_trial_tell(const foi_trial *e, double part)
{
    enum { PARTS = 1000 };
    if (!e->progress) return true;
    uint64_t done = part > 0 ? (uint64_t)(PARTS * part) : 0;
    return e->progress(e->self, done ? done : 1, PARTS);
}

/// Who is asked while the model is opened is asked while it runs.
static bool is_to_end(const foi_trial *e)
{
    if (e->cancelled) return e->cancelled(e->self);
    return e->def.model.go_on && !e->def.model.go_on(e->def.model.go_on_self);
}

static fo_status look_for_end(void *self, double t, double stop, fo_message *why)
{
    const foi_trial *e = self;
    (void)stop;
    bool goes_on = !(e->until > 0) || foi_trial_tell(e, t / e->until);
    if (goes_on && !is_to_end(e)) return FO_OK;
    return fo_fail(why, FO_ERROR_CANCELLED, "interrupted at t = %.6g", t);
}

static bool has_same(const fo_variables *a, const fo_variables *b)
{
    if (a->count != b->count) return false;
    for (size_t i = 0; i < a->count; i++)
        if (strcmp(a->list[i].name, b->list[i].name) != 0) return false;
    return true;
}

// What was found by name in the one model is something else in the other one, where numbers that
// decide about the equations have changed.
static fo_status compare_signals(const foi_trial *e, const fo_model *again, fo_message *why)
{
    const fo_description *a = fo_model_system(e->model).about, *b = fo_model_system(again).about;
    bool same = has_same(&a->states, &b->states) && has_same(&a->discretes, &b->discretes) &&
                has_same(&a->inputs, &b->inputs) && has_same(&a->outputs, &b->outputs);
    if (e->any_signals || same) return FO_OK;
    return fo_fail(why, FO_ERROR_ARGUMENT, "with these numbers the model has other variables");
}

fo_simulation *foi_trial_simulation(const foi_trial *e, const double *values, uint64_t number,
                                    const fo_observer *observers, uint32_t observer_count,
                                    fo_run_def *run, fo_model **again, fo_message *why)
{
    fo_status status = FO_OK;
    fo_observer all[FOI_TRIAL_OBSERVERS + 1]; // a simulation copies them
    assert(observer_count <= FOI_TRIAL_OBSERVERS);
    if (observer_count) memcpy(all, observers, observer_count * sizeof *all);
    if (e->cancelled || e->def.model.go_on)
        all[observer_count++] =
            (fo_observer){.self = (void *)(uintptr_t)e, .progress = look_for_end, .interval = -1};
    *again = NULL;
    if (e->reopen) status = open_again(e, values, number, again, why);
    if (*again && status == FO_OK) status = compare_signals(e, *again, why);
    const fo_model *model = *again ? *again : e->model;
    fo_simulation *sim = NULL;
    if (status == FO_OK) {
        *run = run_of(e, model);
        run->observers = all, run->observer_count = observer_count;
        fo_system system = e->instead && !*again ? *e->instead
                           : e->lanes && !*again ? foi_lanes_system(e->lanes)
                                                 : fo_model_system(model);
        sim = fo_simulation_create(system, run, why);
        run->observers = NULL, run->observer_count = 0;
    }
    if (sim && set_all(e, sim, values) != FO_OK) {
        if (why) *why = *fo_simulation_message(sim);
        fo_simulation_destroy(sim);
        sim = NULL;
    }
    if (!sim) {
        fo_model_close(*again);
        *again = NULL;
    }
    return sim;
}

// ------------------------------------------------------------------------------------------ rests

// In WebAssembly what calls this function, directly, can be left and gone on with: tools/wasm has
// its name.
__attribute__((noinline)) void foi_trial_rest(const foi_trial *e)
{
    if (e->def.rest) e->def.rest(e->def.rest_self);
}

fo_status foi_trial_advance(const foi_trial *e, fo_simulation *sim, double t)
{
    enum { PIECE = 16384, BESIDE = 16 }; // as often as a run tells of its progress
    fo_status status;
    if (!e->def.rest) return fo_simulation_advance(sim, t);
    do {
        uint64_t states = fo_simulation_state(sim)->shape.states;
        status = fo_simulation_advance_some(sim, t, 1 + PIECE / (BESIDE + states));
        foi_trial_rest(e);
    } while (status == FO_PAUSED);
    return status;
}

// ---------------------------------------------------------------------------------------- measure

// Goes through the times of `at`, in their order, and to the end.
static fo_status advance(const foi_trial *e, foi_recorder *r, fo_simulation *sim,
                         const fo_run_def *run)
{
    double now = -INFINITY;
    fo_status status = fo_simulation_start(sim);
    while (!fo_failed(status) && status != FO_STOPPED) {
        double next = INFINITY;
        for (size_t i = 0; i < r->m->reducer_count; i++) {
            const foi_reducer *q = &r->m->reducers[i];
            if (q->kind == FOI_REDUCE_AT && q->number > now && q->number < next) next = q->number;
        }
        if (next > run->stop) return foi_trial_advance(e, sim, run->stop);
        now = next;
        if (next < run->start) continue;
        status = foi_trial_advance(e, sim, next);
        for (size_t i = 0; i < r->m->reducer_count && !fo_failed(status); i++)
            if (r->m->reducers[i].kind == FOI_REDUCE_AT && r->m->reducers[i].number == next &&
                fo_simulation_time(sim) == next)
                foi_recorder_at(r, i, sim);
        if (next == run->stop) break;
    }
    return status;
}

enum { SAMPLES = 500 };
static const double ACCURACY = 1e-5;

// The accuracy that is wanted, and what is done where there are no bounds.
static void prepare(const foi_trial *e, foi_recorder *r, const fo_run_def *run)
{
    r->samples = e->def.samples ? e->def.samples : SAMPLES;
    r->accuracy = e->def.accuracy > 0 ? e->def.accuracy : ACCURACY;
    foi_recorder_reset(r, run->start, run->stop);
}

static fo_status finish(foi_recorder *r, fo_simulation *sim, double *measures, fo_message *why)
{
    fo_status status = foi_recorder_finish(r, sim, measures, why);
    if (status == FO_OK) *why = (fo_message){0}, memcpy(why->text, r->reason, sizeof r->reason);
    return status;
}

static fo_status measure_once(const foi_trial *e, foi_recorder *r, const double *values,
                              uint64_t number, double *measures, fo_message *why)
{
    fo_run_def run = run_of(e, e->model);
    fo_observer observer = foi_recorder_observer(r, run.stop - run.start);
    fo_model *again;
    fo_simulation *sim = foi_trial_simulation(e, values, number, &observer, 1, &run, &again, why);
    if (!sim) return why->status;
    prepare(e, r, &run);
    foi_recorder_follow(r, sim);
    fo_status status = advance(e, r, sim, &run);
    if (fo_failed(status))
        *why = *fo_simulation_message(sim);
    else
        status = finish(r, sim, measures, why);
    fo_simulation_destroy(sim);
    fo_model_close(again);
    return fo_failed(status) ? status : FO_OK;
}

// A settling time takes two runs: the second one knows where the first one ended.
static fo_status measure_all(const foi_trial *e, foi_recorder *r, const double *values,
                             uint64_t number, double *measures, fo_message *why)
{
    fo_status status = measure_once(e, r, values, number, measures, why);
    if (r->m->settles && status == FO_OK)
        status = measure_once(e, r, values, number, measures, why);
    return status;
}

// A simulation that can be used again, not started yet. NULL on failure.
static foi_reused *make_reused(const foi_trial *e, const foi_measures *m, const double *values,
                               fo_message *why)
{
    fo_model *again;
    foi_reused *one = foi_new(e->allocator, 1, sizeof *one);
    if (!one) return fo_fail(why, FO_ERROR_MEMORY, "no memory for a run"), NULL;
    if (foi_recorder_create(&one->recorder, m, e->allocator, why) == FO_OK) {
        fo_observer observer = foi_recorder_observer(&one->recorder, 0);
        one->sim = foi_trial_simulation(e, values, 0, &observer, 1, &one->run, &again, why);
        if (one->sim && (one->fresh = fo_simulation_snapshot(one->sim))) return one;
        if (one->sim) *why = *fo_simulation_message(one->sim);
    }
    one->recorder.allocator = e->allocator;
    foi_reused_destroy(one);
    return NULL;
}

// Runs without rows need no more than one run, and that in a simulation that another has left.
static fo_status measure_reused(const foi_trial *e, const foi_measures *m, const double *values,
                                double *measures, fo_message *why)
{
    foi_reused *one = foi_reuse_take(e->reuse);
    fo_status status = FO_OK;
    if (!one && !(one = make_reused(e, m, values, why))) return why->status;
    prepare(e, &one->recorder, &one->run);
    status = set_all(e, one->sim, values);
    if (!fo_failed(status)) status = advance(e, &one->recorder, one->sim, &one->run);
    if (fo_failed(status)) {
        *why = *fo_simulation_message(one->sim);
        foi_reused_destroy(one);
        return status;
    }
    status = finish(&one->recorder, one->sim, measures, why);
    foi_reuse_leave(e->reuse, one);
    return status;
}

fo_status foi_trial_measure(const foi_trial *e, const foi_measures *m, const double *values,
                            uint64_t number, double *measures, fo_message *why)
{
    return foi_trial_measure_noting(e, m, values, number, measures, NULL, why);
}

// Numbers that decide about the equations: the measures are read anew, for the model as it is then.
static fo_status measure_other(const foi_trial *e, const foi_measures *m, const double *values,
                               uint64_t number, double *measures, bool *sampled, fo_message *why)
{
    fo_model *model = NULL;
    foi_measures own = {0};
    foi_recorder r;
    foi_trial any = *e;
    fo_status status = open_again(e, values, number, &model, why);
    any.model = model, any.any_signals = true;
    any.reopen = model && fo_model_world(model, NULL, NULL) != NULL; // else it can be run as it is
    if (status == FO_OK)
        status = foi_measures_read(&own, fo_model_system(model), (const char *const *)m->texts,
                                   m->count, e->allocator, why);
    if (status == FO_OK) {
        status = foi_recorder_create(&r, &own, e->allocator, why);
        if (status == FO_OK) {
            status = measure_all(&any, &r, values, number, measures, why);
            for (size_t i = 0; sampled && i < m->count; i++)
                sampled[i] = foi_recorder_is_sampled(&r, i);
            foi_recorder_destroy(&r);
        }
        foi_measures_destroy(&own);
    }
    fo_model_close(model);
    if (status != FO_OK) why->status = status;
    return status;
}

static bool decides(const foi_trial *e)
{
    bool any = false;
    for (size_t i = 0; i < e->count; i++) any |= e->fixed[i];
    return any;
}

fo_status foi_trial_measure_noting(const foi_trial *e, const foi_measures *m, const double *values,
                                   uint64_t number, double *measures, bool *sampled,
                                   fo_message *why)
{
    foi_recorder r;
    fo_message local;
    if (!why) why = &local;
    if (decides(e)) return measure_other(e, m, values, number, measures, sampled, why);
    fo_status status = FO_OK;
    if (e->reuse) {
        status = measure_reused(e, m, values, measures, why);
    } else {
        status = foi_recorder_create(&r, m, e->allocator, why);
        if (status != FO_OK) return status;
        status = measure_all(e, &r, values, number, measures, why);
        for (size_t i = 0; sampled && i < m->count; i++)
            sampled[i] = foi_recorder_is_sampled(&r, i);
        foi_recorder_destroy(&r);
    }
    if (status != FO_OK) why->status = status;
    return status;
}
