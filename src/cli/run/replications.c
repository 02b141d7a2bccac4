// foliot run --replications: one model with random numbers many times, on all cores, and what can
// be said about it.
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/writer.h"
#include "cli/displays.h"
#include "cli/interrupt.h"
#include "cli/json.h"
#include "cli/listing.h"
#include "cli/model.h"
#include "cli/run/progress.h"
#include "cli/run/world.h"
#include "cli/terminal.h"

enum { DEFAULT_RESULTS = 8 }; ///< outputs, where the model does not say what matters

typedef struct ensemble {
    const replications *r;
    bool world;       ///< its streams know the replication; others get seeds of their own
    fo_model_def def; ///< of each model
    size_t results;
    const fo_reference *which;
    fo_tally *tallies;
    foi_writer rows; ///< path NULL: not wanted
    progress progress;
    double seconds;
} ensemble;

// --------------------------------------------------------------------------------------- one run

static fo_status look_for_signals(void *self, double t, double stop, fo_message *why)
{
    (void)self, (void)stop;
    if (!interrupt_signal()) return FO_OK;
    return fo_fail(why, FO_ERROR_CANCELLED, "interrupted at t = %.6g", t);
}

// Seeds that differ in every bit: the finaliser of SplitMix64.
static uint64_t seed_of(const fo_replication *r)
{
    uint64_t z = r->seed + (r->number + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (z ^ (z >> 31)) >> 12; // nodes add their own to it
}

static fo_status put_starts(const ensemble *e, fo_simulation *sim)
{
    fo_status status = FO_OK;
    for (size_t i = 0; i < e->r->start->count && !fo_failed(status); i++)
        status = fo_simulation_set(sim, e->r->start->list[i].name, e->r->start->list[i].value);
    return status;
}

static fo_status run_model(const ensemble *e, const fo_replication *replication, fo_model *m,
                           double *values, fo_message *why)
{
    fo_run_def def = e->r->def;
    if (!e->world) def.seed = seed_of(replication);
    const fo_observer observer = {.progress = look_for_signals, .interval = -1};
    def.observers = &observer, def.observer_count = 1;
    fo_simulation *sim = fo_simulation_create(fo_model_system(m), &def, why);
    if (!sim) return why->status;
    fo_status status = put_starts(e, sim);
    if (!fo_failed(status)) status = fo_simulation_advance(sim, def.stop);
    if (fo_failed(status)) *why = *fo_simulation_message(sim);
    for (size_t i = 0; i < e->results && !fo_failed(status); i++)
        values[i] = fo_simulation_value(sim, e->which[i]);
    fo_simulation_destroy(sim);
    return status;
}

// A world is one run, and threads share nothing: each replication opens its own model.
static fo_status run_one(void *context, const fo_replication *replication, void *result,
                         fo_message *why)
{
    const ensemble *e = context;
    fo_model_def def = e->def;
    fo_model *m;
    def.seed = replication->seed, def.replication = replication->number;
    fo_status status = fo_model_open(&def, &m);
    if (status == FO_OK)
        status = run_model(e, replication, m, result, why);
    else
        fo_fail(why, status, "%s",
                m && fo_model_finding_count(m) ? fo_model_finding(m, 0)->text
                                               : fo_status_text(status));
    fo_model_close(m);
    return fo_failed(status) ? status : FO_OK;
}

// ------------------------------------------------------------------------------------- all of them

static fo_status write_row(void *context, const fo_replication *replication, void *result,
                           fo_message *why)
{
    ensemble *e = context;
    const double *values = result;
    if (!e->rows.path) return FO_OK;
    char *at = foi_writer_row(&e->rows, why);
    if (!at) return e->rows.failed.status;
    at += sprintf(at, "%" PRIu64, replication->number);
    for (size_t i = 0; i < e->results; i++) {
        *at++ = ',';
        at += foi_number_text(values[i], at);
    }
    *at++ = '\n';
    foi_writer_row_end(&e->rows, at);
    return foi_writer_idle(&e->rows, why);
}

static bool watch(void *context, uint64_t done, uint64_t count)
{
    ensemble *e = context;
    progress_count(&e->progress, done, count, "replications");
    return !interrupt_signal();
}

static const char *name_of(const ensemble *e, size_t result, char *text, size_t size)
{
    return fo_system_name(fo_model_system(e->r->model), e->which[result], text, size);
}

static bool open_rows(ensemble *e)
{
    const char *path = e->r->output;
    char name[256];
    fo_message why = {0};
    if (!path) return true;
    size_t header = sizeof "replication\n", numbers = (e->results + 2) * FOI_DECIMAL_SIZE;
    for (size_t i = 0; i < e->results; i++)
        header += 1 + foi_field_size(name_of(e, i, name, sizeof name));
    if (fo_failed(
            foi_writer_open(&e->rows, path, header > numbers ? header : numbers, NULL, &why))) {
        e->rows.path = NULL;
        complain(e->r->command, "%s", why.text);
        return false;
    }
    char *at = foi_writer_row(&e->rows, NULL); // the buffer is empty: there is room
    at += sprintf(at, "replication");
    for (size_t i = 0; i < e->results; i++) {
        *at++ = ',';
        at = foi_put_field(at, name_of(e, i, name, sizeof name));
    }
    *at++ = '\n';
    foi_writer_row_end(&e->rows, at);
    return true;
}

// Whether all rows are in the file; what an earlier failure has said is not said again.
static bool close_rows(ensemble *e, bool said)
{
    fo_message why = {0};
    if (!e->rows.path) return true;
    fo_status status = foi_writer_close(&e->rows, &why);
    bool gone = status == FO_ERROR_CANCELLED; // who read the rows had enough
    if (fo_failed(status) && !gone && !said) complain(e->r->command, "%s", why.text);
    return !fo_failed(status) || gone;
}

// ------------------------------------------------------------------------------------- the report

static bool to_stdout(const ensemble *e)
{
    return e->r->output && strcmp(e->r->output, "-") == 0;
}

static void cell(const void *self, size_t row, int column, char *text)
{
    const ensemble *e = self;
    const fo_tally *t = &e->tallies[row];
    const double values[] = {t->mean, fo_tally_half_width(t, 0.95), fo_tally_deviation(t), t->min,
                             t->max};
    const fo_variable *about = fo_system_variable(fo_model_system(e->r->model), e->which[row]);
    const char *unit = about && about->unit ? about->unit : "";
    if (column == 0)
        name_of(e, row, text, LISTING_CELL);
    else if (column == 6)
        snprintf(text, LISTING_CELL, "%s", unit);
    else if (!isnan(values[column - 1]))
        snprintf(text, LISTING_CELL, column == 2 ? "± %.3g" : "%.6g", values[column - 1]);
}

static void print(const ensemble *e, FILE *out)
{
    static const char *const titles[] = {"result", "mean", "95 %", "deviation",
                                         "least",  "most", "unit"};
    fprintf(out, "\n");
    listing table = {titles, 7, 0x3e, 2, e->results, cell, e};
    listing_print(out, &table, terminal_listing_width(out));
    fprintf(out, "\n  %" PRIu64 " replications from seed %" PRIu64 ", computed in %.3g s\n",
            e->tallies[0].count, e->r->def.seed, e->seconds);
    if (e->rows.path && !to_stdout(e) && !fo_failed(e->rows.failed.status)) {
        fputs("  written to ", out);
        print_plain(out, e->r->output);
        fputc('\n', out);
    }
    if (!fo_model_is_random(e->r->model))
        fprintf(out, "  they are all the same: the model draws no numbers\n");
    fflush(out);
}

static void print_json(const ensemble *e)
{
    json j = {.out = stdout};
    json_open(&j, NULL, '{');
    json_text(&j, "model", fo_model_system(e->r->model).about->name);
    json_whole(&j, "replications", e->tallies[0].count);
    json_whole(&j, "seed", e->r->def.seed);
    json_number(&j, "seconds", e->seconds);
    json_open(&j, "results", '[');
    for (size_t i = 0; i < e->results; i++) {
        const fo_tally *t = &e->tallies[i];
        char name[LISTING_CELL];
        name_of(e, i, name, sizeof name);
        json_open(&j, NULL, '{');
        json_text(&j, "name", name);
        json_number(&j, "mean", t->mean);
        json_number(&j, "half_width", fo_tally_half_width(t, 0.95));
        json_number(&j, "deviation", fo_tally_deviation(t));
        json_number(&j, "least", t->min);
        json_number(&j, "most", t->max);
        json_close(&j);
    }
    json_close(&j);
    json_close(&j);
}

static int verdict(const ensemble *e, fo_status status, const fo_message *why)
{
    if (interrupt_signal()) {
        complain(e->r->command, "interrupted after %" PRIu64 " of %" PRIu64 " replications",
                 e->tallies[0].count, e->r->count);
        return EXIT_SIGNALLED + interrupt_signal();
    }
    if (!fo_failed(status)) return EXIT_FINE;
    complain(e->r->command, "%s", why->text);
    return status == FO_ERROR_ARGUMENT ? EXIT_USAGE : EXIT_FAILED;
}

static int by_index(const void *a, const void *b)
{
    const fo_reference *one = a, *other = b;
    return (one->index > other->index) - (one->index < other->index);
}

// What Displays show comes to what is drawn, in the order of the document.
static bool add_displays(const command *c, const fo_model *m, signals *s)
{
    displays shown;
    bool fine = displays_make(&shown, m);
    size_t most = s->count + shown.count;
    fo_reference *list = fine ? realloc(s->list, (most + 1) * sizeof *list) : NULL;
    if (list) s->list = list;
    size_t drawn = s->count;
    for (size_t i = 0; list && i < shown.count && s->count < drawn + DEFAULT_RESULTS; i++) {
        bool there = false;
        for (size_t k = 0; k < drawn; k++) there |= by_index(&list[k], &shown.signals[i]) == 0;
        if (!there) list[s->count++] = shown.signals[i];
    }
    if (list) qsort(list, s->count, sizeof *list, by_index);
    displays_free(&shown);
    if (!list) complain(c, "out of memory");
    return list;
}

bool replications_results(const command *c, const fo_model *m, signals *s)
{
    fo_system system = fo_model_system(m);
    const char *const *names = fo_model_totals(m) ? fo_model_totals(m) : fo_model_plot(m);
    if (names && names[0])
        return signals_find(c, names, system, s) && (!fo_model_diagram(m) || add_displays(c, m, s));
    if (!signals_rows(c, m, SIZE_MAX, s)) return false;
    size_t kept = 0;
    for (size_t i = 0; i < s->count && kept < DEFAULT_RESULTS; i++)
        if (s->list[i].quantity == FO_OUTPUT) s->list[kept++] = s->list[i];
    if (!kept && s->count) kept = s->count < DEFAULT_RESULTS ? s->count : DEFAULT_RESULTS;
    s->count = kept;
    return true;
}

static fo_status run_all(ensemble *e, FILE *out, fo_message *why)
{
    const replications *r = e->r;
    if (out)
        fprintf(out, "%s, %" PRIu64 " times\n", fo_model_system(r->model).about->name, r->count);
    if (out) fflush(out);
    interrupt_watch();
    e->progress = progress_make(r->quiet || r->json ? NULL : stderr, 0);
    fo_replicate_def def = {.count = r->count,
                            .seed = r->def.seed,
                            .threads = r->threads,
                            .run = run_one,
                            .merge = write_row,
                            .progress = watch,
                            .context = e};
    double begun = clock_seconds();
    fo_status status = fo_replicate_tally(&def, e->tallies, e->results, why);
    interrupt_obeyed();
    e->seconds = clock_seconds() - begun;
    progress_end(&e->progress);
    if (e->rows.path) foi_writer_flush(&e->rows, NULL); // whether it could be is known then
    if (out && e->tallies[0].count) print(e, out);
    if (r->json && e->tallies[0].count) print_json(e);
    return status;
}

static int replicate(ensemble *e)
{
    const replications *r = e->r;
    fo_message why = {0};
    fo_setting *list = NULL;
    int result = EXIT_FAILED;
    // what was compiled is not compiled again for each, and what was found is not looked for again;
    // but of a text with several models the path does not say which
    const char *path = fo_model_path(r->model);
    bool part = strcmp(fo_model_kind(r->model), "text") == 0;
    const char *name = path && !part ? path : r->name;
    if (!model_define(r->command, name, &r->request, &e->def, &list)) {
        free(list);
        return EXIT_USAGE;
    }
    e->world = fo_model_world(r->model, NULL, NULL) != NULL;
    if (open_rows(e)) {
        FILE *shown = r->quiet || r->json ? NULL : to_stdout(e) ? stderr : stdout;
        fo_status status = run_all(e, shown, &why);
        bool closed = close_rows(e, fo_failed(status));
        result = verdict(e, status, &why);
        if (result == EXIT_FINE && !closed) result = EXIT_FAILED;
    }
    free(list);
    return result;
}

int replications_run(const replications *r)
{
    ensemble e = {.r = r, .which = r->results->list, .results = r->results->count};
    e.tallies = calloc(e.results, sizeof *e.tallies);
    int result = e.tallies ? replicate(&e) : EXIT_FAILED;
    if (!e.tallies) complain(r->command, "out of memory");
    free(e.tallies);
    return result;
}
