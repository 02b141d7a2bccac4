// foliot steady: equilibria, whether they are stable, and how they move with a parameter.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/analysis/common.h"
#include "cli/interrupt.h"
#include "cli/replace.h"
#include "cli/run/progress.h"
#include "cli/run/ranks.h"
#include "cli/terminal.h"

typedef struct steady_options {
    experiment_options run;
    const char *vary, *output;
    maybe_count starts;
    maybe_number part;
    bool plot;
} steady_options;

#define AT(member)     offsetof(steady_options, member)
#define AT_RUN(member) offsetof(steady_options, run.member)
static const option steady_table[] = {
    {"vary", 0, "NAME=RANGE", OPTION_TEXT, AT(vary),
     "follow every equilibrium through this range, around folds; they are looked for at its "
     "beginning, its end and in its middle"},
    {"starts", 0, "N", OPTION_COUNT, AT(starts),
     "starting points around the model's trajectory, besides those on it; default: 64",
     OPTION_FROM_TO(0, 1000000)},
    {"branch-step", 0, "PART", OPTION_POSITIVE, AT(part),
     "longest step along a branch, as a part of the range; default: 0.02"},
    {"output", 'o', "FILE", OPTION_TEXT, AT(output),
     "write all equilibria as CSV; '-' is standard output"},
    {"plot", 0, NULL, OPTION_FLAG, AT(plot), "draw the first state over what is varied"},
    EXPERIMENT_OPTIONS(AT_RUN),
    OPTION_OWN_NODES,
    {0}};

static const char steady_more[] =
    "Stable and unstable are said of the linear system at the equilibrium; where an eigenvalue "
    "lies\n"
    "on the imaginary axis it does not decide. A list can miss equilibria that no start leads to.\n"
    "\n"
    "Examples:\n"
    "  foliot steady predator-prey\n"
    "  foliot steady lorenz --set rho=2 --vary rho=2..30\n"
    "\n"
    "Exit status: 0 fine, 1 none was found, 2 a mistake in the command line, 130 ended by "
    "Ctrl-C;\n"
    "then what was found until then is written.\n";

static const char *word(int stability)
{
    return stability > 0 ? "stable" : stability < 0 ? "unstable" : "undecided";
}

static const char *doubt(const char *mark)
{
    if (strcmp(mark, "acts") == 0)
        return ": the model has time events, and the eigenvalues hold between them";
    if (strcmp(mark, "on a guard") == 0)
        return ": a guard is zero here, and the eigenvalues hold on one side of it";
    if (strcmp(mark, "on a line") == 0)
        return ": one of a line of equilibria, the first that a start has led to";
    if (strcmp(mark, "degenerate") == 0)
        return ": degenerate, the Jacobian is singular here, but no line of equilibria was found";
    if (strcmp(mark, "centre") == 0)
        return ": a centre of the linear system, eigenvalues lie on the imaginary axis";
    return "";
}

// ---------------------------------------------------------------------------------------- printing

static void print_one(const fo_steady *s, const fo_equilibrium *e, size_t number)
{
    size_t n = fo_steady_states(s);
    char name[256];
    printf("\nEquilibrium %zu: %s%s\n", number, word(e->stability), doubt(e->mark));
    for (size_t i = 0; i < n; i++)
        printf("  %s = %.10g\n", fo_steady_name(s, i, name, sizeof name), e->x[i]);
    printf("  eigenvalues");
    for (size_t i = 0; i < n; i++)
        if (e->im[i] == 0)
            printf("%s %.7g", i ? "," : "", e->re[i]);
        else if (e->im[i] > 0)
            printf("%s %.7g +- %.7g i", i ? "," : "", e->re[i], e->im[i]);
    putchar('\n');
}

static bool is_centre(const fo_equilibrium *e)
{
    return strcmp(e->mark, "centre") == 0;
}

// Of what is no mark of a single point: one line for a branch.
static void print_centres(const fo_steady *s, const char *vary, int length)
{
    for (size_t i = 0, next; i < fo_steady_count(s); i = next) {
        const fo_equilibrium *first = fo_steady_get(s, i);
        double low = INFINITY, high = -INFINITY;
        size_t count = 0;
        for (next = i; next < fo_steady_count(s); next++) {
            const fo_equilibrium *e = fo_steady_get(s, next);
            if (e->branch != first->branch) break;
            if (!is_centre(e)) continue;
            count++, low = fmin(low, e->parameter), high = fmax(high, e->parameter);
        }
        if (count)
            printf("  branch %u: undecided at %zu points, from %.*s = %.9g to %.9g: centres of the "
                   "linear system, eigenvalues lie on the imaginary axis\n",
                   first->branch + 1, count, length, vary, low, high);
    }
}

static void print_marks(const fo_steady *s, const char *vary)
{
    size_t points = fo_steady_count(s), marks = 0;
    int length = (int)strcspn(vary, "=");
    for (size_t i = 0; i < points; i++) {
        const fo_equilibrium *e = fo_steady_get(s, i);
        if (!*e->mark || is_centre(e)) continue;
        marks++;
        printf("  branch %u: %s at %.*s = %.9g", e->branch + 1, e->mark, length, vary,
               e->parameter);
        if (e->frequency > 0) printf(", frequency %.8g rad/s", e->frequency);
        char name[256];
        for (size_t k = 0; k < fo_steady_states(s) && k < 6; k++)
            printf("%s %s = %.7g", k ? "," : ";", fo_steady_name(s, k, name, sizeof name), e->x[k]);
        putchar('\n');
    }
    print_centres(s, vary, length);
    printf("  %zu points on branches, %zu of them marked\n", points, marks);
}

static void print_json(const fo_steady *s)
{
    size_t n = fo_steady_states(s);
    char name[256];
    fputs("{\"states\": [", stdout);
    for (size_t i = 0; i < n; i++) {
        if (i) fputs(", ", stdout);
        put_json_text(stdout, fo_steady_name(s, i, name, sizeof name));
    }
    fputs("], \"equilibria\": [", stdout);
    for (size_t i = 0; i < fo_steady_count(s); i++) {
        const fo_equilibrium *e = fo_steady_get(s, i);
        printf("%s\n  {\"branch\": %u, \"parameter\": ", i ? "," : "", e->branch + 1);
        put_json_number(stdout, e->parameter);
        fputs(", ", stdout);
        put_json_numbers(stdout, "x", e->x, n);
        fputs(", ", stdout);
        put_json_numbers(stdout, "re", e->re, n);
        fputs(", ", stdout);
        put_json_numbers(stdout, "im", e->im, n);
        printf(", \"stability\": \"%s\", \"mark\": \"%s\"}", word(e->stability), e->mark);
    }
    // that there are no others is never proved
    puts("\n], \"complete\": false}");
}

static const char table_beginning[] = "branch,parameter,";

static bool write_table(const command *c, const steady_options *o, const fo_steady *s)
{
    table_file file;
    char name[256];
    if (!table_begin(&file, c)) return false;
    FILE *out = file.out;
    fputs("branch,parameter", out);
    for (size_t i = 0; i < fo_steady_states(s); i++) {
        fputc(',', out);
        put_csv_text(out, fo_steady_name(s, i, name, sizeof name));
    }
    fputs(",largest_re,stability,mark\n", out);
    for (size_t k = 0; k < fo_steady_count(s); k++) {
        const fo_equilibrium *e = fo_steady_get(s, k);
        fprintf(out, "%u,", e->branch + 1);
        put_csv_number(out, e->parameter);
        for (size_t i = 0; i < fo_steady_states(s); i++) {
            fputc(',', out);
            put_csv_number(out, e->x[i]);
        }
        fputc(',', out);
        put_csv_number(out, e->re[0]);
        fprintf(out, ",%s,%s\n", word(e->stability), e->mark);
    }
    const table_place place = {"--output", o->output, o->run.overwrite};
    return table_end(&file, c, &place, table_beginning);
}

// What is stable, and what is not or not known; a line breaks between branches.
static void draw(const fo_steady *s, const steady_options *o)
{
    size_t count = fo_steady_count(s), rows = 0;
    double *x = calloc(6 * count + 1, sizeof *x), *y = x ? x + 2 * count : NULL;
    char name[256], label[64], stable[300], other[300];
    const char *names[] = {stable, other};
    fo_steady_name(s, 0, name, sizeof name);
    snprintf(stable, sizeof stable, "%s, stable", name);
    snprintf(other, sizeof other, "%s, unstable or undecided", name);
    snprintf(label, sizeof label, "%.*s", (int)strcspn(o->vary, "="), o->vary);
    for (size_t i = 0; i < count && x; i++) {
        const fo_equilibrium *e = fo_steady_get(s, i), *last = fo_steady_get(s, i ? i - 1 : 0);
        if (e->branch != last->branch)
            x[rows] = e->parameter, y[2 * rows] = y[2 * rows + 1] = NAN, rows++;
        bool good = e->stability > 0, before = last->stability > 0,
             joined = e->branch == last->branch;
        x[rows] = e->parameter;
        y[2 * rows] = good || (joined && before) ? e->x[0] : NAN;
        y[2 * rows + 1] = !good || (joined && !before) ? e->x[0] : NAN;
        rows++;
    }
    if (x) draw_curves(stdout, label, x, rows, names, y, 2, o->run.ascii);
    free(x);
}

static int show(const command *c, const steady_options *o, const fo_steady *s)
{
    bool taken = o->output && strcmp(o->output, "-") == 0, loud = !o->run.quiet && !taken;
    if (o->run.json) {
        print_json(s);
    } else if (loud && o->vary) {
        if (o->plot) draw(s, o);
        print_marks(s, o->vary);
    } else if (loud) {
        for (size_t i = 0; i < fo_steady_count(s); i++) print_one(s, fo_steady_get(s, i), i + 1);
        printf("\nThe Jacobians are %s\n", fo_steady_is_exact(s) ? "the model's own derivatives"
                                                                 : "from extrapolated differences");
        puts("There may be others, to which no start has led: --starts N tries more");
    }
    if (o->output && !write_table(c, o, s)) return EXIT_FAILED;
    if (fo_steady_is_whole(s)) return EXIT_FINE;
    complain(c, "interrupted: what was found until then");
    return EXIT_SIGNALLED + interrupt_signal();
}

static int find(const command *c, steady_options *o, const char *model)
{
    experiment_setup setup = {0};
    fo_message why = {0};
    int result = EXIT_USAGE;
    const char *const beginnings[] = {table_beginning, NULL};
    if (!replace_may(c, "--output", o->output, beginnings, o->run.overwrite)) return EXIT_FAILED;
    if (experiment_define(c, model, &o->run, &setup)) {
        fo_steady_def def = fo_default_steady_def();
        def.experiment = setup.def;
        def.vary = o->vary;
        if (o->starts.given) def.starts = (uint32_t)o->starts.value;
        if (o->part.given) def.step = o->part.value;
        progress p = progress_make(o->run.quiet || ranks_silent() ? NULL : stderr, 0);
        def.cancelled = experiment_cancelled, def.progress = experiment_progress, def.self = &p;
        interrupt_watch();
        fo_steady *s = fo_steady_create(&def, &why);
        progress_end(&p);
        interrupt_writing();
        result = s ? show(c, o, s) : experiment_failed(c, why.status, &why);
        fo_steady_destroy(s);
    }
    experiment_free(&setup, &o->run);
    return result;
}

static int run_steady(const command *self, int argc, char **argv)
{
    steady_options o = {0};
    operands rest;
    parse_result parsed = options_parse(self, argc, argv, &o, &rest);
    if (parsed != PARSE_FINE) return parsed == PARSE_HELP ? EXIT_FINE : EXIT_USAGE;
    if (o.plot && !o.vary) return complain_usage(self, "--plot needs --vary");
    const char *model = model_operand(self, &rest);
    return model ? find(self, &o, model) : EXIT_USAGE;
}

const command command_steady = {
    "steady",
    "MODEL",
    "Find equilibria, judge their stability, follow them over a parameter.",
    steady_table,
    steady_more,
    run_steady};
