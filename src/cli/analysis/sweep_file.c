#include "cli/analysis/sweep_file.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

// ----------------------------------------------------------------------------------------- going
// on

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
static const char *check_rows(FILE *in, const char *header, const sweep_file_def *d, double *values,
                              uint64_t *first, long *end)
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
    }
    free(line);
    return wrong;
}

// Where the file's whole rows end. False after a message; nothing whole, or no file: 0 bytes.
static bool look_through(const command *c, const sweep_file_def *d, const char *header,
                         uint64_t *first, foi_mark *mark)
{
    long end = 0;
    const char *wrong = NULL;
    *mark = (foi_mark){0};
    FILE *file = foi_file_plain(d->path, &wrong);
    if (!file && errno == ENOENT) return true;
    double *values = file ? calloc(d->points->vary_count + 1, sizeof *values) : NULL;
    if (file) wrong = values ? check_rows(file, header, d, values, first, &end) : "out of memory";
    if (file && !wrong && end > 0 && !foi_mark_at(fileno(file), (uint64_t)end, *first, mark))
        wrong = strerror(errno);
    free(values);
    if (file) fclose(file);
    if (wrong) complain(c, "cannot continue '%s': %s", d->path, wrong);
    return !wrong;
}

// ------------------------------------------------------------------------------------- opening it

static bool open_rows(sweep_file *f, const command *c, const sweep_file_def *d, const char *header,
                      size_t size, uint64_t *first)
{
    foi_mark mark = {0};
    fo_message why = {0};
    const char *const beginnings[] = {header, NULL};
    bool standard = strcmp(d->path, "-") == 0;
    if (d->go_on && !standard && !look_through(c, d, header, first, &mark)) return false;
    if (!mark.bytes && !replace_may(c, "--output", d->path, beginnings, d->overwrite)) return false;
    fo_status status = mark.bytes ? foi_writer_resume(&f->rows, d->path, size, &mark, NULL, &why)
                                  : foi_writer_open(&f->rows, d->path, size, NULL, &why);
    if (fo_failed(status)) {
        complain(c, "%s", why.text);
        return false;
    }
    f->wanted = true;
    char *row = mark.bytes ? NULL : foi_writer_row(&f->rows, &why);
    if (row)
        foi_writer_row_end(&f->rows, (char *)memcpy(row, header, strlen(header)) + strlen(header));
    return true;
}

bool sweep_file_open(sweep_file *f, const command *c, const sweep_file_def *d, uint64_t *first)
{
    *f = (sweep_file){.values = d->points->vary_count, .measures = d->points->measure_count};
    if (!d->path) return true;
    size_t size = row_size(d->sweep, d->points);
    char *header = malloc(size);
    if (!header) {
        complain(c, "out of memory");
        return false;
    }
    *put_header(header, d->sweep, d->points) = 0;
    bool fine = open_rows(f, c, d, header, size, first);
    free(header);
    return fine;
}

fo_status sweep_file_put(sweep_file *f, const fo_parameter_sweep_row *row, fo_message *why)
{
    char reason[FO_MESSAGE_SIZE];
    if (!f->wanted) return FO_OK;
    char *at = foi_writer_row(&f->rows, why);
    if (!at) return f->rows.failed.status;
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
    foi_writer_row_end(&f->rows, at);
    return foi_writer_idle(&f->rows, why);
}

bool sweep_file_close(sweep_file *f, const command *c)
{
    fo_message why = {0};
    if (!f->wanted) return true;
    f->wanted = false;
    fo_status status = foi_writer_close(&f->rows, &why);
    if (fo_failed(status)) complain(c, "%s", why.text);
    return !fo_failed(status);
}
