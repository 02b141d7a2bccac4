#include "cli/analysis/common.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "base/decimal.h"
#include "base/whole_write.h"
#include "cli/interrupt.h"
#include "cli/replace.h"
#include "cli/run/limit.h"
#include "cli/run/progress.h"
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
    const model_request request = {
        .set = &o->set, .program = o->program, .quiet = true, .allow_external = o->allow_external};
    *setup = (experiment_setup){.def = fo_default_experiment_def()};
    if (!limit_model(c, model, o->memory)) return false;
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
    if (o->stop.given) d->stop = o->stop.value;
    d->step = number_of(o->step);
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

// FNV-1a of a file; of something that is no file it is that of nothing.
static uint64_t checksum(const char *path)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    FILE *in = fopen(path, "rb");
    for (int c; in && (c = getc(in)) != EOF;) sum = (sum ^ (uint64_t)c) * UINT64_C(0x100000001b3);
    if (in) fclose(in);
    return sum;
}

static void put_settings(FILE *out, const char *what, const fo_setting *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%s %s=", what, list[i].name);
        put_csv_number(out, list[i].value);
        fputc('\n', out);
    }
}

char *experiment_about(const char *model, const fo_experiment_def *d)
{
    const double numbers[] = {d->stop, d->step, d->rtol, d->atol, d->max_step, d->accuracy};
    foi_text_stream text;
    if (!foi_text_open(&text, NULL)) return NULL;
    FILE *out = text.out;
    fprintf(out,
            "model %s\nchecksum %016" PRIx64 "\nversion %s\nsolver %s\nseed %" PRIu64
            "\nmax-steps %" PRIu64 "\n",
            model, checksum(model), FO_VERSION, d->solver ? d->solver : "", d->seed, d->max_steps);
    fputs("stop, step, rtol, atol, max-step, accuracy", out);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        fputc(' ', out), put_csv_number(out, numbers[i]);
    fputc('\n', out);
    put_settings(out, "set", d->model.settings, d->model.setting_count);
    put_settings(out, "start", d->start, d->start_count);
    return foi_text_take(&text);
}

static bool put_name(name_list *names, char *at)
{
    const char **list = realloc(names->list, (names->count + 1) * sizeof *list);
    if (!list) return false;
    names->list = list;
    names->list[names->count++] = at + strspn(at, " ");
    return true;
}

static bool split_text(name_list *names, char *text)
{
    int depth = 0;
    char *begin = text;
    for (char *at = text;; at++) {
        depth += (*at == '(') - (*at == ')');
        if (*at && (*at != ',' || depth > 0)) continue;
        bool last = !*at;
        *at = 0;
        if (!put_name(names, begin)) return false;
        if (last) return true;
        begin = at + 1;
    }
}

bool name_list_split(const command *c, const texts *given, name_list *names)
{
    names->texts = calloc(given->count + 1, sizeof *names->texts);
    bool good = names->texts;
    for (size_t i = 0; i < given->count && good; i++) {
        names->texts[i] = strdup(given->list[i]);
        good = names->texts[i];
        if (good) names->text_count++, good = split_text(names, names->texts[i]);
    }
    if (!good) complain(c, "out of memory");
    return good;
}

void name_list_free(name_list *names)
{
    for (size_t i = 0; i < names->text_count; i++) free(names->texts[i]);
    free(names->texts);
    free(names->list);
    *names = (name_list){0};
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

bool experiment_progress(void *self, uint64_t done, uint64_t count)
{
    progress_count(self, done, count, "parts");
    return !interrupt_signal();
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

void put_json_names(FILE *out, const char *name, const char *const *names, size_t count)
{
    put_json_text(out, name);
    fputs(": [", out);
    for (size_t i = 0; i < count; i++) {
        if (i) fputs(", ", out);
        put_json_text(out, names[i]);
    }
    fputc(']', out);
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
    bool begun = foi_text_open(&t->text, NULL);
    t->out = t->text.out;
    if (!begun) complain(c, "out of memory");
    return begun;
}

bool table_end(table_file *t, const command *c, const table_place *place, const char *beginning)
{
    const char *const beginnings[] = {beginning, NULL};
    bool fine = foi_text_close(&t->text);
    if (!fine) complain(c, "out of memory");
    fine = fine && replace_save(c, place->by, place->path, t->text.text, t->text.size, beginnings,
                                place->overwrite);
    foi_text_free(&t->text);
    return fine;
}

FILE *table_open(const command *c, const table_place *place, const char *beginning)
{
    const char *const beginnings[] = {beginning, NULL};
    struct stat about;
    fo_message why = {0};
    if (strcmp(place->path, "-") == 0) return stdout;
    if (!replace_may(c, place->by, place->path, beginnings, place->overwrite)) return NULL;
    bool plain = stat(place->path, &about) != 0 || S_ISREG(about.st_mode);
    FILE *out =
        plain ? foi_file_make(place->path, NULL, NULL, NULL, &why) : fopen(place->path, "w");
    if (!out && plain) complain(c, "%s", why.text);
    if (!out && !plain) complain(c, "cannot write '%s': %s", place->path, strerror(errno));
    FILE *whole = out ? foi_whole_stream(out, true) : NULL;
    if (out && !whole) {
        complain(c, "out of memory");
        fclose(out);
    }
    return whole;
}

// ---------------------------------------------------------------------------------------- pictures

// The table has x as its first column: what is drawn over it need not rise.
void draw_curves(FILE *out, const char *x_label, const double *x, size_t points,
                 const char *const *names, const double *y, size_t curves, bool ascii)
{
    fo_table *table = fo_table_create(curves + 1, NULL);
    size_t *which = calloc(2 * curves, sizeof *which);
    double *values = calloc(curves + 1, sizeof *values);
    bool good = table && which && values;
    fo_observer to = {0};
    if (good) to = fo_table_observer(table, NULL, 0);
    for (size_t i = 0; i < points && good; i++) {
        const fo_row row = {FO_ROW_SAMPLE, (double)i, 0, values, curves + 1};
        values[0] = x[i];
        memcpy(values + 1, y + i * curves, curves * sizeof *values);
        good = !isfinite(x[i]) || to.row(to.self, &row, NULL) == FO_OK;
    }
    for (size_t k = 0; k < curves && good; k++) which[k] = k + 1; // those behind are all 0
    fo_plot_def def = fo_default_plot_def();
    def.table = table, def.signals = which, def.names = names, def.count = curves;
    def.over = which ? which + curves : NULL, def.x_label = x_label;
    def.ascii = ascii || !terminal_has_unicode(), def.colour = terminal_has_colour(out);
    if (good && fo_table_rows(table) > 1) fo_plot(out, &def);
    fo_table_destroy(table);
    free(which);
    free(values);
}
