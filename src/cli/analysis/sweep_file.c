#include "cli/analysis/sweep_file.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/decimal.h"
#include "cli/replace.h"

// ------------------------------------------------------------------------------------------ the
// rows

static size_t row_size(const fo_parameter_sweep *sweep, const fo_parameter_sweep_def *def)
{
    size_t size = 16 + 12 * FO_MESSAGE_SIZE; // the reason
    for (size_t i = 0; i < def->vary_count; i++)
        size += FOI_DECIMAL_SIZE + 1 + foi_field_size(fo_parameter_sweep_name(sweep, i));
    for (size_t i = 0; i < def->measure_count; i++)
        size += FOI_DECIMAL_SIZE + 1 + foi_field_size(def->measures[i]);
    return size;
}

static char *put_header(char *at, const fo_parameter_sweep *sweep,
                        const fo_parameter_sweep_def *def)
{
    for (size_t i = 0; i < def->vary_count; i++) {
        if (i) *at++ = ',';
        at = foi_put_field(at, fo_parameter_sweep_name(sweep, i));
    }
    for (size_t i = 0; i < def->measure_count; i++) {
        *at++ = ',';
        at = foi_put_field(at, def->measures[i]);
    }
    return (char *)memcpy(at, ",reason\n", 8) + 8;
}

// What is not finite is an empty cell.
static char *put_number(char *at, double value)
{
    return isfinite(value) ? at + foi_number_text(value, at) : at;
}

static char *put_row(char *at, const sweep_file *f, const fo_parameter_sweep_row *row)
{
    char reason[FO_MESSAGE_SIZE];
    for (size_t i = 0; i < f->values; i++) {
        if (i) *at++ = ',';
        at = put_number(at, row->values[i]);
    }
    for (size_t i = 0; i < f->measures; i++) {
        *at++ = ',';
        at = put_number(at, row->measures[i]);
    }
    *at++ = ',';
    snprintf(reason, sizeof reason, "%s", row->reason);
    at = foi_put_field(at, reason);
    *at++ = '\n';
    return at;
}

// --------------------------------------------------------------------------------------- going on

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
static const char *check_rows(sweep_file *f, FILE *in, const char *header, const sweep_file_def *d,
                              double *values, uint64_t *first, long *end)
{
    char *line = NULL;
    size_t size = 0;
    const char *wrong = NULL;
    for (uint64_t number = 0;; number++) {
        ssize_t length = getline(&line, &size, in);
        if (length <= 0 || line[length - 1] != '\n') break; // the end, or a row that was cut off
        if (number == 0 && strcmp(line, header) != 0)
            wrong = "its columns are not those of this sweep";
        else if (number > fo_parameter_sweep_count(d->sweep))
            wrong = "it has more rows than this sweep";
        else if (number && !is_point(line, number - 1, d->sweep, d->points->vary_count, values))
            wrong = "a row is not the one of this sweep: the ranges, the design or the seed differ";
        if (wrong) break;
        *first = number;
        *end = ftell(in);
        if (!number) continue;
        free(f->last);
        f->last = line, line = NULL, size = 0;
    }
    free(line);
    return wrong;
}

// Where the file's whole rows end. False after a message; nothing whole, or no file: 0 bytes.
static bool look_through(sweep_file *f, const command *c, const sweep_file_def *d,
                         const char *header, uint64_t *first, foi_mark *mark)
{
    long end = 0;
    const char *wrong = NULL;
    *mark = (foi_mark){0};
    FILE *file = foi_file_plain(d->path, &wrong);
    if (!file && errno == ENOENT) return true;
    double *values = file ? calloc(d->points->vary_count + 1, sizeof *values) : NULL;
    if (file)
        wrong = values ? check_rows(f, file, header, d, values, first, &end) : "out of memory";
    if (file && !wrong && end > 0 && !foi_mark_at(fileno(file), (uint64_t)end, *first, mark))
        wrong = strerror(errno);
    free(values);
    if (file) fclose(file);
    if (f->last && *first) --*first; // it is computed again
    if (wrong) complain(c, "cannot continue '%s': %s", d->path, wrong);
    return !wrong;
}

// ----------------------------------------------------------------- what an unfinished table is of

static bool about_path(const sweep_file *f, char *path, size_t size)
{
    int length = snprintf(path, size, "%s.sweep", f->path);
    return length > 0 && (size_t)length < size;
}

// True where there is none, or it says the same.
static bool about_agrees(const sweep_file *f, const command *c, const char *about)
{
    char path[4096], *text = NULL;
    const char *wrong;
    size_t size = 0;
    FILE *in = about_path(f, path, sizeof path) ? foi_file_plain(path, &wrong) : NULL;
    if (!in) return true;
    bool same = getdelim(&text, &size, 0, in) >= 0 && strcmp(text, about) == 0;
    free(text);
    fclose(in);
    if (!same)
        complain(c,
                 "cannot continue '%s': by '%s.sweep' it is of another model, or run with other "
                 "options",
                 f->path, f->path);
    return same;
}

static bool about_write(const sweep_file *f, const command *c, const char *about)
{
    char path[4096];
    struct stat what;
    fo_message why = {0};
    if (stat(f->path, &what) == 0 && !S_ISREG(what.st_mode)) return true; // a device, a pipe
    if (!about_path(f, path, sizeof path))
        fo_fail(&why, FO_ERROR_INPUT, "the name '%.80s...' is too long", f->path);
    else
        foi_file_save(path, about, strlen(about), NULL, &why);
    if (fo_failed(why.status)) complain(c, "%s", why.text);
    return !fo_failed(why.status);
}

// ------------------------------------------------------------------------------------- opening it

static bool open_rows(sweep_file *f, const command *c, const sweep_file_def *d, const char *header,
                      uint64_t *first)
{
    foi_mark mark = {0};
    fo_message why = {0};
    const char *const beginnings[] = {header, NULL};
    bool standard = strcmp(d->path, "-") == 0, goes_on = d->go_on && !standard;
    if (goes_on && !about_agrees(f, c, d->about)) return false;
    if (goes_on && !look_through(f, c, d, header, first, &mark)) return false;
    if (!mark.bytes && !replace_may(c, "--output", d->path, beginnings, d->overwrite)) return false;
    if (!standard && !mark.bytes && !about_write(f, c, d->about)) return false;
    fo_status status = mark.bytes
                           ? foi_writer_resume(&f->rows, d->path, f->row_size, &mark, NULL, &why)
                           : foi_writer_open(&f->rows, d->path, f->row_size, NULL, &why);
    if (fo_failed(status)) {
        complain(c, "%s", why.text);
        return false;
    }
    f->wanted = true;
    char *row = mark.bytes ? NULL : foi_writer_row(&f->rows, &why);
    size_t length = strlen(header);
    if (row) foi_writer_row_end(&f->rows, (char *)memcpy(row, header, length) + length);
    return true;
}

bool sweep_file_open(sweep_file *f, const command *c, const sweep_file_def *d, uint64_t *first)
{
    *f = (sweep_file){.path = d->path,
                      .values = d->points->vary_count,
                      .measures = d->points->measure_count,
                      .row_size = row_size(d->sweep, d->points)};
    if (!d->path) return true;
    char *header = malloc(f->row_size);
    if (!header) {
        complain(c, "out of memory");
        return false;
    }
    *put_header(header, d->sweep, d->points) = 0;
    bool fine = open_rows(f, c, d, header, first);
    free(header);
    return fine;
}

// The bits of a run do not change from one time to the next, so that its row does not, either.
static fo_status compare_row(sweep_file *f, const fo_parameter_sweep_row *row, fo_message *why)
{
    char *text = malloc(f->row_size);
    if (!text) return fo_fail(why, FO_ERROR_MEMORY, "out of memory");
    *put_row(text, f, row) = 0;
    bool same = strcmp(text, f->last) == 0;
    free(text);
    free(f->last);
    f->last = NULL;
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
    if (!f->wanted) return FO_OK;
    char *at = foi_writer_row(&f->rows, why);
    if (!at) return f->rows.failed.status;
    foi_writer_row_end(&f->rows, put_row(at, f, row));
    return foi_writer_idle(&f->rows, why);
}

bool sweep_file_close(sweep_file *f, const command *c, bool whole)
{
    fo_message why = {0};
    char about[4096];
    free(f->last);
    f->last = NULL;
    if (!f->wanted) return true;
    f->wanted = false;
    fo_status status = foi_writer_close(&f->rows, &why);
    if (fo_failed(status)) complain(c, "%s", why.text);
    if (!fo_failed(status) && whole && strcmp(f->path, "-") != 0 &&
        about_path(f, about, sizeof about))
        unlink(about);
    return !fo_failed(status);
}
