#include "cli/analysis/along.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"

static bool put_name(along *a, const char *name)
{
    char **names = realloc(a->names, (a->signals + 1) * sizeof *names);
    if (!names) return false;
    a->names = names;
    a->names[a->signals] = strdup(name);
    return a->names[a->signals] && ++a->signals;
}

static bool put_wanted(along *a, const char *wanted)
{
    char *save = NULL, *copy = strdup(wanted);
    bool good = copy;
    for (char *at = good ? strtok_r(copy, ",", &save) : NULL; at && good;
         at = strtok_r(NULL, ",", &save))
        good = put_name(a, at + strspn(at, " "));
    free(copy);
    return good;
}

static bool put_all(along *a, fo_system system)
{
    size_t counts[] = {system.about->states.count, system.about->outputs.count};
    const fo_quantity kinds[] = {FO_STATE, FO_OUTPUT};
    char name[256];
    for (int k = 0; k < 2; k++)
        for (uint32_t i = 0; i < counts[k]; i++)
            if (!put_name(a,
                          fo_system_name(system, (fo_reference){kinds[k], i}, name, sizeof name)))
                return false;
    return true;
}

// A name in quotes may have any characters but these.
static char *measure_of(const char *name, double t)
{
    char number[FOI_DECIMAL_SIZE];
    size_t size = strlen(name) + FOI_DECIMAL_SIZE + 16;
    char *text = malloc(size);
    foi_number_text(t, number);
    if (text) snprintf(text, size, "at(\"%s\", %s)", name, number);
    return text;
}

static bool put_measures(along *a, double start, double stop)
{
    a->measures = calloc(a->points * a->signals + 1, sizeof *a->measures);
    a->times = calloc(a->points + 1, sizeof *a->times);
    bool good = a->measures && a->times;
    for (size_t i = 0; i < a->points && good; i++) {
        double part = (double)i / (double)(a->points - 1);
        a->times[i] = i + 1 == a->points ? stop : start + (stop - start) * part;
        for (size_t k = 0; k < a->signals && good; k++)
            good = (a->measures[i * a->signals + k] = measure_of(a->names[k], a->times[i])) != NULL;
    }
    return good;
}

bool along_define(const command *c, const fo_experiment_def *def, const char *wanted, size_t points,
                  along *a)
{
    fo_model *m = NULL;
    a->points = points > 2 ? points : 2;
    if (fo_model_open(&def->model, &m) != FO_OK) {
        model_print_findings(c, m, true);
        fo_model_close(m);
        return false;
    }
    fo_run_def run = fo_model_run_def(m);
    bool good = wanted ? put_wanted(a, wanted) : put_all(a, fo_model_system(m));
    if (good && !a->signals) {
        complain(c, "the model has no states and outputs");
    } else {
        if (good) good = put_measures(a, run.start, isnan(def->stop) ? run.stop : def->stop);
        if (!good) complain(c, "out of memory");
    }
    fo_model_close(m);
    return good && a->signals;
}

void along_free(along *a)
{
    for (size_t i = 0; a->measures && i < a->points * a->signals; i++) free(a->measures[i]);
    for (size_t i = 0; i < a->signals; i++) free(a->names[i]);
    free(a->measures);
    free(a->names);
    free(a->times);
    *a = (along){0};
}

static void put_header(FILE *out, const along *a, const fo_sensitivity *s)
{
    fputs("time", out);
    for (size_t k = 0; k < a->signals; k++) fputc(',', out), put_csv_text(out, a->names[k]);
    for (size_t k = 0; k < a->signals; k++)
        for (size_t n = 0; n < s->numbers; n++) {
            char title[600];
            snprintf(title, sizeof title, "d %s / d %s", a->names[k], s->names[n]);
            fputc(',', out);
            put_csv_text(out, title);
        }
    fputc('\n', out);
}

bool along_write(const command *c, const table_place *place, const along *a,
                 const fo_sensitivity *s, size_t *unknown)
{
    table_file file;
    if (!table_begin(&file, c)) return false;
    FILE *out = file.out;
    *unknown = 0;
    put_header(out, a, s);
    for (size_t i = 0; i < a->points; i++) {
        put_csv_number(out, a->times[i]);
        for (size_t k = 0; k < a->signals; k++)
            fputc(',', out), put_csv_number(out, s->values[i * a->signals + k]);
        for (size_t k = 0; k < a->signals * s->numbers; k++) {
            double slope = s->derivatives[i * a->signals * s->numbers + k];
            *unknown += isnan(slope);
            fputc(',', out);
            put_csv_number(out, slope);
        }
        fputc('\n', out);
    }
    return table_end(&file, c, place, "time,");
}
