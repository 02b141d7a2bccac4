// foliot linearize: the linear system around a point of a run.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/analysis/common.h"
#include "cli/analysis/linear_files.h"
#include "cli/interrupt.h"
#include "cli/run/progress.h"
#include "cli/run/ranks.h"
#include "cli/terminal.h"
#include "cli/written.h"

typedef struct linearize_options {
    experiment_options run;
    const char *at, *inputs, *outputs, *bode, *step_response;
    const char *nyquist, *nichols, *locus, *mat, *gnuplot;
    maybe_count reduce;
    bool plot;
    gnuplot_request picture; ///< what --gnuplot says
} linearize_options;

#define AT(member)     offsetof(linearize_options, member)
#define AT_RUN(member) offsetof(linearize_options, run.member)
static const option linearize_table[] = {
    {"at", 0, "T", OPTION_TEXT, AT(at),
     "the time [s], or 'steady': at the equilibrium; default: the start"},
    {"inputs", 0, "A,B", OPTION_TEXT, AT(inputs), "inputs of the model; default: all"},
    {"outputs", 0, "A,B", OPTION_TEXT, AT(outputs),
     "outputs or states; default: all outputs, or all states where there are none"},
    {"bode", 0, "FILE", OPTION_TEXT, AT(bode),
     "write frequency, gain and phase of the first input and output as CSV; '-': standard output"},
    {"step-response", 0, "FILE", OPTION_TEXT, AT(step_response),
     "write the response to a unit step as CSV; '-': standard output"},
    {"nyquist", 0, "FILE", OPTION_TEXT, AT(nyquist),
     "write the response's real and imaginary part"},
    {"nichols", 0, "FILE", OPTION_TEXT, AT(nichols), "write phase and gain"},
    {"root-locus", 0, "FILE", OPTION_TEXT, AT(locus),
     "write the closed-loop poles over the gain of a negative feedback"},
    {"reduce", 0, "N", OPTION_COUNT, AT(reduce),
     "balanced truncation to N states, 0: to those that matter; all results are those of the "
     "reduced system"},
    {"mat", 0, "FILE", OPTION_TEXT, AT(mat), "write A, B, C and D as a MAT-file"},
    {"plot", 0, NULL, OPTION_FLAG, AT(plot), "draw gain, phase and step response"},
    {"gnuplot", 0, "PATH", OPTION_TEXT, AT(gnuplot),
     "draw PATH-bode.svg, -nyquist, -nichols and -locus by gnuplot; *.svg, *.pdf and *.png say "
     "which"},
    EXPERIMENT_OPTIONS(AT_RUN),
    OPTION_OWN_NODES,
    {0}};

static const char linearize_more[] =
    "Discrete variables are held constant: the linear system is the one between events.\n"
    "\n"
    "Examples:\n"
    "  foliot linearize pendulum --at steady\n"
    "  foliot linearize filter.mo --inputs u --outputs y --bode bode.csv\n"
    "\n"
    "Exit status: 0 fine, 1 it cannot be linearized there, 2 a mistake in the command line.\n";

enum { MOST_PORTS = 64, BODE_POINTS = 401, STEP_POINTS = 401, MOST_PRINTED = 12 };

/// Names of a list, in a text of our own.
typedef struct port_list {
    char *text;
    const char *names[MOST_PORTS];
    size_t count;
} port_list;

static bool read_list(const command *c, const char *given, port_list *list)
{
    char *save = NULL;
    if (!given) return true;
    list->text = strdup(given);
    if (!list->text) return complain(c, "out of memory"), false;
    for (char *at = strtok_r(list->text, ",", &save); at; at = strtok_r(NULL, ",", &save)) {
        if (list->count == MOST_PORTS) {
            complain_usage(c, "at most %d names", (int)MOST_PORTS);
            return false;
        }
        list->names[list->count++] = at + strspn(at, " ");
    }
    return true;
}

static bool read_time(const command *c, const char *text, fo_linear_def *def)
{
    char *end;
    if (!text) return true;
    def->steady = strcmp(text, "steady") == 0;
    if (def->steady) return true;
    def->at = strtod(text, &end);
    if (end != text && !*end && isfinite(def->at)) return true;
    complain_usage(c, "--at needs a time or 'steady', not '%s'", text);
    return false;
}

// ---------------------------------------------------------------------------------------- printing

static void print_matrix(const char *name, const double *a, size_t rows, size_t columns)
{
    if (!rows || !columns) return;
    printf("\n%s\n", name);
    for (size_t i = 0; i < rows && i < MOST_PRINTED; i++) {
        for (size_t j = 0; j < columns && j < MOST_PRINTED; j++)
            printf(" %12.6g", a[i * columns + j]);
        puts(columns > MOST_PRINTED ? " ..." : "");
    }
    if (rows > MOST_PRINTED) puts("  ...");
}

// z = -Re s / |s|, and the natural frequency |s|.
static void print_poles(const fo_linear *s)
{
    puts("\nPoles                             damping   frequency [rad/s]");
    for (size_t i = 0; i < s->states; i++) {
        double size = hypot(s->re[i], s->im[i]);
        char damping[32] = "-"; // of an integrator there is none
        if (size > 0) snprintf(damping, sizeof damping, "%.4g", -s->re[i] / size);
        printf("  %12.6g %+12.6g i  %10s  %12.6g\n", s->re[i], s->im[i], damping, size);
    }
    if (s->zeros) puts(s->inputs * s->outputs > 1 ? "\nTransmission zeros" : "\nZeros");
    for (size_t i = 0; i < s->zeros; i++)
        printf("  %12.6g %+12.6g i\n", s->zero_re[i], s->zero_im[i]);
}

static void print_names(const char *what, const char *const *names, size_t count)
{
    printf("%s:", what);
    for (size_t i = 0; i < count && i < MOST_PRINTED; i++) printf(" %s", names[i]);
    puts(count > MOST_PRINTED ? " ..." : count ? "" : " none");
}

static void print_margins(const fo_linear *s)
{
    fo_margins m = fo_linear_margins(s, 0, 0, 0, 0);
    char at[40] = "infinite frequency";
    if (isfinite(m.gain_omega)) snprintf(at, sizeof at, "%.6g rad/s", m.gain_omega);
    if (!isnan(m.gain))
        printf("\nGain margin %.6g (%.5g dB) at %s\n", m.gain, 20 * log10(m.gain), at);
    if (!isnan(m.phase))
        printf("%sPhase margin %.6g degrees at %.6g rad/s\n", isnan(m.gain) ? "\n" : "", m.phase,
               m.phase_omega);
}

static void print_origin(const fo_linear *s)
{
    if (s->exact)
        printf("A is the model's own derivative");
    else
        printf("A is from extrapolated differences, error about %.1e", s->a_error);
    if (s->b_error == 0 && s->exact)
        puts("; so are B, C and D");
    else if (s->b_error == 0)
        puts("; B, C and D are the model's own derivatives");
    else
        printf("; B, C and D are from extrapolated differences, error about %.1e\n", s->b_error);
}

static void print(const fo_linear *s)
{
    if (s->state_names) { // a balanced form has none
        printf("At t = %.6g s, where\n", s->t);
        for (size_t i = 0; i < s->states && i < MOST_PRINTED; i++)
            printf("  %s = %.9g\n", s->state_names[i], s->point[i]);
        print_names("Inputs", s->input_names, s->inputs);
        print_names("Outputs", s->output_names, s->outputs);
        print_origin(s);
    }
    print_matrix("A", s->a, s->states, s->states);
    print_matrix("B", s->b, s->states, s->inputs);
    print_matrix("C", s->c, s->outputs, s->states);
    print_matrix("D", s->d, s->outputs, s->inputs);
    print_poles(s);
    if (s->inputs)
        printf("\n%s, %s\n", s->controllable ? "Controllable" : "Not controllable",
               s->observable ? "observable" : "not observable");
    if (s->inputs && s->outputs) print_margins(s);
}

static void put_names(const char *key, const char *const *names, size_t count)
{
    printf(", \"%s\": [", key);
    for (size_t i = 0; i < count && names; i++) {
        if (i) fputs(", ", stdout);
        put_json_text(stdout, names[i]);
    }
    fputs("]", stdout);
}

static void put_pairs(const char *key, const double *re, const double *im, size_t count)
{
    printf(",\n \"%s\": [", key);
    for (size_t i = 0; i < count; i++) {
        fputs(i ? ", [" : "[", stdout);
        put_json_number(stdout, re[i]);
        fputs(", ", stdout);
        put_json_number(stdout, im[i]);
        fputc(']', stdout);
    }
    fputc(']', stdout);
}

// Of a loop from the one input to the one output; null: there is none, or its frequency is
// infinite.
static void put_margins(const fo_linear *s)
{
    if (s->inputs != 1 || s->outputs != 1) return;
    fo_margins m = fo_linear_margins(s, 0, 0, 0, 0);
    const struct {
        const char *name;
        double value;
    } list[] = {{"gain", m.gain},
                {"gain_omega", m.gain_omega},
                {"phase", m.phase},
                {"phase_omega", m.phase_omega}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        printf(i ? ", \"%s\": " : ",\n \"margins\": {\"%s\": ", list[i].name);
        put_json_number(stdout, list[i].value);
    }
    putchar('}');
}

// `hankel` are those of the `all` states before it was reduced; NULL: it was not.
static void print_json(const fo_linear *s, const double *hankel, size_t all)
{
    fputs("{\"t\": ", stdout);
    put_json_number(stdout, s->t);
    put_names("states", s->state_names, s->states);
    put_names("inputs", s->input_names, s->inputs);
    put_names("outputs", s->output_names, s->outputs);
    fputs(",\n ", stdout);
    put_json_numbers(stdout, "point", s->point, s->states);
    fputs(",\n ", stdout);
    put_json_matrix(stdout, "A", s->a, s->states, s->states);
    fputs(",\n ", stdout);
    put_json_matrix(stdout, "B", s->b, s->states, s->inputs);
    fputs(",\n ", stdout);
    put_json_matrix(stdout, "C", s->c, s->outputs, s->states);
    fputs(",\n ", stdout);
    put_json_matrix(stdout, "D", s->d, s->outputs, s->inputs);
    put_pairs("poles", s->re, s->im, s->states);
    put_pairs("zeros", s->zero_re, s->zero_im, s->zeros);
    printf(",\n \"exact\": %s, \"controllable\": %s, \"observable\": %s, \"errors\": [",
           s->exact ? "true" : "false", s->controllable ? "true" : "false",
           s->observable ? "true" : "false");
    put_json_number(stdout, s->a_error);
    fputs(", ", stdout);
    put_json_number(stdout, s->b_error);
    putchar(']');
    put_margins(s);
    if (hankel) {
        fputs(",\n ", stdout);
        put_json_numbers(stdout, "hankel", hankel, all);
    }
    puts("}");
}

// --------------------------------------------------------------------------------------- responses

static table_place place_of(const linearize_options *o, const char *by, const char *path)
{
    return (table_place){by, path, o->run.overwrite};
}

static bool respond(const command *c, const linearize_options *o, const fo_linear *s)
{
    static const char *const bode_titles[] = {"omega", "gain_dB", "phase_deg", "re", "im"};
    static const char *const step_titles[] = {"time", "response"};
    static const char *const gain[] = {"gain [dB]"}, *const phase[] = {"phase [degrees]"};
    static const char *const response[] = {"step response"};
    double *numbers = calloc(7 * BODE_POINTS, sizeof *numbers), *x = numbers + 5 * BODE_POINTS;
    double *y = x + BODE_POINTS;
    if (!numbers) return complain(c, "out of memory"), false;
    number_columns t = {bode_titles, 5, BODE_POINTS, numbers};
    bool fine = linear_fill_response(s, &t);
    if (!fine) complain(c, "out of memory");
    table_place place = place_of(o, "--bode", o->bode);
    if (o->bode && fine) fine = columns_write(c, &place, &t);
    for (int k = 1; k < 3 && o->plot; k++) {
        for (size_t i = 0; i < t.rows; i++)
            x[i] = log10(numbers[5 * i]), y[i] = numbers[5 * i + (size_t)k];
        draw_curves(stdout, "log10 omega [rad/s]", x, t.rows, k == 1 ? gain : phase, y, 1,
                    o->run.ascii);
    }
    fo_status stepped = fine ? fo_linear_step_response(s, 0, 0, STEP_POINTS, x, y) : FO_OK;
    if (fo_failed(stepped)) {
        complain(c, "the response to a step: %s", fo_status_text(stepped));
        fine = false;
    }
    for (size_t i = 0; i < STEP_POINTS; i++) numbers[2 * i] = x[i], numbers[2 * i + 1] = y[i];
    t = (number_columns){step_titles, 2, STEP_POINTS, numbers};
    place = place_of(o, "--step-response", o->step_response);
    if (o->step_response && fine) fine = columns_write(c, &place, &t);
    if (o->plot) draw_curves(stdout, "time [s]", x, STEP_POINTS, response, y, 1, o->run.ascii);
    free(numbers);
    return fine;
}

static bool is_standard(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

static bool write_files(const command *c, const linearize_options *o, const fo_linear *s)
{
    bool fine = true;
    if (o->bode || o->step_response || o->plot) fine = respond(c, o, s);
    table_place nyquist = place_of(o, "--nyquist", o->nyquist);
    if (fine && o->nyquist) fine = linear_write_nyquist(c, &nyquist, s);
    table_place nichols = place_of(o, "--nichols", o->nichols);
    if (fine && o->nichols) fine = linear_write_nichols(c, &nichols, s);
    table_place locus = place_of(o, "--root-locus", o->locus);
    if (fine && o->locus) fine = linear_write_locus(c, &locus, s);
    if (fine && o->gnuplot) fine = linear_draw(c, &o->picture, o->run.overwrite, s);
    table_place mat = place_of(o, "--mat", o->mat);
    if (fine && o->mat) fine = linear_write_mat(c, &mat, s);
    return fine;
}

// Before anything is computed: all are written at the end, one after the other.
static bool files_differ(const command *c, const linearize_options *o)
{
    const struct {
        const char *option, *path;
    } list[] = {{"--bode", o->bode},        {"--step-response", o->step_response},
                {"--nyquist", o->nyquist},  {"--nichols", o->nichols},
                {"--root-locus", o->locus}, {"--mat", o->mat}};
    static const char *const pictures[] = {"bode", "nyquist", "nichols", "locus"};
    written files = {.count = 0};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (!is_standard(list[i].path)) written_add_saved(&files, list[i].option, list[i].path);
    for (int i = 0; i < 4 && o->gnuplot; i++) {
        char path[4200];
        snprintf(path, sizeof path, "%s-%s", o->picture.path, pictures[i]);
        written_add_plots(&files, "--gnuplot", path, o->picture.format);
    }
    return written_differ(&files, c);
}

static int show(const command *c, const linearize_options *o, const fo_linear *s,
                const double *hankel, size_t all)
{
    bool wanted = o->bode || o->step_response || o->plot || o->nyquist || o->nichols || o->locus ||
                  o->gnuplot;
    if (wanted && (!s->inputs || !s->outputs))
        return complain_usage(c, "a response needs an input of the model and an output");
    bool taken = is_standard(o->bode) || is_standard(o->step_response) || is_standard(o->nyquist) ||
                 is_standard(o->nichols) || is_standard(o->locus) || is_standard(o->mat);
    if (o->run.json)
        print_json(s, hankel, all);
    else if (!o->run.quiet && !taken)
        print(s);
    return write_files(c, o, s) ? EXIT_FINE : EXIT_FAILED;
}

// With the singular values, and what the response can change by.
static int show_reduced(const command *c, const linearize_options *o, const fo_linear *whole)
{
    size_t n = whole->states;
    double *hankel = calloc(n + 1, sizeof *hankel), left = 0;
    fo_message why = {0};
    fo_linear *s = hankel ? fo_linear_balanced(whole, o->reduce.value, hankel, &why) : NULL;
    int result = EXIT_FAILED;
    if (!s) complain(c, "%s", hankel ? why.text : "out of memory");
    for (size_t i = s ? s->states : n; i < n; i++) left += 2 * hankel[i];
    if (s && !o->run.json && !o->run.quiet) {
        printf("Hankel singular values");
        for (size_t i = 0; i < n && i < MOST_PRINTED; i++) printf(" %.6g", hankel[i]);
        printf("%s\n%zu of %zu states are kept: the response changes by %.3g at most\n",
               n > MOST_PRINTED ? " ..." : "", s->states, n, left);
    }
    if (s) result = show(c, o, s, hankel, n);
    fo_linear_destroy(s);
    free(hankel);
    return result;
}

static int linearise(const command *c, linearize_options *o, const char *model)
{
    experiment_setup setup = {0};
    port_list inputs = {0}, outputs = {0};
    fo_linear_def def = fo_default_linear_def();
    fo_message why = {0};
    int result = EXIT_USAGE;
    if (files_differ(c, o) && experiment_define(c, model, &o->run, &setup) &&
        read_time(c, o->at, &def) && read_list(c, o->inputs, &inputs) &&
        read_list(c, o->outputs, &outputs)) {
        def.experiment = setup.def;
        if (o->inputs) def.inputs = inputs.names, def.input_count = inputs.count;
        if (o->outputs) def.outputs = outputs.names, def.output_count = outputs.count;
        progress p = progress_make(o->run.quiet || ranks_silent() ? NULL : stderr, 0);
        def.cancelled = experiment_cancelled, def.progress = experiment_progress, def.self = &p;
        interrupt_watch();
        fo_linear *s = fo_linear_create(&def, &why);
        progress_end(&p);
        interrupt_writing();
        if (!s)
            result = experiment_failed(c, why.status, &why);
        else
            result = o->reduce.given ? show_reduced(c, o, s) : show(c, o, s, NULL, 0);
        fo_linear_destroy(s);
    }
    free(inputs.text);
    free(outputs.text);
    experiment_free(&setup, &o->run);
    return result;
}

static int run_linearize(const command *self, int argc, char **argv)
{
    linearize_options o = {0};
    operands rest;
    parse_result parsed = options_parse(self, argc, argv, &o, &rest);
    if (parsed != PARSE_FINE) return parsed == PARSE_HELP ? EXIT_FINE : EXIT_USAGE;
    if (o.gnuplot && !gnuplot_asked(self, o.gnuplot, NULL, "svg", &o.picture)) return EXIT_USAGE;
    const char *model = model_operand(self, &rest);
    return model ? linearise(self, &o, model) : EXIT_USAGE;
}

const command command_linearize = {"linearize",
                                   "MODEL",
                                   "Linearize a model around a point: matrices, poles, responses.",
                                   linearize_table,
                                   linearize_more,
                                   run_linearize};
