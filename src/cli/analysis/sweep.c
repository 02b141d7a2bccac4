// foliot sweep: one model with many numbers; one row of a table per run.
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/analysis/common.h"
#include "cli/analysis/heat_map.h"
#include "cli/analysis/parallel.h"
#include "cli/analysis/sweep_file.h"
#include "cli/analysis/traces.h"
#include "cli/interrupt.h"
#include "cli/listing.h"
#include "cli/replace.h"
#include "cli/run/picture.h"
#include "cli/run/progress.h"
#include "cli/run/ranks.h"
#include "cli/terminal.h"
#include "cli/written.h"

typedef struct sweep_options {
    experiment_options run;
    texts vary, measures;
    const char *design, *output, *gnuplot, *parallel, *traces;
    maybe_number interval;
    maybe_count samples, threads, lanes;
    bool go_on, plot, no_plot;
} sweep_options;

#define AT(member)     offsetof(sweep_options, member)
#define AT_RUN(member) offsetof(sweep_options, run.member)
static const option sweep_table[] = {
    {"vary", 0, "NAME=RANGE", OPTION_TEXTS, AT(vary),
     "what is varied: m=0.1:2:20 (20 values from 0.1 to 2), log(0.1:10:5), e=0.5,0.7; with "
     "--samples "
     "also m=0.1..2 and normal(1, 0.1), lognormal, uniform, log, triangular, exponential, weibull; "
     "may be repeated"},
    {"measure", 0, "EXPRESSION", OPTION_TEXTS, AT(measures),
     "what is measured: max(h), final(T), count(bounce), integral(u^2), ...; may be repeated"},
    {"samples", 0, "N", OPTION_COUNT, AT(samples), "N points of the ranges instead of a grid"},
    {"design", 0, "NAME", OPTION_TEXT, AT(design),
     "how samples are chosen: latin, sobol or random; default: latin"},
    {"output", 'o', "FILE", OPTION_TEXT, AT(output),
     "write a row per run as CSV; '-' is standard output"},
    {"continue", 0, NULL, OPTION_FLAG, AT(go_on), "go on with the file of an interrupted sweep"},
    {"lanes", 0, "N", OPTION_COUNT, AT(lanes),
     "with --solver dp45: 2, 4 or 8 runs at a time in SIMD lanes of each core, with the same bits; "
     "needs the C compiler cc",
     OPTION_FROM_TO(0, 1000)},
    {"threads", 0, "N", OPTION_COUNT, AT(threads),
     "runs at the same time; default: as many as there are cores; the table is the same",
     OPTION_FROM_TO(0, 1024)},
    {"accuracy", 0, "A", OPTION_POSITIVE, AT_RUN(accuracy),
     "error allowed in a measure from sampling between steps, relative to its scale; default: "
     "1e-5"},
    {"plot", 0, NULL, OPTION_FLAG, AT(plot), "draw the measures also where there is no terminal"},
    {"no-plot", 0, NULL, OPTION_FLAG, AT(no_plot), "no picture"},
    {"gnuplot", 0, "PATH", OPTION_TEXT, AT(gnuplot),
     "write PATH.dat and PATH.gp, and draw PATH.svg where gnuplot is there; *.svg, "
     "*.pdf and *.png say which; one thing is varied"},
    {"parallel", 0, "FILE", OPTION_TEXT, AT(parallel),
     "draw parallel coordinates as SVG: an axis for everything varied and measured, a line for "
     "every "
     "run"},
    {"traces", 0, "FOLDER", OPTION_TEXT, AT(traces),
     "write what every run does over time to FOLDER/000001.csv and so on"},
    {"interval", 0, "D", OPTION_POSITIVE, AT(interval),
     "between the rows of --traces [s]; default: a 500th of the run"},
    EXPERIMENT_OPTIONS(AT_RUN),
    OPTION_OWN_NODES,
    {0}};

static const char sweep_more[] =
    "Measures are expressions over min, max, mean, rms, integral, initial, final, overshoot and\n"
    "settling (also settling(x, 0.05)) of signals, at(x, 2), and count, first and last of events;\n"
    "a bare name is its value at the end. A run that fails is a row with its reason.\n"
    "\n"
    "Examples:\n"
    "  foliot sweep ball --vary e=0.5:0.9:9 --measure 'count(bounce)' --measure 'last(bounce)'\n"
    "  foliot sweep lorenz --vary rho=20..30 --samples 1000 --design sobol --measure 'max(z)' -o "
    "l.csv\n"
    "\n"
    "Exit status: 0 fine, 1 a file could not be written or all runs failed, 2 a mistake in\n"
    "the command line, 130 ended by Ctrl-C; then the file holds what was computed, for "
    "--continue.\n";

enum { MOST_DRAWN = 100000 };

typedef struct sweep {
    const command *command;
    sweep_options options;
    fo_parameter_sweep *sweep;
    sweep_file file;
    progress progress;
    fo_tally *tallies;             ///< of the measures
    double *kept;                  ///< numbers of all rows, for a picture; NULL: none
    uint64_t rows, failed, partly; ///< partly: some measures are not known
    char first_reason[FO_MESSAGE_SIZE], first_gap[FO_MESSAGE_SIZE];
    bool json_begun;
    double interval; ///< of traces
    gnuplot_request picture;
} sweep;

// ----------------------------------------------------------------------------------------- rows

static void put_json_row(sweep *s, const fo_parameter_sweep_row *row)
{
    printf("%s\n  {", s->json_begun ? "," : "");
    s->json_begun = true;
    put_json_numbers(stdout, "values", row->values, s->options.vary.count);
    fputs(", ", stdout);
    put_json_numbers(stdout, "measures", row->measures, s->options.measures.count);
    if (row->reason[0]) {
        fputs(", \"reason\": ", stdout);
        put_json_text(stdout, row->reason);
    }
    fputc('}', stdout);
}

static void keep_row(sweep *s, const fo_parameter_sweep_row *row)
{
    size_t n = s->options.vary.count, m = s->options.measures.count;
    for (size_t i = 0; i < m; i++)
        if (isfinite(row->measures[i])) fo_tally_add(&s->tallies[i], row->measures[i]);
    if (!s->kept) return;
    double *to = s->kept + row->number * (n + m);
    memcpy(to, row->values, n * sizeof *to);
    memcpy(to + n, row->measures, m * sizeof *to);
}

static fo_status take_row(void *self, const fo_parameter_sweep_row *row, fo_message *why)
{
    sweep *s = self;
    bool old;
    fo_status status = sweep_file_put(&s->file, row, &old, why);
    if (status != FO_OK || old) return status;
    s->rows++;
    if (row->status != FO_OK && !s->failed++)
        snprintf(s->first_reason, sizeof s->first_reason, "%s", row->reason);
    if (row->status == FO_OK && row->reason[0] && !s->partly++)
        snprintf(s->first_gap, sizeof s->first_gap, "%s", row->reason);
    keep_row(s, row);
    if (s->options.run.json) put_json_row(s, row);
    return FO_OK;
}

static fo_status begin_trace(void *self, uint64_t number, fo_system system, fo_observer *observer,
                             fo_message *why)
{
    const sweep *s = self;
    return traces_open(s->options.traces, number, system, s->interval, observer, why);
}

static fo_status end_trace(void *self, uint64_t number, fo_observer *observer, fo_message *why)
{
    (void)self, (void)number;
    return traces_close(observer, why);
}

static bool watch(void *self, uint64_t done, uint64_t count)
{
    sweep *s = self;
    progress_count(&s->progress, done, count, "runs");
    return !interrupt_signal();
}

// -------------------------------------------------------------------------------------- the report

static void cell(const void *self, size_t row, int column, char *text)
{
    const sweep *s = self;
    const fo_tally *t = &s->tallies[row];
    const double values[] = {t->min, t->max, t->mean, fo_tally_deviation(t)};
    if (column == 0)
        snprintf(text, LISTING_CELL, "%s", s->options.measures.list[row]);
    else if (t->count && !isnan(values[column - 1]))
        snprintf(text, LISTING_CELL, "%.6g", values[column - 1]);
}

// `whole`: the file has all rows.
static void print_summary(const sweep *s, FILE *out, bool whole)
{
    static const char *const titles[] = {"measure", "least", "most", "mean", "deviation"};
    listing table = {titles, 5, 0x1e, 2, s->options.measures.count, cell, s};
    fputc('\n', out);
    listing_print(out, &table, terminal_listing_width(out));
    fprintf(out, "\n  %" PRIu64 " runs", s->rows);
    if (s->failed) fprintf(out, ", %" PRIu64 " failed; the first: %s", s->failed, s->first_reason);
    fputc('\n', out);
    if (s->partly)
        fprintf(out, "  %" PRIu64 " with fields that are empty; the first: %s\n", s->partly,
                s->first_gap);
    for (size_t i = 0; i < s->options.measures.count; i++)
        if (fo_parameter_sweep_is_sampled(s->sweep, i))
            fprintf(out,
                    "  %s is found by samples: without bounds of its signals, what is narrower "
                    "than these can be missed\n",
                    s->options.measures.list[i]);
    const char *path = s->options.output;
    if (!path || !whole || strcmp(path, "-") == 0) return;
    fputs("  written to ", out);
    print_plain(out, path);
    fputc('\n', out);
}

static const char **axis_names(const sweep *s)
{
    size_t n = s->options.vary.count, m = s->options.measures.count;
    const char **names = calloc(n + m + 1, sizeof *names);
    for (size_t i = 0; names && i < n + m; i++)
        names[i] = i < n ? fo_parameter_sweep_name(s->sweep, i) : s->options.measures.list[i - n];
    return names;
}

static bool draw_parallel(const sweep *s, FILE *out)
{
    size_t n = s->options.vary.count, m = s->options.measures.count;
    const char **names = axis_names(s);
    const parallel p = {names, n + m, s->kept, s->rows, n};
    const table_place place = {"--parallel", s->options.parallel, s->options.run.overwrite};
    bool good = names;
    if (!good) complain(s->command, "out of memory");
    if (good && out) parallel_print(out, &p, s->options.run.ascii);
    if (good && !out) good = parallel_write(s->command, &place, &p);
    free(names);
    return good;
}

// One thing varied: curves, one picture per measure. Two on a grid: a map. Otherwise a line per
// run.
static void draw(const sweep *s, FILE *out)
{
    size_t n = s->options.vary.count, m = s->options.measures.count, all = n + m;
    if (n > 2 || s->options.samples.given) {
        draw_parallel(s, out);
        return;
    }
    double *x = calloc(s->rows + 1, sizeof *x), *y = calloc(s->rows + 1, sizeof *y);
    for (size_t k = 0; k < m && x && y; k++) {
        for (uint64_t i = 0; i < s->rows; i++)
            x[i] = s->kept[i * all], y[i] = s->kept[i * all + n + k];
        const char *name = s->options.measures.list[k];
        fputc('\n', out);
        if (n == 1 && !s->options.samples.given)
            draw_curves(out, fo_parameter_sweep_name(s->sweep, 0), x, s->rows, &name, y, 1,
                        s->options.run.ascii);
        else if (n == 2 && !s->options.samples.given)
            heat_map_print(out, s->sweep, s->kept, s->rows, all, n + k, name, s->options.run.ascii);
    }
    free(x);
    free(y);
}

static bool draw_by_gnuplot(const sweep *s)
{
    size_t n = s->options.vary.count, m = s->options.measures.count, all = n + m;
    double *numbers = calloc((m + 1) * (s->rows + 1), sizeof *numbers);
    fo_curve *curves = calloc(m, sizeof *curves);
    fo_message why = {0};
    bool drawn = false;
    fo_status status = FO_ERROR_MEMORY;
    if (numbers && curves) {
        for (uint64_t i = 0; i < s->rows; i++) numbers[i] = s->kept[i * all];
        for (size_t k = 0; k < m; k++) {
            double *y = numbers + (k + 1) * s->rows;
            for (uint64_t i = 0; i < s->rows; i++) y[i] = s->kept[i * all + n + k];
            curves[k] = (fo_curve){s->options.measures.list[k], numbers, y, s->rows,
                                   s->options.samples.given ? FO_CURVE_POINTS : FO_CURVE_LINES};
        }
        fo_gnuplot_def def = fo_default_gnuplot_def();
        def.path = s->picture.path, def.format = s->picture.format, def.curves = curves,
        def.count = m;
        def.x_label = fo_parameter_sweep_name(s->sweep, 0);
        status = replace_plots_unchanged(s->picture.seen, def.path, def.format, &why);
        if (!fo_failed(status)) status = fo_gnuplot(&def, &drawn, &why);
    }
    free(numbers);
    free(curves);
    if (status != FO_OK) complain(s->command, "%s", why.text[0] ? why.text : "out of memory");
    return status == FO_OK;
}

// ----------------------------------------------------------------------------------- the command

static bool choose_design(const sweep *s, fo_parameter_sweep_def *def)
{
    static const char *const names[] = {"", "latin", "sobol", "random"};
    const char *asked = s->options.design;
    def->samples = s->options.samples.value;
    if (!s->options.samples.given) {
        if (asked) complain_usage(s->command, "--design needs --samples");
        return !asked;
    }
    for (int i = 1; i < 4; i++) {
        def->design = (fo_design)i;
        if (!asked || strcmp(asked, names[i]) == 0) return true;
    }
    complain_usage(s->command, "--design must be latin, sobol or random, not '%s'", asked);
    return false;
}

static bool files_differ(const sweep *s)
{
    const sweep_options *o = &s->options;
    char about[4200];
    written files = {.count = 0};
    written_add(&files, "--output", o->output);
    snprintf(about, sizeof about, "%s.sweep", o->output ? o->output : "");
    if (o->output && strcmp(o->output, "-") != 0) written_add_saved(&files, "--output", about);
    written_add_saved(&files, "--parallel", o->parallel);
    if (o->gnuplot) written_add_plots(&files, "--gnuplot", s->picture.path, s->picture.format);
    return written_differ(&files, s->command);
}

static bool check_options(sweep *s)
{
    const sweep_options *o = &s->options;
    const char *wrong = !o->vary.count                     ? "needs --vary NAME=RANGE"
                        : !o->measures.count               ? "needs --measure EXPRESSION"
                        : o->go_on && !o->output           ? "--continue needs --output FILE"
                        : o->gnuplot && o->vary.count != 1 ? "--gnuplot draws one --vary"
                        : o->interval.given && !o->traces  ? "--interval needs --traces FOLDER"
                        : o->plot && o->no_plot ? "--plot and --no-plot contradict each other"
                        : o->run.json && o->output && strcmp(o->output, "-") == 0
                            ? "--json and --output - both take standard output"
                            : NULL;
    if (wrong) complain_usage(s->command, "%s", wrong);
    if (wrong) return false;
    bool asked = !o->gnuplot || gnuplot_asked(s->command, o->gnuplot, NULL, "svg", &s->picture);
    return asked && files_differ(s);
}

static void begin_json(const sweep *s)
{
    fputs("{\"vary\": [", stdout);
    for (size_t i = 0; i < s->options.vary.count; i++) {
        if (i) fputs(", ", stdout);
        put_json_text(stdout, fo_parameter_sweep_name(s->sweep, i));
    }
    fputs("], \"measures\": [", stdout);
    for (size_t i = 0; i < s->options.measures.count; i++) {
        if (i) fputs(", ", stdout);
        put_json_text(stdout, s->options.measures.list[i]);
    }
    fputs("], \"runs\": [", stdout);
}

static bool make_room(sweep *s, bool drawn)
{
    uint64_t count = fo_parameter_sweep_count(s->sweep);
    size_t all = s->options.vary.count + s->options.measures.count;
    s->tallies = calloc(s->options.measures.count, sizeof *s->tallies);
    if (drawn && count <= MOST_DRAWN) s->kept = calloc(count * all, sizeof *s->kept);
    if (!s->tallies) complain(s->command, "out of memory");
    return s->tallies;
}

static int end(sweep *s, fo_status status, const fo_message *why)
{
    bool taken = s->options.output && strcmp(s->options.output, "-") == 0;
    FILE *out = s->options.run.json || s->options.run.quiet ? NULL : taken ? stderr : stdout;
    progress_end(&s->progress);
    interrupt_writing();
    if (s->options.run.json) puts("\n]}");
    bool closed = sweep_file_close(&s->file, s->command, status == FO_OK);
    if (interrupt_signal()) {
        complain(s->command, "interrupted after %" PRIu64 " of %" PRIu64 " runs%s", s->rows,
                 fo_parameter_sweep_count(s->sweep),
                 s->options.output && !taken ? "; --continue goes on" : "");
        return EXIT_SIGNALLED + interrupt_signal();
    }
    if (fo_failed(status)) return experiment_failed(s->command, status, why);
    if (out && s->kept && !s->failed) draw(s, out);
    if (out) print_summary(s, out, closed);
    if (s->options.gnuplot && s->kept && !draw_by_gnuplot(s)) return EXIT_FAILED;
    if (s->options.parallel && s->kept && !ranks_silent() && !draw_parallel(s, NULL))
        return EXIT_FAILED;
    if ((s->options.parallel || s->options.gnuplot) && !s->kept) {
        complain(s->command, "no picture was drawn: %s",
                 s->options.go_on ? "rows of before --continue are in the file alone"
                                  : "there are more than 100000 runs");
        return EXIT_FAILED;
    }
    if (s->failed && s->failed == s->rows) {
        complain(s->command, "all %" PRIu64 " runs failed: %s", s->rows, s->first_reason);
        return EXIT_FAILED;
    }
    return closed ? EXIT_FINE : EXIT_FAILED;
}

static int run(sweep *s, const char *model, const fo_parameter_sweep_def *def)
{
    const sweep_options *o = &s->options;
    fo_message why = {0};
    s->sweep = fo_parameter_sweep_create(def, &why);
    if (!s->sweep) return experiment_failed(s->command, why.status, &why);
    bool drawn = o->gnuplot || o->parallel ||
                 (!o->no_plot && !o->run.json && (o->plot || terminal_is(stdout)));
    if (!make_room(s, drawn)) return EXIT_FAILED;
    uint64_t first = 0;
    char *about = experiment_about(model, &def->experiment);
    const sweep_file_def file = {
        ranks_path(o->output), o->go_on, o->run.overwrite, about, s->sweep, def};
    bool open = about && sweep_file_open(&s->file, s->command, &file, &first);
    if (!about) complain(s->command, "out of memory");
    if (o->gnuplot && !ranks_silent())
        open = open && replace_plots(s->command, s->picture.path, s->picture.format,
                                     o->run.overwrite, s->picture.seen);
    free(about);
    if (o->traces && !ranks_silent())
        open = open && traces_begin(s->command, o->traces, o->go_on || o->run.overwrite);
    uint64_t go = open; // the file is the first rank's
    if (!ranks_same(&go) || !ranks_same(&first) || !go) return EXIT_FAILED;
    if (first && s->kept) free(s->kept), s->kept = NULL; // the picture would be of a part
    interrupt_watch();
    s->progress = progress_make(o->run.quiet || ranks_silent() ? NULL : stderr, 0);
    if (o->run.json) begin_json(s);
    fo_status status = fo_parameter_sweep_run(s->sweep, first, &why);
    return end(s, status, &why);
}

static int start(sweep *s, const char *model)
{
    experiment_setup setup;
    int result = EXIT_USAGE;
    fo_parameter_sweep_def def = fo_default_parameter_sweep_def();
    if (experiment_define(s->command, model, &s->options.run, &setup) && check_options(s) &&
        choose_design(s, &def)) {
        def.experiment = setup.def;
        def.vary = s->options.vary.list, def.vary_count = s->options.vary.count;
        def.measures = s->options.measures.list, def.measure_count = s->options.measures.count;
        def.seed = setup.def.seed;
        if (s->options.threads.given) def.threads = (unsigned)s->options.threads.value;
        def.row = take_row, def.progress = watch, def.cancelled = experiment_cancelled;
        def.self = s, def.ranks = ranks_sharing();
        def.lanes = (unsigned)s->options.lanes.value;
        if (s->options.traces) def.trace = begin_trace, def.traced = end_trace;
        s->interval = s->options.interval.given ? s->options.interval.value : NAN;
        result = run(s, model, &def);
    }
    experiment_free(&setup, &s->options.run);
    return result;
}

static int run_sweep(const command *self, int argc, char **argv)
{
    sweep s = {.command = self};
    operands rest;
    int result = EXIT_USAGE;
    parse_result parsed = options_parse(self, argc, argv, &s.options, &rest);
    const char *model = parsed == PARSE_FINE ? model_operand(self, &rest) : NULL;
    if (parsed == PARSE_HELP) result = EXIT_FINE;
    if (model) result = start(&s, model);
    fo_parameter_sweep_destroy(s.sweep);
    texts_free(&s.options.vary);
    texts_free(&s.options.measures);
    free(s.tallies);
    free(s.kept);
    return result;
}

const command command_sweep = {
    "sweep",     "MODEL",    "Run a model with many parameter values, and measure each run.",
    sweep_table, sweep_more, run_sweep};
