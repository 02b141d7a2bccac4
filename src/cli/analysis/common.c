#include "cli/analysis/common.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "cli/interrupt.h"
#include "cli/replace.h"
#include "cli/run/limit.h"
#include "cli/terminal.h"

// ------------------------------------------------------------------------------------- definitions

static double number_of(maybe_number n)
{
    return n.given ? n.value : 0;
}

// While a document is translated, too.
static bool goes_on(void *self)
{
    (void)self;
    return interrupt_signal() == 0;
}

bool experiment_define(const command *c, const char *model, const experiment_options *o,
                       experiment_setup *setup)
{
    const model_request request = {.set = &o->set, .program = o->program, .quiet = true};
    *setup = (experiment_setup){.def = fo_default_experiment_def()};
    if (!limit_model(c, model, NULL)) return false;
    if (!model_define(c, model, &request, &setup->def.model, &setup->settings)) return false;
    setup->start = calloc(o->start.count + 1, sizeof *setup->start);
    if (!setup->start) {
        complain(c, "out of memory");
        return false;
    }
    for (size_t i = 0; i < o->start.count; i++)
        setup->start[i] = (fo_setting){o->start.list[i].name, o->start.list[i].value, false};
    fo_experiment_def *d = &setup->def;
    d->model.go_on = goes_on;
    d->start = setup->start, d->start_count = o->start.count;
    d->solver = o->solver;
    d->stop = number_of(o->stop), d->step = number_of(o->step);
    d->rtol = number_of(o->rtol), d->atol = number_of(o->atol);
    d->max_step = number_of(o->max_step), d->accuracy = number_of(o->accuracy);
    if (o->max_steps.given) d->max_steps = o->max_steps.value;
    if (o->seed.given) d->seed = o->seed.value;
    return true;
}

void experiment_free(experiment_setup *setup, experiment_options *o)
{
    free(setup->settings);
    free(setup->start);
    settings_free(&o->set);
    settings_free(&o->start);
    *setup = (experiment_setup){0};
}

int experiment_failed(const command *c, fo_status status, const fo_message *why)
{
    if (interrupt_signal()) {
        complain(c, "interrupted");
        return EXIT_SIGNALLED + interrupt_signal();
    }
    if (status == FO_ERROR_ARGUMENT) return complain_usage(c, "%s", why->text);
    complain(c, "%s", why->text[0] ? why->text : fo_status_text(status));
    return EXIT_FAILED;
}

bool experiment_cancelled(void *self)
{
    (void)self;
    return interrupt_signal() != 0;
}

// ----------------------------------------------------------------------------------------- writing

void put_csv_number(FILE *out, double value)
{
    char text[FOI_DECIMAL_SIZE];
    if (!isfinite(value)) return;
    foi_number_text(value, text);
    fputs(text, out);
}

void put_csv_text(FILE *out, const char *text)
{
    bool quoted = strpbrk(text, ",\"\n\r");
    if (quoted) fputc('"', out);
    for (; *text; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text == '\n' || *text == '\r' ? ' ' : *text, out);
    }
    if (quoted) fputc('"', out);
}

void put_json_number(FILE *out, double value)
{
    char text[FOI_DECIMAL_SIZE];
    foi_number_text(value, text);
    fputs(isfinite(value) ? text : "null", out);
}

void put_json_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < 0x20)
            fprintf(out, "\\u%04x", c);
        else
            fputc(c, out);
    }
    fputc('"', out);
}

static void put_list(FILE *out, const double *values, size_t count)
{
    fputc('[', out);
    for (size_t i = 0; i < count; i++) {
        if (i) fputs(", ", out);
        put_json_number(out, values[i]);
    }
    fputc(']', out);
}

void put_json_numbers(FILE *out, const char *name, const double *values, size_t count)
{
    put_json_text(out, name);
    fputs(": ", out);
    put_list(out, values, count);
}

void put_json_matrix(FILE *out, const char *name, const double *values, size_t rows, size_t columns)
{
    put_json_text(out, name);
    fputs(": [", out);
    for (size_t i = 0; i < rows; i++) {
        if (i) fputs(", ", out);
        put_list(out, values + i * columns, columns);
    }
    fputc(']', out);
}

bool table_begin(table_file *t, const command *c)
{
    *t = (table_file){0};
    t->out = open_memstream(&t->text, &t->length);
    if (!t->out) complain(c, "out of memory");
    return t->out;
}

bool table_end(table_file *t, const command *c, const char *by, const char *path,
               const char *beginning, bool overwrite)
{
    const char *const beginnings[] = {beginning, NULL};
    bool failed = ferror(t->out);
    if (fclose(t->out) != 0) failed = true;
    if (failed) complain(c, "out of memory");
    bool fine = !failed && replace_save(c, by, path, t->text, t->length, beginnings, overwrite);
    free(t->text);
    return fine;
}

// ---------------------------------------------------------------------------------------- pictures

void draw_curves(FILE *out, const char *x_label, const double *x, size_t points,
                 const char *const *names, const double *y, size_t curves, bool ascii)
{
    fo_table *table = fo_table_create(curves, NULL);
    size_t *which = calloc(curves, sizeof *which);
    bool good = table && which;
    fo_observer to = {0};
    if (good) to = fo_table_observer(table, NULL, 0);
    for (size_t i = 0; i < points && good; i++) {
        const fo_row row = {FO_ROW_SAMPLE, x[i], 0, y + i * curves, curves};
        bool finite = isfinite(x[i]);
        for (size_t k = 0; k < curves; k++) finite &= isfinite(row.values[k]);
        good = !finite || to.row(to.self, &row, NULL) == FO_OK;
    }
    for (size_t k = 0; k < curves && good; k++) which[k] = k;
    fo_plot_def def = fo_default_plot_def();
    def.table = table, def.signals = which, def.names = names, def.count = curves;
    def.x_label = x_label;
    def.ascii = ascii || !terminal_has_unicode(), def.colour = terminal_has_colour(out);
    if (good && fo_table_rows(table) > 1) fo_plot(out, &def);
    fo_table_destroy(table);
    free(which);
}
