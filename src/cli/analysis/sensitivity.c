// foliot sensitivity: what measures depend on, at a point or over ranges.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/analysis/along.h"
#include "cli/analysis/common.h"
#include "cli/interrupt.h"
#include "cli/listing.h"
#include "cli/run/progress.h"
#include "cli/run/ranks.h"
#include "cli/terminal.h"

typedef struct sensitivity_options {
    experiment_options run;
    texts to, measures;
    name_list names; ///< of `to`, one by one
    maybe_count samples, trajectories, threads, points;
    const char *along, *signals, *method;
    bool differences;
    along run_along; ///< of `along`
} sensitivity_options;

#define AT(member)     offsetof(sensitivity_options, member)
#define AT_RUN(member) offsetof(sensitivity_options, run.member)
static const option sensitivity_table[] = {
    {"to", 0, "NAME,NAME", OPTION_TEXTS, AT(to),
     "parameters or start values; with --samples or --morris ranges, NAME=LOW..HIGH, or "
     "distributions; may be repeated"},
    {"measure", 0, "EXPRESSION", OPTION_TEXTS, AT(measures),
     "what is measured, as for 'foliot sweep'; may be repeated"},
    {"samples", 0, "N", OPTION_COUNT, AT(samples),
     "Sobol indices over the ranges instead of derivatives, from N (parameters + 2) runs"},
    {"morris", 0, "N", OPTION_COUNT, AT(trajectories),
     "Morris' effects over the ranges, from N (parameters + 1) runs: which parameters matter at "
     "all"},
    {"along", 0, "FILE", OPTION_TEXT, AT(along),
     "write signals and their derivatives along the run as CSV; '-': standard output"},
    {"signals", 0, "A,B,C", OPTION_TEXT, AT(signals),
     "for --along; default: all states and outputs"},
    {"points", 0, "N", OPTION_COUNT, AT(points), "number of times for --along; default: 101",
     OPTION_FROM_TO(1, 1000000)},
    {"differences", 0, NULL, OPTION_FLAG, AT(differences),
     "derivatives by finite differences of runs only, not from the equations"},
    {"method", 0, "NAME", OPTION_TEXT, AT(method),
     "forward (with a derivative by every parameter along the run), adjoint (back through the run, "
     "once for every measure) or differences; default: forward for few parameters, adjoint for "
     "many"},
    {"threads", 0, "N", OPTION_COUNT, AT(threads),
     "runs at the same time; default: as many as there are cores", OPTION_FROM_TO(0, 1024)},
    {"accuracy", 0, "A", OPTION_POSITIVE, AT_RUN(accuracy),
     "error allowed in a measure from sampling between steps, relative to its scale; default: "
     "1e-5"},
    EXPERIMENT_OPTIONS(AT_RUN),
    OPTION_OWN_NODES,
    {0}};

static const char sensitivity_more[] =
    "Derivatives are those of the model's equations, with the jump of the derivative at every "
    "event\nand the moving time of the event. Where the equations do not give them (models in C, "
    "delays,\nresting and sliding modes, max and min) they are extrapolated differences of whole "
    "runs, marked as\nsuch. One that does not converge is not known, and the exit status says "
    "so.\n\nExamples:\n  foliot sensitivity ball --to e --to g --measure 'last(bounce)' --stop "
    "1\n\nExit status: 0 fine, 1 a run failed or a derivative does not converge, 2 a mistake "
    "in\nthe command line, 130 ended by Ctrl-C.\n";

typedef struct table {
    const fo_sensitivity *s;
    const sensitivity_options *o;
    progress progress;
} table;

// The local index: by how many percent a measure changes with one percent of a number.
static double relative_of(const fo_sensitivity *s, size_t row)
{
    return s->derivatives[row] * s->points[row % s->numbers] / s->values[row / s->numbers];
}

static void cell(const void *self, size_t row, int column, char *text)
{
    const table *t = self;
    const fo_sensitivity *s = t->s;
    size_t measure = row / s->numbers;
    bool local = s->derivatives || s->effects;
    const double *left = s->derivatives ? s->derivatives : s->effects ? s->effects : s->first;
    const double *right = s->derivatives ? s->errors : s->effects ? s->effect_deviations : s->total;
    if (column == 0) snprintf(text, LISTING_CELL, "%s", t->o->measures.list[measure]);
    if (column == 1 && s->values) snprintf(text, LISTING_CELL, "%.8g", s->values[measure]);
    if (column == 1 && s->effects) snprintf(text, LISTING_CELL, "%.8g", s->mean_effects[row]);
    if (column == 2) snprintf(text, LISTING_CELL, "%s", s->names[row % s->numbers]);
    if (column == 3 && s->derivatives && isnan(left[row]))
        snprintf(text, LISTING_CELL, "not known");
    if (column == 3 && !isnan(left[row]))
        snprintf(text, LISTING_CELL, local ? "%.9g" : "%.4f", left[row]);
    if (column == 4 && isfinite(right[row]) && s->effects)
        snprintf(text, LISTING_CELL, "%.9g", right[row]);
    else if (column == 4 && isfinite(right[row]))
        snprintf(text, LISTING_CELL, local ? "± %.1g" : "%.4f", right[row]);
    double relative = column == 5 ? relative_of(s, row) : NAN;
    if (column == 5 && isfinite(relative)) snprintf(text, LISTING_CELL, "%.4g", relative);
    if (column == 6) snprintf(text, LISTING_CELL, s->exact[row] ? "equations" : "differences");
}

static void print(const table *t)
{
    static const char *const local[] = {"measure", "value",    "by",  "derivative",
                                        "error",   "relative", "from"};
    static const char *const global[] = {"measure", "mean", "by", "alone", "with others"};
    static const char *const morris[] = {"measure", "effect", "of", "its size", "deviation"};
    const fo_sensitivity *s = t->s;
    listing l = {s->derivatives ? local
                 : s->effects   ? morris
                                : global,
                 s->derivatives ? 7 : 5,
                 s->derivatives ? 0x3a : 0x1a,
                 2,
                 s->measures * s->numbers,
                 cell,
                 t};
    listing_print(stdout, &l, terminal_listing_width(stdout));
    printf("\n  %" PRIu64 " runs%s\n", s->runs,
           s->derivatives && s->adjoint ? "; back through the run, once for every measure" : "");
    if (s->derivatives && s->reason && !t->o->differences)
        printf("  differences where the equations do not give it: %s\n", s->reason);
}

static void put_relative(const fo_sensitivity *s)
{
    fputs(",\n \"relative\": [", stdout);
    for (size_t i = 0; i < s->measures; i++) {
        fputs(i ? ", [" : "[", stdout);
        for (size_t k = 0; k < s->numbers; k++) {
            if (k) fputs(", ", stdout);
            put_json_number(stdout, relative_of(s, i * s->numbers + k));
        }
        fputs("]", stdout);
    }
    fputs("]", stdout);
}

static void put_exact(const fo_sensitivity *s)
{
    fputs(",\n \"exact\": [", stdout);
    for (size_t i = 0; i < s->measures; i++) {
        fputs(i ? ", [" : "[", stdout);
        for (size_t k = 0; k < s->numbers; k++)
            printf("%s%s", k ? ", " : "", s->exact[i * s->numbers + k] ? "true" : "false");
        fputs("]", stdout);
    }
    fputs("]", stdout);
    if (!s->reason) return;
    fputs(",\n \"reason\": ", stdout);
    put_json_text(stdout, s->reason);
}

static void print_json(const table *t)
{
    const fo_sensitivity *s = t->s;
    fputs("{\"to\": [", stdout);
    for (size_t i = 0; i < s->numbers; i++) {
        if (i) fputs(", ", stdout);
        put_json_text(stdout, s->names[i]);
    }
    fputs("],\n \"measures\": [", stdout);
    for (size_t i = 0; i < s->measures; i++) {
        if (i) fputs(", ", stdout);
        put_json_text(stdout, t->o->measures.list[i]);
    }
    fputs("],\n ", stdout);
    size_t m = s->measures, n = s->numbers;
    if (s->effects) {
        put_json_matrix(stdout, "effects", s->effects, m, n);
        fputs(",\n ", stdout);
        put_json_matrix(stdout, "mean_effects", s->mean_effects, m, n);
        fputs(",\n ", stdout);
        put_json_matrix(stdout, "effect_deviations", s->effect_deviations, m, n);
    } else {
        bool local = s->derivatives;
        put_json_numbers(stdout, local ? "values" : "means", s->values, m);
        fputs(",\n ", stdout);
        put_json_matrix(stdout, local ? "derivatives" : "first", local ? s->derivatives : s->first,
                        m, n);
        fputs(",\n ", stdout);
        put_json_matrix(stdout, local ? "errors" : "total", local ? s->errors : s->total, m, n);
        if (local) put_relative(s), put_exact(s);
        if (!local) printf(",\n \"interrupted\": %s", s->interrupted ? "true" : "false");
        if (local) printf(",\n \"adjoint\": %s", s->adjoint ? "true" : "false");
    }
    printf(",\n \"runs\": %llu", (unsigned long long)s->runs);
    puts("}");
}

static bool watch(void *self, uint64_t done, uint64_t count)
{
    table *t = self;
    progress_count(&t->progress, done, count, "runs");
    return !interrupt_signal();
}

static int show_along(const command *c, const sensitivity_options *o, const fo_sensitivity *s)
{
    size_t unknown;
    const char *path = ranks_path(o->along);
    const table_place place = {"--along", path, o->run.overwrite};
    if (!along_write(c, &place, &o->run_along, s, &unknown)) return EXIT_FAILED;
    if (!o->run.quiet && strcmp(path, "-") != 0)
        printf("%zu signals at %zu times by %zu numbers, from %" PRIu64 " runs\n%s",
               o->run_along.signals, o->run_along.points, s->numbers, s->runs,
               unknown ? "" : "All derivatives are known\n");
    if (unknown && !o->run.quiet)
        fprintf(
            stderr,
            "foliot sensitivity: %zu derivatives are not known and empty: an event is too near, "
            "or there is a kink\n",
            unknown);
    return EXIT_FINE;
}

static bool choose_method(const command *c, const sensitivity_options *o, fo_sensitivity_def *def)
{
    static const char *const names[] = {"", "forward", "adjoint", "differences"};
    if (!o->method) return true;
    for (int i = 1; i < 4; i++)
        if (strcmp(o->method, names[i]) == 0) return def->method = (fo_sensitivity_method)i, true;
    complain_usage(c, "--method must be forward, adjoint or differences, not '%s'", o->method);
    return false;
}

static int compute(const command *c, const sensitivity_options *o, const experiment_setup *setup)
{
    fo_sensitivity_def def = fo_default_sensitivity_def();
    table t = {.o = o};
    fo_message why = {0};
    def.experiment = setup->def;
    def.to = o->names.list, def.to_count = o->names.count;
    def.measures = o->measures.list, def.measure_count = o->measures.count;
    if (o->along) {
        def.measures = (const char *const *)o->run_along.measures;
        def.measure_count = o->run_along.points * o->run_along.signals;
    }
    def.differences = o->differences;
    if (!choose_method(c, o, &def)) return EXIT_USAGE;
    def.samples = o->samples.value, def.trajectories = o->trajectories.value,
    def.seed = setup->def.seed;
    if (o->threads.given) def.threads = (unsigned)o->threads.value;
    def.progress = watch, def.cancelled = experiment_cancelled, def.self = &t;
    def.ranks = ranks_sharing();
    interrupt_watch();
    t.progress = progress_make(o->run.quiet || ranks_silent() ? NULL : stderr, 0);
    fo_sensitivity *s = fo_sensitivity_create(&def, &why);
    progress_end(&t.progress);
    interrupt_writing();
    t.s = s;
    if (s && o->along) {
        int result = show_along(c, o, s);
        fo_sensitivity_destroy(s);
        return result;
    }
    if (s && o->run.json) print_json(&t);
    if (s && !o->run.json) print(&t);
    size_t unsettled = s ? s->unsettled : 0;
    bool interrupted = s && s->interrupted;
    fo_sensitivity_destroy(s);
    if (interrupted) {
        complain(c, "interrupted: these are of the runs until then");
        return EXIT_SIGNALLED + interrupt_signal();
    }
    return s && !unsettled ? EXIT_FINE : experiment_failed(c, why.status, &why);
}

static int run_sensitivity(const command *self, int argc, char **argv)
{
    sensitivity_options o = {0};
    operands rest;
    experiment_setup setup = {0};
    int result = EXIT_USAGE;
    parse_result parsed = options_parse(self, argc, argv, &o, &rest);
    const char *model = parsed == PARSE_FINE ? model_operand(self, &rest) : NULL;
    if (parsed == PARSE_HELP) result = EXIT_FINE;
    if (model && (!o.to.count || (!o.measures.count && !o.along)))
        complain_usage(self, "needs --to NAME, and --measure EXPRESSION or --along FILE");
    else if (model && o.along &&
             (o.measures.count || o.samples.given || o.trajectories.given || o.run.json))
        complain_usage(self,
                       "--along cannot be combined with --measure, --samples, --morris and --json");
    else if (model && name_list_split(self, &o.to, &o.names) &&
             experiment_define(self, model, &o.run, &setup) &&
             (!o.along || along_define(self, &setup.def, o.signals,
                                       o.points.given ? o.points.value : 101, &o.run_along)))
        result = compute(self, &o, &setup);
    experiment_free(&setup, &o.run);
    along_free(&o.run_along);
    name_list_free(&o.names);
    texts_free(&o.to);
    texts_free(&o.measures);
    return result;
}

const command command_sensitivity = {
    "sensitivity",
    "MODEL",
    "How measures of a run depend on parameters: derivatives, Sobol and Morris indices.",
    sensitivity_table,
    sensitivity_more,
    run_sensitivity};
