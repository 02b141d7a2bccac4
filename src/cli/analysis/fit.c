// foliot fit: numbers of a model from measured data.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/analysis/common.h"
#include "cli/analysis/measured.h"
#include "cli/interrupt.h"
#include "cli/listing.h"
#include "cli/terminal.h"

typedef struct fit_options {
    experiment_options run;
    texts data, adjust;
    const char *residuals;
    maybe_count starts, iterations;
} fit_options;

#define AT(member)     offsetof(fit_options, member)
#define AT_RUN(member) offsetof(fit_options, run.member)
static const option fit_table[] = {
    {"data", 0, "FILE", OPTION_TEXTS, AT(data),
     "measured data as CSV: time and signals; each file is a run of its own; may be repeated"},
    {"adjust", 0, "A=LOW..HIGH,B", OPTION_TEXTS, AT(adjust),
     "numbers or start values to be found, with bounds or without; may be repeated"},
    {"starts", 0, "N", OPTION_COUNT, AT(starts),
     "begin from N more points between the bounds, too, and take the best"},
    {"residuals", 0, "FILE", OPTION_TEXT, AT(residuals),
     "write what was measured, what the model gives and the difference as CSV; '-': standard "
     "output"},
    {"iterations", 0, "N", OPTION_COUNT, AT(iterations), "at most so many; default: 100"},
    EXPERIMENT_OPTIONS(AT_RUN),
    OPTION_OWN_NODES,
    {0}};

static const char fit_more[] =
    "The search begins at the model's own values, or those of --set. Errors are standard errors "
    "of\n"
    "least squares: they hold where the model is right and the differences are independent.\n"
    "\n"
    "Examples:\n"
    "  foliot fit cooling.mo --data measured.csv --adjust k=0..1,T0\n"
    "\n"
    "Exit status: 0 fine, 1 no minimum was found, 2 a mistake in the command line, 130 ended by\n"
    "Ctrl-C.\n";

enum { MOST_FILES = 64 };

static void cell(const void *self, size_t row, int column, char *text)
{
    const fo_fit *f = self;
    if (column == 0) snprintf(text, LISTING_CELL, "%s", f->names[row]);
    if (column == 1) snprintf(text, LISTING_CELL, "%.10g", f->values[row]);
    if (column == 2 && !isnan(f->errors[row]))
        snprintf(text, LISTING_CELL, "± %.4g", f->errors[row]);
    if (column == 3 && f->at_bound[row]) snprintf(text, LISTING_CELL, "at a bound");
}

static void print_doubt(const fo_fit *f)
{
    if (!f->ambiguous) return;
    printf("\nThe data do not tell these apart:");
    for (size_t i = 0; i < f->count; i++)
        if (fabs(f->weakest[i]) > 0.1) printf(" %s", f->names[i]);
    printf("\nThey can change together without a change of the result (condition %.2g), so that\n"
           "their values are not known and have no errors. Adjust fewer, or measure more.\n",
           f->condition);
}

static void print(const fo_fit *f)
{
    static const char *const titles[] = {"number", "value", "error", ""};
    listing table = {titles, 4, 0x6, 2, f->count, cell, f};
    listing_print(stdout, &table, terminal_listing_width(stdout));
    if (f->count > 1) printf("\n  correlation\n");
    for (size_t i = 1; i < f->count; i++)
        for (size_t k = 0; k < i; k++)
            printf("  %s and %s: %.4f\n", f->names[k], f->names[i],
                   f->correlation[i * f->count + k]);
    printf("\n  %zu values, sum of squares %.8g, deviation %.6g\n", f->measured, f->squares,
           f->deviation);
    printf("  %u iterations, %u runs; slopes by extrapolated differences, error about %.0e\n",
           (unsigned)f->iterations, (unsigned)f->runs, f->slope_error);
    print_doubt(f);
}

static void print_json(const fo_fit *f)
{
    putchar('{');
    put_json_names(stdout, "names", f->names, f->count);
    fputs(",\n ", stdout);
    put_json_numbers(stdout, "values", f->values, f->count);
    fputs(",\n ", stdout);
    put_json_numbers(stdout, "errors", f->errors, f->count);
    fputs(",\n ", stdout);
    put_json_matrix(stdout, "correlation", f->correlation, f->count, f->count);
    printf(",\n \"measured\": %zu, \"ambiguous\": %s, \"squares\": ", f->measured,
           f->ambiguous ? "true" : "false");
    put_json_number(stdout, f->squares);
    fputs(", \"deviation\": ", stdout);
    put_json_number(stdout, f->deviation);
    puts("}");
}

static void put_residuals(FILE *out, const fo_fit *f, const measured *files, const texts *paths)
{
    const double *r = f->residuals;
    fputs("data,time,signal,measured,model,difference\n", out);
    for (size_t k = 0; k < paths->count; k++) {
        const fo_fit_data *d = &files[k].data;
        for (size_t i = 0; i < d->rows * d->columns; i++) {
            double y = d->values[i];
            if (isnan(y)) continue;
            put_csv_text(out, paths->list[k]);
            fputc(',', out);
            put_csv_number(out, d->times[i / d->columns]);
            fputc(',', out);
            put_csv_text(out, d->names[i % d->columns]);
            const double numbers[] = {y, y + *r, *r};
            for (int q = 0; q < 3; q++) fputc(',', out), put_csv_number(out, numbers[q]);
            fputc('\n', out);
            r++;
        }
    }
}

static bool write_residuals(const command *c, const fit_options *o, const fo_fit *f,
                            const measured *files)
{
    bool standard = strcmp(o->residuals, "-") == 0;
    FILE *out = standard ? stdout : fopen(o->residuals, "w");
    if (!out) return complain(c, "cannot write '%s'", o->residuals), false;
    put_residuals(out, f, files, &o->data);
    bool fine = !ferror(out);
    if (!standard && fclose(out) != 0) fine = false;
    if (!fine) complain(c, "cannot write '%s'", o->residuals);
    return fine;
}

static int fit(const command *c, const fit_options *o, fo_fit_def *def, const name_list *a)
{
    measured files[MOST_FILES] = {0};
    fo_fit_data data[MOST_FILES];
    fo_message why = {0};
    int result = EXIT_FAILED;
    size_t count = 0;
    if (o->data.count == 0 || o->data.count > MOST_FILES)
        return complain_usage(c, "needs from 1 to %d files: --data FILE", (int)MOST_FILES);
    bool good = true;
    for (; count < o->data.count && good; count++) {
        good = measured_read(c, o->data.list[count], &files[count]);
        data[count] = files[count].data;
    }
    if (good) {
        def->adjust = a->list, def->adjust_count = a->count;
        def->data = data, def->data_count = count;
        def->starts = o->starts.value < 100000 ? (uint32_t)o->starts.value : 100000;
        def->max_iterations =
            o->iterations.value < 1000000 ? (uint32_t)o->iterations.value : 1000000;
        def->cancelled = experiment_cancelled;
        interrupt_watch();
        fo_fit *f = fo_fit_create(def, &why);
        result = f ? EXIT_FINE : experiment_failed(c, why.status, &why);
        bool taken = o->residuals && strcmp(o->residuals, "-") == 0;
        if (f && o->run.json) print_json(f);
        if (f && !o->run.json && !taken) print(f);
        if (f && o->residuals && !write_residuals(c, o, f, files)) result = EXIT_FAILED;
        fo_fit_destroy(f);
    }
    for (size_t i = 0; i < count; i++) measured_free(&files[i]);
    return result;
}

static int run_fit(const command *self, int argc, char **argv)
{
    fit_options o = {0};
    operands rest;
    name_list a = {0};
    experiment_setup setup = {0};
    int result = EXIT_USAGE;
    parse_result parsed = options_parse(self, argc, argv, &o, &rest);
    const char *model = parsed == PARSE_FINE ? model_operand(self, &rest) : NULL;
    if (parsed == PARSE_HELP) result = EXIT_FINE;
    if (model && !o.adjust.count)
        complain_usage(self, "needs --adjust NAME");
    else if (model && name_list_split(self, &o.adjust, &a) &&
             experiment_define(self, model, &o.run, &setup)) {
        fo_fit_def def = fo_default_fit_def();
        def.experiment = setup.def;
        result = fit(self, &o, &def, &a);
    }
    experiment_free(&setup, &o.run);
    name_list_free(&a);
    texts_free(&o.data);
    texts_free(&o.adjust);
    return result;
}

const command command_fit = {
    "fit",     "MODEL",  "Find numbers of a model with which it follows measured data.",
    fit_table, fit_more, run_fit};
