// foliot optimize: numbers with which a measure is as small, or as large, as can be.
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/analysis/common.h"
#include "cli/interrupt.h"
#include "cli/listing.h"
#include "cli/run/progress.h"
#include "cli/run/ranks.h"
#include "cli/terminal.h"

typedef struct optimize_options {
    experiment_options run;
    texts adjust, subject;
    const char *minimize, *maximize, *method, *output;
    maybe_count starts, runs, threads;
    maybe_number tolerance;
    bool plot, differences;
} optimize_options;

#define AT(member)     offsetof(optimize_options, member)
#define AT_RUN(member) offsetof(optimize_options, run.member)
static const option optimize_table[] = {
    {"adjust", 0, "A=LOW..HIGH,B", OPTION_TEXTS, AT(adjust),
     "parameters or start values to be found, with bounds or without; may be repeated"},
    {"minimize", 0, "MEASURE", OPTION_TEXT, AT(minimize),
     "the measure to minimize, as for 'foliot sweep'"},
    {"maximize", 0, "MEASURE", OPTION_TEXT, AT(maximize), "the measure to maximize instead"},
    {"subject", 0, "CONDITION", OPTION_TEXTS, AT(subject),
     "a constraint: two measures compared by <=, >= or =; may be repeated"},
    {"method", 0, "NAME", OPTION_TEXT, AT(method),
     "slsqp, ccsaq, descent (with gradients), cobyla, bobyqa, line (without), isres, crs (global, "
     "within the bounds); default: chosen"},
    {"starts", 0, "N", OPTION_COUNT, AT(starts),
     "start also from N more points between the bounds, and take the best",
     OPTION_FROM_TO(0, 1000000)},
    {"precision", 0, "P", OPTION_POSITIVE, AT(tolerance),
     "precision of what is adjusted, relative to its range or size; default: 1e-6"},
    {"runs", 0, "N", OPTION_COUNT, AT(runs),
     "largest number of runs, besides those for gradients; default: 10000"},
    {"differences", 0, NULL, OPTION_FLAG, AT(differences),
     "gradients by finite differences of runs only, not from the equations"},
    {"threads", 0, "N", OPTION_COUNT, AT(threads),
     "runs at the same time; default: as many as there are cores", OPTION_FROM_TO(0, 1024)},
    {"output", 'o', "FILE", OPTION_TEXT, AT(output),
     "write the history as CSV, a row per run; '-' is standard output"},
    {"plot", 0, NULL, OPTION_FLAG, AT(plot),
     "draw the history, also where it is not for a terminal"},
    {"accuracy", 0, "A", OPTION_POSITIVE, AT_RUN(accuracy),
     "error allowed in a measure from sampling between steps, relative to its scale; default: "
     "1e-5"},
    EXPERIMENT_OPTIONS(AT_RUN),
    OPTION_OWN_NODES,
    {0}};

static const char optimize_more[] =
    "The search begins at the model's own values, or those of --set. Where the measures are "
    "smooth\ntheir gradients are used. What is found has been compared with its neighbours; it is "
    "a local\noptimum, not always the global one: --starts and --method isres look "
    "farther.\n\nExamples:\n  foliot optimize dominoes --adjust distance=0.005..0.04 --maximize "
    "'final(velocity)'\n  foliot optimize ball --adjust v=0..20 --minimize 'abs(max(y) - "
    "5)'\n\nExit status: 0 fine, 1 no optimum was found, 2 a mistake in the command line, 130 "
    "ended by\nCtrl-C; then the best so far is printed.\n";

/// One call of the command.
typedef struct job {
    const command *command;
    const optimize_options *o;
    name_list names;
    FILE *out; ///< of the history; NULL: none
    progress progress;
    uint64_t count, room, most;
    double *history; ///< objective and best, in pairs
} job;

// ----------------------------------------------------------------------------------------- history

static void put_header(const job *j)
{
    for (size_t i = 0; i < j->names.count; i++) {
        char name[256];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(j->names.list[i], "="), j->names.list[i]);
        put_csv_text(j->out, name);
        fputc(',', j->out);
    }
    put_csv_text(j->out, j->o->minimize ? j->o->minimize : j->o->maximize);
    fputs(",violation,best\n", j->out);
}

static void keep_trial(job *j, const fo_optimize_trial *t)
{
    if (j->count == j->room) {
        uint64_t room = j->room ? 2 * j->room : 256;
        double *history = realloc(j->history, 2 * room * sizeof *history);
        if (!history) return; // the picture is shorter then
        j->history = history, j->room = room;
    }
    j->history[2 * j->count] = t->violation > 1e-7 ? NAN : t->objective;
    j->history[2 * j->count++ + 1] = t->best;
}

static void hear(void *self, const fo_optimize_trial *t)
{
    job *j = self;
    keep_trial(j, t);
    progress_count(&j->progress, t->number + 1, j->most, "runs at most");
    if (!j->out) return;
    for (size_t i = 0; i < j->names.count; i++) {
        put_csv_number(j->out, t->values[i]);
        fputc(',', j->out);
    }
    put_csv_number(j->out, t->objective);
    fputc(',', j->out);
    put_csv_number(j->out, t->violation);
    fputc(',', j->out);
    put_csv_number(j->out, t->best);
    fputc('\n', j->out);
}

static void draw(const job *j)
{
    static const char *const names[] = {"tried", "best"};
    double *x = calloc(j->count + 1, sizeof *x);
    for (uint64_t i = 0; x && i < j->count; i++) x[i] = (double)(i + 1);
    if (x) draw_curves(stdout, "run", x, j->count, names, j->history, 2, j->o->run.ascii);
    free(x);
}

// ------------------------------------------------------------------------------------- the result

static void cell(const void *self, size_t row, int column, char *text)
{
    const fo_optimum *f = self;
    if (column == 0) snprintf(text, LISTING_CELL, "%s", f->names[row]);
    if (column == 1) snprintf(text, LISTING_CELL, "%.10g", f->values[row]);
    if (column == 2 && f->slopes) snprintf(text, LISTING_CELL, "%.4g", f->slopes[row]);
    if (column == 3 && f->at_bound[row]) snprintf(text, LISTING_CELL, "at a bound");
}

static void print(const job *j, const fo_optimum *f)
{
    static const char *const titles[] = {"parameter", "value", "gradient", ""};
    listing table = {titles, 4, 0x6, 2, f->count, cell, f};
    if (j->o->plot || terminal_is(stdout)) draw(j);
    listing_print(stdout, &table, terminal_listing_width(stdout));
    printf("\n  %s = %.10g, the %s that was found%s\n",
           j->o->minimize ? j->o->minimize : j->o->maximize, f->objective,
           j->o->minimize ? "least" : "largest",
           f->reached ? "" : " until it was interrupted; that it is an optimum is not known");
    for (size_t i = 0; i < f->conditions; i++)
        printf("  %s: %.8g and %.8g\n", j->o->subject.list[i], f->left[i], f->right[i]);
    printf("  %" PRIu64 " runs and %" PRIu64 " for gradients%s, by %s\n", f->runs, f->slope_runs,
           !f->slope_runs    ? ""
           : f->exact_slopes ? " (from the equations)"
                             : " (differences)",
           f->method);
}

static void print_json(const fo_optimum *f)
{
    putchar('{');
    put_json_names(stdout, "names", f->names, f->count);
    fputs(",\n ", stdout);
    put_json_numbers(stdout, "values", f->values, f->count);
    fputs(",\n \"objective\": ", stdout);
    put_json_number(stdout, f->objective);
    fputs(", \"violation\": ", stdout);
    put_json_number(stdout, f->violation);
    fputs(",\n ", stdout);
    put_json_numbers(stdout, "left", f->left, f->conditions);
    fputs(", ", stdout);
    put_json_numbers(stdout, "right", f->right, f->conditions);
    if (f->slopes) fputs(",\n ", stdout), put_json_numbers(stdout, "slopes", f->slopes, f->count);
    printf(",\n \"method\": \"%s\", \"reached\": %s, \"runs\": %" PRIu64
           ", \"slope_runs\": %" PRIu64 ", \"exact_slopes\": %s}\n",
           f->method, f->reached ? "true" : "false", f->runs, f->slope_runs,
           f->exact_slopes ? "true" : "false");
}

// ----------------------------------------------------------------------------------- the command

static void define(job *j, const experiment_setup *setup, fo_optimize_def *def)
{
    const optimize_options *o = j->o;
    def->experiment = setup->def;
    def->adjust = j->names.list, def->adjust_count = j->names.count;
    def->objective = o->minimize ? o->minimize : o->maximize, def->maximize = !o->minimize;
    def->subject = o->subject.list, def->subject_count = o->subject.count;
    def->method = o->method, def->tolerance = o->tolerance.given ? o->tolerance.value : 0;
    def->starts = (uint32_t)o->starts.value;
    j->most = o->runs.value ? o->runs.value : 10000;
    def->max_runs = j->most, def->seed = setup->def.seed;
    if (o->threads.given) def->threads = (unsigned)o->threads.value;
    def->trial = hear, def->cancelled = experiment_cancelled, def->self = j;
    def->ranks = ranks_sharing();
    def->differences = o->differences;
}

static int search(job *j, const experiment_setup *setup)
{
    fo_optimize_def def = fo_default_optimize_def();
    fo_message why = {0};
    bool taken = j->out == stdout;
    define(j, setup, &def);
    interrupt_watch();
    j->progress = progress_make(j->o->run.quiet || ranks_silent() ? NULL : stderr, 0);
    if (j->out) put_header(j);
    fo_optimum *f = fo_optimum_create(&def, &why);
    progress_end(&j->progress);
    interrupt_writing();
    if (f && j->o->run.json) print_json(f);
    if (f && !j->o->run.json && !taken && !j->o->run.quiet) print(j, f);
    int result = f && f->reached ? EXIT_FINE : experiment_failed(j->command, why.status, &why);
    fo_optimum_destroy(f);
    return result;
}

static int open_and_search(job *j, const experiment_setup *setup)
{
    const char *path = ranks_path(j->o->output);
    bool standard = path && strcmp(path, "-") == 0;
    const table_place place = {"--output", path, j->o->run.overwrite};
    if (path) j->out = table_open(j->command, &place, "");
    if (path && !j->out) return EXIT_FAILED;
    int result = search(j, setup);
    bool fine = !j->out || !ferror(j->out);
    if (j->out && !standard && fclose(j->out) != 0) fine = false;
    if (fine) return result;
    complain(j->command, "cannot write '%s': %s", path, strerror(errno));
    return EXIT_FAILED;
}

static const char *wrong(const optimize_options *o)
{
    bool taken = o->output && strcmp(o->output, "-") == 0;
    return !o->adjust.count               ? "needs --adjust NAME=LOW..HIGH"
           : !o->minimize && !o->maximize ? "needs --minimize MEASURE or --maximize MEASURE"
           : o->minimize && o->maximize   ? "--minimize and --maximize contradict each other"
           : o->run.json && taken         ? "--json and --output - both take standard output"
                                          : NULL;
}

static int run_optimize(const command *self, int argc, char **argv)
{
    optimize_options o = {0};
    operands rest;
    experiment_setup setup = {0};
    job j = {.command = self, .o = &o};
    int result = EXIT_USAGE;
    parse_result parsed = options_parse(self, argc, argv, &o, &rest);
    const char *model = parsed == PARSE_FINE ? model_operand(self, &rest) : NULL;
    if (parsed == PARSE_HELP) result = EXIT_FINE;
    if (model && wrong(&o))
        complain_usage(self, "%s", wrong(&o));
    else if (model && name_list_split(self, &o.adjust, &j.names) &&
             experiment_define(self, model, &o.run, &setup))
        result = open_and_search(&j, &setup);
    experiment_free(&setup, &o.run);
    name_list_free(&j.names);
    texts_free(&o.adjust);
    texts_free(&o.subject);
    free(j.history);
    return result;
}

const command command_optimize = {
    "optimize",     "MODEL",       "Find parameters that minimize or maximize a measure.",
    optimize_table, optimize_more, run_optimize};
