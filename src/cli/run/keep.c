#include "cli/run/keep.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/interrupt.h"
#include "cli/own_nodes.h"
#include "cli/replace.h"
#include "cli/terminal.h"

// ---------------------------------------------------------------------------------------- checking

// Why a model has no checkpoints; NULL: it has.
static const char *unfit(const fo_model *m)
{
    fo_system system = fo_model_system(m);
    const char *path = fo_model_path(m);
    size_t length = path ? strlen(path) : 0;
    if (system.type->no_snapshot) return system.type->no_snapshot;
    if (fo_model_file_count(m)) return "the files that its sinks write are not part of one";
    if (length > 3 && strcmp(path + length - 3, ".so") == 0 && fo_system_shape(system).memory)
        return "the memory of a system in C may hold addresses, which another process does not "
               "have";
    return NULL;
}

int keep_check(const keep *k)
{
    const keep_options *o = k->options;
    if (o->every.given && !o->checkpoint)
        return complain_usage(k->command, "--every needs a file: --checkpoint FILE");
    if (!o->checkpoint && !o->restart) return EXIT_FINE;
    const char *why = unfit(k->model);
    if (!why) return EXIT_FINE;
    return complain_usage(k->command, "'%s' has no checkpoints: %s",
                          fo_model_system(k->model).about->name, why);
}

// ------------------------------------------------------------------------------------------- facts

enum { NUMBER = 32, NAME = 280, SIGNALS = 24 };

// What is told of this run and not compared. Names with spaces: no number of a model has such a
// one.
static const char FACT_ROWS[] = "rows of --output", FACT_MOMENTS[] = "moments of --events",
                  FACT_STOPPED[] = "why the model has stopped", FACT_LOG[] = "figures of moments";

static void add(keep *k, const char *name, const char *value)
{
    k->facts[k->fact_count++] = (fo_fact){name, value};
}

static uint64_t hash_text(uint64_t h, const char *at)
{
    do h = (h ^ (unsigned char)*at) * UINT64_C(0x100000001B3);
    while (*at++);
    return h;
}

// The hash of the names of the signals that the rows show.
static uint64_t hash_signals(const results *r)
{
    uint64_t h = UINT64_C(0xCBF29CE484222325);
    for (size_t i = 0; i < r->signals.count; i++) {
        char name[256];
        h = hash_text(h, fo_system_name(r->system, r->signals.list[i], name, sizeof name));
    }
    return h;
}

// How an FMU is run, and its strings, which are no numbers of the model.
static void add_unit(keep *k, char *at)
{
    uint64_t h = UINT64_C(0xCBF29CE484222325);
    for (size_t i = 0; i < k->strings->count; i++) h = hash_text(h, k->strings->list[i]);
    add(k, "--type", k->type ? k->type : "not given");
    add(k, "--event-mode", k->event_mode ? "given" : "not given");
    snprintf(at, NUMBER, "%016" PRIx64, h);
    add(k, "--text with the hash", at);
}

static bool add_file(keep *k, const char *name, const char *path, char *value)
{
    fo_message why = {0};
    if (!path) return true;
    if (fo_failed(fo_fact_of_file(path, value, &why))) {
        complain(k->command, "%s", why.text);
        return false;
    }
    add(k, name, value);
    return true;
}

// Node types of one's own, and what the model takes from other files.
static bool add_others(keep *k, char *at)
{
    size_t count;
    fo_message why = {0};
    const char *const *files = own_files(&count);
    snprintf(at, NUMBER, "%zu", count);
    add(k, "the number of --node-types", at);
    at += NUMBER;
    for (size_t i = 0; i < count; i++, at += NAME + FO_FACT_OF_FILE) {
        snprintf(at, NAME, "the hash of --node-types %zu", i + 1);
        if (!add_file(k, at, files[i], at + NAME)) return false;
    }
    if (fo_failed(fo_model_others(k->model, at, &why))) {
        complain(k->command, "%s", why.text);
        return false;
    }
    add(k, "the hash of what the model takes from other files", at);
    return true;
}

// The document, what was set in it and at the start, and what the rows show. All that a library
// cannot know; it compares the definition of the run by itself.
bool keep_collect(keep *k)
{
    size_t numbers = fo_model_number_count(k->model), starts = k->start->count;
    size_t types, room = numbers * NUMBER + starts * (NUMBER + NAME) + 2 * FO_FACT_OF_FILE;
    own_files(&types);
    room += types * (NAME + FO_FACT_OF_FILE) + 6 * NUMBER + FO_MODEL_OTHERS;
    k->facts = calloc(numbers + starts + types + 17, sizeof *k->facts);
    char *at = k->texts = calloc(room, 1);
    if (!k->facts || !at) {
        complain(k->command, "out of memory");
        return false;
    }
    for (size_t i = 0; i < numbers; i++, at += NUMBER) {
        const fo_variable *v = fo_model_number(k->model, i);
        snprintf(at, NUMBER, "%.17g", v->start);
        add(k, v->name, at);
    }
    for (size_t i = 0; i < starts; i++, at += NAME + NUMBER) {
        snprintf(at, NAME, "--start %.250s", k->start->list[i].name);
        snprintf(at + NAME, NUMBER, "%.17g", k->start->list[i].value);
        add(k, at, at + NAME);
    }
    if (!add_file(k, "the document's hash", fo_model_path(k->model), at)) return false;
    at += FO_FACT_OF_FILE;
    if (!add_file(k, "--events-in's hash", k->events_in, at)) return false;
    at += FO_FACT_OF_FILE;
    // also where this run has none of them, and the other one had
    if (!k->events_in) add(k, "--events-in's hash", "none, as there is no such file");
    snprintf(at, NUMBER, "%zu", starts);
    add(k, "the number of --start", at);
    at += NUMBER;
    if (!add_others(k, at)) return false;
    at += NUMBER + types * (NAME + FO_FACT_OF_FILE) + FO_MODEL_OTHERS;
    if (k->shared) return true;
    add_unit(k, at);
    at += NUMBER;
    // one whose marks have other names would begin its files anew
    add(k, "the edition of what is known of files", "3");
    add(k, "--output", k->results->rows_path ? "given" : "not given");
    add(k, "--events", k->results->moments_path ? "given" : "not given");
    if (!k->results->rows_path) return true;
    snprintf(at, NUMBER, "%.17g s", k->interval);
    add(k, "an interval of rows", at);
    snprintf(at + NUMBER, NUMBER, "%016" PRIx64, hash_signals(k->results));
    add(k, "signals with the hash", at + NUMBER);
    return true;
}

// --------------------------------------------------------------------------------------- going on

int keep_begin(keep *k)
{
    fo_message why = {0};
    const keep_options *o = k->options;
    if (!o->checkpoint && !o->restart) return EXIT_FINE;
    if (!keep_collect(k)) return EXIT_FAILED;
    if (o->checkpoint && !foi_claim_file(&k->claim, o->checkpoint, NULL)) {
        complain(k->command, "another run is writing the checkpoint %s", o->checkpoint);
        return EXIT_FAILED;
    }
    if (!o->restart) return EXIT_FINE;
    k->from = fo_checkpoint_open(o->restart, NULL, &why);
    fo_status status = k->from ? FO_OK : why.status;
    if (k->from) status = fo_simulation_load(k->sim, k->from, k->facts, k->fact_count, &why);
    if (!fo_failed(status))
        status = results_resume(k->results, fo_checkpoint_fact(k->from, FACT_ROWS),
                                fo_checkpoint_fact(k->from, FACT_MOMENTS), &why);
    const char *figures = k->from ? fo_checkpoint_fact(k->from, FACT_LOG) : NULL;
    if (!fo_failed(status) && !(figures && moment_log_read(k->log, figures)))
        status = fo_fail(&why, FO_ERROR_FORMAT,
                         "cannot restart from '%s': it has no figures of the moments before it",
                         o->restart);
    const char *stopped = k->from ? fo_checkpoint_fact(k->from, FACT_STOPPED) : NULL;
    if (stopped) snprintf(k->stopped, sizeof k->stopped, "%s", stopped);
    if (!fo_failed(status)) return EXIT_FINE;
    complain(k->command, "%s", why.text);
    return EXIT_FAILED;
}

// ----------------------------------------------------------------------------------------- saving

// What the files hold is known only when they have been kept, and the marks are part of the
// checkpoint: so they are kept first.
static fo_status save(keep *k, bool stopped, fo_message *why)
{
    char rows[FO_CSV_MARK], moments[FO_CSV_MARK];
    size_t count = k->fact_count;
    fo_status status = results_keep(k->results, why);
    if (fo_failed(status)) return status;
    results_mark(k->results, rows, moments);
    if (rows[0]) add(k, FACT_ROWS, rows);
    if (moments[0]) add(k, FACT_MOMENTS, moments);
    if (stopped) add(k, FACT_STOPPED, keep_stopped(k));
    char *figures = moment_log_text(k->log);
    if (!figures)
        status = fo_fail(why, FO_ERROR_MEMORY, "no memory for the checkpoint '%s'",
                         k->options->checkpoint);
    else
        status = replace_unchanged(&k->seen, k->options->checkpoint, why);
    if (figures) add(k, FACT_LOG, figures);
    if (!fo_failed(status))
        status = fo_simulation_save(k->sim, k->options->checkpoint, k->facts, k->fact_count, why);
    free(figures);
    k->fact_count = count;
    if (fo_failed(status)) return status;
    if (k->seen.looked) k->seen = foi_file_look(k->options->checkpoint);
    k->written = true, k->at = fo_simulation_time(k->sim);
    return FO_OK;
}

// In slices of some milliseconds, so that a signal finds the run where it can be saved.
static fo_status carry(keep *k, double until)
{
    static const double SLICE = 0.01; // seconds
    enum { MOST = 1024 };             // steps: beyond that a slice costs nothing any more
    uint64_t steps = 4;
    for (;;) {
        double begun = clock_seconds();
        fo_status status = fo_simulation_advance_some(k->sim, until, steps);
        double passed = clock_seconds() - begun;
        if (status != FO_PAUSED || interrupt_signal()) return status;
        if (passed < SLICE / 2 && steps < MOST) steps *= 2;
        if (passed > 2 * SLICE && steps > 1) steps /= 2;
    }
}

static fo_status interrupted(keep *k, fo_message *why)
{
    fo_status status = save(k, false, why);
    if (fo_failed(status)) return status;
    complain(k->command, "note: it goes on from here with --restart %s", k->options->checkpoint);
    return fo_fail(why, FO_ERROR_CANCELLED, "interrupted at t = %.6g s", k->at);
}

// A single step was too long to wait for its end.
static void tell_last(const keep *k)
{
    if (k->written)
        complain(k->command, "note: %s is of t = %.6g s: a step was cut off",
                 k->options->checkpoint, k->at);
    else
        complain(k->command, "note: there is no checkpoint: a step was cut off");
}

fo_status keep_advance(keep *k, double until, fo_message *why)
{
    double every = k->options->every.given ? k->options->every.value : INFINITY;
    double now = fo_simulation_time(k->sim);
    if (!k->options->checkpoint) {
        fo_status status = fo_simulation_advance(k->sim, until);
        if (fo_failed(status)) *why = *fo_simulation_message(k->sim);
        return status;
    }
    k->progress->waits = true;
    double done = isfinite(every) ? floor((now - k->progress->start) / every) : 0;
    for (;;) {
        double next = fmin(k->progress->start + (done + 1) * every, until);
        fo_status status =
            next > fo_simulation_time(k->sim) || next == until ? carry(k, next) : FO_REACHED;
        if (fo_failed(status)) {
            *why = *fo_simulation_message(k->sim);
            if (interrupt_signal() && status == FO_ERROR_CANCELLED) tell_last(k);
            return status;
        }
        if (interrupt_signal() && status != FO_STOPPED && next < until) return interrupted(k, why);
        if (status == FO_PAUSED) return interrupted(k, why);
        fo_status saved = save(k, status == FO_STOPPED, why);
        if (fo_failed(saved)) return saved;
        if (status == FO_STOPPED || next >= until) return status;
        done++;
    }
}

const char *keep_stopped(const keep *k)
{
    const char *text = fo_simulation_message(k->sim)->text;
    return *text ? text : k->stopped;
}

void keep_end(keep *k)
{
    fo_checkpoint_close(k->from);
    free(k->facts);
    free(k->texts);
    k->from = NULL, k->facts = NULL, k->texts = NULL;
    foi_claim_end(&k->claim, NULL);
}
