// foliot fit: numbers of a model from measured data.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/analysis/common.h"
#include "cli/analysis/measured.h"
#include "cli/interrupt.h"
#include "cli/listing.h"
#include "cli/replace.h"
#include "cli/run/picture.h"
#include "cli/run/progress.h"
#include "cli/run/ranks.h"
#include "cli/terminal.h"
#include "cli/written.h"

typedef struct fit_options {
    experiment_options run;
    texts data, adjust;
    const char *residuals, *loss, *gnuplot;
    maybe_number scale;
    maybe_count starts, iterations;
    bool plot;
} fit_options;

#define AT(member)     offsetof(fit_options, member)
#define AT_RUN(member) offsetof(fit_options, run.member)
static const option fit_table[] = {
    {"data", 0, "FILE", OPTION_TEXTS, AT(data),
     "measured data as CSV: time and signals; each file is a run of its own; may be repeated"},
    {"adjust", 0, "A=LOW..HIGH,B", OPTION_TEXTS, AT(adjust),
     "parameters or start values to be found, with bounds or without; may be repeated"},
    {"starts", 0, "N", OPTION_COUNT, AT(starts),
     "start also from N more points between the bounds, and take the best",
     OPTION_FROM_TO(0, 100000)},
    {"loss", 0, "NAME", OPTION_TEXT, AT(loss),
     "loss function of the residuals: squares (default), or, where there are outliers, huber, "
     "soft_l1 or cauchy"},
    {"loss-scale", 0, "C", OPTION_POSITIVE, AT(scale),
     "scale of --loss: residuals much larger than C count for less; default: 1"},
    {"plot", 0, NULL, OPTION_FLAG, AT(plot),
     "draw the residuals over time also where there is no terminal"},
    {"gnuplot", 0, "PATH", OPTION_TEXT, AT(gnuplot),
     "write the residuals to PATH.dat and PATH.gp, and draw PATH.svg where gnuplot is installed; "
     "*.svg, *.pdf and *.png say which"},
    {"residuals", 0, "FILE", OPTION_TEXT, AT(residuals),
     "write what was measured, what the model gives and the residual as CSV; '-': standard "
     "output"},
    {"iterations", 0, "N", OPTION_COUNT, AT(iterations),
     "largest number of iterations; default: 100", OPTION_FROM_TO(0, 1000000)},
    EXPERIMENT_OPTIONS(AT_RUN),
    OPTION_OWN_NODES,
    {0}};

static const char fit_more[] =
    "The search begins at the model's own values, or those of --set. Errors are standard errors "
    "of\n"
    "least squares: they hold where the model is right and the residuals are independent.\n"
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
    char condition[32] = "singular";
    if (isfinite(f->condition))
        snprintf(condition, sizeof condition, "condition %.2g", f->condition);
    printf("\nThey can change together without a change of the result (%s), so that\n"
           "their values are not known and have no errors. Adjust fewer, or measure more.\n",
           condition);
}

// Of those that have errors.
static void print_correlation(const fo_fit *f)
{
    bool any = false;
    for (size_t i = 1; i < f->count; i++)
        for (size_t k = 0; k < i; k++) {
            double value = f->correlation[i * f->count + k];
            if (!isfinite(value)) continue;
            if (!any) printf("\n  correlation\n");
            any = true;
            printf("  %s and %s: %.4f\n", f->names[k], f->names[i], value);
        }
}

static void print(const fo_fit *f)
{
    static const char *const titles[] = {"parameter", "value", "error", ""};
    listing table = {titles, 4, 0x6, 2, f->count, cell, f};
    listing_print(stdout, &table, terminal_listing_width(stdout));
    if (f->interrupted) {
        printf("\n  interrupted: the best so far, cost %.8g, after %u runs\n", f->cost,
               (unsigned)f->runs);
        return;
    }
    print_correlation(f);
    printf("\n  %zu values, sum of squares %.8g, deviation %.6g\n", f->measured, f->squares,
           f->deviation);
    printf("  %u iterations, %u runs; ", (unsigned)f->iterations, (unsigned)f->runs);
    if (f->exact)
        puts("gradients from the equations");
    else
        printf("gradients by extrapolated differences, error about %.0e\n", f->slope_error);
    if (f->kinks)
        printf(
            "  an event stands at the time of %zu value%s: the sum of squares has a kink there\n",
            f->kinks, f->kinks > 1 ? "s" : "");
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
    fputs(", \"cost\": ", stdout);
    put_json_number(stdout, f->cost);
    fputs(", \"deviation\": ", stdout);
    put_json_number(stdout, f->deviation);
    printf(", \"iterations\": %llu, \"runs\": %llu, \"exact_slopes\": %s, \"kinks\": %zu",
           (unsigned long long)f->iterations, (unsigned long long)f->runs,
           f->exact ? "true" : "false", f->kinks);
    printf(", \"interrupted\": %s}\n", f->interrupted ? "true" : "false");
}

static const char residuals_head[] = "data,time,signal,measured,model,difference";

static void put_residuals(FILE *out, const fo_fit *f, const measured *files, const texts *paths)
{
    const double *r = f->residuals;
    fprintf(out, "%s\n", residuals_head);
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
    const table_place place = {"--residuals", o->residuals, o->run.overwrite};
    table_file table;
    if (!table_begin(&table, c)) return false;
    put_residuals(table.out, f, files, &o->data);
    return table_end(&table, c, &place, residuals_head);
}

// ---------------------------------------------------------------------------------------- pictures

/// The differences of one signal of one file.
typedef struct curve {
    char name[160];
    double *t, *r;
    size_t count;
} curve;

typedef struct curves {
    curve *list;
    double *numbers;
    size_t count;
} curves;

static bool take_curves(const fo_fit *f, const measured *files, const texts *paths, curves *c)
{
    size_t all = 0, used = 0;
    for (size_t k = 0; k < paths->count; k++) all += files[k].data.columns;
    c->list = calloc(all + 1, sizeof *c->list);
    c->numbers = calloc(2 * f->measured + 1, sizeof *c->numbers);
    const double *begin = f->residuals;
    for (size_t k = 0; k < paths->count && c->list && c->numbers; k++) {
        const fo_fit_data *d = &files[k].data;
        size_t file = 0;
        for (size_t i = 0; i < d->rows * d->columns; i++) file += !isnan(d->values[i]);
        for (size_t q = 0; q < d->columns; q++) {
            curve *to = &c->list[c->count++];
            const double *r = begin;
            snprintf(to->name, sizeof to->name, paths->count > 1 ? "%.70s in %.70s" : "%.70s",
                     d->names[q], paths->list[k]);
            to->t = c->numbers + used;
            to->r = to->t + file;
            for (size_t i = 0; i < d->rows * d->columns; i++) {
                if (isnan(d->values[i])) continue;
                if (i % d->columns == q)
                    to->t[to->count] = d->times[i / d->columns], to->r[to->count++] = *r;
                r++;
            }
            memmove(to->t + to->count, to->r, to->count * sizeof *to->r);
            to->r = to->t + to->count;
            used += 2 * to->count;
        }
        begin += file;
    }
    return c->list && c->numbers;
}

static void free_curves(curves *c)
{
    free(c->list);
    free(c->numbers);
}

static void draw(const curves *c, bool ascii)
{
    for (size_t i = 0; i < c->count; i++) {
        char name[200];
        const char *shown = name;
        snprintf(name, sizeof name, "%s: model less measured", c->list[i].name);
        draw_curves(stdout, "time [s]", c->list[i].t, c->list[i].count, &shown, c->list[i].r, 1,
                    ascii);
        putchar('\n');
    }
}

static bool draw_by_gnuplot(const command *c, const gnuplot_request *g, const curves *all)
{
    fo_curve *list = calloc(all->count + 1, sizeof *list);
    fo_gnuplot_def def = fo_default_gnuplot_def();
    fo_message why = {0};
    bool drawn;
    for (size_t i = 0; list && i < all->count; i++)
        list[i] = (fo_curve){all->list[i].name, all->list[i].t, all->list[i].r, all->list[i].count,
                             FO_CURVE_POINTS};
    def.path = g->path, def.format = g->format, def.curves = list, def.count = all->count;
    def.x_label = "time [s]", def.y_label = "model less measured";
    fo_status status = FO_ERROR_MEMORY;
    if (list) status = replace_plots_unchanged(g->seen, g->path, g->format, &why);
    if (list && !fo_failed(status)) status = fo_gnuplot(&def, &drawn, &why);
    free(list);
    if (status != FO_OK) complain(c, "%s", why.text[0] ? why.text : "out of memory");
    return status == FO_OK;
}

static bool show_pictures(const command *c, const fit_options *o, const gnuplot_request *g,
                          const fo_fit *f, const measured *files)
{
    bool drawn = !o->run.json && (o->plot || terminal_is(stdout)), good = true;
    curves all = {0};
    if (!drawn && !o->gnuplot) return true;
    if (!take_curves(f, files, &o->data, &all)) good = false, complain(c, "out of memory");
    if (good && drawn) draw(&all, o->run.ascii);
    if (good && o->gnuplot) good = draw_by_gnuplot(c, g, &all);
    free_curves(&all);
    return good;
}

// ------------------------------------------------------------------------------------- the command

static bool choose_loss(const command *c, const fit_options *o, fo_fit_def *def)
{
    static const char *const names[] = {"squares", "soft_l1", "huber", "cauchy"};
    def->loss_scale = o->scale.given ? o->scale.value : 0;
    if (o->scale.given && (!o->loss || strcmp(o->loss, "squares") == 0)) {
        complain_usage(c, "--loss-scale needs --loss huber, soft_l1 or cauchy");
        return false;
    }
    if (!o->loss) return true;
    for (int i = 0; i < 4; i++) {
        def->loss = (fo_loss)i;
        if (strcmp(o->loss, names[i]) == 0) return true;
    }
    complain_usage(c, "--loss must be squares, soft_l1, huber or cauchy, not '%s'", o->loss);
    return false;
}

static bool count_iterations(void *self, uint64_t done, uint64_t count)
{
    progress_count(self, done, count, "iterations at most");
    return !interrupt_signal();
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
    if (!choose_loss(c, o, def)) return EXIT_USAGE;
    gnuplot_request asked = {0};
    if (o->gnuplot && !gnuplot_asked(c, o->gnuplot, NULL, "svg", &asked)) return EXIT_USAGE;
    written own = {.count = 0};
    written_add(&own, "--residuals", o->residuals);
    if (o->gnuplot) written_add_plots(&own, "--gnuplot", asked.path, asked.format);
    if (!written_differ(&own, c)) return EXIT_USAGE;
    if (o->gnuplot && !replace_plots(c, asked.path, asked.format, o->run.overwrite, asked.seen))
        return EXIT_FAILED;
    const char *const beginnings[] = {residuals_head, NULL};
    bool good =
        !o->residuals || replace_may(c, "--residuals", o->residuals, beginnings, o->run.overwrite);
    for (; count < o->data.count && good; count++) {
        good = measured_read(c, o->data.list[count], &files[count]);
        data[count] = files[count].data;
    }
    if (good) {
        def->adjust = a->list, def->adjust_count = a->count;
        def->data = data, def->data_count = count;
        def->starts = (uint32_t)o->starts.value;
        def->max_iterations = (uint32_t)o->iterations.value;
        progress p = progress_make(o->run.quiet || ranks_silent() ? NULL : stderr, 0);
        def->cancelled = experiment_cancelled, def->progress = count_iterations, def->self = &p;
        interrupt_watch();
        fo_fit *f = fo_fit_create(def, &why);
        progress_end(&p);
        interrupt_writing();
        result = f ? EXIT_FINE : experiment_failed(c, why.status, &why);
        bool whole = f && !f->interrupted;
        bool taken = o->residuals && strcmp(o->residuals, "-") == 0;
        if (f && o->run.json) print_json(f);
        if (whole && !taken && !show_pictures(c, o, &asked, f, files)) result = EXIT_FAILED;
        if (f && !o->run.json && !taken) print(f);
        if (whole && o->residuals && !write_residuals(c, o, f, files)) result = EXIT_FAILED;
        if (f && !whole) result = EXIT_SIGNALLED + interrupt_signal();
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
    "fit",     "MODEL",  "Estimate parameters of a model from measured data.",
    fit_table, fit_more, run_fit};
