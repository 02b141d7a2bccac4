#include "cli/analysis/sweep_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/analysis/common.h"
#include "cli/terminal.h"

static const double FLUSH_EVERY = 0.5; // seconds

static void put_header(FILE *out, const fo_parameter_sweep *sweep,
                       const fo_parameter_sweep_def *def)
{
    for (size_t i = 0; i < def->vary_count; i++) {
        if (i) fputc(',', out);
        put_csv_text(out, fo_parameter_sweep_name(sweep, i));
    }
    for (size_t i = 0; i < def->measure_count; i++) {
        fputc(',', out);
        put_csv_text(out, def->measures[i]);
    }
    fputs(",reason\n", out);
}

// The header as a text, to compare with the file's.
static char *header_of(const fo_parameter_sweep *sweep, const fo_parameter_sweep_def *def)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) return NULL;
    put_header(out, sweep, def);
    if (fclose(out) == 0) return text;
    free(text);
    return NULL;
}

// The point of a row is that of the sweep, to the bit: numbers are written with all their digits.
static bool is_point(const char *line, uint64_t number, const fo_parameter_sweep *sweep,
                     size_t count, double *values)
{
    fo_parameter_sweep_point(sweep, number, values);
    for (size_t i = 0; i < count; i++) {
        char *end;
        if (strtod(line, &end) != values[i] || end == line || *end != ',') return false;
        line = end + 1;
    }
    return true;
}

/// Reads what is there. Returns what is wrong, or NULL; *end is where whole rows end.
static const char *check_rows(FILE *in, const char *header, const fo_parameter_sweep *sweep,
                              const fo_parameter_sweep_def *def, double *values, uint64_t *first,
                              long *end, char **last)
{
    char *line = NULL;
    size_t size = 0;
    const char *wrong = NULL;
    for (uint64_t number = 0;; number++) {
        ssize_t length = getline(&line, &size, in);
        if (length <= 0 || line[length - 1] != '\n') break; // the end, or a row that was cut off
        if (number == 0 && strcmp(line, header) != 0)
            wrong = "its columns are not those of this sweep";
        else if (number > fo_parameter_sweep_count(sweep))
            wrong = "it has more rows than this sweep";
        else if (number && !is_point(line, number - 1, sweep, def->vary_count, values))
            wrong = "a row is not the one of this sweep: the ranges, the design or the seed differ";
        if (wrong) break;
        *first = number;
        *end = ftell(in);
        if (!number) continue;
        free(*last);
        *last = line, line = NULL, size = 0;
    }
    free(line);
    return wrong;
}

// The file as it is; NULL in *out: there is none, or nothing whole in it, and it begins anew.
static bool go_on_with(sweep_file *f, const command *c, const fo_parameter_sweep *sweep,
                       const fo_parameter_sweep_def *def, uint64_t *first)
{
    long end = 0;
    const char *wrong = "out of memory";
    FILE *file = fopen(f->path, "r+");
    if (!file && errno == ENOENT) return true;
    char *header = header_of(sweep, def);
    double *values = calloc(def->vary_count + 1, sizeof *values);
    if (file && header && values)
        wrong = check_rows(file, header, sweep, def, values, first, &end, &f->last);
    if (!file) wrong = strerror(errno);
    free(header);
    free(values);
    if (!wrong && end > 0 && (fseek(file, end, SEEK_SET) != 0 || ftruncate(fileno(file), end) != 0))
        wrong = strerror(errno);
    if (!wrong && end > 0)
        f->out = file;
    else if (file)
        fclose(file);
    if (f->last && *first) --*first; // it is computed again
    if (wrong) complain(c, "cannot continue '%s': %s", f->path, wrong);
    return !wrong;
}

// ------------------------------------------------------------------- what an unfinished table is
// of

static bool about_path(const sweep_file *f, char *path, size_t size)
{
    int length = snprintf(path, size, "%s.sweep", f->path);
    return length > 0 && (size_t)length < size;
}

// True where there is none, or it says the same.
static bool about_agrees(const sweep_file *f, const char *about)
{
    char path[4096], *text = NULL;
    size_t size = 0;
    FILE *in = about_path(f, path, sizeof path) ? fopen(path, "r") : NULL;
    if (!in) return true;
    bool same = getdelim(&text, &size, 0, in) >= 0 && strcmp(text, about) == 0;
    free(text);
    fclose(in);
    return same;
}

static bool about_write(const sweep_file *f, const char *about)
{
    char path[4096];
    FILE *out = about_path(f, path, sizeof path) ? fopen(path, "w") : NULL;
    if (!out) return false;
    bool good = fputs(about, out) >= 0;
    return fclose(out) == 0 && good;
}

bool sweep_file_open(sweep_file *f, const command *c, const char *path, bool go_on,
                     const char *about, const fo_parameter_sweep *sweep,
                     const fo_parameter_sweep_def *def, uint64_t *first)
{
    *f = (sweep_file){.path = path, .values = def->vary_count, .measures = def->measure_count};
    f->flushed = clock_seconds();
    if (!path) return true;
    bool standard = strcmp(path, "-") == 0;
    if (go_on && !standard && !about_agrees(f, about)) {
        complain(c,
                 "cannot continue '%s': by '%s.sweep' it is of another model, or run with other "
                 "options",
                 path, path);
        return false;
    }
    if (go_on && !standard && !go_on_with(f, c, sweep, def, first)) return false;
    if (f->out) return true;
    f->out = standard ? stdout : fopen(path, "w");
    if (!f->out) {
        complain(c, "cannot write '%s': %s", path, strerror(errno));
        return false;
    }
    put_header(f->out, sweep, def);
    if (standard || about_write(f, about)) return true;
    complain(c, "cannot write '%s.sweep': %s", path, strerror(errno));
    return false;
}

static void put_row(const sweep_file *f, FILE *out, const fo_parameter_sweep_row *row)
{
    for (size_t i = 0; i < f->values; i++) {
        if (i) fputc(',', out);
        put_csv_number(out, row->values[i]);
    }
    for (size_t i = 0; i < f->measures; i++) {
        fputc(',', out);
        put_csv_number(out, row->measures[i]);
    }
    fputc(',', out);
    put_csv_text(out, row->reason);
    fputc('\n', out);
}

// The bits of a run do not change from one time to the next, so that its row does not, either.
static fo_status compare_row(sweep_file *f, const fo_parameter_sweep_row *row, fo_message *why)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out) put_row(f, out, row);
    bool good = out && fclose(out) == 0, same = good && strcmp(text, f->last) == 0;
    free(text);
    free(f->last);
    f->last = NULL;
    if (!good) return fo_fail(why, FO_ERROR_MEMORY, "out of memory");
    if (same) return FO_OK;
    return fo_fail(why, FO_ERROR_INPUT,
                   "cannot continue '%s': its last row comes out different when it is computed "
                   "again, so the model, its numbers or the options are others",
                   f->path);
}

fo_status sweep_file_put(sweep_file *f, const fo_parameter_sweep_row *row, bool *old,
                         fo_message *why)
{
    *old = f->last != NULL;
    if (f->last) return compare_row(f, row, why);
    if (!f->out) return FO_OK;
    put_row(f, f->out, row);
    double now = clock_seconds();
    if (now - f->flushed > FLUSH_EVERY) fflush(f->out), f->flushed = now;
    if (!ferror(f->out)) return FO_OK;
    return fo_fail(why, FO_ERROR_INPUT, "cannot write '%s': %s", f->path, strerror(errno));
}

bool sweep_file_close(sweep_file *f, const command *c, bool whole)
{
    bool fine = true;
    char about[4096];
    if (whole && f->out && f->out != stdout && about_path(f, about, sizeof about)) remove(about);
    if (f->out) fine = f->out == stdout ? fflush(stdout) == 0 : fclose(f->out) == 0;
    if (!fine) complain(c, "cannot write '%s': %s", f->path, strerror(errno));
    f->out = NULL;
    free(f->last);
    f->last = NULL;
    return fine;
}
